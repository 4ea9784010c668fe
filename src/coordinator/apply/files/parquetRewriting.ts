/**
 * Rewrites Parquet files with DuckDB, without some rows or with added columns. Rows and columns keep their order, and
 * columns their field ids and their types as DuckDB has them; codec and key-value metadata are preserved. Data pages
 * are new.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../../../errors.js';
import { usualMemory } from '../../../options/memory.js';
import { shellPath } from '../../../options/shellWord.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import {
  type DuckDb,
  type DuckDbConnection,
  duckDbMessage,
  openDuckDb,
  sqlName,
  sqlText,
} from '../../../store/duckdb.js';
import { guardWrite, reportsNoSpace } from '../../../store/files.js';
import { ADDED_FIELDS, type FileAnnotations } from '../records/annotating.js';
import { KEPT, type RecordCounts, type RecordFates } from '../records/fates.js';

/** DuckDB's column of row numbers. */
const NUMBER = 'file_row_number';

/** The DuckDB statement that does the same, by the row numbers in a list of locations. */
export function statementFor(result: string, id: string): string {
  const [file, place] = [sqlText(textOf(id)), sqlText(`${textOf(id)}#`)];
  return (
    `or by DuckDB itself, after mr-minhash apply ${shellPath(result)} --list dropped > dropped.txt: ` +
    `COPY (SELECT * EXCLUDE (${NUMBER}) FROM read_parquet(${file}, ${NUMBER} = true) WHERE ${NUMBER} + 1 NOT IN ` +
    `(SELECT substr(column0, ${place.length - 1})::BIGINT FROM read_csv('dropped.txt', header = false, delim = '\\n', all_varchar = true) ` +
    `WHERE starts_with(column0, ${place}))) TO 'kept.parquet' (FORMAT parquet)`
  );
}

/** Why DuckDB would lose or change columns with these names; null: it keeps them. */
export function whyNamesStay(names: readonly string[]): string | null {
  const known = new Map<string, string>();
  for (const name of names) {
    const lower = name.toLowerCase();
    const same = known.get(lower);
    if (same !== undefined)
      return `DuckDB, which writes Parquet, cannot distinguish its columns ${same} and ${name}`;
    if (lower === NUMBER)
      return `it has a column ${name}, a name that DuckDB, which writes Parquet, uses for row numbers`;
    known.set(lower, name);
  }
  return null;
}

/** Rewrites Parquet files one after the other. */
export class ParquetRewriting {
  #opened: DuckDb | null = null;
  readonly #folder: string;
  readonly #signal: AbortSignal | undefined;

  /** @param folder for temporary files, in the file system of the corpus */
  constructor(folder: string, signal: AbortSignal | undefined) {
    this.#folder = folder;
    this.#signal = signal;
  }

