/**
 * The tasks of the engine on disk, as worker threads run them: a Map, whose output is sorted into runs, and a Reduce, which
 * merges the runs of its partition.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { RowSorter } from '../../kernel/kernel.js';
import { DiskRoom } from '../../store/disk.js';
import { readAt } from '../../store/fileDoor.js';
import { VERSION } from '../../store/packageFiles.js';
import { cuts } from '../../tasks/kinds/countTasks.js';
import { u32At } from '../../tasks/stream/records.js';
import {
  runTask,
  type Side,
  type TaskInput,
  type TaskRecords,
  type TaskSink,
} from '../../tasks/stream/runTask.js';
import type { StreamStage } from '../../tasks/stream/stage.js';
import { STAGES, type StageName } from '../../tasks/stream/stages.js';
import {
  type FileTables,
  openManifest,
  openTable,
  type SealedManifest,
} from '../../tasks/stream/taskManifest.js';
import type { TaskKind, Workplace } from '../../tasks/task.js';
import { kept, kernelOf } from '../../tasks/workplace.js';
import { CorpusParts, type DiskPart, GARBAGE } from './corpusParts.js';
import { SortingRoom } from './keyOrder.js';
import { MergedRecords, MergedRows } from './mergedRecords.js';
import {
  BLOCK,
  BlockRecords,
  blocksOf,
  type RecordBlock,
  RecordFile,
  type WrittenRecords,
} from './recordFile.js';
import { byHash, type Partitioning, processorTime, SortedRuns } from './sortedRuns.js';

/** The parameters of both kinds of tasks. JSON. */
interface SortingTask {
  readonly stage: StageName;
  /** The file of the manifest of the job, and those of its tables of files; null: it has none. */
  readonly manifest: string;
  readonly tables: Readonly<Record<keyof FileTables, string | null>>;
  /** Paths of side files, by their names in the manifest. */
  readonly sides: Readonly<Record<string, string>>;
  /** The file to write; where the job is ordered, its records keep the order in which the task makes them. */
  readonly output: string;
  readonly isOrdered: boolean;
}

/** Blocks of a file: from (inclusive) to (exclusive), by number. */
export interface BlockRange {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export interface MapTask extends SortingTask {
  /** The input: parts of the corpus, or records. */
  readonly parts: readonly DiskPart[] | null;
  readonly records: readonly BlockRange[];
  /** Partitions of the Reduce; null: the job has none, and the output of Map is not sorted. */
  readonly partitions: number | null;
  /** How many routes there are, where keys begin with a route and partitions are in the order of routes; null: neither is so. */
  readonly routes: number | null;
  /** Bytes of records that the task sorts at once. */
  readonly sorted: number;
}

export interface ReduceTask extends SortingTask {
  readonly partition: number;
  /** The runs files of all Map tasks. */
  readonly runs: readonly string[];
}

/** The report of a task. JSON. */
export interface SortingReport extends WrittenRecords {
  /** Rows or records that the task read. */
  readonly read: number;
  readonly sums: Readonly<Record<string, number>>;
  /** Processor time of the task (see processorTime), and the part of it for sorting and writing runs. */
  readonly milliseconds: number;
  readonly sorting: number;
}

/** Bytes that stages allocate and release per byte of text: the block, its documents and their sketches. */
const PER_TEXT = 3;

/** What a file holds, as long as the file asked for under a name is the same. */
function keptOf<Content>(
  { scratch }: Workplace,
  name: string,
  path: string,
  read: (text: string, path: string) => Content,
): Content {
  const known = scratch.get(name) as { readonly path: string; readonly content: Content } | undefined;
  if (known?.path === path) return known.content;
  const content = read(readFileSync(path, 'utf8'), path);
  scratch.set(name, { path, content });
  return content;
}

/** The manifest of a job, read once a worker; its tables, which name every file of the corpus, once for all jobs that have them. */
function manifestOf(here: Workplace, { manifest, tables }: SortingTask): SealedManifest {
  return keptOf(here, 'manifest of the job', manifest, (text) => {
    const shared = (Object.keys(tables) as (keyof FileTables)[]).map((name) => {
      const path = tables[name];
      return [name, path && keptOf(here, `table of ${name}`, path, (...told) => openTable(name, ...told))];
    });
    return openManifest(text, manifest, VERSION, Object.fromEntries(shared) as FileTables);
  });
}

/** Reads `length` bytes from `from` on, or fewer where the file ends before. */
function bytesOf(path: string, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readAt(file, bytes, from));
  } finally {
    closeSync(file);
  }
}

