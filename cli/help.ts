/** Prints the help and the version with Commander; loaded for these, and for an unknown command. */
import { existsSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { nearestName } from '../src/options/nearestName.js';
import { shellQuoted } from '../src/options/shellWord.js';
import { shownValue } from '../src/options/values.js';
import { VERSION } from '../src/store/packageFiles.js';
import { COMMANDS, type CommandEntry } from './commandTable.js';
import { EXIT } from './exit.js';
import { briefText, MOST_USED_GROUP } from './flags.js';
import type { Terminal } from './terminal.js';

const PROGRAM = 'mr-minhash';

/** Prints the requested help or version, or that the command is unknown; returns the exit code. */
export async function printHelp(argv: readonly string[], terminal: Terminal): Promise<number> {
  // The option groups are long, so -h prints one line per option and --help (or `help run`) the full texts.
  const isFull = argv.includes('--help') || argv[0] === 'help';
  const program = createProgram(terminal);
  for (const entry of COMMANDS) addCommand(program, entry, isFull, terminal.columns);
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  if (argv.length === 2 && argv.includes('--verbose') && argv.some((word) => /^(--version|-V)$/.test(word))) {
    const { installedPrograms } = await import('./show/installedPrograms.js');
    for (const line of installedPrograms()) terminal.print(line);
    return EXIT.done;
  }
  const word = argv[0] === 'help' ? argv[1] : argv[0];
  if (word !== undefined && !word.startsWith('-') && !NAMES.includes(word)) {
    sayUnknown(word, argv, terminal);
    return EXIT.use;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has printed the error. Its exit code for a usage error is 1, ours is 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.use;
    throw error;
  }
}

const NAMES: readonly string[] = ['help', ...COMMANDS.map(({ name }) => name)];

/** Reports an unknown command; a path in its place was meant for `run`. */
function sayUnknown(word: string, argv: readonly string[], terminal: Terminal): void {
  terminal.say(`error: ${shownValue(word)} is not a command`);
  if (word === 'report') {
    terminal.say(`hint: ${terminal.command} view RESULT --save FILE writes the page`);
    return;
  }
  const near = nearestName(word, NAMES);
  const isPath = argv[0] === word && (word.includes('/') || word.includes('.') || existsSync(word));
  // A PATH may look like an option only after `--`.
  const typed = (words: readonly string[]): string => [terminal.command, ...words.map(shellQuoted)].join(' ');
  if (isPath) terminal.say(`hint: ${typed(['run', ...argv])}`);
  else if (near !== null)
    terminal.say(`hint: ${typed(argv.map((typedWord) => (typedWord === word ? near : typedWord)))}`);
  else terminal.say(`hint: ${terminal.command} --help lists the commands`);
}

function createProgram(terminal: Terminal): Command {
  return new Command(PROGRAM)
    .description('Finds the near-duplicates in a corpus.')
    .version(VERSION, '-V, --version', 'print the version (--verbose: more)')
    .helpOption('-h, --help', 'show help; --help in full, -h one line each')
    .configureHelp({
      // Flags without a letter are indented, so that all long names are aligned.
      optionTerm: ({ flags, short }) => `${short === undefined ? '    ' : ''}${flags}`,
      // The arguments of a command are in its own help.
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: (text) => terminal.printText(text),
      writeErr: (text) => terminal.sayText(text),
      getOutHelpWidth: () => terminal.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride();
}

function addCommand(program: Command, entry: CommandEntry, isFull: boolean, columns: number): void {
  const { name, summary, description, argument } = entry;
  const isShortRun = name === 'run' && !isFull;
  const groups = isShortRun ? [MOST_USED_GROUP] : entry.groups;
  const notes = isShortRun ? [`All options: ${PROGRAM} run --help`] : entry.notes;
  const examples = isShortRun ? entry.examples.slice(0, 2) : entry.examples;
  const wrapped = notes.map((note) => program.createHelp().boxWrap(note, columns));
  const command = program
    .command(name)
    .summary(summary)
    .description(description)
    .usage(`[options] ${argument.usage}`)
    .argument(`[${argument.usage.replace(/\|\w+|[^\w ]|\.{3}/g, '').trim()}...]`, argument.text)
    .addHelpText('after', ['', ['Examples:', ...examples].join('\n  '), ...wrapped].join('\n\n').slice(1));
  for (const { title, flags } of groups)
    for (const flag of flags)
      command.addOption(new Option(flag.term, isFull ? flag.full : briefText(flag)).helpGroup(`${title}:`));
}
