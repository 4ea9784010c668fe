/** The law of equal slots of `oph`: by enumeration, against sketches, and that no size of set is worse than promised. */
import test from 'ava';
import fc from 'fast-check';
import { candidateCurve, chooseBands, probabilityOfCandidate, sCurve } from '../../../src/sketch/banding.js';
import {
  agreementInterval,
  agreementOf,
  agreementShare,
  binomialProbabilities,
  candidateShares,
  leastAccepted,
  leastAgreement,
  MARGIN_LOSS,
} from '../../../src/sketch/probability.js';
import { createOphSketcher, OphMeans } from '../../../src/sketch/schemes/oph.js';
import { pairSketcher } from '../pairSketcher.js';

/** 1 from `from` to before `to` equal slots, else 0. */
function within(slots: number, from: number, to = slots + 1): OphMeans {
  return new OphMeans(slots, new Float64Array(slots + 1).fill(1, from, to));
}

/** As few elements in common as a union has at this resemblance or more. */
function sharedOf(similarity: number, union: number): number {
  let shared = 0;
  while (shared / union < similarity) shared++;
  return shared;
}

/**
 * P(every slot of `wanted` agrees), by trying all places of the elements, first come the shared ones, all orders of their
 * values, and for every empty slot each bin that is not.
 */
function enumerated(slots: number, union: number, shared: number, wanted: number): number {
  let sum = 0;
  let cases = 0;
  const orders = permutations(union);
  const bins = new Array<number>(union).fill(0);
  for (let places = 0; places < slots ** union; places++) {
    for (let i = 0, rest = places; i < union; i++, rest = Math.floor(rest / slots)) bins[i] = rest % slots;
    for (const order of orders) {
      // The least of a bin is the first in the order.
      const least = new Map<number, number>();
      for (const element of order) if (!least.has(bins[element]!)) least.set(bins[element]!, element);
      const equal = [...least.values()].filter((element) => element < shared).length;
      let probability = 1;
      for (let slot = 0; slot < wanted; slot++) {
        const own = least.get(slot);
        probability *= own === undefined ? equal / least.size : own < shared ? 1 : 0;
      }
      sum += probability;
      cases++;
    }
  }
  return sum / cases;
}

function permutations(count: number): number[][] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

test('OphMeans is what trying all places, orders and donors gives', (t) => {
  const slots = 4;
  for (const union of [1, 2, 3, 4]) {
    for (let shared = 0; shared <= union; shared++) {
      for (let wanted = 1; wanted <= slots; wanted++) {
        // All places of a equal slots alike: those wanted are among them in C(a, w) of C(slots, w) cases.
        const values = Float64Array.from({ length: slots + 1 }, (_, a) => {
          let value = 1;
          for (let i = 0; i < wanted; i++) value *= Math.max(0, a - i) / (slots - i);
          return value;
        });
        const mean = new OphMeans(slots, values).of(union, shared);
        t.true(Math.abs(mean - enumerated(slots, union, shared, wanted)) < 1e-12);
      }
    }
  }
});

test('OphMeans: unions of very many elements have independent slots, and the mean agreement is the resemblance', (t) => {
  const slots = 32;
  const share = new OphMeans(
    slots,
    Float64Array.from({ length: slots + 1 }, (_, a) => a / slots),
  );
  for (const [union, shared] of [
    [1, 0],
    [7, 3],
    [40, 33],
    [5000, 3500],
  ] as const) {
    t.true(Math.abs(share.of(union, shared) - shared / union) < 1e-12);
  }
  const shares = candidateShares(slots, 8, 4);
  t.true(Math.abs(new OphMeans(slots, shares).of(50_000, 35_000) - probabilityOfCandidate(0.7, 8, 4)) < 1e-4);
});

/** How often `oph` becomes a candidate and agrees, of so many pairs. */
function measured(union: number, shared: number, bands: number, rows: number, margin: number, pairs: number) {
  const next = pairSketcher(createOphSketcher(128, 1), union, shared, union).next;
  let candidates = 0;
  let lost = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const [a, b] = next();
    let found = false;
    for (let from = 0; from < bands * rows && !found; from += rows) {
      let row = 0;
      while (row < rows && a[from + row] === b[from + row]) row++;
      found = row === rows;
    }
    if (!found) continue;
    candidates++;
    if (agreementOf(a, 0, b, 0, 128) < margin) lost++;
  }
  return { candidates, lost };
}

