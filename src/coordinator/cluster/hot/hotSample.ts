/**
 * A sample of the pairs that hot buckets skip, as jobs: src/coordinator/pair/skippedSample.ts for engines that sort.
 *
 * The jobs: `hotHeads` (the sizes of hot buckets), `drawnMembers` (the documents at the places that were drawn),
 * `drawnBuckets` (all their hot buckets; left out where all pairs are drawn), a comparison of the pairs, and the
 * verification of at most 2,048 of them. Memory of the coordinator: 40 bytes a hot bucket, 12 for each of its groups
 * that has another size than the group before, and 131,072 pairs.
 */
import {
  crossDrawnPlaces,
  distinctDrawn,
  drawnPlaces,
  type GroupRuns,
  someRows,
} from '../../../../reducers/drawnPairs.js';
import { ByteColumn, Float64Column, numbersBelow, Uint32Column } from '../../../arrays/growable.js';
import { sortByKey64 } from '../../../arrays/sort.js';
import type { DatasetRecord } from '../../../engines/job.js';
import { leastNear } from '../../../sketch/family.js';
import type { SkippedSample } from '../../../sketch/probability.js';
import { DRAWN_PLACE, DRAWN_SIDES, OF_DRAWN } from '../../../tasks/stages/rounds/drawnStages.js';
import { hasGroups } from '../../../tasks/stream/crossing.js';
import { EvidenceReader, isCompared } from '../../../tasks/stream/evidence.js';
import { BUCKET, ID_HASH, KIND, KINDS, OF_EVIDENCE, OF_HEAD, RANK } from '../../../tasks/stream/kinds.js';
import { FieldWriter, f64At, PRESENT, u32At, u64At } from '../../../tasks/stream/records.js';
import { SortedRows, sideOfRows } from '../../../tasks/stream/sortedRows.js';
import { MOST_DRAWN, MOST_VERIFIED } from '../../pair/skippedSample.js';
import type { RoundSteps } from '../roundSteps.js';

/** A sample of the skipped pairs, with the results of comparing and verifying it. */
export interface HotSample extends SkippedSample {
  /** Evidence of the pairs that were verified. */
  readonly evidence: readonly string[];
  /** All pairs of hot buckets were drawn, and all of them that can be near were verified. */
  readonly isAll: boolean;
  /** Some pairs that were verified are void: of documents that changed. */
  readonly areVoid: boolean;
  readonly buckets: number;
  /** Pairs that the rule of hot buckets skips, each counted in every bucket. */
  readonly skipped: number;
}

/**
 * Draws a sample of the pairs of hot buckets, and compares those that are not in `known`.
 *
 * @param hot datasets with records of kind `hot` and `head`
 */
export async function hotSample(
  steps: RoundSteps,
  hot: readonly string[],
  known: readonly string[],
): Promise<HotSample> {
  const heads = await headsOf(steps, hot);
  const drawn =
    heads.runs === null
      ? drawnPlaces(heads.members, heads.relying, MOST_DRAWN, steps.params.seed)
      : crossDrawnPlaces(heads.runs, MOST_DRAWN, steps.params.seed);
  const documents = await drawnDocuments(steps, hot, heads, drawn);
  const isWhole = drawn.population === drawn.drawn;
  const none = { startOf: new Uint32Array(0), bucketsOf: new Uint32Array(0) };
  const buckets = isWhole ? none : await bucketsOf(steps, hot, heads, documents);
  const pairs = distinctDrawn(documents.keys, buckets, isWhole);
  const compared = await comparedPairs(steps, documents, pairs, known);
  const verified = someRows(compared.hashesOfA, compared.hashesOfB, MOST_VERIFIED);
  const { evidence, near, areVoid } = await verifiedRows(steps, compared, verified);
  return {
    evidence,
    buckets: heads.members.length,
    isAll: isWhole && verified.length === compared.rows.length,
    population: drawn.population,
    drawn: drawn.drawn,
    times: compared.rows.map((row) => pairs.times[row]!),
    shared: compared.rows.map((row) => pairs.shared[row]!),
    ...{ verified, near, areVoid },
    skipped: drawn.population - heads.made,
  };
}

