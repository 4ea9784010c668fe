/** Runs the statements of the Spark pipeline on DuckDB: tables are Parquet files, tasks are processes with files of rows on both sides. */
import { spawn } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import {
  BIGINT,
  BOOLEAN,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBListVector,
  DuckDBScalarFunction,
  type DuckDBType,
  INTEGER,
  LIST,
} from '@duckdb/node-api';
import type { Dialect } from '../../../src/engines/spark/dialects.js';
import type { ResultQuery } from '../../../src/engines/spark/resultQueries.js';
import type { SqlExecutor, SqlValue } from '../../../src/engines/spark/runSteps.js';
import type { TaskStep } from '../../../src/engines/spark/statements.js';

export const DUCKDB: Dialect = {
  ints: 'INTEGER[]',
  longs: 'BIGINT[]',
  explode: (list) => `unnest(${list})`,
  joined: (text) => `array_to_string(list(${text}), ',')`,
  concatenated: (by, list) => `flatten(list(${list} ORDER BY ${by}))`,
  equalSlots: (x, y) => `equal_slots(${x}, ${y})`,
  sharesBand: (x, y, bands, rows) => `shares_band(${x}, ${y}, ${bands}, ${rows})`,
  commonElements: (x, y) => `common_elements(${x}, ${y})`,
  length: (list) => `len(${list})`,
  listText: (list) => `array_to_string(${list}, ',')`,
  hexOfDigits: (text) => `regexp_replace(${text}, '(.)', '3\\1', 'g')`,
};

const ROWS = `delim = '\t', header = false, quote = '', escape = '', nullstr = '\\N'`;
const COPIED = `FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '', NULLSTR '\\N'`;

type Words = Uint32Array;
type OfLists = (x: Words, fromX: number, countX: number, y: Words, fromY: number, countY: number) => number;

/** The words of all elements of a column of lists. */
function wordsOf(list: DuckDBListVector): Words {
  const { items } = list.childVector as unknown as { readonly items: Int32Array | BigInt64Array };
  return new Uint32Array(items.buffer, items.byteOffset, items.byteLength / 4);
}

/** A function of two lists, which reads their words where DuckDB has them: its own functions of lists take 30 times as long. */
function ofTwoLists(name: string, type: DuckDBType, work: OfLists): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name,
    returnType: INTEGER,
    parameterTypes: [LIST(type), LIST(type)],
    mainFunction(_info, input, output) {
      const [x, y] = [
        input.getColumnVector(0) as DuckDBListVector,
        input.getColumnVector(1) as DuckDBListVector,
      ];
      const [xs, ys] = [wordsOf(x), wordsOf(y)];
      for (let i = 0; i < input.rowCount; i++) {
        const common = work(
          xs,
          x.getEntryOffset(i),
          x.getEntryLength(i),
          ys,
          y.getEntryOffset(i),
          y.getEntryLength(i),
        );
        output.setItem(i, common);
      }
      output.flush();
    },
  });
}

/** Whether two lists are equal in a band. */
function sharesBand(): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name: 'shares_band',
    returnType: BOOLEAN,
    parameterTypes: [LIST(INTEGER), LIST(INTEGER), INTEGER, INTEGER],
    mainFunction(_info, input, output) {
      const [x, y] = [
        input.getColumnVector(0) as DuckDBListVector,
        input.getColumnVector(1) as DuckDBListVector,
      ];
      const [xs, ys] = [wordsOf(x), wordsOf(y)];
      const [bands, rows] = [
        Number(input.getColumnVector(2).getItem(0)),
        Number(input.getColumnVector(3).getItem(0)),
      ];
      for (let i = 0; i < input.rowCount; i++) {
        const [from, to] = [x.getEntryOffset(i), y.getEntryOffset(i)];
        const isEqual = (band: number): boolean => {
          for (let slot = band * rows; slot < (band + 1) * rows; slot++)
            if (xs[from + slot] !== ys[to + slot]) return false;
          return true;
        };
        let found = false;
        for (let band = 0; band < bands && !found; band++) found = isEqual(band);
        output.setItem(i, found);
      }
      output.flush();
    },
  });
}

const FUNCTIONS = (): DuckDBScalarFunction[] => [
  sharesBand(),
  ofTwoLists('equal_slots', INTEGER, (x, fromX, count, y, fromY) => {
    let equal = 0;
    for (let i = 0; i < count; i++) if (x[fromX + i] === y[fromY + i]) equal++;
    return equal;
  }),
  ofTwoLists('common_elements', BIGINT, (x, fromX, countX, y, fromY, countY) => {
    const elements = new Set<bigint>();
    const at = (words: Words, i: number): bigint =>
      (BigInt(words[2 * i + 1]!) << 32n) | BigInt(words[2 * i]!);
    for (let i = 0; i < countX; i++) elements.add(at(x, fromX + i));
    let common = 0;
    for (let i = 0; i < countY; i++) if (elements.has(at(y, fromY + i))) common++;
    return common;
  }),
];

