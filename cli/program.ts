/**
 * The commands and their arguments: argv -> command -> exit code.
 *
 * Commands and the library are loaded only when one of them is to run, so that `--help` stays quick.
 */
import { Command, CommanderError, Option } from 'commander';
import type { FlagKey } from '../src/options/table.js';
import { VERSION } from '../src/store/packageFiles.js';
import { addFlags, helpStyle, type ParsedFlags, readWords } from './argv.js';
import { EXIT, reportFailure } from './exit.js';
import type { Terminal } from './terminal.js';

const RUN_EXAMPLES = `
Examples:
  mr-minhash run texts/ --out result
  mr-minhash run mail.jsonl --text-field body --id-field message_id
  mr-minhash run src/ --include '**/*.ts' --shingle lines:3 --threshold 0.6
  mr-minhash run texts/ --hashes 100 --verify signature --agree 90
  zcat crawl.jsonl.gz | mr-minhash run - --verify signature --shards 16

Exit codes: 0 done, 1 failed, 2 wrong use, 3 a pair was accepted (with
--fail-on-duplicates), 130 interrupted.`;

const INSPECT_EXAMPLES = `
Examples:
  mr-minhash inspect result --top 20
  mr-minhash inspect result --pair a.txt b.txt
  mr-minhash inspect result --pair '-#2' '-#3'`;

const VERIFY_EXAMPLES = `
Examples:
  mr-minhash verify result
  mr-minhash verify result --json

Exit codes: 0 sound, 1 damaged, 2 no result or wrong use.`;

const TUNE_EXAMPLES = `
Examples:
  mr-minhash tune --threshold 0.8 --recall 0.95 --hashes 128
  mr-minhash tune --threshold 0.9 --ceiling 0.6 0.01
  mr-minhash tune --compare 20x5,16x8,14x8 --svg curves.svg
  mr-minhash tune --error 0.05 --confidence 0.95
  mr-minhash tune --agree 90 --hashes 100
  mr-minhash tune texts/ --sample 2000

--error or --confidence, --agree, --compare and a PATH each ask for a part of the
answer; without any of them the choice of bands and rows is shown in full.`;

const COMPARE_EXAMPLES = `
Examples:
  mr-minhash compare texts/a.txt texts/b.txt
  mr-minhash compare old.ts new.ts --shingle lines:2 --explain
  mr-minhash compare m1 m2 --in mail.jsonl --text-field body --id-field message_id
  mr-minhash compare a.txt more/d.txt --in texts/ --hashes 256 --json

Without --in, A and B are files, each read as one text (.gz is unpacked). With it they
are ids of the documents that run would read there, as they stand in result files.

Exit codes: 0 done, 2 wrong use or a document that cannot be read.`;

/** What compare has of the options of a run. */
const COMPARE_FLAGS: readonly FlagKey[] = [
  'shingle',
  'stopWords',
  'hashes',
  'seed',
  'input',
  'textField',
  'idField',
  'encoding',
  'include',
  'exclude',
  'maxDocument',
];

/** What tune has of the options of a run. */
const TUNE_FLAGS: readonly FlagKey[] = [
  'shingle',
  'stopWords',
  'bag',
  'threshold',
  'sketch',
  'hashes',
  'bands',
  'rows',
  'recall',
  'seed',
  'input',
  'textField',
  'idField',
  'encoding',
  'include',
  'exclude',
  'maxDocument',
  'threads',
];

