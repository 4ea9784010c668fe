/**
 * What the table of options says of one option.
 *
 * Floor 4. Types and the list of groups.
 */
import type { ValueKind } from './kinds.js';
import type { RunOptions } from './runOptions.js';

export const GROUPS = [
  'What is compared',
  'How pairs are found and verified',
  'Input',
  'Output',
  'Execution',
] as const;

export interface OptionEntry {
  readonly group: (typeof GROUPS)[number];
  readonly kind: ValueKind;
  /** Stands for the value in help; a switch has none. */
  readonly placeholder: string | null;
  /**
   * The value when none is given; null where it follows from something else, which `defaultText` then says.
   */
  readonly default: boolean | number | string | null;
  readonly defaultText?: string;
  /** Result parameters decide the output bytes; execution parameters never do. */
  readonly decides: 'result' | 'execution';
  /** The command line alone has it: no key of RunOptions. */
  readonly commandLineOnly?: true;
  /** May be given more than once. */
  readonly repeatable?: true;
  /** One line, no full stop. */
  readonly short: string;
  /** Further sentences. */
  readonly long?: string;
}

export type OptionKey = Exclude<keyof RunOptions, 'paths'>;
export type FlagKey = OptionKey | 'config' | 'printConfig';