/** Hot buckets in the order in which pairs are drawn from them: by band, then by first member. */
interface Heads {
  readonly members: Float64Array;
  /** By bucket: how many members are in question with all others: of samples, those that rely on frequent fingerprints. */
  readonly relying: Float64Array;
  /** By bucket: its row among `names`. */
  readonly rowOf: Uint32Array;
  /** By row: its bucket. */
  readonly bucketOf: Uint32Array;
  /** Bands with bucket keys, ascending. */
  readonly names: SortedRows;
  /** Number of pairs that the rule makes. */
  readonly made: number;
  /** Null: documents have no groups. */
  readonly runs: GroupRuns | null;
}

/** The runs of groups of all heads, in the order of the heads. */
function runsOf(heads: readonly Uint8Array[]): GroupRuns {
  const count = heads.reduce((sum, { length }) => sum + length / RUN, 0);
  const [bucket, members, times] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
  let row = 0;
  heads.forEach((runs, head) => {
    for (let at = 0; at < runs.length; at += RUN, row++) {
      bucket[row] = head;
      members[row] = u32At(runs, at);
      times[row] = u32At(runs, at + 4);
    }
  });
  return { bucket, members, times };
}

/** Bytes of a run of groups in a head. */
const RUN = 8;

async function headsOf({ jobs, params }: RoundSteps, hot: readonly string[]): Promise<Heads> {
  const read = await jobs.run('hotHeads', hot);
  const [names, members, firsts] = [new ByteColumn(), new Float64Column(), new Float64Column()];
  const runs: Uint8Array[] = [];
  const relying = new Float64Column();
  let made = 0;
  await jobs.each(read.name, KINDS.head, (key, value) => {
    names.append(key.subarray(KIND));
    members.push(u64At(value, OF_HEAD.members));
    firsts.push(u64At(value, OF_HEAD.first));
    made += u64At(value, OF_HEAD.made);
    if (hasGroups(params)) runs.push(value.slice(OF_HEAD.runs));
    relying.push(u64At(value, OF_HEAD.relying));
  });
  const count = members.length;
  const unsorted = new SortedRows(names.view, BUCKET);
  const byName = numbersBelow(count);
  byName.sort((x, y) => Buffer.compare(unsorted.row(x), unsorted.row(y)));
  const sorted = new Uint8Array(count * BUCKET);
  byName.forEach((head, row) => {
    sorted.set(unsorted.row(head), row * BUCKET);
  });
  const order = numbersBelow(count);
  const band = (row: number): number => 256 * sorted[row * BUCKET]! + sorted[row * BUCKET + 1]!;
  const first = (row: number): number => firsts.view[byName[row]!]!;
  order.sort((x, y) => band(x) - band(y) || first(x) - first(y));
  const bucketOf = new Uint32Array(count);
  order.forEach((row, bucket) => {
    bucketOf[row] = bucket;
  });
  return {
    members: Float64Array.from(order, (row) => members.view[byName[row]!]!),
    rowOf: order,
    bucketOf,
    relying: Float64Array.from(order, (row) => relying.view[byName[row]!]!),
    names: new SortedRows(sorted, BUCKET),
    made,
    runs: hasGroups(params) ? runsOf(Array.from(order, (row) => runs[byName[row]!]!)) : null,
  };
}

/** The drawn documents, numbered by rank. */
interface DrawnDocuments {
  readonly ranks: Float64Array;
  /** The hashes of their ids, low half first. */
  readonly hashes: Uint32Array;
  /** By draw: the numbers of its two documents, the larger one first. */
  readonly keys: Uint32Array;
}

/** The drawn places as sorted rows of the side file, and by draw the rows of its two places. */
function askedPlaces(
  { rowOf, names }: Heads,
  { drawn, bucket, one, other }: ReturnType<typeof drawnPlaces>,
): { readonly rows: Uint8Array; readonly rowsOf: Uint32Array } {
  const ends = 2 * drawn;
  const nameAt = (end: number): number => rowOf[bucket[end >>> 1]!]!;
  const positionAt = (end: number): number => ((end & 1) === 0 ? one : other)[end >>> 1]!;
  const order = numbersBelow(ends);
  order.sort((x, y) => nameAt(x) - nameAt(y) || positionAt(x) - positionAt(y));
  const rows = new FieldWriter();
  const rowsOf = new Uint32Array(ends);
  let [count, last] = [0, -1];
  for (const end of order) {
    if (last < 0 || nameAt(end) !== nameAt(last) || positionAt(end) !== positionAt(last)) {
      rows.raw(names.row(nameAt(end))).u64(positionAt(end));
      count++;
    }
    rowsOf[end] = count - 1;
    last = end;
  }
  return { rows: rows.view, rowsOf };
}

