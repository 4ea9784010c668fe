/** Rabin fingerprints against the definition: one long division of polynomials, no tables, no steps. */
import test from 'ava';
import fc from 'fast-check';
import { crc32 } from '../../../src/arrays/checksum.js';
import {
  type RabinTables,
  rabinCollisionBound,
  rabinFingerprint,
  rabinIds,
  rabinTables,
  rabinTablesOf,
  rabinWindows,
} from '../../../src/sketch/samples/rabin.js';
import { bigOf, randomHashes, randomWords } from '../../data/randomHashes.js';

const degreeOf = (polynomial: bigint): number => (polynomial === 0n ? -1 : polynomial.toString(2).length - 1);

function product(a: bigint, b: bigint): bigint {
  let sum = 0n;
  for (let bit = 0n; b >> bit > 0n; bit++) if ((b >> bit) & 1n) sum ^= a << bit;
  return sum;
}

function remainder(dividend: bigint, divisor: bigint): bigint {
  while (degreeOf(dividend) >= degreeOf(divisor)) {
    dividend ^= divisor << BigInt(degreeOf(dividend) - degreeOf(divisor));
  }
  return dividend;
}

/** (x^8n + s) * x^d mod P. */
function byDefinition({ polynomial, degree }: RabinTables, bytes: Uint8Array): bigint {
  let string = 1n;
  for (const byte of bytes) string = (string << 8n) | BigInt(byte);
  return remainder(string << BigInt(degree), polynomial);
}

test('a fingerprint is the remainder of a division of polynomials, for every degree', (t) => {
  for (let degree = 1; degree <= 63; degree++) {
    const tables = rabinTables(degree, degree + 7);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        t.is(rabinFingerprint(tables, bytes), byDefinition(tables, bytes), `degree ${degree}`);
      }),
      { seed: degree, numRuns: 12, examples: [[new Uint8Array(0)], [new Uint8Array(9).fill(255)]] },
    );
  }
});