/** Runs what `argv` (without node and script) asks for and returns the exit code. */
export async function runProgram(
  argv: readonly string[],
  terminal: Terminal,
  stdin: NodeJS.ReadableStream,
): Promise<number> {
  let exitCode: number = EXIT.done;
  // The option groups are long, so -h gives a line each and --help (or `help run`) everything.
  const full = argv.includes('--help') || argv[0] === 'help';
  const program = createProgram(terminal, full);
  const commands = [
    addRun(program, full),
    addInspect(program),
    addVerify(program),
    addTune(program, full),
    addCompare(program, full),
  ] as const;
  const command = commands.find((candidate) => candidate.name() === argv[0]);
  const words = readWords(command === undefined ? [] : argv.slice(1), command?.options ?? []);
  commands[0].action(async (paths: string[], flags: ParsedFlags) => {
    const { runCommand } = await import('./commands/run.js');
    const { placeFaults } = await import('../src/coordinator/prepare.js');
    const loadLibrary = () => import('../src/index.js');
    const context = { terminal, loadLibrary, stdin, checkPlaces: placeFaults, wordFaults: words.faults };
    exitCode = await runCommand(paths, flags, context);
  });
  commands[1].action(async (folders: string[], flags: ParsedFlags) => {
    const { inspectCommand } = await import('./commands/inspect.js');
    const openResult = async (path: string) => (await import('../src/index.js')).openResult(path);
    const context = { terminal, openResult, wordFaults: words.faults };
    exitCode = await inspectCommand(folders, { ...flags, ...words.lists }, context);
  });
  commands[2].action(async (folders: string[], flags: ParsedFlags) => {
    const { verifyCommand } = await import('./commands/verify.js');
    const { verifyResult } = await import('../src/index.js');
    exitCode = await verifyCommand(folders, flags, { terminal, verifyResult, wordFaults: words.faults });
  });
  commands[3].action(async (paths: string[], flags: ParsedFlags) => {
    const { tuneCommand } = await import('./commands/tune.js');
    const loadLibrary = () => import('../src/index.js');
    const context = { terminal, loadLibrary, clock: () => performance.now(), wordFaults: words.faults };
    exitCode = await tuneCommand(paths, { ...flags, ...words.lists }, context);
  });
  commands[4].action(async (names: string[], flags: ParsedFlags) => {
    const { compareCommand } = await import('./commands/compare.js');
    const loadLibrary = () => import('../src/index.js');
    exitCode = await compareCommand(names, flags, { terminal, loadLibrary, wordFaults: words.faults });
  });
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  try {
    await program.parseAsync(command === undefined ? argv : [command.name(), ...words.argv], {
      from: 'user',
    });
  } catch (error) {
    // Commander has said what is wrong; its own code for wrong use is 1, ours is 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.use;
    return reportFailure(error, terminal, argv.includes('--verbose'));
  }
  return exitCode;
}

