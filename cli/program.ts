/**
 * Maps argv to a command, runs it, and returns the exit code.
 *
 * A command and its part of the library are loaded when it runs, so that `--help` is fast.
 */
import { readWords } from './argv.js';
import type { CommandContext } from './command.js';
import { COMMANDS, type CommandName } from './commandTable.js';
import { reportFailure } from './exit.js';
import type { ParsedFlags } from './flags.js';
import { endAtInterrupt } from './interrupt.js';
import type { Terminal } from './terminal.js';

/** Runs a command and returns its exit code. */
type Action = (
  words: readonly string[],
  flags: ParsedFlags,
  context: CommandContext & { readonly stdin: NodeJS.ReadableStream },
) => Promise<number>;

const ACTIONS: Readonly<Record<CommandName, () => Promise<Action>>> = {
  run: async () => (await import('./commands/run.js')).runCommand,
  apply: async () => (await import('./commands/apply.js')).applyCommand,
  inspect: async () => (await import('./commands/inspect.js')).inspectCommand,
  view: async () => (await import('./commands/view.js')).viewCommand,
  verify: async () => (await import('./commands/verify.js')).verifyCommand,
  tune: async () => (await import('./commands/tune.js')).tuneCommand,
  compare: async () => (await import('./commands/compare.js')).compareCommand,
  query: async () => (await import('./commands/query.js')).queryCommand,
  filter: async () => (await import('./commands/filter.js')).filterCommand,
  index: async () => (await import('./commands/index.js')).indexCommand,
  completion: async () => (await import('./commands/completion.js')).completionCommand,
};

/** Commands that call `listenForInterrupt`; signals end the others at once. */
const INTERRUPTIBLE: readonly CommandName[] = ['run', 'apply', 'view', 'query', 'filter', 'index'];

/** Runs the command of `argv` (without node and script) and returns the exit code. */
export async function runProgram(
  argv: readonly string[],
  terminal: Terminal,
  stdin: NodeJS.ReadableStream,
): Promise<number> {
  try {
    const entry = COMMANDS.find(({ name }) => name === argv[0]);
    const help = async (words: readonly string[]) => (await import('./help.js')).printHelp(words, terminal);
    if (entry === undefined) return await help(argv);
    const known = entry.groups.flatMap((group) => group.flags);
    const { words, flags, problems, asksHelp } = readWords(argv.slice(1), known);
    if (asksHelp) return await help([entry.name, argv.includes('--help') ? '--help' : '-h']);
    if (INTERRUPTIBLE.includes(entry.name)) endAtInterrupt(terminal);
    const action = await ACTIONS[entry.name]();
    return await action(words, flags, { terminal, stdin, wordProblems: problems });
  } catch (error) {
    return reportFailure(error, terminal, argv.includes('--verbose'));
  }
}
