/**
 * The engine that sorts on this machine's disk: Map and Reduce tasks on worker threads, which exchange files of records.
 *
 *      WORK/NNN-stage/ATTEMPT/runs-0 ...        of a Map task: sorted runs; deleted when the job ends
 *      WORK/NNN-stage/ATTEMPT/part-00000 ...    the output, a part a task, with _SUCCESS
 *      WORK/NNN-stage.json                      the manifest, without its tables of files
 *      WORK/files-N.json ...                    one of these, which jobs share
 *      WORK/sides/                              side files
 *
 * In memory are the records that workers sort, `sorted` bytes each, and one block of each run that is merged.
 */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorCode, MinHashError } from '../../errors.js';
import { WORKER_BYTES } from '../../options/memory.js';
import type { BlockPlace } from '../../store/blockPlace.js';
import { guardWrite, makeFolders } from '../../store/files.js';
import { KINDS } from '../../tasks/stream/kinds.js';
import type { RecordSource } from '../../tasks/stream/records.js';
import type { StreamStage } from '../../tasks/stream/stage.js';
import { STAGES } from '../../tasks/stream/stages.js';
import { type FileTables, partedManifest } from '../../tasks/stream/taskManifest.js';
import type { Task } from '../../tasks/task.js';
import { type ClusterFiles, clusterFiles, localPathOf } from '../cluster/clusterFiles.js';
import { JobFolders, type MadeJob } from '../cluster/jobFolders.js';
import type { Engine } from '../engine.js';
import type { DatasetRecord, Job, JobFacts, SortingEngine } from '../job.js';
import { runInOrder } from '../ordered.js';
import type { PlannedPart } from './corpusParts.js';
import type { BlockRange, MapTask, ReduceTask, SortingReport } from './diskTasks.js';
import { BlockReading, BlockSource, blocksOf, type RecordBlock, RecordEncoder } from './recordFile.js';

/** @internal */
export interface DiskOptions {
  /** Starts the workers, which run the tasks of this engine; called once, when a job runs. */
  readonly workers: () => Promise<Engine>;
  /** The corpus in parts, whose blocks stay in the workers' store until `done`; each call reads it anew. */
  readonly corpus: (workers: Engine) => AsyncIterable<PlannedPart>;
  /** Whether they come in the order of the corpus; default: no. */
  readonly keepsOrder?: boolean;
  readonly threads: number;
  readonly sizes: DiskSizes;
  /** Reduce tasks of a job. */
  readonly reducers: number;
  /** A folder of this machine. */
  readonly work: string;
  /** Ignores all that earlier attempts left in the work folder: they had other options, or the run starts from the beginning. */
  readonly isFresh?: boolean;
  /** Gets the progress of a job: `map 40 % reduce 0 %`. */
  readonly onStatus?: (line: string) => void;
  /** Ends the run, with INTERRUPTED. */
  readonly signal?: AbortSignal;
}

/** Bytes of the corpus and of records that one Map task reads; least and most bytes that it sorts at once. */
export interface DiskSizes {
  readonly split: number;
  readonly records: number;
  readonly leastSorted: number;
  readonly mostSorted: number;
}

/** The part of the memory budget for the program itself, without its workers. */
const PROGRAM_BYTES = 60e6;
/** Pieces that fit the processor's caches sort fastest: 10^5 short records in 8 MB pieces take 0.8 of the time of 96 MB. */
const USUAL_SORTED = 8e6;
const LEAST_SORTED = 4e6;
const MOST_SORTED = 256e6;
/** A job has about so many runs at most, as far as memory allows: a merge holds a block of each. */
const RUNS = 128;
const SPLIT_BYTES = 16e6;
const RECORD_BYTES = 64e6;

/** The sizes for a budget that so many workers share. */
export function diskSizes(memory: number, threads: number): DiskSizes {
  const workers = Math.max(1, threads);
  const share = Math.floor((memory - PROGRAM_BYTES - workers * WORKER_BYTES) / workers);
  const mostSorted = Math.max(LEAST_SORTED, Math.min(MOST_SORTED, share));
  return {
    ...{ split: SPLIT_BYTES, records: RECORD_BYTES, mostSorted },
    leastSorted: Math.min(USUAL_SORTED, mostSorted),
  };
}