for (const [threshold, union, pairs] of [
  [0.5, 4, 16_000],
  [0.5, 20, 8000],
  [0.8, 15, 8000],
] as const) {
  test(`oph: pairs of ${union} elements at ${threshold} become candidates as often as promised`, (t) => {
    const { bands, rows, probability } = chooseBands({ threshold, recall: 0.95, hashes: 128, sketch: 'oph' });
    const shared = sharedOf(threshold, union);
    const margin = leastAgreement(threshold, 128, 'oph');
    const { candidates, lost } = measured(union, shared, bands, rows, margin, pairs);
    // Four standard errors: 0.0028 for 16,000 pairs of 4 elements, where independent slots would promise 0.0045 more.
    const law = new OphMeans(128, candidateShares(128, bands, rows)).of(union, shared);
    const chance = 4 * Math.sqrt((law * (1 - law)) / pairs);
    t.true(Math.abs(candidates / pairs - law) < chance, `${candidates} of ${pairs}, law ${law}`);
    t.true(candidates / pairs > probability - chance, `${candidates} of ${pairs}, promised ${probability}`);
    // Fewer than 0.8 are expected; a Poisson variable of mean 0.8 exceeds 7 with probability 2e-6.
    t.true(lost <= 7, `${lost} lost by the margin ${margin}`);
  });
}

test('oph: the promise is less than that of independent slots, and known at 0.5 and 0.8', (t) => {
  const promised = (threshold: number) =>
    chooseBands({ threshold, recall: 0.95, hashes: 128, sketch: 'oph' }).probability.toFixed(5);
  t.is(promised(0.5), '0.99187');
  t.is(promised(0.8), '0.98176');
  t.is(agreementShare(0.8, 128, 'oph').toFixed(4), '0.4735');
  t.is(leastAgreement(0.5, 128, 'oph'), 27);
  t.is(leastAgreement(0.8, 128, 'oph'), 78);
  // What was sought last is remembered, and is not the answer to another question.
  t.is(leastAgreement(0.8, 64, 'oph'), 35);
});

test('chooseBands takes fewer rows for oph where independent slots would promise too much', (t) => {
  const wish = { threshold: 0.8, recall: 0.95, hashes: 64 };
  t.deepEqual([chooseBands(wish).bands, chooseBands(wish).rows], [10, 6]);
  const oph = chooseBands({ ...wish, sketch: 'oph' });
  t.deepEqual([oph.bands, oph.rows], [12, 5]);
  t.true(oph.probability >= 0.95);
  // Two sets of one element each: with probability 1/16 both are in one bin of 16 and hide each other.
  t.is(chooseBands({ threshold: 0.5, recall: 0.99, hashes: 16, sketch: 'oph' }).probability, 0.96875);
});

test('no size of set is found more seldom than promised, nor reported, for any threshold', (t) => {
  fc.assert(
    fc.property(
      fc.record({
        hashes: fc.integer({ min: 16, max: 160 }),
        rows: fc.integer({ min: 1, max: 9 }),
        threshold: fc.double({ min: 0.05, max: 1, noNaN: true }),
      }),
      ({ hashes, rows, threshold }) => {
        const bands = Math.floor(hashes / rows);
        const found = new OphMeans(hashes, candidateShares(hashes, bands, rows));
        const promised = candidateCurve({ bands, rows }, { sketch: 'oph', hashes })(threshold);
        const accepted = within(hashes, leastAccepted(threshold, hashes));
        const share = agreementShare(threshold, hashes, 'oph');
        t.true(promised <= probabilityOfCandidate(threshold, bands, rows) + 1e-9);
        for (let union = 1; union <= 260; union += union < 60 ? 1 : 7) {
          const shared = sharedOf(threshold, union);
          // Of larger sets one in so many sizes is looked at, and the law changes slowly between them.
          const slack = union <= 128 ? 1e-12 : 2e-4;
          t.true(found.of(union, shared) >= promised - slack, `found, union ${union}`);
          t.true(
            accepted.of(union, shared) >= share - (union <= 128 ? 1e-12 : 0.01),
            `share, union ${union}`,
          );
        }
      },
    ),
    { seed: 1, numRuns: 12 },
  );
});

