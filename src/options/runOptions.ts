/**
 * The types of the options of a run, as a user gives them to the library or in a `--config` file, and after their checks. Both
 * derive from the table.
 */
import type { KeysWith, OptionKey, OptionRows } from './table.js';
import type { AbsentOf, GivenOf, ValueKind, ValueOf } from './values.js';

/** The options with these rows, as a user gives them. */
export type Given<Rows extends Readonly<Record<string, { readonly kind: ValueKind }>>> = {
  readonly [Key in keyof Rows]?: GivenOf<Rows[Key]['kind']>;
};

/**
 * Options of `run`, `plan` and others: every flag of the command by its name in camel case (`--max-document` is
 * `maxDocument`), with the same values, ranges and defaults. One OPTION_INVALID error reports all their faults.
 */
export interface RunOptions extends Given<Pick<OptionRows, OptionKey>> {
  /** Files and directories to read; `-` is JSON lines on standard input. At least one. */
  readonly paths?: readonly string[];
}

/** The values after their own checks. */
export type OptionValues = {
  readonly [Key in OptionKey]:
    | ValueOf<OptionRows[Key]['kind']>
    | (OptionRows[Key]['default'] extends null ? AbsentOf<OptionRows[Key]['kind']> : never);
};

/** The keys of options that are parameters under their own names. */
export type PlainKey<Decides extends 'result' | 'execution'> = Exclude<
  OptionKey & KeysWith<{ readonly decides: Decides }>,
  KeysWith<{ readonly computed: true }>
>;
