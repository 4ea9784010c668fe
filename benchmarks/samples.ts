/**
 * How many of the true pairs do samples of fingerprints find, by resemblance and by containment, and is every reported one
 * true?
 *
 * Exact truth by brute force over the shingle sets of the 728 SPDX licence texts; then runs with min-s, mod-m and
 * --measure containment over thresholds and seeds 1..5. Prints recall and precision, of containment also the recall of
 * pairs that resemble each other below 0.5, and fails when a law is broken: precision 1, the mean recall not below what
 * was stated, and with --modulus 1 every pair found.
 *
 *     node dist/benchmarks/samples.js [--quick] [--out FOLDER]
 */
import './measure/plainErrors.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Report, type RunOptions, run } from '../src/index.js';
import { LICENSES, type LicensePair, licenseTruth } from './corpora/licenses.js';
import { environment, type Row, record } from './measure/record.js';

const CASES: readonly (RunOptions & { readonly threshold: number })[] = [
  ...[0.5, 0.7, 0.8, 0.9].map((threshold) => ({ sketch: 'min-s' as const, threshold })),
  { sketch: 'min-s', hashes: 512, threshold: 0.8 },
  ...[0.5, 0.7, 0.8, 0.9].map((threshold) => ({ sketch: 'mod-m' as const, threshold })),
  { sketch: 'mod-m', modulus: 25, threshold: 0.8 },
  ...[0.7, 0.8, 0.9, 1].map((threshold) => ({ measure: 'containment' as const, threshold })),
  { measure: 'containment', modulus: 25, threshold: 0.9 },
  { measure: 'containment', modulus: 1, threshold: 0.9, hotBucket: 1000 },
];

const truth = licenseTruth();

interface Score {
  readonly found: number;
  readonly foundUnlike: number;
  readonly candidates: number;
  readonly falsePairs: readonly string[];
}

/** The measure of a pair. */
function measured({ resemblance, aInB, bInA }: LicensePair, { measure }: RunOptions): number {
  return measure === 'containment' ? Math.max(aInB, bInA) : resemblance;
}

async function runOnce(
  options: RunOptions & { readonly threshold: number },
  seed: number,
): Promise<{ score: Score; report: Report }> {
  const out = mkdtempSync(join(tmpdir(), 'mr-minhash-samples-'));
  try {
    const report = await run({ paths: [LICENSES], textField: 'licenseText', ...options, seed, out });
    const rows = readFileSync(join(out, 'pairs/part-00000.tsv'), 'utf8').split('\n').slice(1, -1);
    const falsePairs: string[] = [];
    let found = 0;
    let foundUnlike = 0;
    for (const [a, b, , , , , kind] of rows.map((row) => row.split('\t'))) {
      if (kind !== 'near') continue;
      const pair = truth.pairs.get(`${a} ${b}`);
      if (pair === undefined || measured(pair, options) < options.threshold) falsePairs.push(`${a} ${b}`);
      else {
        found++;
        if (pair.resemblance < 0.5) foundUnlike++;
      }
    }
    return { score: { found, foundUnlike, candidates: report.counts.candidate_pairs, falsePairs }, report };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, out: { type: 'string' } },
});
const where = environment(values.out);
const seeds = values.quick ? [1] : [1, 2, 3, 4, 5];
const rows: Row[] = [];
const raw: unknown[] = [];
let broken = 0;
for (const options of CASES) {
  const wanted = [...truth.pairs.values()].filter((pair) => measured(pair, options) >= options.threshold);
  const unlike = wanted.filter(({ resemblance }) => resemblance < 0.5).length;
  const scores: Score[] = [];
  let report: Report | null = null;
  for (const seed of seeds) {
    const once = await runOnce(options, seed);
    scores.push(once.score);
    report = once.report;
  }
  broken += judge(options, wanted.length, unlike, scores, report!);
}
const heads = ['sketch', 'measure', 'T', 'least shared', 'true pairs', 'recall by seed', 'mean', 'stated'];
const question = 'do samples of fingerprints find what they promise?';
const table = { heads: [...heads, 'recall below J 0.5', 'candidates', 'precision', 'laws'], rows };
record('samples', question, where, table, raw, values.out);
console.log(broken === 0 ? 'all laws hold' : `${broken} laws broken`);
process.exitCode = broken === 0 ? 0 : 1;

/** Adds a row; returns how many laws are broken. */
function judge(
  options: RunOptions & { readonly threshold: number },
  wanted: number,
  unlike: number,
  scores: readonly Score[],
  { sCurve, sampleRule, parameters }: Report,
): number {
  const mean = (pick: (score: Score) => number): number =>
    scores.reduce((sum, score) => sum + pick(score), 0) / scores.length;
  const recall = mean(({ found }) => found) / wanted;
  const stated = sCurve.probability_at_threshold;
  const falsePairs = scores.flatMap((score) => score.falsePairs);
  const faults = falsePairs.map((pair) => `false pair ${pair}`);
  if (recall < stated) faults.push(`recall ${recall} is below ${stated}`);
  if (options.modulus === 1 && recall < 1) faults.push('a pair is missing though all is kept');
  const reported = mean(({ found }) => found) * scores.length + falsePairs.length;
  const { sketch } = parameters;
  const size = sketch.sketch === 'mod-m' ? sketch.modulus : 'hashes' in sketch ? sketch.hashes : '';
  rows.push([
    `${sketch.sketch} ${size}`,
    options.measure ?? 'resemblance',
    options.threshold.toFixed(1),
    `${sampleRule!.least_shared} of ${sampleRule!.fingerprints}`,
    wanted,
    scores.map(({ found }) => (found / wanted).toFixed(4)).join(' '),
    recall.toFixed(4),
    stated.toFixed(4),
    unlike === 0 ? '' : (mean(({ foundUnlike }) => foundUnlike) / unlike).toFixed(4),
    Math.round(mean(({ candidates }) => candidates)),
    ((reported - falsePairs.length) / reported).toFixed(6),
    faults.length === 0 ? 'hold' : `${faults.length} broken: ${faults[0]}`,
  ]);
  raw.push({ options, wanted, unlike, stated, scores });
  return faults.length;
}