async function drawnDocuments(
  { jobs }: RoundSteps,
  hot: readonly string[],
  heads: Heads,
  drawn: ReturnType<typeof drawnPlaces>,
): Promise<DrawnDocuments> {
  const { rows, rowsOf } = askedPlaces(heads, drawn);
  const asked = new SortedRows(rows, DRAWN_PLACE);
  const side = { [DRAWN_SIDES.places]: sideOfRows(rows, DRAWN_PLACE) };
  const job = await jobs.withSides(side, undefined, () => jobs.run('drawnMembers', hot));
  const ranks = new Float64Array(asked.count).fill(-1);
  const facts = new Uint8Array(asked.count * ID_HASH);
  const relies = new Uint8Array(asked.count);
  let found = 0;
  await jobs.each(job.name, KINDS.drawn, (key, value) => {
    const row = asked.beginningWith(key.subarray(KIND));
    if (ranks[row] === -1) found++;
    ranks[row] = u64At(value, OF_DRAWN.rank);
    facts.set(value.subarray(OF_DRAWN.idHash, OF_DRAWN.relies), row * ID_HASH);
    relies[row] = value[OF_DRAWN.relies]!;
  });
  if (found !== asked.count) {
    throw new Error(`${job.name}: ${found} members for ${asked.count} places: our own defect`);
  }
  return numbered(ranks, facts, relies, rowsOf);
}

/**
 * Numbers the documents of the rows by rank; several rows may have one document. Two that are not in question become one document
 * twice, which is no pair.
 */
function numbered(
  ranks: Float64Array,
  facts: Uint8Array,
  relies: Uint8Array,
  rowsOf: Uint32Array,
): DrawnDocuments {
  const order = Uint32Array.from(ranks, (_, row) => row).sort((x, y) => ranks[x]! - ranks[y]!);
  const numberOf = new Uint32Array(ranks.length);
  const [distinct, hashes] = [new Float64Column(), new Uint32Column()];
  for (const row of order) {
    if (distinct.length === 0 || distinct.view.at(-1) !== ranks[row]) {
      const at = row * ID_HASH;
      distinct.push(ranks[row]!);
      hashes.push(u32At(facts, at + 4));
      hashes.push(u32At(facts, at));
    }
    numberOf[row] = distinct.length - 1;
  }
  const keys = new Uint32Array(rowsOf.length);
  for (let i = 0; i < keys.length; i += 2) {
    const [one, other] = [rowsOf[i]!, rowsOf[i + 1]!];
    const [x, y] = [numberOf[one]!, numberOf[other]!];
    keys[i] = Math.max(x, y);
    keys[i + 1] = (relies[one]! | relies[other]!) === 1 ? Math.min(x, y) : keys[i]!;
  }
  return { ranks: distinct.view, hashes: hashes.view, keys };
}

/** The hot buckets of each drawn document, ascending. */
async function bucketsOf(
  { jobs }: RoundSteps,
  hot: readonly string[],
  heads: Heads,
  { ranks }: DrawnDocuments,
) {
  const writer = new FieldWriter();
  for (const rank of ranks) writer.u64(rank);
  const side = { [DRAWN_SIDES.ranks]: sideOfRows(writer.view, RANK) };
  const job = await jobs.withSides(side, undefined, () => jobs.run('drawnBuckets', hot));
  const sorted = new SortedRows(writer.view, RANK);
  const keys = new Uint32Column();
  const startOf = new Uint32Array(ranks.length + 1);
  await jobs.each(job.name, KINDS.inBucket, (key) => {
    const document = sorted.beginningWith(key.subarray(KIND, KIND + RANK));
    keys.push(heads.bucketOf[heads.names.beginningWith(key.subarray(KIND + RANK))]!);
    keys.push(document);
    startOf[document + 1]!++;
  });
  for (let d = 0; d < ranks.length; d++) startOf[d + 1]! += startOf[d]!;
  const count = keys.length / 2;
  const found = keys.view;
  sortByKey64(found, new Uint32Array(count), count);
  return { startOf, bucketsOf: Uint32Array.from({ length: count }, (_, i) => found[2 * i]!) };
}

