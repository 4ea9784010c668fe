/**
 * The engine that sorts on this machine's disk: Map and Reduce tasks on worker threads, which hand each other files of records.
 *
 *      WORK/NNN-stage/ATTEMPT/runs-0 ...        of a Map task: sorted runs; gone when the job ended
 *      WORK/NNN-stage/ATTEMPT/part-00000 ...    the output, a part a task, with _SUCCESS
 *      WORK/NNN-stage.json                      the manifest
 *      WORK/sides/                              side files
 *
 * What is held is what workers sort, `sorted` bytes each, and of each run that is merged a block.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { WORKER_BYTES } from '../../options/memory.js';
import type { BlockPlace } from '../../store/blockPlace.js';
import { guardWrite, makeFolders } from '../../store/files.js';
import { GarbageValve } from '../../store/spilling.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { KINDS } from '../../tasks/stream/kinds.js';
import type { StreamStage } from '../../tasks/stream/stage.js';
import { STAGES } from '../../tasks/stream/stages.js';
import type { Task } from '../../tasks/task.js';
import { type ClusterFiles, clusterFiles } from '../cluster/clusterFiles.js';
import { JobFolders, type JobStats, keyOf } from '../cluster/jobFolders.js';
import type { Engine } from '../engine.js';
import type { DatasetRecord, Job, JobFacts, SortingEngine } from '../job.js';
import { runInOrder } from '../ordered.js';
import type { BlockRange, MapTask, ReduceTask, SortingReport } from './diskTasks.js';
import type { LocalSplit } from './localRows.js';
import { BlockRecords, blocksOf, type RecordBlock, RecordEncoder } from './recordFile.js';

/** @internal */
export interface DiskOptions {
  /** Starts the workers, whose tasks are those of this engine; called once, when a job runs. */
  readonly workers: () => Promise<Engine>;
  readonly threads: number;
  readonly sizes: DiskSizes;
  /** Reduce tasks of a job. */
  readonly reducers: number;
  /** Bytes of buffers let go after which they are collected; default: never. */
  readonly collectEvery?: number;
  /** A folder of this machine. */
  readonly work: string;
  /** Nothing that lies in the work folder is of use: other options, or from the beginning. */
  readonly isFresh?: boolean;
  /** How far a job is: `map 40 % reduce 0 %`. */
  readonly onStatus?: (line: string) => void;
  /** Ends the run, with INTERRUPTED. */
  readonly signal?: AbortSignal;
}

/** Bytes of what one Map task reads of the corpus, and of records; and of what it sorts at once, at the least and at the most. */
export interface DiskSizes {
  readonly split: number;
  readonly records: number;
  readonly leastSorted: number;
  readonly mostSorted: number;
}

/** Of the budget: the program itself, beside its workers. */
const PROGRAM_BYTES = 60e6;
/** What the caches of a processor hold is sorted quickest: 10^5 short records in 8 MB pieces take 0.8 of the time of 96 MB. */
const USUAL_SORTED = 8e6;
const LEAST_SORTED = 4e6;
const MOST_SORTED = 256e6;
/** Runs that a job has at about the most, as long as memory has room: each has a block in memory where they are merged. */
const RUNS = 128;
const SPLIT_BYTES = 16e6;
const RECORD_BYTES = 64e6;

/** Those of a budget that so many workers share. */
export function diskSizes(memory: number, threads: number): DiskSizes {
  const workers = Math.max(1, threads);
  const share = Math.floor((memory - PROGRAM_BYTES - workers * WORKER_BYTES) / workers);
  const mostSorted = Math.max(LEAST_SORTED, Math.min(MOST_SORTED, share));
  return {
    ...{ split: SPLIT_BYTES, records: RECORD_BYTES, mostSorted },
    leastSorted: Math.min(USUAL_SORTED, mostSorted),
  };
}

/** Files of a Map task. */
const SPLIT_FILES = 1024;
/** Map tasks a worker whose share of the input is small: some end later than others. */
const TASKS_A_WORKER = 2;
/** Less is not worth a task. */
const LEAST_SHARE = 1e6;

