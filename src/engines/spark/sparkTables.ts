/** Tables in Spark: Parquet folders in the work folder, and temporary views of them. Tasks are scripts of SELECT TRANSFORM. */
import { randomBytes } from 'node:crypto';
import { SPARK } from './dialects.js';
import type { SqlExecutor } from './runSteps.js';
import type { SparkDriver } from './sparkDriver.js';
import type { TaskStep } from './statements.js';

/** Batches per process of a task. Starting a process takes as long as reading one batch. */
const BATCHES_OF_PROCESS = 64;
/** Processes per parallel task, if there are few batches. */
const PROCESSES_OF_CORE = 4;
/** Batches per shuffle partition, which has about 64 MB. */
const BATCHES_OF_PARTITION = 8;
const LEAST_PARTITIONS = 8;
/** Bytes per file of rows from this machine. */
const GIVEN_BYTES = 4 << 20;

const NOTES = 'tables.json';

const ROWS = `ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t'`;

interface SparkTableOptions {
  /** The work folder of the run, which all machines can read and write. */
  readonly work: string;
  /** The command of a task without its name and parameters, and the name of the file of parameters. */
  readonly command: string;
  readonly params: string;
  readonly batches: number;
}

/** A text as a literal of SQL. */
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export async function sparkTables(
  driver: SparkDriver,
  { work, command, params, batches }: SparkTableOptions,
): Promise<SqlExecutor> {
  // A killed session may still write to its folders, so every attempt has separate ones.
  const own = randomBytes(4).toString('hex');
  const folderOf = (attempt: string): string => `${work}/tables-${attempt}`;
  const folder = folderOf(own);
  const processes = Math.max(
    Math.ceil(batches / BATCHES_OF_PROCESS),
    Math.min(batches, PROCESSES_OF_CORE * driver.parallelism),
  );
  const reducers = Math.max(driver.parallelism, Math.ceil(batches / BATCHES_OF_PROCESS));
  const run = async (sql: string): Promise<void> => {
    await driver.ask('sql', sql);
  };
  if (!driver.hasPartitions) {
    const partitions = Math.max(
      LEAST_PARTITIONS,
      driver.parallelism,
      Math.ceil(batches / BATCHES_OF_PARTITION),
    );
    await run(`SET spark.sql.shuffle.partitions=${partitions}`);
  }
  const view = (name: string, sql: string): Promise<void> =>
    run(`CREATE OR REPLACE TEMPORARY VIEW ${name} AS ${sql}`);
  const viewOf = (name: string, location: string): Promise<void> =>
    run(`CREATE OR REPLACE TEMPORARY VIEW ${name} USING parquet OPTIONS (path ${literal(location)})`);
  const table = async (name: string, sql: string): Promise<string> => {
    const location = `${folder}/${name}`;
    await run(`INSERT OVERWRITE DIRECTORY ${literal(location)} USING parquet ${sql}`);
    await viewOf(name, location);
    return own;
  };
  return {
    name: `spark ${driver.version}`,
    dialect: SPARK,
    view,
    table,
    task: (step) => table(step.name, step.sql.replace('FROM emitted', `FROM ${transformed(step)}`)),
    async attach(name, attempt) {
      const location = `${folderOf(attempt)}/${name}`;
      // Without this file, the table was not completed, or was removed.
      if ((await driver.ask('exists', `${location}/_SUCCESS`)).exists !== true) return false;
      await viewOf(name, location);
      return true;
    },
    async load(name, columns, lines) {
      let [part, text] = [0, ''];
      const flush = async (): Promise<void> => {
        await driver.ask('write', `${folder}/${name}/part-${String(part++).padStart(5, '0')}.txt`, text);
        text = '';
      };
      for (const line of lines) {
        text += `${line}\n`;
        if (text.length > GIVEN_BYTES) await flush();
      }
      if (part === 0 || text !== '') await flush();
      await run(
        `CREATE OR REPLACE TEMPORARY VIEW ${name}_lines USING text OPTIONS (path ${literal(`${folder}/${name}`)}, lineSep '\\n')`,
      );
      const cells = Object.entries(columns).map(
        ([column, type], i) => `CAST(split(value, '\\t')[${i}] AS ${type}) AS ${column}`,
      );
      await view(name, `SELECT ${cells.join(', ')} FROM ${name}_lines`);
    },
    async values(sql) {
      return (await driver.ask('sql', sql)).rows!;
    },
    rows({ sql, columns, sort }) {
      const cells = columns.map((column) => `CAST(${column} AS STRING)`).join(', ');
      return driver.lines(`SELECT concat_ws('\\t', ${cells}) AS value FROM (${sql}) r ORDER BY ${sort}`);
    },
    async readNotes() {
      return (await driver.ask('read', `${work}/${NOTES}`)).text ?? null;
    },
    async writeNotes(text) {
      await driver.ask('write', `${work}/${NOTES}`, text);
    },
    async removeTables() {
      await driver.ask('remove', work);
    },
    async close() {
      await driver.close();
    },
  };

  /** The rows of a task as a relation `emitted`. The number in REPARTITION prevents Spark from merging small partitions. */
  function transformed({ task, from, columns, by, sort, emits }: TaskStep): string {
    const types = Object.entries(emits).map(([column, type]) => `${column} ${type}`);
    const cells = columns.join(', ');
    const parts = by === 'batch' ? processes : reducers;
    const rows = `SELECT /*+ REPARTITION(${parts}, ${by}) */ ${cells} FROM (${from}) x`;
    const script = literal(`${command} ${task} ${params}`);
    return `(SELECT TRANSFORM(${cells}) ${ROWS} USING ${script} AS (${types.join(', ')}) ${ROWS}
FROM (SELECT * FROM (${rows}) y SORT BY ${sort}) z) emitted`;
  }
}
