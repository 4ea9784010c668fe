/**
 * The table of the options of `apply`, one row per option. Types, checks, help and keywords derive from the rows, and an editor
 * shows the comment of a row for the option of the library. Data only, because `--help` loads it.
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
  /** Writes nothing: the locations of documents are passed to `onList`, one per line. */
  list: {
    kind: { kind: 'choice', choices: ['kept', 'dropped'] },
    placeholder: 'WHICH',
    short: 'print the locations of kept or dropped documents, and write nothing',
  },
  /** A NUL ends each location of the list, instead of a line feed. Default false. */
  null: { ...SWITCH, letter: '0', short: 'end each location of --list with a NUL, as for xargs -0' },
  corpus: {
    kind: { kind: 'path' },
    placeholder: 'PATH',
    repeatable: true,
    short:
      'the current location of an input of the run: one for each of its PATHs, in their order; names and sizes must be the same',
  },
  /** A drop list that replaces that of the result: saved by `view`, or an edited duplicates.tsv. */
  dropList: {
    kind: { kind: 'path' },
    placeholder: 'FILE',
    short: 'the documents to drop, as view saves them, or an edited copy of duplicates.tsv',
  },
  /** Drops documents only for pairs of at least this similarity. Default: the threshold of the run, which is the minimum. */
  threshold: {
    kind: { kind: 'fraction', above: 0, most: 1 },
    placeholder: 'T',
    short: 'drop fewer documents than the run: only for pairs of similarity T or more',
  },
  /** Writes the dropped documents instead of the kept ones. Default false. */
  dropped: { ...SWITCH, short: 'write only the dropped documents' },
  /** Writes all documents, with fields `cluster`, `cluster_size`, `kept` and `similarity` added to JSON lines and Parquet. Default false. */
  annotate: {
    ...SWITCH,
    short:
      'write all documents, with fields cluster, cluster_size, kept and similarity added (JSON lines, Parquet)',
  },
  /** Unchanged files become hard links to the inputs, not copies. Default false. */
  link: { ...SWITCH, short: 'make hard links instead of copies of unchanged files' },
  /** Also writes files of records in which no record remains. Default false. */
  keepEmpty: { ...SWITCH, short: 'also write files of records that lost all records' },
  /** Replaces a corpus that `apply` wrote to the folder, and accepts a drop list that drops the last copy of a text. Default false. */
  force: {
    ...SWITCH,
    short: 'replace a corpus that apply wrote to OUT; allow a --drop-list that drops the last copy of a text',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;