/** Changes the output of a task, or throws, before it is read: for tests of failures. */
export type Tamper = (task: string, lines: string[]) => string[];

interface DuckOptions {
  readonly work: string;
  /** The program of the tasks, and the file of their parameters. */
  readonly program: string;
  readonly params: string;
  readonly tamper?: Tamper;
}

const PROCESSES = 2;

export async function openDuckDb(options: DuckOptions): Promise<SqlExecutor> {
  const { work, program, params, tamper } = options;
  mkdirSync(`${work}/tmp`, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    temp_directory: `${work}/tmp/duckdb`,
  });
  const connection: DuckDBConnection = await instance.connect();
  for (const fn of FUNCTIONS()) connection.registerScalarFunction(fn);
  const run = async (sql: string): Promise<void> => {
    await connection.run(sql);
  };
  const rowsOf = (paths: readonly string[], columns: Readonly<Record<string, string>>): string => {
    const types = Object.entries(columns).map(([column, type]) => `'${column}': '${type}'`);
    return `read_csv([${paths.map((path) => `'${path}'`).join(', ')}], ${ROWS}, auto_detect = false, max_line_size = 1048576, columns = {${types.join(', ')}})`;
  };
  const process = async (task: string, input: string, output: string): Promise<void> => {
    const descriptors = [openSync(input, 'r'), openSync(output, 'w')] as const;
    const child = spawn('node', [program, task, params], { stdio: [...descriptors, 'inherit'] });
    const status = await new Promise((resolve) =>
      child.on('close', (code, signal) => resolve(signal ?? code)),
    );
    for (const descriptor of descriptors) closeSync(descriptor);
    if (status !== 0) throw new Error(`task ${task} ended with ${status}`);
    if (tamper === undefined) return;
    const lines = readFileSync(output, 'utf8').split('\n').slice(0, -1);
    writeFileSync(
      output,
      tamper(task, lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
  };
  const view = (name: string, sql: string): Promise<void> => run(`CREATE OR REPLACE VIEW ${name} AS ${sql}`);
  const attach = async (name: string): Promise<boolean> => {
    const path = `${work}/${name}.parquet`;
    if (!existsSync(path)) return false;
    await view(name, `SELECT * FROM read_parquet('${path}')`);
    return true;
  };
  const table = async (name: string, sql: string): Promise<string> => {
    const path = `${work}/${name}.parquet`;
    await run(`COPY (${sql}) TO '${path}.new' (FORMAT parquet)`);
    renameSync(`${path}.new`, path);
    await attach(name);
    return 'da7a';
  };
  return {
    name: 'duckdb',
    dialect: DUCKDB,
    view,
    table,
    attach,
    async load(name, columns, lines) {
      writeFileSync(`${work}/${name}.tsv`, [...lines].map((line) => `${line}\n`).join(''));
      await view(name, `SELECT * FROM ${rowsOf([`${work}/${name}.tsv`], columns)}`);
    },
    async task({ name, task, from, columns, by, sort, emits, sql }: TaskStep) {
      const parts = Array.from({ length: PROCESSES }, (_, i) => `${work}/tmp/${task}-${i}`);
      for (const [i, part] of parts.entries()) {
        const rows = `SELECT ${columns.join(', ')} FROM (${from}) x WHERE ${by} % ${PROCESSES} = ${i} ORDER BY ${sort}`;
        await run(`COPY (${rows}) TO '${part}.in' (${COPIED})`);
      }
      // No process may outlive a failed one: the folder is removed then.
      const ends = await Promise.allSettled(parts.map((part) => process(task, `${part}.in`, `${part}.out`)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      const emitted = rowsOf(
        parts.map((part) => `${part}.out`),
        emits,
      );
      const attempt = await table(name, sql.replace('FROM emitted', `FROM ${emitted}`));
      for (const part of parts) for (const end of ['in', 'out']) rmSync(`${part}.${end}`);
      return attempt;
    },
    async values(sql) {
      const rows = (await connection.runAndReadAll(sql)).getRows();
      return rows.map((row) => row.map((cell): SqlValue => (cell === null ? null : String(cell))));
    },
    async *rows({ sql, columns, sort }: ResultQuery) {
      const path = `${work}/tmp/result.rows`;
      await run(
        `COPY (SELECT ${columns.join(', ')} FROM (${sql}) r ORDER BY ${sort}) TO '${path}' (${COPIED})`,
      );
      yield* createInterface({ input: createReadStream(path) });
    },
    async readNotes() {
      const file = `${work}/tables.json`;
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
    async writeNotes(text) {
      writeFileSync(`${work}/tables.json`, text);
    },
    async removeTables() {
      rmSync(work, { recursive: true });
    },
    async close() {
      connection.closeSync();
    },
  };
}
