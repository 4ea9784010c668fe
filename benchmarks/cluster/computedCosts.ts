/**
 * What a run on an engine that sorts costs at a size that nobody measured: unit costs times the number of documents.
 *
 * Linear is an assumption where pairs are: that a document has as many candidates, near ones and copies as in the corpus that was
 * measured, however many documents there are.
 */
import { MOST_NODES } from '../../reducers/streamed/components.js';
import type { StageName } from '../../src/tasks/stream/stages.js';
import type { Row } from '../measure/record.js';
import type { StageCost } from './meter.js';

/** What was measured of a corpus. */
export interface MeasuredRun {
  readonly documents: number;
  readonly textBytes: number;
  readonly hashes: number;
  readonly stages: ReadonlyMap<StageName, StageCost>;
  /** Documents that are in a near pair. */
  readonly nearDocuments: number;
  /** Bytes of what a task says of itself. */
  readonly factBytes: number;
  /** The end of a run, on the machine that it was started on. */
  readonly finish: { readonly seconds: number; readonly bytes: number };
}

export const SIZES: readonly number[] = [1e6, 1e8, 1e10];
/** The stages that find components where one task would hold too many documents. */
export const BY_STARS: readonly StageName[] = ['starEdges', 'largeStar', 'smallStar', 'starLabels'];

/** Bytes of the input of a Map task, which Hadoop and Spark take unless they are told. */
const SPLIT_BYTES = 128 * 2 ** 20;
/** Lines that a task reads together. */
const BLOCK_BYTES = 4e6;
/** Reduce tasks of a job, as a run makes them unless --shards says it. */
const reducersOf = (bytes: number): number => Math.min(2000, Math.max(2, Math.ceil(bytes / 256e6)));

/** What V8 takes for what a task says, beside its bytes: an entry of a table, its name, the head of an array. */
const HELD_BESIDE = 250;

/** Of what does not grow with the corpus but with one class or cluster. */
const HELD_AT_MOST: Partial<Record<StageName, string>> = {
  // 2^22 texts of one class.
  classes: 'some records; 168 where a class has 4 million texts',
  drops: '0.0001 a dropped class of one cluster; 5,000 at most',
};

/** What one task holds, as the headers of stages say it: bytes at a number of documents. Those that are not here hold some records. */
const HELD: Partial<Record<StageName, (run: MeasuredRun, documents: number) => number>> = {
  sketch: (run) => readBytes(run, 'sketch'),
  sets: (run) => readBytes(run, 'sets'),
  // Keys of 1024 signatures, 4096 members, 2^18 pairs.
  bands: ({ hashes }) => 1024 * (4 * hashes + 300) + 4096 * 16 + 2 ** 18 * 16,
  leftSignatures: () => 4e6,
  rightSignatures: () => 4e6,
  tileSets: () => 2 ** 23,
  tilePairs: () => 2 * 2 ** 23,
  components: (run, documents) => (80 * run.nearDocuments * documents) / run.documents,
};

/** A block of lines, and what becomes of it. */
function readBytes({ textBytes, stages }: MeasuredRun, stage: StageName): number {
  return BLOCK_BYTES * (1 + stages.get(stage)!.map.bytes / textBytes);
}

/** Whether a stage runs at a number of documents. */
export function runsAt(stage: StageName, documents: number): boolean {
  if (stage === 'components') return documents <= MOST_NODES;
  return !BY_STARS.includes(stage) || documents > MOST_NODES;
}

/** What a stage costs. */
export interface ComputedCost {
  /** Bytes. */
  readonly shuffled: number;
  /** Bytes. */
  readonly written: number;
  readonly coreHours: number;
}

const NOTHING: ComputedCost = { shuffled: 0, written: 0, coreHours: 0 };

