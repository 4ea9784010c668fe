/**
 * The rows of the corpus by Spark's own readers: lines of files, rows of columns, or whole files, with the name that the manifest
 * has for their file.
 *
 * Spark reads folders; a small table of names says which of its files are meant, and joins each row to the file's name in the
 * manifest, without moving rows: they stay in the order and in the splits in which they are read.
 */
import { resolve } from 'node:path';
import type { CorpusForm } from '../../../tasks/stream/corpusFiles.js';
import type { StreamedFile } from '../../../tasks/stream/taskManifest.js';
import { setTo, sqlPattern, sqlText } from './sparkSql.js';

/** Readers of so many folders or files are put together; more are read through folders above them. */
const MOST_ROOTS = 64;
const MOST_SUFFIXES = 20;
const MIB = 2 ** 20;
/** What Spark takes a split to be by itself. */
const MOST_SPLIT = 128 * MIB;

/** Rows of one form, and the tables that they are read from. */
export interface CorpusTables {
  /** Statements that make the tables. */
  readonly create: readonly string[];
  readonly tables: readonly string[];
  /** The select of names of files that rows have, for counting. */
  readonly names: string;
}

/** A path or address as Hadoop writes it: `file:/data/x`, `hdfs://host:8020/data/x`. */
export function hadoopPath(uri: string): string {
  const local = /^file:(?:\/\/(?:localhost)?(?=\/))?(\/.*)$/s.exec(uri)?.[1];
  if (local !== undefined) return `file:${local}`;
  if (/^[A-Za-z][\w+.-]*:\/\//.test(uri)) return uri;
  return `file:${resolve(uri)}`;
}

/** The same with what no URI may hold as %XX: how Spark names the file of a row. */
export function quotedPath(path: string): string {
  const start = /^[A-Za-z][\w+.-]*:(?:\/\/[^/]*)?/.exec(path)?.[0] ?? '';
  // Of other characters than those of ASCII, blanks and controls are quoted alone.
  return (
    start + path.slice(start.length).replace(/[^\w\-!.~'()*:@&=+$,;/\u00a1-\uffff]|[\p{Z}\p{Cc}]/gu, quoted)
  );
}

const quoted = (one: string): string =>
  [...Buffer.from(one)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * Lines of the table of names: how Spark may name a file, TAB, the name in the manifest in hex. Spark passes over empty files, so
 * those that are documents have a line without Spark's name.
 */
export function* namesOf(
  files: readonly StreamedFile[],
  empty: readonly StreamedFile[],
): Generator<string, void, undefined> {
  for (const { uri } of empty) yield `\t${Buffer.from(uri).toString('hex')}\n`;
  const taken = new Set<string>();
  for (const { uri } of files) {
    const name = quotedPath(hadoopPath(uri));
    taken.add(name);
    yield `${name}\t${Buffer.from(uri).toString('hex')}\n`;
  }
  // Old versions do not quote; a name that is the quoted one of another file is that file's.
  for (const { uri } of files) {
    const name = hadoopPath(uri);
    if (!taken.has(name) && !/[\t\r\n]/.test(name)) yield `${name}\t${Buffer.from(uri).toString('hex')}\n`;
  }
}

/** What is to be read so that all files are: few folders, or the files themselves. */
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

/** Each once, without those below another. */
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

/** A pattern of the ends that names have, so that files of other forms are not opened; null: any. */
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

/** The table of names, from the text that `namesOf` gives. */
export const createNames = (folder: string): string =>
  `CREATE TABLE IF NOT EXISTS ${NAMES_TABLE}(value STRING) USING text OPTIONS (lineSep '\\n') LOCATION ${sqlPattern(folder)}`;

const NAMES = `SELECT substring_index(value, '\\t', 1) AS path, substring_index(value, '\\t', -1) AS file FROM ${NAMES_TABLE}`;

/** The rows of empty documents. */
export const EMPTY_ROWS = `SELECT file, '0' AS start, '' AS bytes FROM (${NAMES}) WHERE path = ''`;

/** How Spark reads a form. */
const READERS: Readonly<
  Record<CorpusForm, { readonly columns: string; readonly options: readonly string[] }>
> = {
  // LF ends a line and nothing else does.
  lines: { columns: '(value STRING) USING text', options: ["lineSep '\\n'"] },
  whole: { columns: ' USING binaryFile', options: [] },
  rows: {
    columns: ' USING parquet',
    options: ["mergeSchema 'true'", "`parquet.page.verify-checksum.enabled` 'true'"],
  },
};

/** Names of columns are told apart by case, and bytes without a type are texts. */
const AS_THREADS_READ = [
  setTo('spark.sql.caseSensitive', 'true'),
  setTo('spark.sql.parquet.binaryAsString', 'true'),
];

/** @param form `lines`: a row a line; `whole`: a row a file; `rows`: a row a row */
export function corpusTables(files: readonly StreamedFile[], form: CorpusForm): CorpusTables {
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

/** Rows of tables, with the names of their files. */
function joined(columns: string, tables: readonly string[], more: (i: number) => string): string {
  const all = tables
    .map((name, i) => `SELECT _metadata.file_path AS path${more(i)} FROM ${name}`)
    .join(' UNION ALL ');
  return `SELECT /*+ BROADCAST(n) */ ${columns} FROM (${all}) c JOIN (${NAMES}) n ON c.path = n.path`;
}

const START: Readonly<Record<CorpusForm, string>> = {
  lines: '_metadata.file_block_start',
  whole: '0',
  // In the file, whatever splits it is read in.
  rows: '_metadata.row_index',
};

/** The select of `file`, `start`, `bytes`. @param values by table, what bytes are made of: of rows alone */
export function corpusSelect(
  form: CorpusForm,
  tables: readonly string[],
  values: readonly string[] = [],
): string {
  const bytes = (i: number): string =>
    form === 'lines' ? 'CAST(value AS BINARY)' : form === 'whole' ? 'content' : values[i]!;
  // Versions differ in whether base64 is cut into lines.
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

/** Settings by which the splits of files follow from their sizes alone. */
export const splitSettings = (splitBytes: number): Readonly<Record<string, number>> => ({
  'spark.sql.files.maxPartitionBytes': splitBytes,
  // A task takes many small files: each would fill one by what Spark takes opening to cost.
  'spark.sql.files.openCostInBytes': 8192,
  'spark.sql.files.minPartitionNum': 1,
  'spark.sql.files.maxPartitionNum': 2 ** 31 - 1,
});

/** How many files have rows, and how many rows there are. */
export const corpusCounts = (names: readonly string[], mark: (value: string) => string): string =>
  `SELECT ${mark("concat_ws(' ', count(*), count(DISTINCT file))")} FROM (${names.join(' UNION ALL ')})`;
