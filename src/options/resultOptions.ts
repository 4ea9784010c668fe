/**
 * The options of what is made of a finished result, a row each: types, checks, help and keywords derive from the rows, and the comment on
 * a row is what an editor shows of the option of the library. Data only, because `--help` loads it.
 */
import type { OwnOption } from './queryOptions.js';

const SWITCH = { kind: { kind: 'switch' }, placeholder: null } as const;

export const APPLY_OPTIONS = {
  /** The folder that the corpus is written to: new or empty. Needed but with `list`. */
  to: {
    kind: { kind: 'path' },
    placeholder: 'OUT',
    short: 'the folder for the corpus: new or empty',
  },
  /** Writes nothing: the places of documents go to `onList`, one a line. */
  list: {
    kind: { kind: 'choice', choices: ['kept', 'dropped'] },
    placeholder: 'WHICH',
    short: 'print the places of kept or dropped documents, and write nothing',
  },
  /** A NUL ends a place in the list, not a line feed. Default false. */
  null: { ...SWITCH, letter: '0', short: 'end each place of --list with a NUL, as for xargs -0' },
  corpus: {
    kind: { kind: 'path' },
    placeholder: 'PATH',
    repeatable: true,
    short:
      'where an input of the run is now: one for each of its PATHs, in their order; names and sizes must be the same',
  },
  /** A file of decisions (docs/view.md), taken into the drop list of the result. */
  decisions: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'what was decided against the drop list, as view saves it: keep A B, both A B, drop A',
  },
  /** Writes what was dropped instead of what is kept. Default false. */
  dropped: { ...SWITCH, short: 'write what was dropped, and nothing else' },
  /** Writes everything, with fields `cluster`, `kept` and `similarity` added to JSON lines and Parquet. Default false. */
  annotate: {
    ...SWITCH,
    short: 'write everything, with fields cluster, kept and similarity added (JSON lines, Parquet)',
  },
  /** Files that stay as they are become hard links of the inputs, not copies. Default false. */
  link: { ...SWITCH, short: 'hard links in the place of copies, for files that stay as they are' },
  /** Also writes files of records in which no record is left. Default false. */
  keepEmpty: { ...SWITCH, short: 'also write files of records in which no record is left' },
  /** Replaces what `apply` wrote to the folder before, and nothing else. Default false. */
  force: { ...SWITCH, short: 'replace what apply wrote to OUT before; never anything else' },
} as const satisfies Readonly<Record<string, OwnOption>>;
