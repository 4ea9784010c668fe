/**
 * The Spark engine: a job is a few SQL statements in one session of the user's own `spark-sql`. Datasets are folders of Parquet,
 * or of text where this process reads or writes them; the counts of tasks are compared with those of Spark.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MinHashError } from '../../errors.js';
import { SITE_FOLDER } from '../../store/packageFiles.js';
import type { CorpusForm } from '../../tasks/stream/fileColumns.js';
import type { RecordSource } from '../../tasks/stream/records.js';
import type { StreamStage } from '../../tasks/stream/stage.js';
import { STAGES } from '../../tasks/stream/stages.js';
import type { Job, JobFacts, SortingEngine } from '../job.js';
import { type ClusterFiles, clusterFiles } from './clusterFiles.js';
import { refuseMissing } from './command.js';
import { type ClusterOptions, JobFolders, keyOf, type MadeJob, once, shortHash } from './jobFolders.js';
import { fsShellOf } from './spark/fsShell.js';
import {
  type CorpusTables,
  corpusCounts,
  corpusSelect,
  corpusTables,
  createNames,
  EMPTY_ROWS,
  namesOf,
  splitBytesFor,
  splitSettings,
} from './spark/sparkCorpus.js';
import { checkCounts, countedRows, numbersOf, sumsOf, taskFacts } from './spark/sparkFacts.js';
import { columnsSql, sparkType, valuesSql } from './spark/sparkRows.js';
import { type Mark, SparkSession, SqlFailure } from './spark/sparkSession.js';
import {
  addFile,
  asLines,
  countsOf,
  createTable,
  type DatasetForm,
  factsOf,
  insertInto,
  jobSelect,
  recordsOf,
  reset,
  type StoredDataset,
  setTo,
  tableName,
} from './spark/sparkSql.js';
import { sessionWords } from './spark/sparkWords.js';
import { recordLines, recordsOfLines } from './spark/textRecords.js';
import { storedRecords } from './storedRecords.js';

/** @internal */
export interface SparkOptions extends ClusterOptions {
  /** The master; null: that of Spark's settings. */
  readonly master: string | null;
}

/** The stored facts of a job. */
interface Made extends MadeJob {
  readonly form: DatasetForm;
  /** Rows in the output, facts too. */
  readonly rows: number;
  /** For a job that reads the corpus: its rows, and the bytes of a split. */
  readonly corpus: { readonly rows: number; readonly splitBytes: number } | null;
}

/** The input of a job. */
interface Input {
  /** Statements that make the tables. */
  readonly create: readonly string[];
  readonly select: string;
  /** How many records there are, without facts. */
  readonly records: number;
}

/** The state that the engine sets up before its first job. */
interface Opened {
  readonly work: string;
  readonly folders: JobFolders<Made>;
  readonly session: SparkSession;
}

const PACKED = /\.(gz|bz2)$/i;
const FORMS: readonly CorpusForm[] = ['lines', 'whole', 'rows'];
const NO_ROWS = 'of which Spark tells nothing; leave those out with --exclude';
const LEAST_VERSION = [3, 5] as const;
const BUNDLE = ['task.cjs', 'kernel.wasm', 'htmlText.cjs'];

