/**
 * Skew at scale: what many near copies of one page cost, and that their drop list collapses. Costs are
 * counts, never times; `benchmarks/skew.ts` prints times.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Duplicates, findDuplicates, type Report, run, summaryLines } from '../../../src/index.js';
import { identicalPages, LEAST_RESEMBLANCE, nearCopies } from '../../data/nearCopies.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

/** Any two copies reach it, so one document can stand for all of them. */
const THRESHOLD = 0.75;

/** Tenfold the documents may cost this many times as much; quadratic would be a hundredfold. */
const MOST_GROWTH = 12;

interface Skewed {
  readonly report: Report;
  readonly readAgain: number;
}

/** A run over `count` near copies in one file of JSON lines. */
async function runOver(t: ExecutionContext, count: number, threads: number): Promise<Skewed> {
  const folder = temporaryFolder(t);
  const file = join(folder, 'copies.jsonl');
  const out = join(folder, 'out');
  writeFileSync(
    file,
    nearCopies(count)
      .map((copy) => `${JSON.stringify(copy)}\n`)
      .join(''),
  );
  const report = await run({ paths: [file], out, threshold: THRESHOLD, hotBucket: 64, threads });
  const stats = JSON.parse(readFileSync(join(out, 'stats.json'), 'utf8')) as {
    readonly execution: { readonly documents_read_again: number };
  };
  return { report, readAgain: stats.execution.documents_read_again };
}

test.serial(
  'of 5,000 near copies of one page at most 20 are kept, and what was skipped is said',
  async (t) => {
    t.true(LEAST_RESEMBLANCE >= THRESHOLD);
    const large = await runOver(t, 5_000, 2);
    const { counts, parameters } = large.report;
    t.is(counts.read, 5_000);
    t.true(counts.kept >= 1 && counts.kept <= 20, `${counts.kept} kept`);
    t.is(counts.kept + counts.dropped, 5_000);
    // Every pair made is near, by the derivation in nearCopies.ts.
    t.is(counts.verified_pairs, counts.candidate_pairs);
    t.true(counts.hot_buckets > 0);
    t.is(counts.hot_bucket, 64);
    t.true(counts.largest_bucket > 64);
    t.true(counts.pairs_skipped_at_most > 0);
    t.true(counts.rounds >= 1 && counts.rounds < 8, `${counts.rounds} rounds`);
    t.is(counts.kept_uncompared, 0);
    const summary = summaryLines(large.report).join('\n');
    t.regex(summary, /hot buckets capped/);
    t.regex(summary, /were paired linearly, in \d+ rounds?: at most [\d,]+ pairs were not compared/);
    // In a band a document of a bucket at the limit has 63 partners, half a pair each; in a hot one at most 9
    // pairs. The rounds after the first add little.
    const perDocument = (parameters.banding!.bands * (64 - 1)) / 2;
    t.true(counts.candidate_pairs <= 5_000 * perDocument);

    const small = await runOver(t, 500, 0);
    t.true(counts.candidate_pairs <= MOST_GROWTH * small.report.counts.candidate_pairs);
    t.true(rowsWritten(large.report) <= MOST_GROWTH * rowsWritten(small.report));
    t.true(small.readAgain > 0 && large.readAgain <= MOST_GROWTH * small.readAgain);
  },
);

function rowsWritten(report: Report): number {
  return report.files.reduce((sum, file) => sum + file.rows, 0);
}

/** The counts that make the work of a run. */
function costsOf({ pairs, dropped, counts }: Duplicates): Readonly<Record<string, number>> {
  const { buckets, candidate_pairs, identical_pairs, clustered_documents } = counts;
  const rows = pairs.length + dropped.length + clustered_documents;
  return { buckets, candidate_pairs, identical_pairs, rows };
}

function compareCosts(t: ExecutionContext, small: Duplicates, large: Duplicates): void {
  const costs = costsOf(small);
  for (const [name, cost] of Object.entries(costsOf(large))) {
    t.true(cost <= MOST_GROWTH * costs[name]!, `${name}: ${cost} after ${costs[name]}`);
  }
}

test.serial('tenfold the near copies of one page make at most 12 times the work', async (t) => {
  // With the default of 256, buckets that are small among 500 copies are not yet hot among 5,000, and what
  // is below the limit is paired all with all. A limit of 32 shows the growth beyond the limit.
  const options = { threshold: THRESHOLD, hotBucket: 32, threads: 0 };
  const small = await findDuplicates(nearCopies(500), options);
  const large = await findDuplicates(nearCopies(5_000), options);
  t.true(small.counts.hot_buckets > 0 && large.counts.hot_buckets > 0);
  t.true(large.counts.kept <= 10, `${large.counts.kept} kept`);
  compareCosts(t, small, large);
});

test.serial('tenfold the identical pages make ten times the rows and no more candidates', async (t) => {
  const options = { threshold: THRESHOLD, threads: 0 };
  const small = await findDuplicates(identicalPages(500), options);
  const large = await findDuplicates(identicalPages(5_000), options);
  t.is(large.counts.identical_pairs, 4_999);
  t.is(large.counts.candidate_pairs, small.counts.candidate_pairs);
  t.is(large.counts.buckets, small.counts.buckets);
  t.true(small.counts.candidate_pairs > 0);
  t.is(large.counts.largest_bucket, 5);
  t.is(large.counts.kept, 1);
  compareCosts(t, small, large);
});
