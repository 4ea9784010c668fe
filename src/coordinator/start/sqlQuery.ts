/**
 * The rows of a query as JSON lines. DuckDB, an optional package, makes the rows as they are read. A run does this in a separate
 * process (queryProcess.ts).
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Fault, MinHashError } from '../../errors.js';
import { nearestName } from '../../options/nearestName.js';
import { idFieldOf, textFieldsOf } from '../../readers/formats/fields.js';
import { fieldsRead, type ResultParams } from '../../sketch/params.js';
import {
  type DuckDbBounds,
  type DuckDbConnection,
  type DuckDbVector,
  openDuckDb,
  type PreparedStatement,
  saidByDuckDb,
  sqlName,
} from '../../store/duckdb.js';
import { unknownNames } from './askedFields.js';

/** A query that DuckDB understood, and that has the needed columns. */
export interface SqlQuery {
  /** The rows as JSON lines, in pieces of some hundred kilobytes. */
  readonly lines: AsyncGenerator<string>;
  close(): void;
}

/** The limits of a query. JSON-safe. */
export type SqlBounds = Omit<DuckDbBounds, 'isUsers' | 'signal'>;

/**
 * Opens DuckDB and prepares the query: executes all statements but the last, which gives the rows.
 *
 * @throws MinHashError DUCKDB_UNAVAILABLE, SQL_FAILED, TEXT_FIELD_UNKNOWN, FIELD_UNKNOWN: wrong use; MEMORY_QUERY
 */
export async function openSqlQuery(sql: string, params: ResultParams, bounds: SqlBounds): Promise<SqlQuery> {
  mkdirSync(dirname(bounds.folder), { recursive: true });
  const { connection, close } = await openDuckDb('--sql', { ...bounds, signal: undefined, isUsers: true });
  try {
    const last = await lastStatement(connection, sql);
    const names = columnsOf(last.query);
    const fault = missingColumn(names, params);
    const faults = [...(fault === null ? [] : [fault]), ...unknownNames(names, 'the query', params)];
    if (faults.length > 0) throw new MinHashError(faults);
    const wanted = wantedOf(names, params);
    const plain = plainOf(last.query, wanted, params);
    const query = await asText(connection, last, wanted);
    return { lines: linesOf(query, wantedOf(columnsOf(query), params), plain), close };
  } catch (error) {
    close();
    throw error instanceof MinHashError ? error : failed('SQL_FAILED', error, '--sql');
  }
}

/** The statement that gives the rows, and its text. */
interface LastStatement {
  readonly query: PreparedStatement;
  readonly text: string;
}

async function lastStatement(connection: DuckDbConnection, sql: string): Promise<LastStatement> {
  const statements = await connection.extractStatements(sql);
  if (statements.count === 0) throw new Error('there is no statement');
  for (let i = 0; i < statements.count - 1; i++) {
    await (await statements.prepare(i)).run();
  }
  const query = await statements.prepare(statements.count - 1);
  return { query, text: await textOfLast(connection, sql, statements.count) };
}

/** The text of the last of `count` statements, without the semicolons around it. DuckDB parses the pieces to find it. */
async function textOfLast(connection: DuckDbConnection, sql: string, count: number): Promise<string> {
  const statementsIn = async (text: string): Promise<number> => {
    try {
      return (await connection.extractStatements(text)).count;
    } catch {
      return -1;
    }
  };
  let end = sql.length;
  for (let at = sql.lastIndexOf(';'); at >= 0; at = at === 0 ? -1 : sql.lastIndexOf(';', at - 1)) {
    const behind = await statementsIn(sql.slice(at + 1, end));
    const before = await statementsIn(sql.slice(0, at));
    if (behind === 0 && before === count) end = at;
    else if (behind === 1 && before === count - 1) return sql.slice(at + 1, end);
  }
  return sql.slice(0, end);
}

const columnsOf = (query: PreparedStatement): string[] =>
  Array.from({ length: query.columnCount }, (_, column) => query.columnName(column));

