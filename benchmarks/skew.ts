/**
 * What do hot buckets and identical documents cost when their number grows tenfold?
 *
 * Near copies of one page (any two resemble each other by at least 0.75) and identical pages, through `findDuplicates`
 * on this thread. Checks every answer before it prints its time: the drop list collapses and names earlier kept
 * documents only, and sampled pairs have the resemblance that is computed from the texts.
 *
 *     node dist/benchmarks/skew.js [--quick] [--out FOLDER]
 */
import './measure/plainErrors.js';
import { parseArgs } from 'node:util';
import { type Duplicates, findDuplicates, type MemoryDocument, resemblance } from '../src/index.js';
import { identicalPages, nearCopies } from '../test/data/nearCopies.js';
import { environment, type Row, record } from './measure/record.js';

const THRESHOLD = 0.75;
/** Kept documents allowed: one in a thousand, and at least as many as a small case needs. */
const KEPT_SHARE = 0.001;
const LEAST_ALLOWED = 3;
/** Pairs of an answer whose resemblance is computed anew. */
const SAMPLE = 500;

interface Case {
  readonly title: string;
  readonly documents: (count: number) => MemoryDocument[];
  readonly sizes: readonly number[];
  readonly hotBucket: number;
}

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, out: { type: 'string' } },
});
const { quick } = values;
const where = environment(values.out);
const CASES: readonly Case[] = [
  { title: 'near copies', documents: nearCopies, hotBucket: 256 },
  { title: 'near copies', documents: nearCopies, hotBucket: 64 },
  { title: 'identical pages', documents: identicalPages, hotBucket: 256 },
].map((one, i) => ({ ...one, sizes: sizesOf(i < 2 ? [1_000, 2_000, 10_000, 20_000] : [20_000, 200_000]) }));

function sizesOf(sizes: number[]): number[] {
  return quick ? sizes.map((size) => size / 10) : sizes;
}

/** What is wrong with an answer; empty when it holds. */
function problemsOf(documents: readonly MemoryDocument[], found: Duplicates): string[] {
  const problems: string[] = [];
  const { counts } = found;
  if (counts.kept > Math.max(LEAST_ALLOWED, KEPT_SHARE * documents.length))
    problems.push(`${counts.kept} kept`);
  if (counts.kept + counts.dropped !== documents.length) problems.push('kept and dropped do not add up');
  const gone = new Set(found.dropped.map(({ document }) => document));
  for (const { document, kept, jaccard } of found.dropped) {
    if (gone.has(kept) || kept >= document) problems.push(`${document} is dropped for ${kept}`);
    if (jaccard < THRESHOLD) problems.push(`${document} is dropped at ${jaccard}`);
  }
  const texts = new Map(documents.map(({ id, text }) => [id, text]));
  const step = Math.max(1, Math.floor(found.pairs.length / SAMPLE));
  for (let i = 0; i < found.pairs.length; i += step) {
    const { a, b, jaccard } = found.pairs[i]!;
    const truth = resemblance(texts.get(a)!, texts.get(b)!);
    if (truth !== jaccard || truth < THRESHOLD) problems.push(`${a} and ${b}: ${jaccard}, in truth ${truth}`);
  }
  return problems;
}

interface Measured {
  readonly milliseconds: number;
  readonly pairs: number;
}

/** The growth since the size that is a tenth of this one. */
function growth(
  sizes: ReadonlyMap<number, Measured>,
  count: number,
  pick: (measured: Measured) => number,
): string {
  const [small, large] = [sizes.get(count / 10), sizes.get(count)!];
  return small === undefined || pick(small) === 0 ? '' : (pick(large) / pick(small)).toFixed(1);
}

const rows: Row[] = [];
const raw: unknown[] = [];

/** Runs a case over its sizes, a row each, and returns how many answers were wrong. */
async function measure({ title, documents, sizes, hotBucket }: Case): Promise<number> {
  const measured = new Map<number, Measured>();
  let wrong = 0;
  for (const count of sizes) {
    const corpus = documents(count);
    const start = performance.now();
    const found = await findDuplicates(corpus, { threshold: THRESHOLD, hotBucket });
    const milliseconds = performance.now() - start;
    const problems = problemsOf(corpus, found);
    if (problems.length > 0) {
      wrong++;
      console.log(`${title}, ${count}: ${problems.length} problems, such as: ${problems[0]}`);
      continue;
    }
    const { candidate_pairs, kept, hot_members } = found.counts;
    measured.set(count, { milliseconds, pairs: candidate_pairs });
    const cells = [title, hotBucket, count, candidate_pairs, hot_members, kept];
    const times = [
      milliseconds.toFixed(0),
      growth(measured, count, (one) => one.pairs),
      growth(measured, count, (one) => one.milliseconds),
    ];
    rows.push([...cells, ...times]);
    raw.push({ title, hotBucket, count, milliseconds, counts: found.counts });
  }
  return wrong;
}

const WARM_UP = 500;
await findDuplicates(nearCopies(WARM_UP), { threshold: THRESHOLD });
const heads = ['corpus', 'hot bucket', 'documents', 'candidate pairs', 'skipped at most', 'rounds', 'kept'];
let wrong = 0;
for (const one of CASES) wrong += await measure(one);
const question = 'what do hot buckets and identical documents cost when their number grows tenfold?';
const table = { heads: [...heads, 'ms', 'pairs, tenfold', 'time, tenfold'], rows };
record('skew', question, where, table, raw, values.out);
console.log(wrong === 0 ? 'every answer holds' : `${wrong} answers are wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
