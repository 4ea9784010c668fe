/**
 * The commands and their arguments: argv -> command -> exit code.
 *
 * Commands and the library are loaded only when a command runs, so that `--help` stays quick.
 */
import { Command, CommanderError } from 'commander';
import type { CorpusOption } from '../src/coordinator/resultPaths.js';
import type { Report } from '../src/index.js';
import { VERSION } from '../src/store/packageFiles.js';
import type { ViewOptions } from '../src/view/viewPages.js';
import { readWords, type WordFault } from './argv.js';
import { COMMANDS, type CommandEntry, type CommandName } from './commandTable.js';
import { EXIT, reportFailure } from './exit.js';
import { commanderOptions, HELP_STYLE, type ParsedFlags } from './flags.js';
import type { OpenResult, RunLibrary } from './library.js';
import type { Terminal } from './terminal.js';

/** The arguments of a command. */
interface Started {
  readonly words: readonly string[];
  readonly flags: ParsedFlags;
  readonly wordFaults: readonly WordFault[];
  readonly terminal: Terminal;
  readonly stdin: NodeJS.ReadableStream;
}

const loadLibrary = () => import('../src/index.js');

/** Loads the part of the library that a run needs; workers start before the rest of that part is loaded. */
async function loadRun() {
  const { run } = await import('../src/coordinator/run.js');
  const library: RunLibrary<Report> = {
    run,
    jobs: async (options) =>
      (await import('../src/coordinator/cluster/clusterRun.js')).planOnCluster(options),
    plan: async (...given) => (await import('../src/coordinator/planning/plan.js')).plan(...given),
    summaryLines: async (...given) => (await import('../src/output/report.js')).summaryLines(...given),
  };
  return library;
}

/** The function that runs each command and returns its exit code. */
const ACTIONS: Readonly<Record<CommandName, (started: Started) => Promise<number>>> = {
  run: async ({ words, flags, ...context }) => {
    const { runCommand } = await import('./commands/run.js');
    const { placeFaults } = await import('../src/coordinator/start/checked.js');
    return runCommand(words, flags, { ...context, loadLibrary: loadRun, checkPlaces: placeFaults });
  },
  apply: async ({ words, flags, ...context }) => {
    const { applyCommand } = await import('./commands/apply.js');
    const { applyResult } = await import('../src/coordinator/apply/apply.js');
    return applyCommand(words, flags, { ...context, applyResult });
  },
  inspect: async ({ words, flags, ...context }) => {
    const { inspectCommand } = await import('./commands/inspect.js');
    const openResult: OpenResult = async (...given) => (await loadLibrary()).openResult(...given);
    return inspectCommand(words, flags, { ...context, openResult });
  },
  report: async ({ words, flags, ...context }) => {
    const { reportCommand } = await import('./commands/report.js');
    const loadPages = async () => {
      const { reportHtml } = await import('../src/view/reportPage.js');
      const { PAGE_BEGINNING } = await import('../src/view/htmlPage.js');
      const { inputFiles } = await import('../src/analysis/result/pairTexts.js');
      const { askedResult } = await import('../src/analysis/inspect.js');
      const { whyUntrusted } = await import('../src/coordinator/resultPaths.js');
      const filesOf = (folder: string, options: CorpusOption) => inputFiles(askedResult(folder, options));
      return { reportHtml, inputFiles: filesOf, whyUntrusted, pageBeginning: PAGE_BEGINNING };
    };
    return reportCommand(words, flags, { ...context, loadPages });
  },
  view: async ({ words, flags, ...context }) => {
    const { viewCommand } = await import('./commands/view.js');
    const loadView = async () => {
      const { ResultView } = await import('../src/view/viewPages.js');
      const { serveView } = await import('../src/view/viewServer.js');
      return {
        openView: (folder: string, options: ViewOptions) => new ResultView(folder, options),
        serveView,
      };
    };
    return viewCommand(words, flags, { ...context, loadView });
  },
  verify: async ({ words, flags, ...context }) => {
    const { verifyCommand } = await import('./commands/verify.js');
    const { verifyResult } = await loadLibrary();
    return verifyCommand(words, flags, { ...context, verifyResult });
  },
  export: async ({ words, flags, ...context }) => {
    const { exportCommand } = await import('./commands/export.js');
    const loadExporter = () => import('../src/output/exportResult.js');
    return exportCommand(words, flags, { ...context, loadExporter });
  },
  tune: async ({ words, flags, ...context }) => {
    const { tuneCommand } = await import('./commands/tune.js');
    return tuneCommand(words, flags, { ...context, loadLibrary, clock: () => performance.now() });
  },
  compare: async ({ words, flags, ...context }) => {
    const { compareCommand } = await import('./commands/compare.js');
    return compareCommand(words, flags, { ...context, loadLibrary });
  },
  query: async ({ words, flags, ...context }) => {
    const { queryCommand } = await import('./commands/query.js');
    return queryCommand(words, flags, { ...context, loadLibrary });
  },
  filter: async ({ words, flags, ...context }) => {
    const { filterCommand } = await import('./commands/filter.js');
    return filterCommand(words, flags, context);
  },
  task: async ({ words, flags, ...context }) => {
    const { taskCommand } = await import('./commands/task.js');
    return taskCommand(words, flags, context);
  },
  completion: async ({ words, flags, ...context }) => {
    const { completionCommand } = await import('./commands/completion.js');
    return completionCommand(words, flags, context);
  },
};