/** Types whose values have, in this process, the same text as DuckDB's cast to VARCHAR gives. */
const LIKE_TEXT =
  /^(VARCHAR|ENUM|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DATE|TIME|DECIMAL|UUID|BLOB|BIT|INTERVAL)\b[^[]*$/;

/** The query, with its columns cast to text where a column has another text here: numbers with a fraction, lists. */
async function asText(
  connection: DuckDbConnection,
  { query, text }: LastStatement,
  wanted: Wanted,
): Promise<PreparedStatement> {
  if (wanted.every(([, column]) => LIKE_TEXT.test(String(query.columnType(column))))) return query;
  const quoted = wanted.map(([name]) => sqlName(name));
  const casts = quoted.map((name) => `CAST(${name} AS VARCHAR) AS ${name}`).join(', ');
  // A comment may end the query, so the parenthesis is on a line of its own.
  return await (await connection.extractStatements(`SELECT ${casts} FROM (\n${text}\n)`)).prepare(0);
}

function failed(code: 'SQL_FAILED' | 'INPUT_FAILED', error: unknown, place: string): MinHashError {
  const said = saidByDuckDb(error);
  const [full] = OUT_OF_MEMORY.exec(said) ?? [];
  if (full === undefined) return new MinHashError({ code, detail: `${place}: ${said}` }, { cause: error });
  return new MinHashError({ code: 'MEMORY_QUERY', detail: `${place}: ${full}` }, { cause: error });
}

/** Matches DuckDB's message without its advice for DuckDB users. */
const OUT_OF_MEMORY = /^Out of Memory Error: [^;]*/;

/** Names of the text columns; a dot in a name is part of it, since a query has columns and no nested fields. */
const textColumnsOf = ({ textField }: Pick<ResultParams, 'textField'>): string[] =>
  textFieldsOf(textField).map(({ name }) => name);

function missingColumn(names: readonly string[], params: ResultParams): Fault | null {
  const missing = textColumnsOf(params).filter((field) => !names.includes(field));
  const [first] = missing;
  if (first === undefined) return null;
  const near = nearestName(first, names);
  const usual = params.textFieldGiven ? '' : ' (the default)';
  const detail =
    `--text-field ${JSON.stringify(params.textField)}${usual}: the query has the columns ` +
    `${names.map((name) => JSON.stringify(name)).join(', ') || 'none'}` +
    `${missing.length < textColumnsOf(params).length ? `, and none called ${JSON.stringify(first)}` : ''}` +
    (near === null ? '' : `; did you mean ${JSON.stringify(near)}?`);
  const column = JSON.stringify(near ?? names[0] ?? 'a column').replaceAll('\\"', '""');
  const remedy = `name one of them with --text-field, or give one that name in the query: SELECT ${column} AS ${sqlName(first)}`;
  return { code: 'TEXT_FIELD_UNKNOWN', detail, remedy };
}

/** The columns that become fields of a record, by their places in a row. */
type Wanted = readonly (readonly [name: string, column: number])[];

function wantedOf(names: readonly string[], params: ResultParams): Wanted {
  const wanted = new Set([...textColumnsOf(params), idFieldOf(params.idField).name, ...fieldsRead(params)]);
  return [...wanted].flatMap((name) => (names.includes(name) ? [[name, names.indexOf(name)] as const] : []));
}

/** Types whose values are numbers or booleans, where an option compares them. */
const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL|BOOLEAN)\b[^[]*$/;
const JSON_SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false)$/;

/** Columns whose values are JSON numbers or booleans in a record, not strings. Texts are strings, and an id is no boolean. */
function plainOf(query: PreparedStatement, wanted: Wanted, params: ResultParams): ReadonlySet<string> {
  const asked = fieldsRead(params).filter((name) => !textColumnsOf(params).includes(name));
  const id = idFieldOf(params.idField).name;
  const isPlain = ([name, column]: Wanted[number]): boolean => {
    const type = String(query.columnType(column));
    return asked.includes(name) && NUMERIC.test(type) && !(name === id && type === 'BOOLEAN');
  };
  return new Set(wanted.filter(isPlain).map(([name]) => name));
}

/** A value as JSON; NaN and infinite numbers, which JSON does not have, are strings. */
function jsonOf(value: string, isPlain: boolean): string {
  return isPlain && JSON_SCALAR.test(value) ? value : JSON.stringify(value);
}

const PIECE_CHARACTERS = 1 << 18;

/**
 * A long text as JSON in pieces, so that the JSON of a record that is too long is never held whole. Pieces do not split surrogate
 * pairs.
 */
function* stringPieces(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PIECE_CHARACTERS);
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to++;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

/** The record of a row in pieces, with its line end. Values are made one after the other, and long ones are released. */
function* recordOf(columns: readonly Column[], row: number): Generator<string> {
  let before = '{';
  for (const { name, vector, isPlain } of columns) {
    const item = vector.getItem(row);
    if (item === null) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    const value = String(item);
    if (value.length <= PIECE_CHARACTERS) yield jsonOf(value, isPlain);
    else {
      if (typeof item === 'string') vector.setItem(row, null);
      yield* stringPieces(value);
    }
  }
  yield before === '{' ? '{}\n' : '}\n';
}

/** A column of a chunk whose values become a field of records. */
interface Column {
  readonly name: string;
  readonly vector: DuckDbVector;
  readonly isPlain: boolean;
}

/** @throws MinHashError INPUT_FAILED where the query fails while it gives rows; MEMORY_QUERY */
async function* linesOf(
  query: PreparedStatement,
  wanted: Wanted,
  plain: ReadonlySet<string>,
): AsyncGenerator<string> {
  let rows = 0;
  let piece = '';
  try {
    const result = await query.stream();
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const columns = wanted.map(([name, column]) => ({
        name,
        vector: chunk.getColumnVector(column),
        isPlain: plain.has(name),
      }));
      for (let row = 0; row < chunk.rowCount; row++) {
        for (const part of recordOf(columns, row)) {
          piece += part;
          if (piece.length < PIECE_CHARACTERS) continue;
          yield piece;
          piece = '';
          // The watch of the process's memory gets a turn of the event loop between pieces, even of one chunk or text.
          await setImmediate();
        }
        rows++;
      }
    }
    if (piece !== '') yield piece;
  } catch (error) {
    throw failed('INPUT_FAILED', error, `--sql, after ${rows} ${rows === 1 ? 'row' : 'rows'}`);
  }
}
