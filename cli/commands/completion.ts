/**
 * `mr-minhash completion SHELL`: prints a script that completes commands, flags, their values and file names.
 *
 * The script is made from the tables of commands and options. It runs no program when TAB is pressed.
 */
import { type CommandContext, Problems, reporting } from '../command.js';
import { COMMANDS, type CommandEntry, SHELLS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { type CommandFlag, choicesOf, takesFile } from '../flags.js';

type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script. */
export const completionCommand = reporting('completion', (shells, _, context: CommandContext) => {
  const problems = new Problems(context);
  const [shell] = shells;
  if (shells.length !== 1 || !SHELLS.includes(shell as Shell)) {
    const got = shells.length === 0 ? 'SHELL' : `SHELL ${shells.join(' ')}`;
    const detail = `${got}: expected one of ${SHELLS.join(', ')}`;
    const remedy = 'mr-minhash completion --help shows how to install the script';
    problems.add([{ code: 'OPTION_INVALID', detail, remedy }]);
  }
  problems.refuse();
  context.terminal.printText(SCRIPTS[shell as Shell]());
  return EXIT.done;
});

const HELP = { name: '--help', letter: '-h', short: 'show help' } as const;
const VERSION = { name: '--version', letter: '-V', short: 'print the version' } as const;

const flagsOf = ({ groups }: CommandEntry): CommandFlag[] => groups.flatMap(({ flags }) => [...flags]);

/** Both forms of a flag. */
function namesOf({ name, letter }: Pick<CommandFlag, 'name' | 'letter'>): string[] {
  return letter === null ? [name] : [letter, name];
}

const COMMAND_NAMES = [...COMMANDS.map(({ name }) => name), 'help'];

/*
 * bash, since 3.2.
 */

/** What can be completed: fixed words, file names, or nothing. */
function bashValues(flag: CommandFlag): string {
  const choices = choicesOf(flag);
  if (choices.length > 0) return `words='${choices.join(' ')}'`;
  return takesFile(flag) ? 'files=1' : ':';
}

function bashCommand(command: CommandEntry): string {
  const flags = flagsOf(command);
  const valued = flags.filter(({ placeholder }) => placeholder !== null);
  const names = [...flags, HELP].flatMap(namesOf).join(' ');
  const other = command.words === undefined ? 'files=1' : `words='${command.words.join(' ')}'`;
  const cases = valued.map((flag) => `        ${namesOf(flag).join('|')}) ${bashValues(flag)} ;;`);
  return [
    `    ${command.name})`,
    `      case "$previous" in`,
    ...cases,
    `        *) if [[ $current == -* ]]; then words='${names}'; else ${other}; fi ;;`,
    `      esac ;;`,
  ].join('\n');
}

function bashScript(): string {
  return `# bash completion for mr-minhash
_mr_minhash() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command='' words='' files='' name
  # bash takes = for a word of its own.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if ((COMP_CWORD > 1)); then command="\${COMP_WORDS[1]}"; fi
  case "$command" in
    '') words='${[...COMMAND_NAMES, ...namesOf(HELP), ...namesOf(VERSION)].join(' ')}' ;;
    help) words='${COMMAND_NAMES.join(' ')}' ;;
${COMMANDS.map(bashCommand).join('\n')}
  esac
  COMPREPLY=()
  if [[ -n $words ]]; then
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -W "$words" -- "$current")
  elif [[ -n $files ]]; then
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _mr_minhash mr-minhash`;
}

/*
 * zsh.
 */

/** Escapes a text that is in single quotes, as part of a specification of _arguments or _describe. */
function zshText(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&').replaceAll("'", "'\\''");
}

function zshValue(flag: CommandFlag): string {
  if (flag.placeholder === null) return '';
  const choices = choicesOf(flag);
  const [first, ...others] = flag.placeholder.split(' ');
  const action = choices.length > 0 ? `(${choices.join(' ')})` : takesFile(flag) ? '_files' : ' ';
  return [first, ...others].map((word) => `:${word}:${action}`).join('');
}

function zshFlag(flag: CommandFlag): string {
  const value = zshValue(flag);
  const tail = `[${zshText(flag.short)}]${value}'`;
  const long = value === '' ? flag.name : `${flag.name}=`;
  if (flag.letter === null) return `'${flag.repeatable ? '*' : ''}${long}${tail}`;
  const short = value === '' ? flag.letter : `${flag.letter}+`;
  return `'(${namesOf(flag).join(' ')})'{${short},${long}}'${tail}`;
}

function zshCommand(command: CommandEntry): string {
  const rest =
    command.words === undefined
      ? `'*:${command.argument.text}:_files'`
      : `':shell:(${command.words.join(' ')})'`;
  const specifications = [
    ...flagsOf(command).map(zshFlag),
    `'(- *)'{-h,--help}'[${HELP.short}]'`,
    rest.replace('*:two files; with --in two ids', '*:document'),
  ];
  return [
    `        ${command.name})`,
    `          _arguments -s \\`,
    specifications.map((specification) => `            ${specification}`).join(' \\\n'),
    `          ;;`,
  ].join('\n');
}

function zshScript(): string {
  const commands = COMMANDS.map(({ name, summary }) => `        '${name}:${zshText(summary)}'`);
  return `#compdef mr-minhash
# zsh completion for mr-minhash
_mr-minhash() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  _arguments -C \\
    '(- *)'{-h,--help}'[${HELP.short}]' \\
    '(- *)'{-V,--version}'[${VERSION.short}]' \\
    '1: :->command' \\
    '*:: :->words'
  case $state in
    command)
      commands=(
${commands.join('\n')}
        'help:show the help of a command'
      )
      _describe command commands
      ;;
    words)
      case $words[1] in
        help) _arguments '1:command:(${COMMAND_NAMES.join(' ')})' ;;
${COMMANDS.map(zshCommand).join('\n')}
      esac
      ;;
  esac
}
# As a file of $fpath it is the function itself; read by source or eval it names one.
if [[ $funcstack[1] == _mr-minhash ]]; then
  _mr-minhash "$@"
else
  compdef _mr-minhash mr-minhash
fi`;
}

/*
 * fish.
 */

function fishText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function fishFlag(command: string, flag: CommandFlag): string {
  const choices = choicesOf(flag);
  const value =
    flag.placeholder === null
      ? ''
      : choices.length > 0
        ? ` -x -a ${fishText(choices.join(' '))}`
        : takesFile(flag)
          ? ' -r -F'
          : ' -x';
  const short = flag.letter === null ? '' : ` -s ${flag.letter.slice(1)}`;
  return `complete -c mr-minhash -n '__fish_seen_subcommand_from ${command}'${short} -l ${flag.name.slice(2)}${value} -d ${fishText(flag.short)}`;
}

function fishScript(): string {
  const lines = [
    '# fish completion for mr-minhash',
    `complete -c mr-minhash -s h -l help -d ${fishText(HELP.short)}`,
    `complete -c mr-minhash -n __fish_use_subcommand -s V -l version -d ${fishText(VERSION.short)}`,
    `complete -c mr-minhash -n __fish_use_subcommand -f -a help -d 'show the help of a command'`,
    `complete -c mr-minhash -n '__fish_seen_subcommand_from help' -f -a '${COMMAND_NAMES.join(' ')}'`,
  ];
  for (const command of COMMANDS) {
    const { name, summary, words } = command;
    lines.push(`complete -c mr-minhash -n __fish_use_subcommand -f -a ${name} -d ${fishText(summary)}`);
    for (const flag of flagsOf(command)) lines.push(fishFlag(name, flag));
    if (words !== undefined)
      lines.push(
        `complete -c mr-minhash -n '__fish_seen_subcommand_from ${name}' -f -a '${words.join(' ')}'`,
      );
  }
  return lines.join('\n');
}
