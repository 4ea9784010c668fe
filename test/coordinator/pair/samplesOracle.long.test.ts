/**
 * Samples of fingerprints against brute force on the licence texts: every reported pair is true, recall is what was stated,
 * and what is contained in another text is found however little both resemble each other.
 */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LICENSES, type LicensePair, licenseTruth } from '../../../benchmarks/corpora/licenses.js';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { summaryLines } from '../../../src/output/report.js';
import { verifyResult } from '../../../src/output/verifyResult.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { resultOf } from '../runs/finished.js';

const truth = licenseTruth();
const SEEDS = [1, 2];

async function over(t: ExecutionContext, options: RunOptions) {
  const out = join(temporaryFolder(t, { 'in/': '' }), 'out');
  const how = { textField: 'licenseText', threads: 0, candidates: 'all' } as const;
  const report = await run({ paths: [LICENSES], ...how, ...options, out });
  t.true((await verifyResult(out)).sound);
  return { ...resultOf(out), report, summary: summaryLines(report).join('\n') };
}

type Result = Awaited<ReturnType<typeof over>>;

const contained = ({ aInB, bInA }: LicensePair): number => Math.max(aInB, bInA);

/** Checks every near pair against the truth; returns how many pairs that `is` asks for were found. */
function found(t: ExecutionContext, { pairs }: Result, is: (pair: LicensePair) => boolean): number {
  let count = 0;
  for (const { a, b, kind, jaccard, containment_a_in_b: aInB, containment_b_in_a: bInA } of pairs) {
    if (kind !== 'near') continue;
    const pair = truth.pairs.get(`${a} ${b}`)!;
    t.true(is(pair), `${a} ${b}`);
    t.deepEqual(
      [jaccard, aInB, bInA],
      [pair.resemblance, pair.aInB, pair.bInA].map((share) => share.toFixed(6)),
    );
    count++;
  }
  return count;
}

for (const sketch of ['min-s', 'mod-m'] as const) {
  for (const threshold of [0.5, 0.8]) {
    test(`${sketch} at ${threshold}: precision 1, and the recall that was stated`, async (t) => {
      const is = ({ resemblance }: LicensePair): boolean => resemblance >= threshold;
      const all = [...truth.pairs.values()].filter(is).length;
      t.true(all > 200);
      const result = await over(t, { sketch, threshold, seed: threshold === 0.5 ? 1 : 2 });
      const count = found(t, result, is);
      t.is(result.manifest.counts.candidate_pairs, result.candidates.length);
      t.regex(result.summary, /or more \(at least \d+ of \d+ fingerprints shared/);
      t.true(result.manifest.s_curve.probability_at_threshold >= 0.949);
      // Pairs above the threshold are found more surely than 0.95: so many at once cannot fall below it by chance alone.
      t.true(count >= 0.95 * all, `${count} of ${all}`);
    });
  }
}

test('containment finds what is in a longer text, and every dropped text is in a kept one', async (t) => {
  const is = (pair: LicensePair): boolean => contained(pair) >= 0.9;
  const all = [...truth.pairs.values()].filter(is);
  const unlike = all.filter(({ resemblance }) => resemblance < 0.5);
  t.is(unlike.length, 19);
  let count = 0;
  let countUnlike = 0;
  for (const seed of SEEDS) {
    const result = await over(t, { measure: 'containment', threshold: 0.9, seed });
    count += found(t, result, is);
    countUnlike += found(
      t,
      { ...result, pairs: result.pairs.filter(({ jaccard }) => Number(jaccard) < 0.5) },
      is,
    );
    checkDropped(t, result);
  }
  t.true(count >= 0.95 * all.length * SEEDS.length, `${count} of ${all.length * SEEDS.length}`);
  const expected = unlike.length * SEEDS.length;
  t.true(countUnlike >= 0.95 * expected, `${countUnlike} of ${expected}`);
});

test('containment with every fingerprint kept finds every pair', async (t) => {
  const is = (pair: LicensePair): boolean => contained(pair) >= 0.9;
  const all = [...truth.pairs.values()].filter(is);
  const options = { measure: 'containment', threshold: 0.9, modulus: 1, hotBucket: 1000 } as const;
  const result = await over(t, options);
  t.is(found(t, result, is), all.length);
  t.true(result.candidates.every(({ accepted }) => accepted === 'yes'));
  checkDropped(t, result);
});

/** Every dropped text is in the kept one that is named, which is as long or longer, and no found pair is left. */
function checkDropped(t: ExecutionContext, { dropped, pairs, manifest }: Result): void {
  const gone = new Set(dropped.map(({ document }) => document!));
  for (const { document, kept, containment } of dropped) {
    t.false(gone.has(kept!), kept);
    const [x, y] = [truth.first.get(document!)!, truth.first.get(kept!)!];
    if (x === y) {
      t.is(containment, '1.000000');
      t.true(kept! < document!);
      continue;
    }
    const pair = truth.pairs.get(x < y ? `${x} ${y}` : `${y} ${x}`)!;
    const share = x < y ? pair.aInB : pair.bInA;
    t.is(containment, share.toFixed(6));
    t.true(share >= 0.9);
    const [mine, its] = [truth.size.get(x)!, truth.size.get(y)!];
    t.true(its > mine || (its === mine && kept! < document!), `${kept} ${its} ${document} ${mine}`);
  }
  for (const { a, b } of pairs) t.true(gone.has(a!) || gone.has(b!), `${a} ${b}`);
  t.is(manifest.counts.dropped, dropped.length);
  t.is(manifest.counts.kept + manifest.counts.dropped, manifest.counts.read);
}
