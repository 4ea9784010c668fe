/**
 * The tables of the options of `apply`, which uses a finished result, a row each. Types, checks, help and keywords derive from the
 * rows, and an editor shows the comment of a row for the option of the library. Data only, because `--help` loads it.
 */
import type { OwnOption } from './queryOptions.js';

const SWITCH = { kind: { kind: 'switch' }, placeholder: null } as const;

export const APPLY_OPTIONS = {
  /** The folder to which the corpus is written: new or empty. Needed except with `list`. */
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
  /** A NUL ends each place of the list, instead of a line feed. Default false. */
  null: { ...SWITCH, letter: '0', short: 'end each place of --list with a NUL, as for xargs -0' },
  corpus: {
    kind: { kind: 'path' },
    placeholder: 'PATH',
    repeatable: true,
    short:
      'where an input of the run is now: one for each of its PATHs, in their order; names and sizes must be the same',
  },
  /** A drop list in place of the result's: saved by `view`, or duplicates.tsv with other rows. */
  dropList: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'the documents to drop, as view saves them, or an edited copy of duplicates.tsv',
  },
  /** Drops documents for pairs of at least this similarity only, which is above the threshold of the run. Default: that of the run. */
  threshold: {
    kind: { kind: 'fraction', above: 0, most: 1 },
    placeholder: 'T',
    short: 'drop less than the run did: for pairs of similarity T or more only',
  },
  /** Writes the dropped documents instead of the kept ones. Default false. */
  dropped: { ...SWITCH, short: 'write what was dropped, and nothing else' },
  /** Writes all documents, with fields `cluster`, `cluster_size`, `kept` and `similarity` added to JSON lines and Parquet. Default false. */
  annotate: {
    ...SWITCH,
    short:
      'write everything, with fields cluster, cluster_size, kept and similarity added (JSON lines, Parquet)',
  },
  /** Unchanged files become hard links to the inputs, not copies. Default false. */
  link: { ...SWITCH, short: 'hard links in the place of copies, for files that stay as they are' },
  /** Also writes files of records in which no record remains. Default false. */
  keepEmpty: { ...SWITCH, short: 'also write files of records in which no record is left' },
  /** Replaces a corpus that `apply` wrote to the folder before, and takes a drop list that loses texts. Default false. */
  force: {
    ...SWITCH,
    short: 'replace what apply wrote to OUT before; drop what --drop-list has, even the last copy of a text',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;