export function computedCost(
  { stage, map, reduce }: StageCost,
  measured: number,
  documents: number,
): ComputedCost {
  if (!runsAt(stage, documents)) return NOTHING;
  const times = documents / measured;
  const hasReduce = reduce.tasks > 0;
  return {
    shuffled: hasReduce ? map.bytes * times : 0,
    written: (hasReduce ? reduce : map).bytes * times,
    coreHours: ((map.seconds + reduce.seconds) * times) / 3600,
  };
}

export function sumOf(costs: readonly ComputedCost[]): ComputedCost {
  return costs.reduce(
    (sum, one) => ({
      shuffled: sum.shuffled + one.shuffled,
      written: sum.written + one.written,
      coreHours: sum.coreHours + one.coreHours,
    }),
    NOTHING,
  );
}

/** Tasks of a whole run. */
export function tasksOf({ documents, textBytes, stages }: MeasuredRun, size: number): number {
  const times = size / documents;
  const reducers = reducersOf(textBytes * times);
  let tasks = 0;
  for (const { stage, jobs, map, reduce } of stages.values()) {
    if (!runsAt(stage, size)) continue;
    const isReading = map.taken === 0;
    const splits = ((isReading ? textBytes : map.taken) * times) / SPLIT_BYTES;
    // What was written by so many tasks is read by as many at least.
    tasks += Math.max(Math.ceil(splits), isReading ? 1 : jobs.size * reducers);
    if (reduce.tasks > 0) tasks += jobs.size * reducers;
  }
  return tasks;
}

/** What all tasks say of themselves comes to one task of each job, which holds it. */
export function heldFacts(run: MeasuredRun, size: number): number {
  return tasksOf(run, size) * (run.factBytes + HELD_BESIDE);
}

/** Three digits that say something, at most. */
export function figure(value: number): string {
  if (value === 0) return '0';
  if (value < 0.00005) return '< 0.0001';
  if (value < 10) return String(Number(value.toPrecision(2)));
  return Number(value.toPrecision(3)).toLocaleString('en');
}

/** A number by size; one where all are the same. */
export function bySize(values: readonly (number | null)[]): string {
  const texts = values.map((value) => (value === null ? '–' : figure(value)));
  const isOne = texts.every((text) => text === texts[0]);
  return isOne ? texts[0]! : texts.join(' / ');
}

/** A row of the table: of one stage at all sizes. */
export function stageRow(cost: StageCost, run: MeasuredRun, note: string): Row {
  const at = (pick: (one: ComputedCost) => number): string =>
    bySize(
      SIZES.map((size) => (runsAt(cost.stage, size) ? pick(computedCost(cost, run.documents, size)) : null)),
    );
  const held = HELD[cost.stage];
  const memory =
    held === undefined
      ? (HELD_AT_MOST[cost.stage] ?? 'some records')
      : bySize(SIZES.map((size) => (runsAt(cost.stage, size) ? held(run, size) / 1e6 : null)));
  const title = note === '' ? `\`${cost.stage}\`` : `\`${cost.stage}\`, ${note}`;
  return [title, cost.jobs.size, ...PICKS.map(at), memory];
}

/** GB shuffled, GB written, core-hours. */
const PICKS: readonly ((one: ComputedCost) => number)[] = [
  ({ shuffled }) => shuffled / 1e9,
  ({ written }) => written / 1e9,
  ({ coreHours }) => coreHours,
];

/** The sum of all stages of a run. */
export function totalRow(title: string, run: MeasuredRun): Row {
  const all = [...run.stages.values()];
  const sums = SIZES.map((size) => sumOf(all.map((one) => computedCost(one, run.documents, size))));
  const jobs = SIZES.map((size) =>
    all.reduce((sum, { stage, jobs }) => sum + (runsAt(stage, size) ? jobs.size : 0), 0),
  );
  const memory = bySize(SIZES.map((size) => heldFacts(run, size) / 1e6));
  const tasks = bySize(SIZES.map((size) => tasksOf(run, size)));
  const sumsAt = PICKS.map((pick) => bySize(sums.map(pick)));
  return [`**${title}**`, bySize(jobs), ...sumsAt, `what ${tasks} tasks say of themselves: ${memory}`];
}
