/**
 * An engine that sorts, in this process: what Hadoop and Spark do to records, in memory, with as many tasks as asked for.
 */

import type { DatasetRecord, Job, JobFacts, SortingEngine } from '../../src/engines/job.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import {
  type CorpusRow,
  type CorpusSource,
  compareKeys,
  type RecordSource,
} from '../../src/tasks/stream/records.js';
import { runTask } from '../../src/tasks/stream/runTask.js';
import type { StreamStage } from '../../src/tasks/stream/stage.js';
import { STAGES } from '../../src/tasks/stream/stages.js';

/** A slice of a Buffer were a view. */
function copyOf([key, value]: DatasetRecord): DatasetRecord {
  return [new Uint8Array(key), new Uint8Array(value)];
}

/** Records of an array as a source, whose views are good until the next one as those of a stream are. */
export function sourceOf(records: readonly DatasetRecord[]): RecordSource {
  let at = -1;
  let current: DatasetRecord = [new Uint8Array(0), new Uint8Array(0)];
  return {
    next() {
      // Whoever keeps a view sees other bytes.
      for (const view of current) view.fill(0xa5);
      if (++at >= records.length) return false;
      current = copyOf(records[at]!);
      return true;
    },
    get key() {
      return current[0];
    },
    get value() {
      return current[1];
    },
  };
}

function rowsOf(rows: readonly CorpusRow[]): CorpusSource {
  let at = -1;
  return {
    next: () => ++at < rows.length,
    get row() {
      return rows[at]!;
    },
  };
}

export interface ProcessEngineOptions {
  readonly kernel: Kernel;
  /** The rows of the corpus by split. */
  readonly splits: readonly (readonly CorpusRow[])[];
  /** Tasks of a job. */
  readonly mappers?: number;
  readonly reducers?: number;
  /** Runs a task; default: runTask. For who measures tasks. */
  readonly runs?: typeof runTask;
}

/** The datasets stay in `datasets`, so that tests can look at them; facts too. */
export class ProcessEngine implements SortingEngine {
  readonly datasets = new Map<string, DatasetRecord[]>();
  private readonly sides = new Map<string, Uint8Array>();
  private readonly options: ProcessEngineOptions;

  constructor(options: ProcessEngineOptions) {
    this.options = options;
  }

  async run(job: Job): Promise<JobFacts> {
    const stage: StreamStage = STAGES[job.stage];
    const { mappers = 3, reducers = 3 } = this.options;
    const sums: Record<string, number> = {};
    const task = (side: 'map' | 'reduce', input: Parameters<typeof runTask>[0]): DatasetRecord[] => {
      const out: DatasetRecord[] = [];
      const put = (key: Uint8Array, value: Uint8Array): void => {
        if (value.length === 0) throw new Error(`${job.name} ${side}: an empty value`);
        out.push(copyOf([key, value]));
      };
      const fact = (this.options.runs ?? runTask)(
        input,
        { put },
        {
          ...{ stage, side, kernel: this.options.kernel },
          manifest: job.manifest,
          sideFile: (name, from, length) =>
            this.sides.get(job.manifest.sides[name]!)!.subarray(from, from + length),
        },
      );
      for (const [name, count] of Object.entries(fact.sums)) sums[name] = (sums[name] ?? 0) + count;
      return out;
    };
    const inputs = job.inputs.flatMap((name) => {
      const found = this.datasets.get(name);
      if (found === undefined) throw new Error(`${job.name}: no dataset ${name}`);
      return found;
    });
    const mapped =
      stage.kinds === null
        ? this.options.splits.map((rows) => task('map', { rows: rowsOf(rows) }))
        : Array.from({ length: mappers }, (_, m) =>
            task('map', { records: sourceOf(inputs.filter((_, i) => i % mappers === m)) }),
          );
    if (stage.reduce === null) {
      this.datasets.set(job.name, mapped.flat());
      return { sums };
    }
    const count = job.reducers === 'one' ? 1 : reducers;
    const parts: DatasetRecord[][] = Array.from({ length: count }, () => []);
    for (const record of mapped.flat()) parts[hashOf(record[0], stage.prefix) % count]!.push(record);
    const reduced = parts.map((part) =>
      part.length === 0
        ? []
        : task('reduce', { records: sourceOf(part.sort((x, y) => compareKeys(x[0], y[0]))) }),
    );
    const all = reduced.flat();
    if (job.ordered) all.sort((x, y) => compareKeys(x[0], y[0]));
    this.datasets.set(job.name, all);
    return { sums };
  }

  async *read(job: string, kind?: number): AsyncIterable<RecordSource> {
    yield sourceOf(this.datasets.get(job)!.filter(([key]) => kind === undefined || key[0] === kind));
  }

  async write(name: string, records: AsyncIterable<DatasetRecord> | Iterable<DatasetRecord>): Promise<void> {
    const all: DatasetRecord[] = [];
    for await (const record of records) all.push(copyOf(record));
    this.datasets.set(name, all);
  }

  async side(name: string, bytes: Uint8Array): Promise<string> {
    this.sides.set(name, bytes.slice());
    return name;
  }
}

function hashOf(key: Uint8Array, prefix: number): number {
  if (key.length < prefix) throw new Error('a key shorter than what it is brought together by');
  let hash = 1;
  for (let i = 0; i < prefix; i++) hash = (Math.imul(hash, 31) + key[i]!) >>> 0;
  return hash;
}