/** The drawn pairs that no round has compared and that can be near. */
interface ComparedDrawn {
  /** Their rows among the drawn pairs, ascending. */
  readonly rows: Uint32Array;
  readonly hashesOfA: Uint32Array;
  readonly hashesOfB: Uint32Array;
  /** The record of the comparison of one of `rows`, by its number. */
  recordOf(number: number): DatasetRecord;
}

async function comparedPairs(
  steps: RoundSteps,
  { ranks, hashes }: DrawnDocuments,
  { a, b, count }: ReturnType<typeof distinctDrawn>,
  known: readonly string[],
): Promise<ComparedDrawn> {
  const names = new Uint8Array(count * 2 * RANK);
  const keys = new FieldWriter();
  for (let row = 0; row < count; row++) {
    names.set(keys.reset().u64(ranks[a[row]!]!).u64(ranks[b[row]!]!).view, row * 2 * RANK);
  }
  const rowsByName = new SortedRows(names, 2 * RANK);
  function* records() {
    for (let row = 0; row < count; row++) {
      yield [new FieldWriter().u8(KINDS.pair).raw(rowsByName.row(row)).view, PRESENT] as const;
    }
  }
  const { jobs, params } = steps;
  const compared = await steps.agree('drawn', [await jobs.write('drawnPairs', records())], known);
  const least = leastNear(params);
  // In columns: an object a record takes ten times as much.
  const [found, bytes, ends] = [new Uint32Column(), new ByteColumn(), new Uint32Column()];
  await jobs.each(compared, undefined, (key, value) => {
    if (!isCompared(key[0]) || !(f64At(value, OF_EVIDENCE.agreement) >= least)) return;
    found.push(rowsByName.beginningWith(key.subarray(KIND, KIND + 2 * RANK)));
    bytes.append(key);
    ends.push(bytes.length);
    bytes.append(value);
    ends.push(bytes.length);
  });
  const rowOf = found.view;
  const order = numbersBelow(rowOf.length).sort((x, y) => rowOf[x]! - rowOf[y]!);
  const rows = Uint32Array.from(order, (record) => rowOf[record]!);
  const hashesOf = (documents: Uint32Array): Uint32Array => {
    const wanted = new Uint32Column();
    for (const row of rows) wanted.append(hashes.subarray(2 * documents[row]!, 2 * documents[row]! + 2));
    return wanted.view;
  };
  const part = (end: number): Uint8Array => bytes.view.subarray(ends.view[end - 1] ?? 0, ends.view[end]!);
  return {
    ...{ rows, hashesOfA: hashesOf(a), hashesOfB: hashesOf(b) },
    recordOf: (number) => [part(2 * order[number]!), part(2 * order[number]! + 1)],
  };
}

/** Verifies the pairs of `rows`. `near`: by row, 1: the pair is near. */
async function verifiedRows(
  steps: RoundSteps,
  { recordOf }: ComparedDrawn,
  rows: Uint32Array,
): Promise<Pick<HotSample, 'evidence' | 'areVoid'> & { readonly near: Uint8Array }> {
  const near = new Uint8Array(rows.length);
  if (rows.length === 0) return { evidence: [], near, areVoid: false };
  const { jobs, params } = steps;
  const chosen = Array.from(rows, recordOf);
  const names = await steps.verify('drawn', [await jobs.write('chosenPairs', chosen)]);
  const least = leastNear(params);
  const pair = new EvidenceReader(params);
  const rowOf = new Map(chosen.map(([key], row) => [`${u64At(key, KIND)} ${u64At(key, KIND + RANK)}`, row]));
  let found = 0;
  for (const name of names)
    await jobs.each(name, undefined, (key, value) => {
      if (!pair.read({ key, value })) return;
      found++;
      const isNear = params.verify === 'exact' ? pair.accepted : pair.agreement >= least;
      near[rowOf.get(`${pair.a} ${pair.b}`)!] = isNear ? 1 : 0;
    });
  return { evidence: names, near, areVoid: found < rows.length };
}
