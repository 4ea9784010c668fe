/** Parts of all commands: reading their arguments, reporting all faults at once, and ending after an error. */
import { type Fault, flagName, MinHashError } from '../src/errors.js';
import type { OwnOption } from '../src/options/queryOptions.js';
import { usableValues, type ValueOf } from '../src/options/values.js';
import { lackOfResult } from '../src/result/fileNames.js';
import type { WordFault } from './argv.js';
import type { CommandName } from './commandTable.js';
import { reportFailure } from './exit.js';
import { givenBy, type ParsedFlags } from './flags.js';
import type { Terminal } from './terminal.js';

export interface CommandContext {
  readonly terminal: Terminal;
  /** The faults of the words of the command line. */
  readonly wordFaults?: readonly WordFault[];
}

type Rows = Readonly<Record<string, OwnOption>>;

/** Collects all faults of a command line, to throw them at once. */
export class Faults {
  readonly #all: Fault[];
  /** Words for DIR; a command with other faults says of each that is no result. */
  #folders: readonly string[] = [];
  /** Words that may be values of options that do not exist, or arguments. */
  readonly #unclear: readonly string[];
  /** The flags that already have a fault: then it is not told that they lack a value, too. */
  readonly #faulty: readonly string[];

  constructor({ wordFaults = [] }: Pick<CommandContext, 'wordFaults'>) {
    this.#all = wordFaults.map(({ detail }) => ({ code: 'OPTION_INVALID', detail }));
    this.#unclear = wordFaults.flatMap(({ leftWord }) => leftWord ?? []);
    this.#faulty = wordFaults.flatMap(({ option }) => (option === null ? [] : flagName(option)));
  }

  get hasUnclearWord(): boolean {
    return this.#unclear.length > 0;
  }

  readonly say = (detail: string): void => {
    this.#all.push({ code: 'OPTION_INVALID', detail });
  };

  add(faults: readonly Fault[]): void {
    this.#all.push(
      ...faults.filter(({ detail }) => !this.#faulty.some((flag) => detail.startsWith(`${flag}: expected`))),
    );
  }

  /** The one DIR of a command. */
  folder(words: readonly string[], { corpus }: ParsedFlags = {}): string {
    const repeated =
      corpus === undefined
        ? ''
        : '; --corpus takes one PATH, and is repeated for several: --corpus A --corpus B';
    const clear = words.length < 2 ? words : words.filter((word) => !this.#unclear.includes(word));
    if (words.length === 0) this.say('no DIR was given');
    else if (clear.length > 1)
      this.say(`DIR ${clear.join(' ')}: expected one, got ${clear.length}${repeated}`);
    this.#folders = clear;
    return clear[0] ?? words[0] ?? '';
  }

  /** The checked values of a command's own flags. The command itself reads flags of several words, and paths that are repeated. */
  values<Own extends Rows>(own: Own, flags: ParsedFlags): { [Key in keyof Own]?: ValueOf<Own[Key]['kind']> } {
    const isChecked = ({ kind, placeholder, repeatable }: OwnOption): boolean =>
      (repeatable !== true || kind.kind !== 'path') && placeholder?.includes(' ') !== true;
    const checked = Object.fromEntries(Object.entries(own).filter(([, row]) => isChecked(row))) as Own;
    return usableValues(checked, givenBy(checked, flags), (_, detail) => this.say(detail));
  }

  /** @throws MinHashError with all faults, if there are any */
  refuse(): void {
    if (this.#all.length === 0) return;
    const lacks = this.#folders.map(lackOfResult).filter((lack) => lack !== null);
    const missing = lacks.map((detail) => ({ code: 'RESULT_MISSING', detail }) as const);
    throw new MinHashError([...this.#all, ...missing]);
  }
}

/** Wraps a command: reports its errors, and returns the exit code. */
export function reporting<Context extends CommandContext>(
  name: CommandName,
  work: (words: readonly string[], flags: ParsedFlags, context: Context) => number | Promise<number>,
): (words: readonly string[], flags: ParsedFlags, context: Context) => Promise<number> {
  return async (words, flags, context) => {
    try {
      return await work(words, flags, context);
    } catch (error) {
      context.terminal.status('');
      return reportFailure(error, context.terminal, flags.verbose === true, name);
    }
  };
}