/** Map tasks a worker, where its share of the input is small: some tasks end later than others. */
const TASKS_A_WORKER = 2;
/** Bytes of a task at least. */
const LEAST_SHARE = 1e6;

/** Bytes of a job's input for a Reduce, at least. */
const LEAST_REDUCED = 1 << 18;

/** What a block of a file is found to be. */
const DAMAGES: readonly ErrorCode[] = ['BLOCK_CHECKSUM', 'BLOCK_TRUNCATED', 'BLOCK_FOREIGN'];

const PART = 'part-';
const partName = (number: number): string => `${PART}${String(number).padStart(5, '0')}`;

/** @internal */
export class DiskEngine implements SortingEngine {
  private readonly options: DiskOptions;
  readonly files: ClusterFiles = clusterFiles({ shell: [] });
  readonly countsSplits = true;
  private folders: JobFolders | null = null;
  private starting: Promise<Engine> | null = null;
  /** Where the job writes that has begun and not ended. */
  private unfinished: string | null = null;
  private ranges = 1;
  /** By table of the manifests so far: its file. */
  private readonly tables = new Map<object, string>();
  /** The removal of the runs of the last job. */
  private removal: Promise<unknown> = Promise.resolve();

  constructor(options: DiskOptions) {
    this.options = options;
  }

  get keepsOrder(): boolean {
    return this.options.keepsOrder === true;
  }

  /** Each range is its own route, so that the partitions of an ordered job are in order. */
  routes(ranges: number): readonly number[] {
    this.ranges = ranges;
    return Array.from({ length: ranges }, (_, range) => range);
  }

  async run(job: Job): Promise<JobFacts> {
    const folders = await this.opened();
    return folders.run(job, null, async (_, attempt) => {
      const folder = this.folderOf(job.name, attempt);
      this.unfinished = folder;
      const made = await this.runAnew(job, folder).catch((error) => this.failed(error, job.inputs));
      this.unfinished = null;
      return made;
    });
  }

  /** Throws the error; where it names a damaged block of a dataset, the job that wrote it is run again when the run is resumed. */
  private async failed(error: unknown, datasets: readonly string[]): Promise<never> {
    if (error instanceof MinHashError && DAMAGES.includes(error.code)) {
      const folders = await this.opened();
      for (const name of datasets)
        if (error.message.includes(join(this.options.work, name))) await folders.forget(name);
    }
    throw error;
  }

  private async runAnew(job: Job, folder: string): Promise<MadeJob> {
    const { work, sizes } = this.options;
    const { own, tables } = partedManifest(job.manifest);
    const manifest = join(work, `${job.name}.json`);
    guardWrite(manifest, () => {
      makeFolders(folder);
      writeFileSync(manifest, JSON.stringify(own));
    });
    const sides = Object.fromEntries(
      Object.values(job.manifest.sides).map((name) => [name, localPathOf(this.folders!.sideOf(name))!]),
    );
    const told = {
      ...{ stage: job.stage, manifest, tables: this.pathsOf(tables), sides },
      isOrdered: job.ordered === true,
    };
    const stage: StreamStage = STAGES[job.stage];
    const hasReduce = stage.reduce !== null;
    // Most stages sort about as much as they read, `bands` twice as much.
    const given = job.inputs.reduce((sum, name) => sum + this.bytesIn(name), 0);
    const partitions = hasReduce ? this.partitionsOf(job, given) : null;
    const runs: string[] = [];
    const asMap = (input: Pick<MapTask, 'parts' | 'records'>): MapTask => {
      const output = join(folder, hasReduce ? `runs-${runs.length}` : partName(runs.length));
      runs.push(output);
      return {
        ...{ ...told, ...input, partitions, output },
        routes: job.ordered === true ? this.ranges : null,
        sorted: Math.max(sizes.leastSorted, Math.min(sizes.mostSorted, Math.ceil((2 * given) / RUNS))),
      };
    };
    const mapped =
      stage.kinds === null ? await this.corpusMaps(job, asMap) : await this.recordMaps(job, asMap);
    let last = mapped;
    if (partitions !== null) {
      const reduces = Array.from({ length: partitions }, (_, partition): PlannedTask => {
        const output = join(folder, partName(partition));
        return { task: { ...told, partition, runs, output }, bytes: 1, ...NOTHING_HELD };
      });
      last = await this.tasks('reduce', job, partitions, reduces);
      if (last.read !== mapped.records) {
        const detail = `${job.name}: its Reduces read ${last.read} records, its Maps wrote ${mapped.records}`;
        throw new MinHashError({ code: 'JOB_COUNTS', detail });
      }
      // The system takes long to forget a large file; meanwhile the next job runs. What stays goes with the folder.
      await this.removal;
      this.removal = Promise.allSettled(runs.map((run) => rm(run)));
    }
    rmSync(manifest);
    guardWrite(folder, () => writeFileSync(join(folder, '_SUCCESS'), ''));
    const sums: Record<string, number> = { ...mapped.sums };
    if (partitions !== null) addSums(sums, last.sums);
    const spent = {
      map: mapped.milliseconds - mapped.sorting,
      sort: mapped.sorting,
      reduce: partitions === null ? 0 : last.milliseconds,
      sorted: partitions === null ? 0 : mapped.bytes,
      written: last.bytes,
    };
    return { records: last.records, sums, spent };
  }

