/** Parts that all commands share: parsing arguments, reporting all usage errors at once, and ending after an error. */
import { flagName, MinHashError, type Problem } from '../src/errors.js';
import type { OwnOption } from '../src/options/queryOptions.js';
import { usableValues, type ValueOf } from '../src/options/values.js';
import { lackOfResult } from '../src/result/fileNames.js';
import type { WordProblem } from './argv.js';
import type { CommandName } from './commandTable.js';
import { reportFailure } from './exit.js';
import { type ParsedFlags, valuesOf } from './flags.js';
import type { Terminal } from './terminal.js';

export interface CommandContext {
  readonly terminal: Terminal;
  /** Errors found when the command line was parsed. */
  readonly wordProblems?: readonly WordProblem[];
}

type Rows = Readonly<Record<string, OwnOption>>;

/** Collects the usage errors of a command line, to throw them together. */
export class Problems {
  readonly #errors: Problem[];
  /** The words for DIR; if the command has other errors, each that is not a result is reported too. */
  #folders: readonly string[] = [];
  /** Words that may be values of unknown options, or arguments. */
  readonly #unclear: readonly string[];
  /** The flags that already have an error, so that a missing value is not reported as well. */
  readonly #problemy: readonly string[];

  constructor({ wordProblems = [] }: Pick<CommandContext, 'wordProblems'>) {
    this.#errors = wordProblems.map(({ detail }) => ({ code: 'OPTION_INVALID', detail }));
    this.#unclear = wordProblems.flatMap(({ leftWord }) => leftWord ?? []);
    this.#problemy = wordProblems.flatMap(({ option }) => (option === null ? [] : flagName(option)));
  }

  get hasUnclearWord(): boolean {
    return this.#unclear.length > 0;
  }

  readonly say = (detail: string): void => {
    this.#errors.push({ code: 'OPTION_INVALID', detail });
  };

  add(problems: readonly Problem[]): void {
    this.#errors.push(
      ...problems.filter(
        ({ detail }) => !this.#problemy.some((flag) => detail.startsWith(`${flag}: expected`)),
      ),
    );
  }

  /** The DIR of a command that takes one. */
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

  /** The checked values of a command's own flags. The command itself checks flags of several words, and repeated paths. */
  values<Own extends Rows>(own: Own, flags: ParsedFlags): { [Key in keyof Own]?: ValueOf<Own[Key]['kind']> } {
    const isChecked = ({ kind, placeholder, repeatable }: OwnOption): boolean =>
      (repeatable !== true || kind.kind !== 'path') && placeholder?.includes(' ') !== true;
    const checked = Object.fromEntries(Object.entries(own).filter(([, row]) => isChecked(row))) as Own;
    return usableValues(checked, valuesOf(checked, flags), (_, detail) => this.say(detail));
  }

  /** @throws MinHashError with all usage errors, if there are any */
  refuse(): void {
    if (this.#errors.length === 0) return;
    const lacks = this.#folders.map(lackOfResult).filter((lack) => lack !== null);
    const missing = lacks.map((detail) => ({ code: 'RESULT_MISSING', detail }) as const);
    throw new MinHashError([...this.#errors, ...missing]);
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