function sumsOf(
  task: SortingTask,
  here: Workplace,
  side: Side,
  input: TaskInput,
  out: TaskSink,
): SortingReport['sums'] {
  const manifest = manifestOf(here, task);
  const stage: StreamStage = STAGES[task.stage];
  const { sums } = runTask(input, out, {
    ...{ stage, side, manifest },
    get kernel() {
      return kernelOf(here);
    },
    sideFile: (name, from, length) => bytesOf(task.sides[manifest.sides[name]!]!, from, length),
  });
  return sums;
}

/** Writes the task's output file, whole or not at all. */
function written(
  { output: path, isOrdered }: SortingTask,
  write: (file: RecordFile) => Pick<SortingReport, 'read' | 'sums' | 'sorting'>,
): SortingReport {
  const begun = process.cpuUsage();
  const file = new RecordFile(path, new DiskRoom(path.slice(0, path.lastIndexOf('/'))), isOrdered);
  try {
    const told = { ...write(file), ...file.finish() };
    return { ...told, milliseconds: processorTime(begun) };
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** Partitions by the routes that keys begin with, in order; keys without a route go to the last partition. */
function byRoute(routes: number, partitions: number): Partitioning['partitionOf'] {
  return (key) => Math.min(partitions - 1, Math.floor((u32At(key, 0) * partitions) / routes));
}

const map: TaskKind<MapTask, SortingReport> = {
  work(task, here) {
    return written(task, (file) => {
      const { parts, partitions, routes } = task;
      const onBlock = (): void => here.progress();
      const { files } = manifestOf(here, task);
      const source = parts === null ? null : new CorpusParts(parts, files, here);
      const records = new BlockRecords(task.records.flatMap(blocksIn), onBlock);
      const input = source === null ? { records } : { rows: source };
      const { prefix } = STAGES[task.stage];
      const sorted =
        partitions === null
          ? null
          : new SortedRuns(
              file,
              {
                ...{ partitions, prefix },
                partitionOf: routes === null ? byHash(prefix, partitions) : byRoute(routes, partitions),
              },
              task.sorted,
              kernelOf(here),
              kept(here, 'room to sort', () => new SortingRoom()),
            );
      const sums = sumsOf(task, here, 'map', input, sorted ?? file);
      sorted?.flush();
      here.scratch.set(GARBAGE, PER_TEXT * (sums['text bytes'] ?? 0));
      return { read: source?.count ?? records.count, sums, sorting: sorted?.milliseconds ?? 0 };
    });
  },
};

function blocksIn({ path, from, to }: BlockRange): RecordBlock[] {
  return blocksOf(path).slice(from, to);
}

const reduce: TaskKind<ReduceTask, SortingReport> = {
  work(task, here) {
    return written(task, (file) => {
      const runs = task.runs.flatMap((path) => runsOf(path, task.partition));
      const onBlock = (): void => here.progress();
      const [rows, others] = [true, false].map((are) => runs.filter(([block]) => block!.width > 0 === are));
      const { prefix, recurring }: StreamStage = STAGES[task.stage];
      const sorter = (): RowSorter => kernelOf(here).rowSorter();
      const merged = new MergedRows(rows!, sorter, recurring === true ? prefix : 0, onBlock);
      // What a stage makes of long records is garbage long before the platform collects it.
      const isLong = areLong(others!.flat());
      const onRecords = (): void => {
        here.progress();
        if (isLong) here.released(BLOCK);
      };
      const records = new MergedRecords(others!.map((blocks) => new BlockRecords(blocks, onRecords)));
      const input: TaskRecords = Object.assign(records, { rows: () => merged.next() });
      const sums = sumsOf(task, here, 'reduce', { records: input }, file);
      return { read: records.count + merged.count, sums, sorting: 0 };
    });
  },
};

/** Bytes of a record that is long: a collection for every few blocks of short ones takes a twentieth of a run. */
const LONG = 4096;

/** Whether the records of blocks are long on average. */
function areLong(blocks: readonly RecordBlock[]): boolean {
  let [bytes, records] = [0, 0];
  for (const block of blocks) {
    bytes += block.length;
    records += block.records;
  }
  return bytes > LONG * records;
}

/** The runs of a file in one partition. */
function runsOf(path: string, partition: number): readonly (readonly RecordBlock[])[] {
  const runs = new Map<number, RecordBlock[]>();
  for (const block of blocksOf(path)) {
    if (block.partition !== partition) continue;
    const run = runs.get(block.run);
    if (run === undefined) runs.set(block.run, [block]);
    else run.push(block);
  }
  return [...runs.values()];
}

/** `cuts` finds where a large file is cut, before its parts are read. */
export const TASKS = { cuts, map, reduce } as const;