const SIDES = 'sides';
const PART = 'part-';
const partName = (number: number): string => `${PART}${String(number).padStart(5, '0')}`;

/** @internal */
export class DiskEngine implements SortingEngine {
  private readonly options: DiskOptions;
  readonly files: ClusterFiles = clusterFiles({ shell: [] });
  private readonly sides = new Map<string, string>();
  private folders: JobFolders | null = null;
  private starting: Promise<Engine> | null = null;
  private ranges = 1;

  constructor(options: DiskOptions) {
    this.options = options;
  }

  /** Ranges are their own routes: partitions of an ordered job are in their order. */
  routes(ranges: number): readonly number[] {
    this.ranges = ranges;
    return Array.from({ length: ranges }, (_, range) => range);
  }

  async run(job: Job): Promise<JobFacts> {
    const folders = await this.opened();
    const inputs = job.inputs.map((name) => folders.of(name).key);
    const sides = Object.values(job.manifest.sides).map((name) => this.sides.get(name));
    const key = keyOf(job.manifest.hash, job.stage, job.reducers, job.inputs, inputs, sides);
    const before = folders.wholeOf(job.name, key);
    if (before !== null) return { sums: before.sums, isKept: true };
    const { attempt } = await folders.begin(job.name);
    const made = await this.runAnew(job, this.folderOf(job.name, attempt));
    await folders.end({ job: job.name, key, attempt, ...made });
    return { sums: made.sums };
  }

