/**
 * The rows of the corpus by Spark's own readers: lines of files, rows of columns, or whole files, each with its file's name in
 * the manifest.
 *
 * Spark reads folders; a small table of names selects the wanted files, and joins each row with its file's name in the
 * manifest. The join moves no rows: they stay in the order and in the splits in which they are read.
 */
import { resolve } from 'node:path';
import type { CorpusForm, StreamedFile } from '../../../tasks/stream/fileColumns.js';
import { setTo, sqlPattern, sqlText } from './sparkSql.js';

/** At most so many folders or files are read one by one; of more, Spark reads common parent folders. */
const MOST_ROOTS = 64;
const MOST_SUFFIXES = 20;
const MIB = 2 ** 20;
/** Spark's own size of a split. */
const MOST_SPLIT = 128 * MIB;

/** The tables of the files of one form. */
export interface CorpusTables {
  /** Statements that make the tables. */
  readonly create: readonly string[];
  readonly tables: readonly string[];
  /** Selects the file name of every row, for counting. */
  readonly names: string;
}

/** A path or address as Hadoop writes it: `file:/data/x`, `hdfs://host:8020/data/x`. */
export function hadoopPath(uri: string): string {
  const local = /^file:(?:\/\/(?:localhost)?(?=\/))?(\/.*)$/s.exec(uri)?.[1];
  if (local !== undefined) return `file:${local}`;
  if (/^[A-Za-z][\w+.-]*:\/\//.test(uri)) return uri;
  return `file:${resolve(uri)}`;
}

/** The same with percent-encoding, as Spark names the file of a row. */
export function quotedPath(path: string): string {
  const start = /^[A-Za-z][\w+.-]*:(?:\/\/[^/]*)?/.exec(path)?.[0] ?? '';
  // Of non-ASCII characters, only blanks and controls are encoded.
  return (
    start + path.slice(start.length).replace(/[^\w\-!.~'()*:@&=+$,;/\u00a1-\uffff]|[\p{Z}\p{Cc}]/gu, quoted)
  );
}

type Named = Pick<StreamedFile, 'uri'>;

const quoted = (one: string): string =>
  [...Buffer.from(one)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * Lines of the table of names: Spark's name of a file, TAB, its name in the manifest in hex. Spark passes over empty files, so
 * empty files that are documents have a line without Spark's name.
 */
export function* namesOf(
  files: readonly Named[],
  empty: readonly Named[],
): Generator<string, void, undefined> {
  for (const { uri } of empty) yield `\t${Buffer.from(uri).toString('hex')}\n`;
  const taken = new Set<string>();
  for (const { uri } of files) {
    const name = quotedPath(hadoopPath(uri));
    taken.add(name);
    yield `${name}\t${Buffer.from(uri).toString('hex')}\n`;
  }
  // Old versions do not encode; a name that is the encoded name of another file belongs to that file.
  for (const { uri } of files) {
    const name = hadoopPath(uri);
    if (!taken.has(name) && !/[\t\r\n]/.test(name)) yield `${name}\t${Buffer.from(uri).toString('hex')}\n`;
  }
}

/** Few folders, or the files themselves, that together contain all files. */
export function rootsOf(paths: readonly string[]): readonly string[] {
  if (paths.length <= MOST_ROOTS) return [...new Set(paths)].sort();
  let roots = uncovered(paths.map(folderOf));
  while (roots.length > MOST_ROOTS) {
    const depth = Math.max(...roots.map((root) => root.split('/').length));
    roots = uncovered(roots.map((root) => (root.split('/').length === depth ? folderOf(root) : root)));
  }
  return roots;
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** The folders, each once, without those inside another. */
function uncovered(folders: readonly string[]): string[] {
  const all = new Set(folders);
  const isBelow = (folder: string): boolean => {
    for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1)) {
      if (all.has(folder.slice(0, at))) return true;
    }
    return false;
  };
  return [...all].filter((folder) => !isBelow(folder)).sort();
}

/** A pattern of the endings of names, so that Spark does not open files of other forms; null: too many, or a name has none. */
function endsPattern(paths: readonly string[]): string | null {
  const ends = new Set<string>();
  for (const path of paths) {
    const end = /(?:\.[A-Za-z0-9]+)?\.[A-Za-z0-9]+$/.exec(path.slice(path.lastIndexOf('/') + 1))?.[0];
    if (end === undefined || ends.size >= MOST_SUFFIXES) return null;
    ends.add(end);
  }
  return `*{${[...ends].sort().join(',')}}`;
}

const NAMES_TABLE = 'mrm_names';

/** Creates the table of names from the text of `namesOf`. */
export const createNames = (folder: string): string =>
  `CREATE TABLE IF NOT EXISTS ${NAMES_TABLE}(value STRING) USING text OPTIONS (lineSep '\\n') LOCATION ${sqlPattern(folder)}`;

const NAMES = `SELECT substring_index(value, '\\t', 1) AS path, substring_index(value, '\\t', -1) AS file FROM ${NAMES_TABLE}`;

/** The rows of empty documents. */
export const EMPTY_ROWS = `SELECT file, '0' AS start, '' AS bytes FROM (${NAMES}) WHERE path = ''`;

/** Spark's reader of each form. */
const READERS: Readonly<
  Record<CorpusForm, { readonly columns: string; readonly options: readonly string[] }>
> = {
  // Only LF ends a line.
  lines: { columns: '(value STRING) USING text', options: ["lineSep '\\n'"] },
  whole: { columns: ' USING binaryFile', options: [] },
  rows: {
    columns: ' USING parquet',
    options: ["mergeSchema 'true'", "`parquet.page.verify-checksum.enabled` 'true'"],
  },
};

/** Names of columns are case-sensitive, and bytes without a type are texts. */
const AS_THREADS_READ = [
  setTo('spark.sql.caseSensitive', 'true'),
  setTo('spark.sql.parquet.binaryAsString', 'true'),
];

/** @param form `lines`: a table row for each line; `whole`: one for each file; `rows`: one for each row */
export function corpusTables(files: readonly Named[], form: CorpusForm): CorpusTables {
  const paths = files.map(({ uri }) => hadoopPath(uri));
  const ends = endsPattern(paths);
  const reader = READERS[form];
  const options = [
    "recursiveFileLookup 'true'",
    ...reader.options,
    ...(ends === null ? [] : [`pathGlobFilter ${sqlText(ends)}`]),
  ];
  const tables = rootsOf(paths).map((root, i) => {
    const name = `mrm_${form}_${i}`;
    const create = `CREATE TABLE IF NOT EXISTS ${name}${reader.columns} OPTIONS (${options.join(', ')}) LOCATION ${sqlPattern(root)}`;
    return { name, create };
  });
  const names = tables.map(({ name }) => name);
  const settings = form === 'rows' && names.length > 0 ? AS_THREADS_READ : [];
  return {
    create: [...settings, ...tables.map(({ create }) => create)],
    tables: names,
    names: joined('n.file AS file', names, () => ''),
  };
}

/** Selects the rows of tables, joined with the names of their files. */
function joined(columns: string, tables: readonly string[], more: (i: number) => string): string {
  const all = tables
    .map((name, i) => `SELECT _metadata.file_path AS path${more(i)} FROM ${name}`)
    .join(' UNION ALL ');
  return `SELECT /*+ BROADCAST(n) */ ${columns} FROM (${all}) c JOIN (${NAMES}) n ON c.path = n.path`;
}

const START: Readonly<Record<CorpusForm, string>> = {
  lines: '_metadata.file_block_start',
  whole: '0',
  // Number in the file, whatever the splits.
  rows: '_metadata.row_index',
};

/** Selects `file`, `start`, `bytes`. @param values for rows: by table, the expression for the bytes */
export function corpusSelect(
  form: CorpusForm,
  tables: readonly string[],
  values: readonly string[] = [],
): string {
  const bytes = (i: number): string =>
    form === 'lines' ? 'CAST(value AS BINARY)' : form === 'whole' ? 'content' : values[i]!;
  // Some versions cut base64 into lines.
  return joined(
    "n.file AS file, CAST(c.start AS STRING) AS start, replace(base64(c.bytes), '\\r\\n', '') AS bytes",
    tables,
    (i) => `, ${START[form]} AS start, ${bytes(i)} AS bytes`,
  );
}

/** Bytes of a split: the same for all readings of a run. */
export function splitBytesFor(corpusBytes: number, reducers: number): number {
  return Math.max(MIB, Math.min(MOST_SPLIT, Math.ceil(corpusBytes / (4 * reducers))));
}

/** Settings that make the splits of files depend on their sizes only. */
export const splitSettings = (splitBytes: number): Readonly<Record<string, number>> => ({
  'spark.sql.files.maxPartitionBytes': splitBytes,
  // So that a task takes many small files: by Spark's default cost of opening, each would fill a task.
  'spark.sql.files.openCostInBytes': 8192,
  'spark.sql.files.minPartitionNum': 1,
  'spark.sql.files.maxPartitionNum': 2 ** 31 - 1,
});

/** Counts the rows, and the files with rows. */
export const corpusCounts = (names: readonly string[], mark: (value: string) => string): string =>
  `SELECT ${mark("concat_ws(' ', count(*), count(DISTINCT file))")} FROM (${names.join(' UNION ALL ')})`;
