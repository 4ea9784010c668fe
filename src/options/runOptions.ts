/**
 * The types of the options of a run, before their checks (from the library or a `--config` file) and after them. Both derive
 * from the table.
 */
import type { KeysWith, OptionKey, OptionRows } from './table.js';
import type { AbsentOf, GivenOf, ValueKind, ValueOf } from './values.js';

/** The options of these rows, as a user sets them. */
export type Given<Rows extends Readonly<Record<string, { readonly kind: ValueKind }>>> = {
  readonly [Key in keyof Rows]?: GivenOf<Rows[Key]['kind']>;
};

/**
 * Options of `run`, `plan` and others: every flag of the command by its name in camel case (`--max-document` is
 * `maxDocument`), with the same values, ranges and defaults. One OPTION_INVALID error reports all invalid options.
 */
export interface RunOptions extends Given<Pick<OptionRows, OptionKey>> {
  /** Files and directories to read; `-` is JSON lines on standard input. At least one. */
  readonly paths?: readonly string[];
}

/** The checked values. */
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
