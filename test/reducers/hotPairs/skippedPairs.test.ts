/** Drawing skipped pairs: all of few, and of many as often as they share buckets. */
import test from 'ava';
import fc from 'fast-check';
import { drawnPairs, someRows } from '../../../reducers/drawnPairs.js';
import { writeFmix64 } from '../../../src/arrays/hashing.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import type { HotMembers } from '../../../src/blocks/pairs.js';
import { foundShare, missingPairs } from '../../../src/sketch/probability.js';

/** Bands of buckets, as rows. */
function membersOf(bands: readonly (readonly (readonly number[])[])[]): HotMembers[] {
  return bands.map((buckets) => {
    const rows = buckets.flatMap((documents, bucket) => documents.map((document) => [document, bucket]));
    rows.sort((x, y) => x[0]! - y[0]! || x[1]! - y[1]!);
    return {
      documents: Uint32Array.from(rows, ([document]) => document!),
      buckets: Uint32Array.from(rows, ([, bucket]) => bucket!),
    };
  });
}

/** Of the ids of documents. */
function hashesOf(documents: Uint32Array, seed: number): Uint32Array {
  const hashes = new Uint32Array(2 * documents.length);
  documents.forEach((document, i) => {
    writeFmix64(hashes, 2 * i, document + 1, seed);
  });
  return hashes;
}

const COUNT = 20;
const bucketsOf = fc.array(fc.array(fc.uniqueArray(fc.nat(COUNT - 1), { maxLength: 12 }), { maxLength: 4 }), {
  maxLength: 3,
});

test('drawnPairs of few pairs gives all that are in question, each once; of many, those that share buckets', (t) => {
  fc.assert(
    fc.property(bucketsOf, fc.boolean(), fc.nat(1000), (bands, isContained, seed) => {
      const relies = isContained ? Uint8Array.from({ length: COUNT }, (_, d) => (d % 3 === 0 ? 1 : 0)) : null;
      const shared = new Map<string, number>();
      let population = 0;
      for (const documents of bands.flat()) {
        for (const x of documents) {
          for (const y of documents) {
            if (x >= y || (relies !== null && relies[x]! + relies[y]! === 0)) continue;
            population++;
            shared.set(`${x} ${y}`, (shared.get(`${x} ${y}`) ?? 0) + 1);
          }
        }
      }
      const all = atOnce(drawnPairs(membersOf(bands), COUNT, null, relies, 10_000, seed));
      t.deepEqual([all.population, all.drawn], [population, population]);
      const names = Array.from({ length: all.count }, (_, i) => `${all.a[i]} ${all.b[i]}`);
      t.deepEqual(names.sort(), [...shared.keys()].sort());
      t.true(all.times.every((one) => one === 1) && all.shared.every((one) => one === 1));
      if (population < 3) return;
      const some = atOnce(drawnPairs(membersOf(bands), COUNT, null, relies, population - 1, seed));
      t.is(
        some.times.reduce((sum, one) => sum + one, 0),
        population - 1,
      );
      for (let i = 0; i < some.count; i++) t.is(some.shared[i], shared.get(`${some.a[i]} ${some.b[i]}`)!);
    }),
    { seed: 8, numRuns: 200 },
  );
});

test('missingPairs is right on average, and its bounds hold', (t) => {
  // 90 documents in three buckets that overlap: of the pairs of the first 40 every fifth is near, and none was made.
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const hot = membersOf([[range(0, 60), range(30, 90)], [range(20, 70)]]);
  const isNear = (a: number, b: number): boolean => b < 40 && (a + b) % 5 === 0;
  let near = 0;
  const all = atOnce(drawnPairs(hot, 90, null, null, 100_000, 1));
  for (let i = 0; i < all.count; i++) near += isNear(all.a[i]!, all.b[i]!) ? 1 : 0;
  let [sum, held] = [0, 0];
  const seeds = 200;
  for (let seed = 1; seed <= seeds; seed++) {
    const drawn = atOnce(drawnPairs(hot, 90, null, null, 1000, seed));
    const verified = someRows(hashesOf(drawn.a, seed), hashesOf(drawn.b, seed), 400);
    const told = missingPairs({
      ...drawn,
      verified,
      near: Uint8Array.from(verified, (row) => (isNear(drawn.a[row]!, drawn.b[row]!) ? 1 : 0)),
    });
    sum += told.value;
    held += told.lower <= near && near <= told.upper ? 1 : 0;
  }
  // A sample has some 20 near ones, so a standard error of about a quarter, and the mean of 200 one of 0.018: four of them.
  t.true(Math.abs(sum / seeds / near - 1) < 0.072, `${sum / seeds} of ${near}`);
  // Of 200 samples 190 are expected, with a standard error of 3.
  t.true(held >= 181, `${held}`);
});

test('what was seen wholly is no estimate, and what nothing was seen of has an upper bound', (t) => {
  const one = Uint32Array.of(1, 1, 1);
  const rows = Uint32Array.of(0, 1, 2);
  const whole = {
    population: 9,
    drawn: 9,
    times: one,
    shared: one,
    verified: rows,
    near: Uint8Array.of(1, 0, 1),
  };
  t.deepEqual(missingPairs(whole), { value: 2, lower: 2, upper: 2 });
  const none = { times: new Uint32Array(0), shared: new Uint32Array(0), verified: rows.slice(0, 0) };
  const unseen = missingPairs({ population: 5000, drawn: 100, ...none, near: new Uint8Array(0) });
  t.deepEqual(unseen, { value: 0, lower: 0, upper: 50 * 1.96 ** 2 });
  t.deepEqual(foundShare(300, 300, unseen, { share: 0.99, least: 0.9 }), {
    value: 0.99,
    lower: (300 / (300 + unseen.upper)) * 0.9,
    upper: 1,
  });
});