test('rabinWindows gives the fingerprint of each window of any width, and none for fewer bytes', (t) => {
  const tables = [
    rabinTables(1, 1),
    rabinTables(8, 2),
    rabinTables(31, 3),
    rabinTables(32, 4),
    rabinTables(),
  ];
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(...tables),
      (bytes, width, each) => {
        const windows = rabinWindows(each, bytes, width);
        t.is(windows.length, Math.max(0, bytes.length - width + 1));
        windows.forEach((found, i) => {
          t.is(found, byDefinition(each, bytes.subarray(i, i + width)));
        });
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

test('the 4-shingling of a rose is a rose is a rose, in words of 8 bytes: five shingles, three distinct', (t) => {
  const words = 'a rose is a rose is a rose'.split(' ').map((word) => word.padEnd(8, '\0'));
  const windows = rabinWindows(rabinTables(40), new TextEncoder().encode(words.join('')), 32);
  const shingles = windows.filter((_, at) => at % 8 === 0);
  t.is(shingles.length, 5);
  t.is(new Set(shingles).size, 3);
  t.is(shingles[0], shingles[3]);
  t.is(shingles[1], shingles[4]);
});

/** Bits of every byte, and of a 32-bit number, from the other end. */
const reversed = (byte: number): number =>
  Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2);
const reversed32 = (word: number): bigint =>
  BigInt(`0b${(word >>> 0).toString(2).padStart(32, '0').split('').reverse().join('')}`);

test('with the polynomial of CRC-32, differences of strings of equal length are those of their checksums', (t) => {
  const tables = rabinTablesOf(0x104c11db7n);
  const strings = fc.integer({ min: 0, max: 30 }).chain((length) => {
    const bytes = fc.uint8Array({ minLength: length, maxLength: length });
    return fc.tuple(bytes, bytes);
  });
  fc.assert(
    fc.property(strings, ([a, b]) => {
      const difference = rabinFingerprint(tables, a) ^ rabinFingerprint(tables, b);
      t.is(difference, reversed32(crc32(a.map(reversed))) ^ reversed32(crc32(b.map(reversed))));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('leading zero bytes count, and the last byte changes bits everywhere', (t) => {
  const tables = rabinTables(60);
  t.not(rabinFingerprint(tables, Uint8Array.of(1, 2)), rabinFingerprint(tables, Uint8Array.of(0, 1, 2)));
  t.not(rabinFingerprint(tables, new Uint8Array(4)), rabinFingerprint(tables, new Uint8Array(5)));
  const [a, b] = ['a rosa', 'a rose'].map((text) => rabinFingerprint(tables, new TextEncoder().encode(text)));
  t.true(degreeOf(a! ^ b!) > 40);
});

test('ids of hashes are the fingerprints of their 8 bytes, lowest first', (t) => {
  const hashes = randomHashes(20, 1);
  const bytes = new Uint8Array(hashes.slice().buffer);
  const tables = rabinTables(63, 4);
  const ids = rabinIds(tables, hashes);
  for (let i = 0; i < 20; i++) {
    t.is(bigOf(ids, i), byDefinition(tables, bytes.subarray(8 * i, 8 * i + 8)));
  }
  t.is(rabinIds(tables, new Uint32Array(0)).length, 0);
});

/** Every reducible polynomial of degree <= `most`, as the product of two others: no division involved. */
function reduciblePolynomials(most: number): Set<number> {
  const reducible = new Set<number>();
  for (let a = 2; a < 2 ** most; a++) {
    const degree = 31 - Math.clz32(a);
    for (let b = a; 31 - Math.clz32(b) + degree <= most; b++)
      reducible.add(Number(product(BigInt(a), BigInt(b))));
  }
  return reducible;
}

test('rabinTablesOf accepts exactly the irreducible polynomials, for all degrees up to 10', (t) => {
  const reducible = reduciblePolynomials(10);
  const counts = new Array<number>(10).fill(0);
  for (let polynomial = 3; polynomial < 2 ** 11; polynomial++) {
    if (reducible.has(polynomial)) {
      t.throws(() => rabinTablesOf(BigInt(polynomial)), { message: /expected an irreducible one/ });
    } else counts[degreeOf(rabinTablesOf(BigInt(polynomial)).polynomial) - 1]!++;
  }
  // Their numbers after Gauss, without x itself.
  t.deepEqual(counts, [1, 1, 2, 3, 6, 9, 18, 30, 56, 99]);
});

test('a product of two large factors is rejected, and so are constants, x and a degree of 64', (t) => {
  const large = product(rabinTables(31, 1).polynomial, rabinTables(32, 1).polynomial);
  for (const polynomial of [large, 0n, 1n, 2n, -3n, (1n << 64n) | 1n]) {
    t.throws(() => rabinTablesOf(polynomial), { code: 'OPTION_INVALID' });
  }
});

test('the polynomial depends on degree and seed, and each of the 30 of degree 8 is equally likely', (t) => {
  t.deepEqual(rabinTables(63, 1), rabinTables());
  t.is(rabinTables(1, 5).polynomial, 3n);
  t.not(rabinTables(40, 1).polynomial, rabinTables(40, 2).polynomial);
  t.deepEqual(rabinTables(37, 9), rabinTablesOf(rabinTables(37, 9).polynomial));
  const seen = new Map<bigint, number>();
  for (let seed = 1; seed <= 3000; seed++) {
    const { polynomial } = rabinTables(8, seed);
    seen.set(polynomial, (seen.get(polynomial) ?? 0) + 1);
  }
  t.is(seen.size, 30);
  // Each count is Bin(3000, 1/30): mean 100, deviation 9.8; five deviations, 30 counts.
  for (const count of seen.values()) t.true(Math.abs(count - 100) < 49, String(count));
});

test('degrees, seeds and widths out of range are rejected', (t) => {
  for (const degree of [0, 64, 1.5, Number.NaN]) {
    t.throws(() => rabinTables(degree), { code: 'OPTION_INVALID', message: /from 1 to 63/ });
  }
  for (const seed of [-1, 0.5, 2 ** 53]) t.throws(() => rabinTables(40, seed), { code: 'OPTION_INVALID' });
  for (const width of [0, 1.5]) {
    t.throws(() => rabinWindows(rabinTables(8), new Uint8Array(3), width), { code: 'OPTION_INVALID' });
  }
});

test('the bound of the paper, with its own numbers', (t) => {
  // The clustering of the web: 1,000 shingles of 400 bits, fingerprints of 40.
  t.is(rabinCollisionBound(2, 400, 40), 400 / 2 ** 39);
  t.is(rabinCollisionBound(1000, 400, 40).toPrecision(2), '0.00036');
  t.is(rabinCollisionBound(1, 400, 40), 0);
  t.is(rabinCollisionBound(0, 400, 40), 0);
  t.is(rabinCollisionBound(1e6, 1e6, 20), 1);
});

test('strings chosen to collide do so as often as they have divisors, within the bound of the paper', (t) => {
  // The difference is the product of 12 of the 30 irreducible polynomials of degree 8: 96 bits.
  const divisors = new Set<bigint>();
  for (let seed = 1; divisors.size < 12; seed++) divisors.add(rabinTables(8, seed).polynomial);
  const difference = [...divisors].reduce(product, 1n);
  t.is(degreeOf(difference), 96);
  const a = new Uint8Array(13).fill(77);
  const b = a.map((byte, i) => byte ^ Number((difference >> BigInt(8 * (12 - i))) & 255n));
  const TRIALS = 2000;
  let collisions = 0;
  for (let seed = 1; seed <= TRIALS; seed++) {
    const tables = rabinTables(8, seed);
    if (rabinFingerprint(tables, a) === rabinFingerprint(tables, b)) collisions++;
  }
  // Bin(2000, 12/30): mean 800, deviation 21.9; five of them.
  t.true(Math.abs(collisions - 800) < 110, String(collisions));
  t.true(collisions / TRIALS < rabinCollisionBound(2, 104, 8));
});

test('random strings collide about once in 2^d, far within the bound', (t) => {
  const words = randomWords(5);
  const TRIALS = 400;
  let collisions = 0;
  for (let seed = 1; seed <= TRIALS; seed++) {
    const tables = rabinTables(12, seed);
    const counts = new Map<bigint, number>();
    for (let i = 0; i < 100; i++) {
      const found = rabinFingerprint(
        tables,
        Uint8Array.from({ length: 20 }, () => words() & 255),
      );
      collisions += counts.get(found) ?? 0;
      counts.set(found, (counts.get(found) ?? 0) + 1);
    }
  }
  const pairs = (TRIALS * 100 * 99) / 2;
  // Pairs of random strings collide independently with probability 2^-12 each: 1,980,000 pairs, mean 483,
  // deviation 22 (pairs of one group are pairwise independent, which is all a variance needs).
  t.true(Math.abs(collisions - pairs / 4096) < 110, String(collisions));
  t.true(collisions / pairs < rabinCollisionBound(2, 160, 12));
});
