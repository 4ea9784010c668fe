/** The records that the stages before the last two would give, made of what a run on threads found. */
import { HAS_ID, WHOLE_FILE } from '../../../src/blocks/documents.js';
import type { Executed } from '../../../src/coordinator/finish/makeFacts.js';
import type { DatasetRecord } from '../../../src/engines/job.js';
import {
  IDENTICAL,
  KINDS,
  NEAR,
  SAME_TOKENS,
  TABLES,
  type TaskFact,
  WHOLE_RECORD,
} from '../../../src/tasks/stream/kinds.js';
import { FieldWriter } from '../../../src/tasks/stream/records.js';

/** Ranks of a range. */
export const RANGE = 24;

/** With gaps, as where lines are no documents. */
export const rankOf = (d: number): number => 3 * d + (d % 2);
export const rangesOf = (documents: number): number => Math.ceil((3 * documents) / RANGE);

class Records {
  readonly all: DatasetRecord[] = [];

  put(key: FieldWriter, value: FieldWriter): void {
    this.all.push([key.view.slice(), value.view.slice()]);
  }
}

const bytes = (): FieldWriter => new FieldWriter();

function idOf({ corpus: { ids } }: Executed, d: number): Uint8Array {
  return ids.bytes.subarray(ids.offsets[d]!, ids.offsets[d + 1]!);
}

const isSameText = ({ corpus }: Executed, a: number, b: number): boolean => {
  const keys = corpus.textKeys!(Uint32Array.of(a, b));
  return [0, 1, 2, 3].every((word) => keys[word] === keys[4 + word]);
};

/** The files are small: a column block begins with the first line of a file. */
function putDocuments(records: Records, executed: Executed): void {
  const { corpus } = executed;
  for (let d = 0; d < corpus.documents; d++) {
    const block = corpus.blockOf[d]!;
    const { columns } = corpus.tables[block]!;
    const column = corpus.columnOf[d]!;
    const record = columns.record[column]!;
    const key = keyOf(corpus.contentKeys, d);
    const value = bytes().u32(columns.file[column]!);
    value
      .u64(record === WHOLE_FILE ? WHOLE_RECORD : record)
      .raw(key.subarray(0, 4))
      .raw(key);
    value.u8(columns.flags[column]!).raw(keyOf(columns.textKey!, column));
    value.f64(columns.occurrences[column]!).f64(columns.textBytes![column]!).f64(columns.tokens[column]!);
    value.u8((columns.flags[column]! & HAS_ID) !== 0 ? 1 : 0).raw(idOf(executed, d));
    records.put(bytes().u8(KINDS.ranked).u64(rankOf(d)), value);
  }
}

/** The members of classes, without the first ones, whose documents are as they are. */
export function membersOfOutcome(executed: Executed): DatasetRecord[] {
  const records = new Records();
  executed.outcome.classes.first.forEach((first, d) => {
    if (first === d) return;
    const value = bytes().u8(isSameText(executed, first, d) ? IDENTICAL : SAME_TOKENS);
    records.put(bytes().u8(KINDS.member).u64(rankOf(first)).u64(rankOf(d)), value.u32(d));
  });
  return records.all;
}

function putEvidence(records: Records, { outcome: { verified } }: Executed): void {
  const { exact } = verified;
  for (let i = 0, e = 0; i < verified.count; i++) {
    const under = (kind: number) => bytes().u8(kind).u64(rankOf(verified.a[i]!)).u64(rankOf(verified.b[i]!));
    const isExact = exact !== null && exact.rows[e] === i;
    const kind = isExact ? KINDS.unverified : KINDS.compared;
    records.put(under(kind), bytes().f64(verified.agreement[i]!).raw(new Uint8Array(32)));
    if (!isExact) continue;
    const value = bytes().f64(verified.agreement[i]!).u8(verified.accepted[i]!);
    value.f64(exact.jaccard[e]!).f64(exact.containmentAB[e]!).f64(exact.containmentBA[e]!);
    records.put(under(KINDS.evidence), value);
    e++;
  }
}

function putDropped(records: Records, executed: Executed): void {
  const { drop, classes } = executed.outcome;
  drop.document.forEach((d, i) => {
    const kept = drop.keptDocument[i]!;
    const isAlike = classes.first[d] === classes.first[kept];
    const reason = !isAlike ? NEAR : isSameText(executed, d, kept) ? IDENTICAL : SAME_TOKENS;
    const value = bytes().u64(rankOf(kept)).f64(drop.jaccard[i]!).u8(reason);
    records.put(bytes().u8(KINDS.dropped).u64(rankOf(d)), value);
  });
}

function putClusters(records: Records, { outcome: { clusters } }: Executed): void {
  let root = 0;
  clusters.document.forEach((d, i) => {
    if (clusters.role[i] === 0) root = d;
    const key = bytes().u8(KINDS.row).u8(TABLES.clusters).u64(rankOf(root)).u64(rankOf(d));
    records.put(key, bytes().f64(clusters.similarity[i]!).u8(clusters.basis[i]!));
  });
}

/** The rows of `identicalRows`, which run where all pairs are listed. */
function putIdentical(records: Records, { outcome: { identical } }: Executed): void {
  const { a, b, isSame } = identical;
  for (let i = 0; i < identical.count; i++) {
    const key = bytes().u8(KINDS.row).u8(TABLES.identical).u64(rankOf(a[i]!)).u64(rankOf(b[i]!));
    records.put(key, bytes().u8(isSame[i] === 1 ? IDENTICAL : SAME_TOKENS));
  }
}

/** The facts of the jobs that look at buckets. */
function putFacts(records: Records, { outcome: { pairing } }: Executed, run: string): void {
  const task = { run, side: 'reduce', in: 0, out: 0 } as const;
  const most = { 'largest bucket': pairing.largest_bucket };
  const facts: TaskFact[] = [
    { ...task, job: '005-bands', sums: { buckets: pairing.buckets }, most },
    { ...task, job: '008-hotPairs', sums: { 'hot buckets': pairing.hot_buckets }, most: {} },
  ];
  facts.forEach((fact, i) => {
    const name = new Uint8Array(16).fill(7 + i);
    // The engine brings it along more than one way.
    for (let copies = 0; copies < 2; copies++) {
      records.put(bytes().u8(KINDS.fact).raw(name), bytes().raw(Buffer.from(JSON.stringify(fact))));
    }
  });
}

/** What comes before the stage `secondIds`, in one dataset. `run`: of the manifest; `expands`: all pairs of classes are listed. */
export function recordsOfOutcome(executed: Executed, run: string, expands: boolean): DatasetRecord[] {
  const records = new Records();
  putDocuments(records, executed);
  putEvidence(records, executed);
  putDropped(records, executed);
  putClusters(records, executed);
  if (expands) putIdentical(records, executed);
  putFacts(records, executed, run);
  return records.all;
}

/** Four words of a column of keys, little-endian. */
function keyOf(keys: Uint32Array, row: number): Uint8Array {
  const bytes = Buffer.alloc(16);
  for (let word = 0; word < 4; word++) bytes.writeUInt32LE(keys[4 * row + word]!, 4 * word);
  return bytes;
}