  /** The files of tables, which are written the first time that a job has them. */
  private pathsOf(tables: FileTables): MapTask['tables'] {
    const pathOf = (name: string, table: object): string => {
      const path = this.tables.get(table) ?? join(this.options.work, `${name}-${1 + this.tables.size}.json`);
      if (!this.tables.has(table)) guardWrite(path, () => writeFileSync(path, JSON.stringify(table)));
      this.tables.set(table, path);
      return path;
    };
    const paths = Object.entries(tables).map(([name, table]) => [name, table && pathOf(name, table)]);
    return Object.fromEntries(paths) as MapTask['tables'];
  }

  /** A task of a small job costs more than what it does. */
  private partitionsOf({ reducers }: Job, given: number): number {
    return reducers === 'one' ? 1 : Math.min(this.options.reducers, 1 + Math.floor(given / LEAST_REDUCED));
  }

  /** Runs the Map tasks over the outputs of jobs. */
  private async recordMaps(job: Job, asMap: AsMap): Promise<SortingReport> {
    const { ranges, share, total, leftOut } = this.rangesOf(job);
    const tasks = planned(ranges, share, (held) => {
      return { task: asMap({ parts: null, records: held.map(({ range }) => range) }), ...NOTHING_HELD };
    });
    const mapped = await this.tasks('map', job, total, tasks);
    const read = mapped.read + leftOut;
    const given = job.inputs.reduce((sum, name) => sum + this.folders!.of(name).records, 0);
    if (read === given) return mapped;
    const detail = `${job.name}: its Maps read ${read} records of ${job.inputs.join(', ')}, which wrote ${given}`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  /** Runs the Map tasks over the corpus. */
  private async corpusMaps(job: Job, asMap: AsMap): Promise<SortingReport> {
    let given = 0;
    const total = job.manifest.files.totalBytes;
    const parts = this.options.corpus(await this.engine());
    const tasks = planned(parts, this.shareOf(total, this.options.sizes.split), (held) => {
      given += held.length;
      const all = held.map(({ part }) => part);
      return {
        task: asMap({ parts: all, records: [] }),
        inputs: all.flatMap((part) => ('text' in part && part.text !== null ? [part.text] : [])),
        done: () => {
          for (const { done } of held) done();
        },
      };
    });
    const mapped = await this.tasks('map', job, total, tasks);
    if (mapped.read === given) return mapped;
    const detail = `${job.name}: its Maps read ${mapped.read} parts of the corpus, and were given ${given}`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  /** Runs the tasks of one side, and adds up their reports. `total`: the bytes of all of them. */
  private async tasks(
    kind: 'map' | 'reduce',
    job: Job,
    total: number,
    tasks: Iterable<PlannedTask> | AsyncIterable<PlannedTask>,
  ): Promise<SortingReport> {
    const engine = await this.engine();
    const all = { read: 0, records: 0, bytes: 0, blocks: 0, milliseconds: 0, sorting: 0 };
    const sums: Record<string, number> = {};
    let begun = 0;
    const run = async ({ task: params, inputs, bytes, done }: PlannedTask) => {
      const task: Task = { kind, label: `${job.name}, number ${++begun}`, params, inputs };
      const { report } = await engine.run(task).finally(done);
      return { told: report as SortingReport, bytes };
    };
    let passed = 0;
    for await (const { told, bytes } of runInOrder(run, 2 * engine.parallelism, tasks)) {
      for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += told[name];
      addSums(sums, told.sums);
      passed += bytes;
      const part = total === 0 ? 0 : Math.round((100 * passed) / total);
      this.options.onStatus?.(kind === 'map' ? `map ${part} % reduce 0 %` : `map 100 % reduce ${part} %`);
    }
    return { ...all, sums };
  }

  /**
   * The ranges of blocks that Map tasks read of the outputs of jobs, their bytes, and the records of kinds that the stage does
   * not read.
   */
  private rangesOf({ inputs, stage }: Job) {
    const { kinds }: StreamStage = STAGES[stage];
    const isRead = ({ partition: kind }: RecordBlock): boolean =>
      kind === KINDS.fact || kinds!.includes(kind);
    const parts = inputs.flatMap((name) => this.partsOf(name)).map((path) => ({ path, all: blocksOf(path) }));
    const segments = parts.flatMap(({ path, all }) =>
      segmentsOf(all, isRead).map(([from, to]) => ({ path, begin: from, blocks: all.slice(from, to) })),
    );
    const total = segments.reduce((sum, { blocks }) => sum + bytesOf(blocks), 0);
    const share = this.shareOf(total, this.options.sizes.records);
    const ranges = segments.flatMap(({ path, begin, blocks }) => {
      const most = Math.max(1, Math.round((blocks.length * share) / Math.max(1, bytesOf(blocks))));
      return Array.from({ length: Math.ceil(blocks.length / most) }, (_, i) => {
        const own = blocks.slice(most * i, most * (i + 1));
        const from = begin + most * i;
        const range: BlockRange = { path, from, to: from + own.length };
        return { range, bytes: bytesOf(own) };
      });
    });
    const leftOut = parts.flatMap(({ all }) => all.filter((block) => !isRead(block)));
    return { ranges, share, total, leftOut: leftOut.reduce((sum, { records }) => sum + records, 0) };
  }

  /** Bytes of each task, where tasks share so many. */
  private shareOf(total: number, most: number): number {
    const tasks = TASKS_A_WORKER * Math.max(1, this.options.threads);
    return Math.min(most, Math.max(LEAST_SHARE, Math.ceil(total / tasks)));
  }

  /** The files of a dataset, in their order. */
  private partsOf(job: string): string[] {
    const folder = this.folderOf(job, this.folders!.of(job).attempt);
    const names = readdirSync(folder).filter((name) => name.startsWith(PART));
    // Numbers of more digits than others come last.
    names.sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
    return names.map((name) => join(folder, name));
  }

  private bytesIn(job: string): number {
    return this.partsOf(job).reduce((sum, path) => sum + statSync(path).size, 0);
  }

  private folderOf(job: string, attempt: string): string {
    return join(this.options.work, job, attempt);
  }

  async *read(job: string, kind?: number): AsyncGenerator<RecordSource, void, undefined> {
    try {
      yield* this.blocks(job, kind);
    } catch (error) {
      await this.failed(error, [job]);
    }
  }

  /** The records of a job's output, block by block; with a kind, those in blocks of it. */
  private async *blocks(job: string, kind?: number): AsyncGenerator<RecordSource, void, undefined> {
    await this.opened();
    let count = 0;
    for (const path of this.partsOf(job)) {
      const blocks = blocksOf(path);
      for (const { records } of blocks) count += records;
      const reading = new BlockReading(
        kind === undefined ? blocks : blocks.filter(({ partition }) => partition === kind),
      );
      const records = new BlockSource();
      for (let bytes = reading.next(); bytes !== null; bytes = reading.next()) {
        records.open(bytes);
        yield records;
      }
    }
    const { records } = this.folders!.of(job);
    if (count === records) return;
    const detail = `${job}: ${count} records were read, its job wrote ${records}`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  async write(name: string, records: Parameters<SortingEngine['write']>[1]): Promise<void> {
    const folders = await this.opened();
    await folders.write(name, partName(0), records, encoded, (count) => ({ records: count, sums: {} }));
  }

  async side(name: string, bytes: Uint8Array): Promise<string> {
    await (await this.opened()).side(name, bytes);
    return name;
  }

  /** Nothing to check: workers run wherever Node does. */
  check(): void {}

  /** Describes each job; starts, writes and searches nothing. */
  dryRun(jobs: readonly Job[]): string {
    const { reducers } = this.options;
    const lines = jobs.map((job) => {
      const { kinds, reduce, shuffles }: StreamStage = STAGES[job.stage];
      const from = kinds === null ? 'the corpus' : job.inputs.join(', ');
      if (reduce === null) return `${job.name}: Map over ${from}`;
      const count = job.reducers === 'one' ? 1 : reducers;
      return `${job.name}: Map over ${from}; sorted by ${shuffles.join(', ')}; ${count} Reduce`;
    });
    return `${lines.join('\n')}\n`;
  }

  /** Ends the workers; what a job has written that did not end is of no use, and is deleted. */
  async close(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.stop);
    try {
      await (await this.starting)?.close();
    } finally {
      await this.removal;
      if (this.unfinished !== null) rmSync(this.unfinished, { recursive: true, force: true });
    }
  }

  private readonly stop = (): void => {
    void this.starting?.then((engine) => engine.destroy()).catch(() => {});
  };

  private engine(): Promise<Engine> {
    const { workers, signal } = this.options;
    if (signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
    if (this.starting === null) {
      this.starting = workers();
      signal?.addEventListener('abort', this.stop);
    }
    return this.starting;
  }

  private async opened(): Promise<JobFolders> {
    const { work, isFresh } = this.options;
    if (this.folders === null) {
      makeFolders(work);
      this.folders = await JobFolders.open(this.files, await this.files.qualified(work), isFresh === true);
    }
    return this.folders;
  }
}

/** Runs of consecutive blocks to read: from (inclusive), to (exclusive). */
function segmentsOf(
  blocks: readonly RecordBlock[],
  isRead: (block: RecordBlock) => boolean,
): (readonly [number, number])[] {
  const found: [number, number][] = [];
  blocks.forEach((block, i) => {
    if (!isRead(block)) return;
    const last = found.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else found.push([i, i + 1]);
  });
  return found;
}

/** Completes the parameters of a Map task with all but its input. */
type AsMap = (input: Pick<MapTask, 'parts' | 'records'>) => MapTask;

/** A task that waits to run. */
interface PlannedTask extends Pick<Task, 'inputs'> {
  readonly task: MapTask | ReduceTask;
  /** The task's share of the job's progress. */
  readonly bytes: number;
  /** Called when the task has ended. */
  done(): void;
}

/** For a task without input blocks. */
const NOTHING_HELD: Pick<PlannedTask, 'inputs' | 'done'> = { inputs: [], done() {} };

/**
 * Plans a task for consecutive items, about `most` bytes at a time; an item without known bytes waits in memory, so it has a task of its
 * own at once.
 */
async function* planned<Item extends { readonly bytes: number | null }>(
  items: Iterable<Item> | AsyncIterable<Item>,
  most: number,
  asTask: (items: readonly Item[]) => Omit<PlannedTask, 'bytes'>,
): AsyncGenerator<PlannedTask, void, undefined> {
  let held: Item[] = [];
  let bytes = 0;
  const next = (): PlannedTask => {
    const task = { ...asTask(held), bytes };
    [held, bytes] = [[], 0];
    return task;
  };
  for await (const item of items) {
    if (held.length > 0 && (item.bytes === null || bytes + item.bytes > most)) yield next();
    held.push(item);
    bytes += item.bytes ?? 0;
    if (item.bytes === null) yield next();
  }
  if (held.length > 0) yield next();
}

const bytesOf = (blocks: readonly BlockPlace[]): number =>
  blocks.reduce((sum, { length }) => sum + length, 0);

function addSums(into: Record<string, number>, sums: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(sums)) into[name] = (into[name] ?? 0) + count;
}

/** Encodes records as a file of records. */
async function* encoded(records: AsyncIterable<DatasetRecord>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = [];
  const encoder = new RecordEncoder((bytes) => chunks.push(bytes.slice()));
  for await (const [key, value] of records) {
    encoder.put(key, value);
    yield* chunks.splice(0);
  }
  encoder.finish();
  yield* chunks;
}
