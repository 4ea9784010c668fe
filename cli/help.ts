/** The help and the version, by Commander; loaded for these, and for a command that does not exist. */
import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../src/store/packageFiles.js';
import { COMMANDS, type CommandEntry } from './commandTable.js';
import { EXIT } from './exit.js';
import { briefText } from './flags.js';
import type { Terminal } from './terminal.js';

/** Prints what the words ask for, or that their command does not exist; returns the exit code. */
export async function printHelp(argv: readonly string[], terminal: Terminal): Promise<number> {
  // The option groups are long, so -h shows a line per option and --help (or `help run`) the full texts.
  const isFull = argv.includes('--help') || argv[0] === 'help';
  const program = createProgram(terminal);
  for (const entry of COMMANDS) addCommand(program, entry, isFull, terminal.columns);
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  if (argv.length === 2 && argv.includes('--verbose') && argv.some((word) => /^(--version|-V)$/.test(word))) {
    const { whatIsHere } = await import('./show/whatIsHere.js');
    for (const line of whatIsHere()) terminal.print(line);
    return EXIT.done;
  }
  // For an unknown command `help` would print only the usage, without the fault.
  const isUnknown = argv[0] === 'help' && COMMANDS.every(({ name }) => name !== argv[1]);
  const plain = isUnknown && /^\w/.test(argv[1] ?? '') ? argv.slice(1) : argv;
  try {
    await program.parseAsync(plain, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has printed the fault. Its exit code for wrong use is 1, ours is 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.use;
    throw error;
  }
}

function createProgram(terminal: Terminal): Command {
  return new Command('mr-minhash')
    .description('Finds the near-duplicates in a corpus.')
    .version(
      VERSION,
      '-V, --version',
      'print the version; with --verbose also what is here that some inputs need',
    )
    .helpOption('-h, --help', 'show help; --help in full, -h a line each')
    .configureHelp({
      // The name of a flag without a letter is aligned with the names of the others.
      optionTerm: ({ flags, short }) => `${short === undefined ? '    ' : ''}${flags}`,
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
  const { name, summary, description, argument, groups, examples, notes } = entry;
  const wrapped = notes.map((note) => program.createHelp().boxWrap(note, columns));
  const command = program
    .command(name)
    .summary(summary)
    .description(description)
    .usage(`[options] ${argument.usage}`)
    .argument(`[${argument.usage.replace(/[^\w ]|\.{3}/g, '')}...]`, argument.text)
    .addHelpText('after', ['', ['Examples:', ...examples].join('\n  '), ...wrapped].join('\n\n').slice(1));
  for (const { title, flags } of groups)
    for (const flag of flags)
      command.addOption(new Option(flag.term, isFull ? flag.full : briefText(flag)).helpGroup(`${title}:`));
}
