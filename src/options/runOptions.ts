/**
 * The options of a run, as a user gives them to the library or in a `--config` file, and after their checks: both derive from
 * the table.
 *
 * Types only.
 */
import type { KeysWith, OptionKey, OptionRows } from './table.js';
import type { AbsentOf, GivenOf, ValueKind, ValueOf } from './values.js';

/** What a user gives of options that have such rows. */
export type Given<Rows extends Readonly<Record<string, { readonly kind: ValueKind }>>> = {
  readonly [Key in keyof Rows]?: GivenOf<Rows[Key]['kind']>;
};

/**
 * Options of `run`, `plan` and others: every flag of the command by its name in camel case (`--max-document` is
 * `maxDocument`), with the same values, ranges and defaults. Whatever is wrong with them is told at once, as OPTION_INVALID.
 */
export interface RunOptions extends Given<Pick<OptionRows, OptionKey>> {
  /** Files and directories to read; `-` is JSON lines on standard input. At least one, but with `sql`. */
  readonly paths?: readonly string[];
}

/** The values after their own checks. */
export type OptionValues = {
  readonly [Key in OptionKey]:
    | ValueOf<OptionRows[Key]['kind']>
    | (OptionRows[Key]['default'] extends null ? AbsentOf<OptionRows[Key]['kind']> : never);
};

/** The keys of options that are parameters by their own names. */
export type PlainKey<Decides extends 'result' | 'execution'> = Exclude<
  OptionKey & KeysWith<{ readonly decides: Decides }>,
  KeysWith<{ readonly computed: true }>
>;

/** Where the tasks of a run work. */
export type EngineName = OptionValues['engine'];
