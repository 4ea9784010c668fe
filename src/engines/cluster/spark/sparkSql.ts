/**
 * The SQL text of a job on Spark: records are rows of hex (which sorts as its bytes do) and base64.
 *
 * Both sides of every script state ROW FORMAT: Spark's default separator depends on its catalog.
 */
import { escapedPattern } from '../clusterFiles.js';

/** A text as a literal: ASCII only, whatever the encoding of the session. */
export function sqlText(text: string): string {
  const escaped = text.replace(/[^ -~]|['\\]/g, (one) => {
    if (one === "'" || one === '\\') return `\\${one}`;
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `'${escaped}'`;
}

/** A path for readers that take patterns. */
export const sqlPattern = (path: string): string => sqlText(escapedPattern(path));

const ROWS = "ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'";

/** Whether a record is a fact: its key has 17 bytes, the first of them 255. */
const IS_FACT = "(length(k) = 34 AND substr(k, 1, 2) = 'ff')";

/** How a dataset is stored in its folder. */
export type DatasetForm = 'parquet' | 'text';

export interface StoredDataset {
  readonly table: string;
  readonly folder: string;
  readonly form: DatasetForm;
}

/** The name of a dataset's table. */
export const tableName = (job: string): string => `mrm_${job.replace(/[^0-9A-Za-z]/g, '_')}`;

export function createTable({ table, folder, form }: StoredDataset): string {
  const columns = form === 'parquet' ? 'k STRING, v STRING' : 'value STRING';
  const options = form === 'text' ? " OPTIONS (lineSep '\\n')" : '';
  return `CREATE TABLE IF NOT EXISTS ${table}(${columns}) USING ${form}${options} LOCATION ${sqlPattern(folder)}`;
}

/** Selects the records of a dataset. */
export function recordsOf({ table, form }: StoredDataset): string {
  if (form === 'parquet') return `SELECT k, v FROM ${table}`;
  return `SELECT substring_index(value, '\\t', 1) AS k, substring_index(value, '\\t', -1) AS v FROM ${table}`;
}

/** The command of a task. */
export interface TaskCommand {
  readonly stage: string;
  /** Name of the manifest in the folder of tasks. */
  readonly manifest: string;
}

function script(columns: string, { stage, manifest }: TaskCommand, side: string, from: string): string {
  const command = sqlText(`node task.cjs ${stage} ${side} --io tsv --manifest ${manifest}`);
  return `SELECT TRANSFORM(${columns}) ${ROWS}
    USING ${command} AS (k STRING, v STRING) ${ROWS}
    FROM (${from})`;
}

export interface JobText {
  readonly command: TaskCommand;
  /** Bytes of the key by which records are grouped; 0: the job has no Reduce. */
  readonly prefix: number;
  /** Whether `from` gives rows of the corpus (`file`, `start`, `bytes`); else records. */
  readonly readsCorpus: boolean;
  /** A select of the input. */
  readonly from: string;
}

/** Selects the records that a job makes. */
export function jobSelect({ command, prefix, readsCorpus, from }: JobText): string {
  const mapped = script(readsCorpus ? 'file, start, bytes' : 'k, v', command, 'map', from);
  if (prefix === 0) return mapped;
  const sorted = `SELECT k, v FROM (${mapped})
    DISTRIBUTE BY substr(k, 1, ${2 * prefix}) SORT BY k`;
  return script('k, v', command, 'reduce', sorted);
}

/** Replaces the content of a folder with the rows of a select. */
export function insertInto(folder: string, form: DatasetForm, select: string): string {
  const options = form === 'text' ? " OPTIONS (lineSep '\\n', compression 'none')" : '';
  return `INSERT OVERWRITE DIRECTORY ${sqlText(folder)} USING ${form}${options} ${select}`;
}

/** The records of a select as lines, for files that this process reads. */
export const asLines = (select: string, order: '' | ' ORDER BY k'): string =>
  `SELECT concat(k, '\\t', v) AS value FROM (${select})${order}`;

/** Counts the rows of a select, the facts among them, and the rows that are no records. */
export function countsOf(select: string, mark: (value: string) => string): string {
  const counts = [
    'count(*)',
    `count(CASE WHEN ${IS_FACT} THEN 1 END)`,
    "count(CASE WHEN k IS NULL OR k = '' OR v IS NULL OR v = '' THEN 1 END)",
  ];
  return `SELECT ${mark(`concat_ws(' ', ${counts.join(', ')})`)} FROM (${select})`;
}

/** Selects the facts of a job among the records of a select, each once, in base64. */
export function factsOf(job: string, select: string, mark: (value: string) => string): string {
  const own = `instr(CAST(unbase64(v) AS STRING), ${sqlText(`"job":${JSON.stringify(job)}`)}) > 0`;
  return `SELECT ${mark('v')} FROM (SELECT DISTINCT k, v FROM (${select}) WHERE ${IS_FACT} AND ${own})`;
}

export const setTo = (name: string, value: string | number): string => `SET ${name}=${value}`;
export const reset = (name: string): string => `RESET ${name}`;
export const addFile = (path: string): string => `ADD FILE ${sqlText(path)}`;