test('few of the sizes above 128 tell the least over all of them, where promises are small and large sets the worst', (t) => {
  for (const [hashes, threshold] of [
    [64, 0.6137],
    [64, 0.5003],
    [32, 0.7],
  ] as const) {
    const [bands, rows] = [hashes / 8, 8];
    const means = new OphMeans(hashes, candidateShares(hashes, bands, rows));
    let least = 1;
    for (let union = 1; union <= 8 * hashes; union++) {
      least = Math.min(least, means.of(union, sharedOf(threshold, union)));
    }
    const told = means.least(threshold);
    t.true(told >= least && told <= least * (1 + 1e-4), `${told}, least ${least}`);
  }
});

test('the bounds of oph leave as little outside on each side as they say, for sets of any size', (t) => {
  const hashes = 32;
  for (let count = 0; count < hashes; count++) {
    const { upper } = agreementInterval(count, hashes, 0.95, 'oph');
    const { lower } = agreementInterval(hashes - count, hashes, 0.95, 'oph');
    t.is(lower, 1 - upper);
    const more = within(hashes, count + 1);
    for (let union = 1; union <= 2 * hashes; union++) {
      let shared = Math.floor(upper * union);
      while (shared / union <= upper) shared++;
      // The next resemblance that sets of this size can have beyond the bound.
      if (shared <= union)
        t.true(more.of(union, shared) >= 0.975 - 1e-9, `${count} equal, ${shared} of ${union}`);
    }
  }
});

test('the margin of oph loses fewer than 1 in 10,000 of the pairs at the threshold, and one slot more would not', (t) => {
  for (const hashes of [16, 64, 100, 128]) {
    for (const threshold of [0.3, 0.5, 0.8, 0.9]) {
      const margin = leastAgreement(threshold, hashes, 'oph');
      const most = (least: number): number => {
        const lost = within(hashes, 1, least);
        let worst = 0;
        for (let union = 1; union <= 128; union++) {
          worst = Math.max(worst, lost.of(union, sharedOf(threshold, union)));
        }
        return worst;
      };
      t.true(most(margin) < MARGIN_LOSS);
      const independent = binomialProbabilities(hashes, threshold)
        .subarray(0, margin + 1)
        .reduce((sum, p) => sum + p, 0);
      t.true(most(margin + 1) >= MARGIN_LOSS || independent >= MARGIN_LOSS);
    }
  }
});

test('agreementInterval of oph contains the resemblance at least as often as it says, for sets of any size', (t) => {
  for (const hashes of [16, 64]) {
    const bounds = Array.from({ length: hashes + 1 }, (_, a) => agreementInterval(a, hashes, 0.95, 'oph'));
    for (let union = 1; union <= 48; union += union < 20 ? 1 : 4) {
      for (let shared = 0; shared <= union; shared++) {
        const values = bounds.map(({ lower, upper }) =>
          lower <= shared / union + 1e-12 && shared / union <= upper + 1e-12 ? 1 : 0,
        );
        const covered = new OphMeans(hashes, Float64Array.from(values)).of(union, shared);
        t.true(covered >= 0.95, `${hashes} slots, ${shared} of ${union}: ${covered}`);
      }
    }
  }
});

test('the S-curve of oph rises from 0 to 1 and stays below that of independent slots', (t) => {
  const points = sCurve(18, 7, { sketch: 'oph', hashes: 128 });
  t.is(points.length, 21);
  t.is(points[0]!.probability, 0);
  t.is(points[20]!.probability, 1);
  for (let i = 1; i <= 20; i++) {
    t.true(points[i]!.probability >= points[i - 1]!.probability);
    t.true(points[i]!.probability <= probabilityOfCandidate(points[i]!.similarity, 18, 7) + 1e-9);
  }
});