function createProgram(terminal: Terminal, full: boolean): Command {
  return new Command('mr-minhash')
    .description('Finds the near-duplicates in a corpus.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show help; --help in full, -h a line each')
    .configureHelp(helpStyle(full))
    .configureOutput({
      writeOut: (text) => terminal.printText(text),
      writeErr: (text) => terminal.sayText(text),
      getOutHelpWidth: () => terminal.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride();
}

function addRun(program: Command, full: boolean): Command {
  const command = program
    .command('run')
    .summary('find the near-duplicates among files')
    .description(
      'Reads the files under every PATH (- is JSON lines on standard input), finds their near-duplicates ' +
        'and writes pairs, clusters and a drop list into a folder. Every dropped document has a kept near-duplicate, ' +
        'named with its similarity.',
    )
    .argument('[PATH...]', 'files and directories')
    .configureHelp(helpStyle(full));
  addFlags(command);
  return command.addHelpText('after', RUN_EXAMPLES);
}

function addInspect(program: Command): Command {
  return (
    program
      .command('inspect')
      .summary('look at a result: counts, top pairs, two texts side by side')
      .description(
        'Shows the counts and the most alike near pairs of a finished result, or one pair in full.',
      )
      // A list, so that one too few or too many is told with the other faults.
      .usage('[options] <DIR>')
      .argument('[DIR...]', 'the output folder of a run')
      .addOption(new Option('--top <N>', 'how many pairs to list [default: 10]'))
      .addOption(new Option('--pair <A B>', 'all values of one pair, and its texts side by side'))
      .addOption(new Option('--json', 'print one JSON object'))
      .addOption(new Option('--verbose', 'print the details of unexpected errors'))
      .addHelpText('after', INSPECT_EXAMPLES)
  );
}

function addVerify(program: Command): Command {
  return program
    .command('verify')
    .summary('check a result against its manifest')
    .description(
      'Reads every file of a finished result and tells what is not as its manifest says: lengths, SHA-256, ' +
        'rows, files that are missing and files that do not belong there.',
    )
    .usage('[options] <DIR>')
    .argument('[DIR...]', 'the output folder of a run')
    .addOption(new Option('--json', 'print one JSON object'))
    .addOption(new Option('--verbose', 'print the details of unexpected errors'))
    .addHelpText('after', VERIFY_EXAMPLES);
}

function addTune(program: Command, full: boolean): Command {
  const command = program
    .command('tune')
    .summary('choose bands, rows and signature length, and see what they miss')
    .description(
      'Calculates, without a run, what settings do: bands and rows for a threshold, their S-curve and what it ' +
        'misses, how exact a signature is, and with PATH what to expect of a corpus, from a sample.',
    )
    .argument('[PATH...]', 'files and directories to sample')
    .configureHelp(helpStyle(full))
    .addOption(
      new Option('--keys <K>', 'choose with at most so many bands: the bucket keys a document costs'),
    )
    .addOption(
      new Option(
        '--ceiling <S P>',
        'seek the shortest signature with which pairs at resemblance S are candidates with probability P at most',
      ),
    )
    .addOption(new Option('--error <E>', 'how far an estimate may be off [default: 0.05]'))
    .addOption(new Option('--confidence <C>', 'how surely it shall be no further off [default: 0.95]'))
    .addOption(new Option('--agree <M>', 'the rule that at least M of the N slots agree, without bands'))
    .addOption(new Option('--compare <LIST>', 'settings side by side, such as 20x5,16x8 (bands x rows)'))
    .addOption(new Option('--sample <N>', 'documents of the corpus to sketch, 2 to 10000 [default: 2000]'))
    .addOption(
      new Option('--svg <FILE>', 'draw the S-curves into a file; never replaces one without --force'),
    )
    .addOption(new Option('--force', 'replace the file of --svg'))
    .addOption(new Option('--json', 'print one JSON object'))
    .addOption(new Option('--verbose', 'print the details of unexpected errors'));
  addFlags(command, TUNE_FLAGS);
  return command.addHelpText('after', TUNE_EXAMPLES);
}

function addCompare(program: Command, full: boolean): Command {
  const command = program
    .command('compare')
    .summary('two documents by every measure, each estimate beside its exact value')
    .description(
      'Compares two documents: resemblance, distance and containment as sets and as bags, exactly, and what every ' +
        'sketch estimates of them, with its bounds and the error it makes.',
    )
    // A list, so that one too few or too many is told with the other faults.
    .usage('[options] <A> <B>')
    .argument('[A B...]', 'two files, or with --in two ids')
    .configureHelp(helpStyle(full))
    .addOption(
      new Option('--in <PATH>', 'A and B are ids of the documents there; may be repeated').argParser(
        (value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value],
      ),
    )
    .addOption(new Option('--explain', 'list shared and differing shingles'))
    .addOption(new Option('--most <N>', 'how many shingles of each list to show [default: 20]'))
    .addOption(new Option('--samples <S>', 's of MIN_s, the smallest elements kept [default: --hashes]'))
    .addOption(new Option('--modulus <M>', 'm of MOD_m, which keeps one element in m [default: 25]'))
    .addOption(new Option('--level-unit <N>', 'L_i keeps N to 2N elements of a long document [default: 100]'))
    .addOption(new Option('--json', 'print one JSON object'))
    .addOption(new Option('--verbose', 'print the details of unexpected errors'));
  addFlags(command, COMPARE_FLAGS);
  return command.addHelpText('after', COMPARE_EXAMPLES);
}