/** @internal */
export class SparkEngine implements SortingEngine {
  /** The file systems of the cluster, by classes that come with Spark. */
  readonly files: ClusterFiles;
  private readonly options: SparkOptions;
  private readonly scratch: string;
  private opening: Promise<Opened> | null = null;
  private folders: JobFolders<Made> | null = null;
  /** Facts of the first reading of the corpus. */
  private corpus: Made['corpus'] = null;
  /** The columns of Parquet tables, as Spark describes them. */
  private columns: readonly string[] | null = null;
  /** The last call of the session: calls run one after the other. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(options: SparkOptions) {
    this.options = options;
    this.scratch = join(options.local, 'spark');
    const { command, conf, signal } = options;
    const shell = fsShellOf({ command, conf, site: fileURLToPath(SITE_FOLDER) });
    this.files = clusterFiles({ ...shell, ...(signal !== undefined && { signal }) });
  }

  async run(job: Job): Promise<JobFacts> {
    const { folders } = await this.opened();
    const facts = await folders.run(job, job.ordered === true, (output) => this.runAnew(job, output));
    this.corpus ??= folders.of(job.name).corpus;
    return facts;
  }

  private async runAnew(job: Job, output: string): Promise<Made> {
    const stage: StreamStage = STAGES[job.stage];
    const corpus = stage.kinds === null ? await this.corpusOf(job) : null;
    const input = corpus === null ? await this.inputsOf(job) : corpus;
    const manifest = await this.ship(
      `manifest-${job.name}`,
      '.json',
      Buffer.from(JSON.stringify(job.manifest)),
    );
    const isOrdered = job.ordered === true;
    const folder = isOrdered ? `${output}-unordered` : output;
    const made: StoredDataset = { table: tableName(`${job.name} made`), folder, form: 'parquet' };
    const select = this.selectOf(job, input.select, manifest);
    const [counts, ...said] = await this.ask(job.name, (mark) => [
      ...input.create,
      ...this.settingsOf(job, corpus?.splitBytes ?? null),
      insertInto(folder, 'parquet', select),
      createTable(made),
      countsOf(recordsOf(made), mark),
      factsOf(job.name, recordsOf(made), mark),
    ]);
    const counted = countedRows(counts);
    const facts = taskFacts(said, job.name);
    checkCounts(
      { name: job.name, hasReduce: stage.reduce !== null, input: input.records, output: counted },
      facts,
    );
    if (isOrdered) await this.putInOrder(job, made, output, counted.rows);
    return {
      form: isOrdered ? 'text' : 'parquet',
      ...{ rows: counted.rows, records: counted.rows - counted.facts, sums: sumsOf(facts) },
      corpus: corpus === null ? null : { rows: input.records, splitBytes: corpus.splitBytes },
    };
  }

  private selectOf(job: Job, from: string, manifest: string): string {
    const stage: StreamStage = STAGES[job.stage];
    return jobSelect({
      command: { stage: job.stage, manifest },
      prefix: stage.prefix,
      readsCorpus: stage.kinds === null,
      from,
    });
  }

  private settingsOf(job: Job, splitBytes: number | null): readonly string[] {
    const reducers = job.reducers === 'one' ? 1 : this.options.reducers;
    const settings = splitSettings(splitBytes ?? 0);
    const names = Object.keys(settings);
    return [
      setTo('spark.sql.shuffle.partitions', reducers),
      ...names.map((name) => (splitBytes === null ? reset(name) : setTo(name, settings[name]!))),
    ];
  }

  /** The input of a job over datasets; each becomes a table of this session. */
  private async inputsOf({ inputs }: Job): Promise<Input> {
    const stored = inputs.map((name) => this.stored(name));
    return {
      create: stored.map(createTable),
      select: stored.map(recordsOf).join(' UNION ALL '),
      records: inputs.reduce((all, name) => all + this.statsOf(name).records, 0),
    };
  }

  private statsOf(job: string): Made {
    return this.folders!.of(job);
  }

  private stored(job: string): StoredDataset {
    const { form } = this.statsOf(job);
    return { table: tableName(job), folder: this.folders!.outputOf(job), form };
  }

  /** The rows of the corpus; the first reading counts them, and later readings must find as many. */
  private async corpusOf(job: Job): Promise<Input & { readonly splitBytes: number }> {
    const { work } = await this.opened();
    const { files } = job.manifest;
    const { folder, empty, forms, create } = corpusForms(job.manifest, work);
    const names = Buffer.from([...namesOf(files.each(), empty)].join(''));
    if (this.corpus === null) await this.files.write(`${folder}/part-00000.txt`, once(names));
    const selects: string[] = [];
    for (const { form, tables } of forms) {
      const values = form === 'rows' ? await this.valuesOf(job, create, tables) : [];
      selects.push(corpusSelect(form, tables, values));
    }
    const splitBytes = this.corpus?.splitBytes ?? splitBytesFor(files.totalBytes, this.options.reducers);
    const records =
      this.corpus?.rows ??
      empty.length +
        (await this.corpusRows(
          job,
          create,
          forms.map(({ names }) => names),
        ));
    const rows = [...selects, ...(empty.length > 0 ? [EMPTY_ROWS] : [])];
    return { create, select: rows.join(' UNION ALL '), records, splitBytes };
  }