  /**
   * Writes a file without the dropped rows, or with added columns.
   *
   * @param path, @param to binary strings
   * @throws MinHashError INPUT_LOST, DISK_FULL, INTERRUPTED, DUCKDB_UNAVAILABLE
   */
  async rewrite(
    path: string,
    to: string,
    fates: RecordFates & { readonly annotations?: FileAnnotations },
  ): Promise<RecordCounts> {
    const [input, output] = [join(this.#folder, 'in.parquet'), join(this.#folder, 'out.parquet')];
    guardWrite(textOf(to), () => {
      mkdirSync(this.#folder, { recursive: true });
      rmSync(input, { force: true });
      // The name of the link has no bytes that DuckDB would interpret or that are not UTF-8.
      symlinkSync(bytesOf(path), input);
    });
    this.#opened ??= await openDuckDb('apply of Parquet', {
      threads: Math.min(2, cpus().length),
      memory: usualMemory(2) / 4,
      folder: join(this.#folder, 'temporary'),
      signal: this.#signal,
    });
    const { connection } = this.#opened;
    try {
      if (this.#signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
      const counts = await rewritten(connection, patternOf(input), output, fates);
      guardWrite(textOf(to), () => renameSync(output, bytesOf(to)));
      return counts;
    } catch (error) {
      throw this.#failed(error, path, input);
    }
  }

  #failed(error: unknown, path: string, input: string): unknown {
    if (this.#signal?.aborted === true) return new MinHashError({ code: 'INTERRUPTED', detail: '' });
    if (error instanceof MinHashError) return error;
    const message = duckDbMessage(error).replaceAll(input, textOf(path));
    const code = reportsNoSpace(message) ? 'DISK_FULL' : 'INPUT_LOST';
    return new MinHashError({ code, detail: `${textOf(path)}: DuckDB: ${message}` }, { cause: error });
  }

  close(): void {
    this.#opened?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A glob pattern that matches only this path. */
function patternOf(path: string): string {
  return sqlText(path.replaceAll(/[*?[]/g, '[$&]'));
}

async function rewritten(
  connection: DuckDbConnection,
  file: string,
  output: string,
  fates: RecordFates & { readonly annotations?: FileAnnotations },
): Promise<RecordCounts> {
  const [facts] = await rowsOf(connection, `SELECT num_rows FROM parquet_file_metadata(${file})`);
  const rows = Number(facts!.num_rows);
  const { annotations } = fates;
  const options = await optionsFor(connection, file, annotations !== undefined);
  const to = `TO ${sqlText(output)} (${options.join(', ')})`;
  if (annotations !== undefined) {
    await tabled(connection, annotations, rows);
    // A positional join, because other joins may change the order.
    await connection.run(`COPY (SELECT * FROM read_parquet(${file}) POSITIONAL JOIN notes) ${to}`);
    await connection.run('DROP TABLE notes');
    return { records: rows, written: rows, leftOut: 0 };
  }
  const bits = Buffer.alloc(rows, '0');
  let written = 0;
  for (let number = 1; number <= rows; number++) {
    if (fates.fateOf(number) !== KEPT) continue;
    bits[number - 1] = ONE;
    written++;
  }
  const kept = `FROM read_parquet(${file}, ${NUMBER} = true) WHERE get_bit($1::BIT, ${NUMBER}::INTEGER) = 1`;
  await connection.run(`COPY (SELECT * EXCLUDE (${NUMBER}) ${kept}) ${to}`, [`${bits.toString('latin1')}0`]);
  return { records: rows, written, leftOut: rows - written };
}

const ONE = 0x31;

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(connection: DuckDbConnection, sql: string): Promise<Row[]> {
  return (await connection.run(sql)).getRowObjectsJS();
}

/** Writes the notes about the rows as a table with one row each. */
async function tabled(
  connection: DuckDbConnection,
  annotations: FileAnnotations,
  rows: number,
): Promise<void> {
  const [cluster, clusterSize, kept, similarity] = ADDED_FIELDS;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE notes (${cluster} BIGINT, ${clusterSize} BIGINT, ${kept} BOOLEAN, ${similarity} DOUBLE)`,
  );
  const appender = await connection.createAppender('notes');
  for (let number = 1; number <= rows; number++) {
    const label = annotations.labelOf(number);
    appender.appendBigInt(BigInt(label.cluster));
    appender.appendBigInt(BigInt(label.size));
    appender.appendBoolean(label.isKept);
    if (label.similarity === null) appender.appendNull();
    else appender.appendDouble(label.similarity);
    appender.endRow();
  }
  appender.closeSync();
}

/** Metadata of other programs that contains a schema, which would lack the added columns. */
const SCHEMAS: readonly string[] = ['ARROW:schema', 'org.apache.spark.sql.parquet.row.metadata'];

/** The limit of DuckDB, and its step. */
const MOST_ROWS = 122_880;
const LEAST_ROWS = 2048;

/** The options of COPY that preserve the properties of the file. */
async function optionsFor(connection: DuckDbConnection, file: string, hasMore: boolean): Promise<string[]> {
  const groups = `SELECT compression, max(row_group_num_rows) AS rows FROM parquet_metadata(${file})`;
  const [first] = await rowsOf(
    connection,
    `${groups} GROUP BY compression ORDER BY count(*) DESC, compression LIMIT 1`,
  );
  const schema = await rowsOf(
    connection,
    `SELECT name, num_children, field_id, converted_type FROM parquet_schema(${file})`,
  );
  const keys = await rowsOf(connection, `SELECT key, value FROM parquet_kv_metadata(${file})`);
  const options = ['FORMAT parquet', `COMPRESSION ${codecOf(first?.compression)}`];
  const rows = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Number(first?.rows ?? MOST_ROWS)));
  options.push(`ROW_GROUP_SIZE ${rows}`);
  const ids = fieldIds(schema);
  if (ids !== '{}') options.push(`FIELD_IDS ${ids}`);
  const pairs = keys
    .map(({ key, value }) => [Buffer.from(key as Uint8Array).toString(), value] as const)
    .filter(([key]) => !hasMore || !SCHEMAS.includes(key));
  if (pairs.length > 0)
    options.push(
      `KV_METADATA {${pairs.map(([key, value]) => `${sqlText(key)}: ${blobOf(value)}`).join(', ')}}`,
    );
  return options;
}

/** DuckDB writes LZ4 without Hadoop frames. */
function codecOf(codec: unknown): string {
  const name = String(codec ?? 'SNAPPY').toLowerCase();
  return name.startsWith('lz4') ? 'lz4_raw' : name;
}

function blobOf(value: unknown): string {
  const bytes = [...Buffer.from((value ?? new Uint8Array(0)) as Uint8Array)];
  return `'${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'::BLOB`;
}

/**
 * The field ids of columns and of their parts, in the syntax of COPY; a list has an element, a map a key and a value.
 */
function fieldIds(schema: readonly Row[]): string {
  let at = 0;
  const next = (): Row => schema[at++]!;
  const childrenOf = (node: Row): string[] =>
    Array.from({ length: Number(node.num_children ?? 0) }, () => idsOf(next()));
  const idsOf = (node: Row, name = String(node.name)): string => {
    const own = node.field_id === null ? [] : [`__duckdb_field_id: ${Number(node.field_id)}`];
    const kind = String(node.converted_type);
    let inner: string[];
    if (kind === 'LIST' || kind === 'MAP' || kind === 'MAP_KEY_VALUE') {
      const repeated = next();
      const names = kind === 'LIST' ? ['element'] : ['key', 'value'];
      // Lists of old writers have no group around their elements.
      if (Number(repeated.num_children ?? 0) === 0) inner = [idsOf(repeated, 'element')];
      else inner = names.map((as) => idsOf(next(), as));
    } else inner = childrenOf(node);
    const parts = [...own, ...inner.filter((ids) => ids !== '')];
    return parts.length === 0 ? '' : `${sqlName(name)}: {${parts.join(', ')}}`;
  };
  return `{${childrenOf(next())
    .filter((ids) => ids !== '')
    .join(', ')}}`;
}