  private async runAnew(job: Job, folder: string): Promise<Pick<JobStats, 'records' | 'sums' | 'spent'>> {
    const { work, sizes } = this.options;
    const manifest = join(work, `${job.name}.json`);
    guardWrite(manifest, () => {
      makeFolders(folder);
      writeFileSync(manifest, JSON.stringify(job.manifest));
    });
    const sides = Object.fromEntries(
      Object.values(job.manifest.sides).map((name) => [name, this.sides.get(name)!]),
    );
    const told = { stage: job.stage, manifest, sides, isOrdered: job.ordered === true };
    const stage: StreamStage = STAGES[job.stage];
    const hasReduce = stage.reduce !== null;
    const ranges = stage.reads === 'corpus' ? null : this.rangesOf(job);
    const inputs = ranges?.tasks ?? this.splitsOf(job);
    // Most stages sort about as much as they are given, `bands` twice as much.
    const given = job.inputs.reduce((sum, name) => sum + this.bytesIn(name), 0);
    const partitions = hasReduce ? (job.reducers === 'one' ? 1 : this.options.reducers) : null;
    const maps = inputs.map(
      (input, i): MapTask => ({
        ...{ ...told, ...input, partitions },
        routes: job.ordered === true ? this.ranges : null,
        sorted: Math.max(sizes.leastSorted, Math.min(sizes.mostSorted, Math.ceil((2 * given) / RUNS))),
        output: join(folder, hasReduce ? `runs-${i}` : partName(i)),
      }),
    );
    const mapped = await this.tasks('map', job, maps);
    this.compare(job, mapped.read + (ranges?.leftOut ?? 0));
    let last = mapped;
    if (partitions !== null) {
      const runs = maps.map(({ output }) => output);
      const reduces = Array.from(
        { length: partitions },
        (_, partition): ReduceTask => ({
          ...{ ...told, partition, runs },
          output: join(folder, partName(partition)),
        }),
      );
      last = await this.tasks('reduce', job, reduces);
      if (last.read !== mapped.records) {
        const detail = `${job.name}: its Reduces read ${last.read} records, its Maps wrote ${mapped.records}`;
        throw new MinHashError({ code: 'JOB_COUNTS', detail });
      }
      for (const run of runs) rmSync(run);
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

  private compare(job: Job, read: number): void {
    if (job.inputs.length === 0) return;
    const given = job.inputs.reduce((sum, name) => sum + this.statsOf(name).records, 0);
    if (read === given) return;
    const detail = `${job.name}: its Maps read ${read} records of ${job.inputs.join(', ')}, which wrote ${given}`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  private statsOf(name: string): JobStats {
    return this.folders!.of(name);
  }

  /** Runs tasks of one side, and adds up what they report. */
  private async tasks(
    kind: 'map' | 'reduce',
    job: Job,
    tasks: readonly (MapTask | ReduceTask)[],
  ): Promise<SortingReport> {
    const engine = await this.engine();
    const all = { read: 0, records: 0, bytes: 0, blocks: 0, milliseconds: 0, sorting: 0 };
    const sums: Record<string, number> = {};
    const asTask = (params: MapTask | ReduceTask, i: number): Task => {
      return { kind, label: `${job.name} ${i + 1} of ${tasks.length}`, params, inputs: [] };
    };
    let done = 0;
    const results = runInOrder((task: Task) => engine.run(task), 2 * engine.parallelism, tasks.map(asTask));
    for await (const { report } of results) {
      const told = report as SortingReport;
      for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += told[name];
      addSums(sums, told.sums);
      const part = Math.round((100 * ++done) / tasks.length);
      this.options.onStatus?.(kind === 'map' ? `map ${part} % reduce 0 %` : `map 100 % reduce ${part} %`);
    }
    return { ...all, sums };
  }

  /** What Map tasks read of the corpus. */
  private splitsOf({ manifest }: Job): Pick<MapTask, 'rows' | 'records'>[] {
    const corpus = new CorpusFiles(manifest);
    const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
    const most = this.shareOf(total, this.options.sizes.split);
    const splits = new Gathered<LocalSplit>(most, SPLIT_FILES);
    for (const [i, { uri, bytes }] of manifest.files.entries()) {
      if (corpus.isWhole(i)) splits.add({ file: uri, from: 0, to: null }, bytes);
      else
        for (let from = 0; from < bytes; from += most) {
          const to = Math.min(bytes, from + most);
          splits.add({ file: uri, from, to }, to - from);
        }
    }
    return splits.finish().map((rows) => ({ rows, records: [] }));
  }

  /** What Map tasks read of the outputs of jobs, and how many records are of kinds that the stage does not read. */
  private rangesOf({ inputs, stage }: Job): {
    readonly tasks: Pick<MapTask, 'rows' | 'records'>[];
    readonly leftOut: number;
  } {
    const { kinds }: StreamStage = STAGES[stage];
    const isRead = ({ partition: kind }: RecordBlock): boolean =>
      kinds === undefined || kind === KINDS.fact || kinds.includes(kind);
    const parts = inputs.flatMap((name) => this.partsOf(name)).map((path) => ({ path, all: blocksOf(path) }));
    const segments = parts.flatMap(({ path, all }) =>
      segmentsOf(all, isRead).map(([from, to]) => ({ path, begin: from, blocks: all.slice(from, to) })),
    );
    const total = segments.reduce((sum, { blocks }) => sum + bytesOf(blocks), 0);
    const ranges = new Gathered<BlockRange>(
      this.shareOf(total, this.options.sizes.records),
      Number.POSITIVE_INFINITY,
    );
    for (const { path, begin, blocks } of segments) {
      const most = Math.max(1, Math.round((blocks.length * ranges.most) / Math.max(1, bytesOf(blocks))));
      for (let from = 0; from < blocks.length; from += most) {
        const to = Math.min(blocks.length, from + most);
        ranges.add({ path, from: begin + from, to: begin + to }, bytesOf(blocks.slice(from, to)));
      }
    }
    const leftOut = parts.flatMap(({ all }) => all.filter((block) => !isRead(block)));
    return {
      tasks: ranges.finish().map((records) => ({ rows: null, records })),
      leftOut: leftOut.reduce((sum, { records }) => sum + records, 0),
    };
  }

  /** Bytes of one of the tasks that share so many. */
  private shareOf(total: number, most: number): number {
    const tasks = TASKS_A_WORKER * Math.max(1, this.options.threads);
    return Math.min(most, Math.max(LEAST_SHARE, Math.ceil(total / tasks)));
  }

  /** The files of a dataset, in their order. */
  private partsOf(job: string): string[] {
    const folder = this.folderOf(job, this.statsOf(job).attempt);
    const names = readdirSync(folder).filter((name) => name.startsWith(PART));
    return names.sort().map((name) => join(folder, name));
  }

  private bytesIn(job: string): number {
    return this.partsOf(job).reduce((sum, path) => sum + statSync(path).size, 0);
  }

  private folderOf(job: string, attempt: string): string {
    return join(this.options.work, job, attempt);
  }

  async *read(job: string): AsyncGenerator<DatasetRecord, void, undefined> {
    await this.opened();
    const garbage = new GarbageValve(this.options.collectEvery ?? Number.POSITIVE_INFINITY);
    let count = 0;
    for (const path of this.partsOf(job)) {
      // A block at a time has memory of its own, which its records keep.
      for (const block of blocksOf(path)) {
        const records = new BlockRecords([block]);
        while (records.next()) {
          count++;
          const { keyAt, keyEnd, valueAt, valueEnd } = records.place;
          yield [records.bytes.subarray(keyAt, keyEnd), records.bytes.subarray(valueAt, valueEnd)];
        }
        garbage.released(block.length);
      }
    }
    const { records } = this.statsOf(job);
    if (count === records) return;
    const detail = `${job}: ${count} records were read, its job wrote ${records}`;
    throw new MinHashError({ code: 'JOB_COUNTS', detail });
  }

  async write(name: string, records: Parameters<SortingEngine['write']>[1]): Promise<void> {
    const folders = await this.opened();
    await folders.end({ ...(await folders.make(name, partName(0), records, encoded)), sums: {} });
  }

  async side(name: string, bytes: Uint8Array): Promise<string> {
    await this.opened();
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const folder = join(this.options.work, SIDES);
    const path = join(folder, `${name}-${hash}`);
    guardWrite(path, () => {
      makeFolders(folder);
      writeFileSync(path, bytes);
    });
    this.sides.set(name, path);
    return name;
  }

  /** Workers are there wherever Node is. */
  check(): void {}

  /** What each job would do: nothing is started, written or looked for. */
  dryRun(jobs: readonly Job[]): string {
    const { reducers } = this.options;
    const lines = jobs.map((job) => {
      const { reads, reduce, shuffles }: StreamStage = STAGES[job.stage];
      const from = reads === 'corpus' ? 'the corpus' : job.inputs.join(', ');
      if (reduce === null) return `${job.name}: Map over ${from}`;
      const count = job.reducers === 'one' ? 1 : reducers;
      return `${job.name}: Map over ${from}; sorted by ${shuffles.join(', ')}; ${count} Reduce`;
    });
    return `${lines.join('\n')}\n`;
  }

  /** Ends the workers. */
  async close(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.stop);
    await (await this.starting)?.close();
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

/** Where blocks that follow one another are read: from, to. */
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

/** Items by task: about so many bytes each, and at most so many items. */
class Gathered<Item> {
  readonly most: number;
  private readonly mostItems: number;
  private readonly all: Item[][] = [];
  private bytes = Number.POSITIVE_INFINITY;

  constructor(most: number, mostItems: number) {
    this.most = most;
    this.mostItems = mostItems;
  }

  add(item: Item, bytes: number): void {
    const last = this.all.at(-1);
    if (last === undefined || this.bytes + bytes > this.most || last.length === this.mostItems) {
      this.all.push([item]);
      this.bytes = bytes;
    } else {
      last.push(item);
      this.bytes += bytes;
    }
  }

  finish(): readonly (readonly Item[])[] {
    return this.all;
  }
}

const bytesOf = (blocks: readonly BlockPlace[]): number =>
  blocks.reduce((sum, { length }) => sum + length, 0);

function addSums(into: Record<string, number>, sums: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(sums)) into[name] = (into[name] ?? 0) + count;
}

/** Records as the bytes of a file. */
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