  /** By Parquet table, the expression for the values of a row. @throws MinHashError ENGINE_UNUSABLE, JOB_COUNTS */
  private async valuesOf(
    job: Job,
    create: readonly string[],
    tables: CorpusTables['tables'],
  ): Promise<readonly string[]> {
    this.columns ??= await this.ask(job.name, (mark) => [
      ...create,
      ...tables.map((table, i) => columnsSql(table, i, mark)),
    ]);
    const types = new Map(
      this.columns.map((row) => [Number.parseInt(row, 10), row.slice(row.indexOf(' ') + 1)]),
    );
    return tables.map((_, i) => {
      const type = types.get(i);
      if (type !== undefined) return valuesSql(sparkType(type), job.manifest.params);
      const detail = `${job.name}: a Parquet file has no rows, ${NO_ROWS}`;
      throw new MinHashError({ code: 'JOB_COUNTS', detail });
    });
  }

  /** Counts the rows of the corpus. @throws MinHashError JOB_COUNTS where Spark does not read every file */
  private async corpusRows(job: Job, create: readonly string[], names: readonly string[]): Promise<number> {
    const [counts] = await this.ask(job.name, (mark) => [...create, corpusCounts(names, mark)]);
    const [rows, found] = numbersOf(counts, 2) as [number, number];
    // A packed file may have no line, and so may a file with only a byte order mark.
    const files = job.manifest.files.each();
    const filled = files.filter(({ uri, bytes }) => bytes > 3 && !PACKED.test(uri)).length;
    if (found >= filled) return rows;
    const why = `it passes over Parquet files without rows, ${NO_ROWS}`;
    const detail = `${job.name}: Spark finds rows in ${found} of ${filled} files that are not empty: ${why}`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  /** Rewrites a dataset as lines, in the order of keys. */
  private async putInOrder(job: Job, made: StoredDataset, output: string, rows: number): Promise<void> {
    const lines: StoredDataset = { table: tableName(`${job.name} lines`), folder: output, form: 'text' };
    const [counts] = await this.ask(job.name, (mark) => [
      setTo('spark.sql.shuffle.partitions', this.options.reducers),
      insertInto(output, 'text', asLines(recordsOf(made), ' ORDER BY k')),
      createTable(lines),
      countsOf(recordsOf(lines), mark),
    ]);
    const found = countedRows(counts).rows;
    await this.files.remove([made.folder]);
    if (found === rows) return;
    const detail = `${job.name}: ${rows} records became ${found} as they were put in order`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  async *read(job: string, kind?: number): AsyncGenerator<RecordSource, void, undefined> {
    const { folders } = await this.opened();
    const { form, rows } = this.statsOf(job);
    const output = folders.outputOf(job);
    const folder = form === 'text' ? output : `${output}-lines`;
    if (form !== 'text') {
      const stored = this.stored(job);
      const select = asLines(recordsOf(stored), '');
      await this.ask(job, () => [createTable(stored), insertInto(folder, 'text', select)]);
    }
    const { files, scratch } = this;
    yield* storedRecords({ job, folder, records: rows }, { files, scratch, decode: recordsOfLines }, kind);
    if (form !== 'text') await files.remove([folder]);
  }

  async write(name: string, records: Parameters<SortingEngine['write']>[1]): Promise<void> {
    const { folders } = await this.opened();
    await folders.write(name, 'part-00000.txt', records, recordLines, (count) => {
      return { form: 'text', rows: count, records: count, sums: {}, corpus: null };
    });
  }

  side(name: string, bytes: Uint8Array): Promise<string> {
    return this.ship(name, '', bytes);
  }

  /**
   * Ships a file into the folder of tasks; its name has a hash of its content, because a session takes only one file of a name.
   */
  private async ship(name: string, end: string, bytes: Uint8Array): Promise<string> {
    await this.opened();
    const file = `${name}-${shortHash(bytes)}${end}`;
    const path = join(this.scratch, file);
    await writeFile(path, bytes);
    await this.ask(name, () => [addFile(path)]);
    return file;
  }

  /** The statements that would run the jobs; starts, writes and searches nothing. */
  dryRun(jobs: readonly Job[]): string {
    const { work } = this.options;
    const { forms, empty, create } = corpusForms(jobs[0]!.manifest, work);
    // The columns of Parquet files are unknown until Spark has read them.
    const selects = forms.map(({ form, tables }) =>
      form === 'rows' ? 'SELECT file, start, bytes FROM rows_of_parquet' : corpusSelect(form, tables, []),
    );
    const rows = [...selects, ...(empty.length > 0 ? [EMPTY_ROWS] : [])].join(' UNION ALL ');
    const tables = `-- the corpus\n${create.map((statement) => `${statement};\n`).join('')}`;
    return [tables, ...jobs.map((job) => this.dryJob(job, rows))].join('\n');
  }

  private dryJob(job: Job, corpus: string): string {
    const { work, reducers } = this.options;
    const folder = `${work}/${job.name}`;
    const datasets = job.inputs.map((input) => `SELECT k, v FROM ${tableName(input)}`);
    const from = STAGES[job.stage].kinds === null ? corpus : datasets.join(' UNION ALL ');
    const statements = [
      setTo('spark.sql.shuffle.partitions', job.reducers === 'one' ? 1 : reducers),
      insertInto(folder, 'parquet', this.selectOf(job, from, `${job.name}.json`)),
      createTable({ table: tableName(job.name), folder, form: 'parquet' }),
    ];
    return `-- ${job.name}\n${statements.map((statement) => `${statement};\n`).join('')}`;
  }

  /** @throws MinHashError ENGINE_UNUSABLE where there is no such command */
  check(): void {
    refuseMissing(this.options.command[0]!, '--spark-command');
  }

  /** Ends the session. */
  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => null);
    await opened?.session.close();
  }

