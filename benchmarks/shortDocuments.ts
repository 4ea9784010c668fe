/**
 * Do signatures keep their promise whatever the sizes of the documents?
 *
 * Pairs of random sets with 2 to 1000 elements together, as alike as the threshold says or as little more as their size
 * allows: how many become candidates of the bands that a run chooses, against the promise it prints; how many reach the
 * threshold by agreement and are candidates, against the promise of --verify signature; how many candidates the margin
 * before exact verification loses. Fails where fewer are found than promised by more than four standard errors, where the
 * margin loses more than 1 in 10,000 by as much.
 *
 *     node dist/benchmarks/shortDocuments.js [--quick] [--pairs N] [--out FOLDER]
 */
import './measure/plainErrors.js';
import { parseArgs } from 'node:util';
import { createWasmKernel } from '../src/kernel/wasm.js';
import { type BandingChoice, chooseBands } from '../src/sketch/banding.js';
import type { SketchName } from '../src/sketch/params.js';
import {
  agreementOf,
  agreementShare,
  leastAccepted,
  leastAgreement,
  MARGIN_LOSS,
} from '../src/sketch/probability.js';
import type { Sketcher } from '../src/sketch/signature.js';
import { loadKernelModule } from '../src/tasks/kernelModule.js';
import { randomOf } from './corpora/random.js';
import { environment, type Row, record } from './measure/record.js';

const SKETCHES: readonly SketchName[] = ['fss', 'classic'];
const THRESHOLDS = [0.5, 0.8];
const UNIONS = [2, 4, 5, 10, 15, 20, 50, 100, 200, 500, 1000];
const HASHES = 128;
const SEED = 1;
/** A law is broken when chance alone would do as much less than once in 30,000 such rows. */
const MOST_DEVIATIONS = 4;

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, pairs: { type: 'string' }, out: { type: 'string' } },
});
const pairs = Number(values.pairs ?? (values.quick === true ? 3000 : 30_000));
const where = environment(values.out);
const kernel = createWasmKernel(await loadKernelModule());

interface Counts {
  candidates: number;
  reported: number;
  lost: number;
}

/** Sketches so many pairs of `union` elements, `shared` of them in both sets and the others alternately in one. */
function measure(
  sketcher: Sketcher,
  union: number,
  shared: number,
  { bands, rows }: BandingChoice,
  bounds: { readonly accepted: number; readonly margin: number },
): Counts {
  const random = randomOf(union);
  const hashes = new Uint32Array(2 * union);
  const onlyA = Math.floor((union - shared) / 2);
  const a = new Uint32Array(sketcher.stride);
  const b = new Uint32Array(sketcher.stride);
  const counts = { candidates: 0, reported: 0, lost: 0 };
  for (let pair = 0; pair < pairs; pair++) {
    for (let i = 0; i < hashes.length; i++) hashes[i] = random() * 2 ** 32;
    sketcher.clear(a);
    sketcher.update(a, hashes, shared);
    b.set(a);
    sketcher.update(a, hashes.subarray(2 * shared), onlyA);
    sketcher.update(b, hashes.subarray(2 * (shared + onlyA)), union - shared - onlyA);
    if (!sharesBand(a, b, bands, rows)) continue;
    const equal = agreementOf(a, 0, b, 0, HASHES);
    counts.candidates++;
    if (equal >= bounds.accepted) counts.reported++;
    if (equal < bounds.margin) counts.lost++;
  }
  return counts;
}

function sharesBand(a: Uint32Array, b: Uint32Array, bands: number, rows: number): boolean {
  for (let from = 0; from < bands * rows; from += rows) {
    let row = 0;
    while (row < rows && a[from + row] === b[from + row]) row++;
    if (row === rows) return true;
  }
  return false;
}

/** How many standard errors a count is above what is expected of a share; 0 where the share leaves no room for chance. */
function deviations(count: number, share: number): number {
  if (share <= 0 || share >= 1) return count === share * pairs ? 0 : Number.NEGATIVE_INFINITY;
  return (count - share * pairs) / Math.sqrt(pairs * share * (1 - share));
}

const rows: Row[] = [];
const raw: unknown[] = [];
let broken = 0;
for (const sketch of SKETCHES) {
  const sketcher = kernel.sketcher({ sketch, hashes: HASHES, seed: SEED });
  for (const threshold of THRESHOLDS) {
    const choice = chooseBands({ threshold, recall: 0.95, hashes: HASHES });
    const share = agreementShare(threshold, HASHES);
    const bounds = {
      accepted: leastAccepted(threshold, HASHES),
      margin: leastAgreement(threshold, HASHES),
    };
    for (const union of UNIONS) {
      const shared = Math.ceil(threshold * union);
      const counts = measure(sketcher, union, shared, choice, bounds);
      const candidates = deviations(counts.candidates, choice.probability);
      const reported = deviations(counts.reported, choice.probability * share);
      const problems: string[] = [];
      if (candidates < -MOST_DEVIATIONS) problems.push('candidates');
      if (reported < -MOST_DEVIATIONS) problems.push('signature');
      if (deviations(counts.lost, MARGIN_LOSS) > MOST_DEVIATIONS) problems.push('margin');
      broken += problems.length;
      rows.push([
        sketch,
        threshold.toFixed(1),
        `${choice.bands} x ${choice.rows}`,
        `${shared} of ${union}`,
        (counts.candidates / pairs).toFixed(5),
        choice.probability.toFixed(5),
        candidates.toFixed(1),
        (counts.reported / pairs).toFixed(4),
        (choice.probability * share).toFixed(4),
        reported.toFixed(1),
        `${counts.lost}`,
        problems.length === 0 ? 'hold' : `broken: ${problems.join(', ')}`,
      ]);
      raw.push({ sketch, threshold, union, shared, pairs, choice, share, bounds, counts });
    }
  }
}
const heads = ['sketch', 'T', 'bands x rows', 'shared', 'candidates', 'promised', 'z'];
const table = {
  heads: [...heads, 'signature', 'promised', 'z', 'lost by the margin', 'laws'],
  rows,
};
const question = `do signatures keep their promise for documents of every size? (${pairs} pairs a row)`;
record('shortDocuments', question, where, table, raw, values.out);
console.log(broken === 0 ? 'all laws hold' : `${broken} laws broken`);
process.exitCode = broken === 0 ? 0 : 1;