/** Runs the command of `argv` (without node and script) and returns the exit code. */
export async function runProgram(
  argv: readonly string[],
  terminal: Terminal,
  stdin: NodeJS.ReadableStream,
): Promise<number> {
  let exitCode: number = EXIT.done;
  // The option groups are long, so -h shows a line per option and --help (or `help run`) the full texts.
  const full = argv.includes('--help') || argv[0] === 'help';
  const program = createProgram(terminal);
  // Only the given command is made: making the options of all commands takes 4 ms.
  const asked = COMMANDS.filter(({ name }) => name === argv[0]);
  const commands = (asked.length > 0 ? asked : COMMANDS).map((entry) =>
    addCommand(program, entry, full, terminal.columns),
  );
  const command = commands.find((candidate) => candidate.name() === argv[0]);
  const read = readWords(command === undefined ? [] : argv.slice(1), command?.options ?? []);
  command?.action(async (words: string[], flags: ParsedFlags) => {
    const started = { words, flags: { ...flags, ...read.lists }, wordFaults: read.faults, terminal, stdin };
    exitCode = await ACTIONS[command.name() as CommandName](started);
  });
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  if (
    argv.length === 2 &&
    argv.includes('--verbose') &&
    argv.some((word) => word === '--version' || word === '-V')
  ) {
    const { whatIsHere } = await import('./show/whatIsHere.js');
    for (const line of whatIsHere()) terminal.print(line);
    return EXIT.done;
  }
  try {
    // For an unknown command `help` would print only the usage, without the fault.
    const isHelp = argv[0] === 'help' && commands.every((known) => known.name() !== argv[1]);
    const plain = isHelp && /^\w/.test(argv[1] ?? '') ? argv.slice(1) : argv;
    await program.parseAsync(command === undefined ? plain : [command.name(), ...read.argv], {
      from: 'user',
    });
  } catch (error) {
    // Commander has printed the fault. Its exit code for wrong use is 1, ours is 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.use;
    return reportFailure(error, terminal, argv.includes('--verbose'));
  }
  return exitCode;
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
    .configureHelp(HELP_STYLE)
    .configureOutput({
      writeOut: (text) => terminal.printText(text),
      writeErr: (text) => terminal.sayText(text),
      getOutHelpWidth: () => terminal.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride();
}

function addCommand(program: Command, entry: CommandEntry, full: boolean, columns: number): Command {
  const { name, summary, description, argument, groups, examples, notes } = entry;
  const wrapped = notes.map((note) => program.createHelp().boxWrap(note, columns));
  const command = program
    .command(name)
    .summary(summary)
    .description(description)
    // For Commander the argument is a list, so that we report a missing or further word with the other faults.
    .usage(`[options] ${argument.usage}`)
    .argument(`[${argument.usage.replace(/[^\w ]|\.{3}/g, '')}...]`, argument.text)
    .addHelpText('after', ['', ['Examples:', ...examples].join('\n  '), ...wrapped].join('\n\n').slice(1));
  for (const option of commanderOptions(groups, full)) command.addOption(option);
  return command;
}