  /**
   * Runs statements after those before have ended; returns their marked rows. @throws MinHashError JOB_FAILED, and what the
   * session throws
   */
  private ask(job: string, statements: (mark: Mark) => readonly string[]): Promise<readonly string[]> {
    const answer = this.turn.then(async () => {
      const { session } = await this.opened();
      try {
        return await session.run(statements);
      } catch (error) {
        if (!(error instanceof SqlFailure)) throw error;
        const detail = `${job}: ${error.message}; the log is ${this.log}`;
        throw new MinHashError({ code: 'JOB_FAILED', detail }, { cause: error });
      }
    });
    this.turn = answer.catch(() => {});
    return answer;
  }

  private get log(): string {
    return join(this.options.local, 'logs', 'spark.log');
  }

  private opened(): Promise<Opened> {
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<Opened> {
    const { options, files } = this;
    const { bundle, signal } = options;
    await mkdir(this.scratch, { recursive: true });
    await mkdir(dirname(this.log), { recursive: true });
    const work = await files.qualified(options.work);
    this.folders = await JobFolders.open(files, work, options.isFresh === true);
    const session = new SparkSession({
      words: sessionWords({ ...options, warehouse: join(this.scratch, 'warehouse') }),
      log: this.log,
      ...(signal !== undefined && { signal }),
    });
    try {
      const [version] = await session.run((mark) => [
        `SELECT ${mark('version()')}`,
        ...BUNDLE.map((name) => addFile(resolve(bundle, name))),
      ]);
      checkVersion(version ?? '');
    } catch (error) {
      await session.close();
      throw error instanceof SqlFailure ? unusable(error.message) : error;
    }
    return { work, folders: this.folders, session };
  }
}

/** The tables of the corpus: the names of its files, and its files by form. */
function corpusForms(manifest: Job['manifest'], work: string) {
  const files = manifest.files.each();
  const empty = files.filter(({ bytes, form }) => bytes === 0 && form === 'whole');
  const folder = `${work}/names-${keyOf(manifest.files)}`;
  const forms = FORMS.map((form) => {
    const ofForm = files.filter((file) => file.form === form);
    return { form, ...corpusTables(ofForm, form) };
  }).filter(({ tables }) => tables.length > 0);
  return { folder, empty, forms, create: [createNames(folder), ...forms.flatMap(({ create }) => create)] };
}

function checkVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = LEAST_VERSION;
  if (major > least || (major === least && minor >= leastMinor)) return;
  throw unusable(
    `Spark is of version ${version.split(' ')[0]}: expected ${LEAST_VERSION.join('.')} or a later one`,
  );
}

const unusable = (detail: string): MinHashError => new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
