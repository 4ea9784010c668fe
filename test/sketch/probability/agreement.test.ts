import test from 'ava';
import fc from 'fast-check';
import {
  agreementInterval,
  agreementOf,
  agreementShare,
  binomialAtLeast,
  binomialBelow,
  binomialProbabilities,
  leastAgreement,
  MARGIN_LOSS,
  signatureAccepts,
} from '../../../src/sketch/probability.js';

test('agreementOf counts equal slots from the given offsets and no further', (t) => {
  const slot = fc.oneof(fc.nat(2), fc.constantFrom(0x80000000, 0xfffffffe, 0xffffffff));
  const slots = fc.array(slot, { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(slots, slots, fc.nat(9), fc.nat(9), fc.nat(30), (x, y, from, fromY, hashes) => {
      const equal = x.slice(from, from + hashes).filter((one, i) => one === y[fromY + i]).length;
      t.is(agreementOf(Uint32Array.from(x), from, Uint32Array.from(y), fromY, hashes), equal);
    }),
    { seed: 1, numRuns: 200 },
  );
  const a = Uint32Array.of(9, 1, 2, 3, 7);
  const b = Uint32Array.of(1, 5, 3, 7);
  t.is(agreementOf(a, 1, b, 0, 3), 2);
  t.is(agreementOf(a, 1, b, 0, 4), 3);
  t.is(agreementOf(a, 0, a, 0, 5), 5);
  t.is(agreementOf(a, 0, b, 0, 0), 0);
});

test('signatureAccepts at the threshold, not below it', (t) => {
  t.true(signatureAccepts(11, 20, 0.55));
  t.true(signatureAccepts(55, 100, 0.55));
  t.false(signatureAccepts(10, 20, 0.55));
  t.true(signatureAccepts(103, 128, 0.8));
  t.false(signatureAccepts(102, 128, 0.8));
});

test('agreementShare: about one half at the threshold itself', (t) => {
  t.is(agreementShare(0.8, 128), binomialAtLeast(128, 0.8, 103));
  t.is(agreementShare(0.8, 128).toFixed(2), '0.50');
  // 0.55 * 100 is a little above 55 in floating point; 55 of 100 is accepted all the same.
  t.is(agreementShare(0.55, 100), binomialAtLeast(100, 0.55, 55));
  t.is(agreementShare(0.9, 100).toFixed(3), '0.583');
  t.is(agreementShare(1, 128), 1);
  t.is(agreementShare(0, 128), 1);
});

test('leastAgreement is the largest count that loses less than 1 in 10,000 pairs at the threshold', (t) => {
  t.is(leastAgreement(0.8, 128), 84);
  for (const hashes of [16, 17, 100, 128, 200, 1024]) {
    for (const threshold of [0.01, 0.3, 0.5, 0.8, 0.95, 0.999]) {
      const least = leastAgreement(threshold, hashes);
      t.true(binomialBelow(hashes, threshold, least) < MARGIN_LOSS);
      if (least < hashes) t.true(binomialBelow(hashes, threshold, least + 1) >= MARGIN_LOSS);
    }
  }
  t.is(leastAgreement(1, 128), 128);
  t.is(leastAgreement(0, 128), 0);
});

test('agreementInterval contains the resemblance at least as often as its confidence', (t) => {
  for (const hashes of [16, 100, 256]) {
    const bounds = Array.from({ length: hashes + 1 }, (_, count) => agreementInterval(count, hashes, 0.95));
    for (const resemblance of [0.02, 0.5, 0.8, 0.99]) {
      const probabilities = binomialProbabilities(hashes, resemblance);
      let inside = 0;
      bounds.forEach(({ lower, upper }, count) => {
        if (lower <= resemblance && resemblance <= upper) inside += probabilities[count]!;
      });
      t.true(inside >= 0.95, `${hashes} slots at ${resemblance}: ${inside}`);
    }
  }
});

test('agreementInterval: known bounds, and the ends', (t) => {
  // Clopper and Pearson for 8 of 10 at 95 %: .4439 to .9748, a textbook pair of numbers.
  const { lower, upper } = agreementInterval(8, 10, 0.95);
  t.deepEqual([lower.toFixed(4), upper.toFixed(4)], ['0.4439', '0.9748']);
  t.is(agreementInterval(0, 128, 0.95).lower, 0);
  t.is(agreementInterval(128, 128, 0.95).upper, 1);
  // Nothing agrees: the upper bound solves (1 - p)^128 = .025.
  t.is(agreementInterval(0, 128, 0.95).upper.toFixed(6), (1 - 0.025 ** (1 / 128)).toFixed(6));
});
