/** Compares the counts of a job's tasks with those of Spark, which loses rows without an error where a script ends badly. */
import { MinHashError } from '../../../errors.js';
import type { TaskFact } from '../../../tasks/stream/kinds.js';

/** Rows that Spark counted. */
export interface CountedRows {
  /** Rows of the output, facts too. */
  readonly rows: number;
  readonly facts: number;
  /** Rows without a key or a value. */
  readonly broken: number;
}

export function countedRows(row: string | undefined): CountedRows {
  const [rows, facts, broken] = numbersOf(row, 3) as [number, number, number];
  return { rows, facts, broken };
}

/** The numbers of a row of counts. */
export function numbersOf(row: string | undefined, count: number): readonly number[] {
  const numbers = (row ?? '').split(' ').map(Number);
  if (numbers.length === count && numbers.every(Number.isSafeInteger)) return numbers;
  throw new Error(`expected ${count} counts of Spark, got ${JSON.stringify(row)}: our own defect`);
}

/** Decodes rows of base64: the facts of one job, one for each task. */
export function taskFacts(rows: readonly string[], job: string): readonly TaskFact[] {
  const all = rows.map((row) => JSON.parse(Buffer.from(row, 'base64').toString()) as TaskFact);
  return all.filter((fact) => fact.job === job);
}

interface CheckedJob {
  readonly name: string;
  readonly hasReduce: boolean;
  /** Records or rows that its Map must read. */
  readonly input: number;
  readonly output: CountedRows;
}

/** @throws MinHashError JOB_COUNTS naming the job and both numbers, where they differ */
export function checkCounts(
  { name, hasReduce, input, output }: CheckedJob,
  facts: readonly TaskFact[],
): void {
  const sum = (side: TaskFact['side'], what: 'in' | 'out'): number =>
    facts.filter((fact) => fact.side === side).reduce((all, fact) => all + fact[what], 0);
  const refuse = (why: string): never => {
    throw new MinHashError({ code: 'JOB_COUNTS', detail: `${name}: ${why}` });
  };
  if (output.broken > 0) refuse(`${output.broken} rows of its output have no key or no value`);
  const mapped = sum('map', 'out');
  if (sum('map', 'in') !== input) refuse(`its Map tasks read ${sum('map', 'in')} of ${input} records`);
  if (hasReduce && sum('reduce', 'in') !== mapped)
    refuse(`its Reduce tasks read ${sum('reduce', 'in')} records, its Map tasks wrote ${mapped}`);
  const wrote = hasReduce ? sum('reduce', 'out') : mapped;
  const found = output.rows - output.facts;
  if (wrote !== found) refuse(`its tasks wrote ${wrote} records, its output has ${found}`);
}

export function sumsOf(facts: readonly TaskFact[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const fact of facts)
    for (const [name, count] of Object.entries(fact.sums)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
