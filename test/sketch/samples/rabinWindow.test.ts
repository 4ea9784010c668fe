import test from 'ava';
import fc from 'fast-check';
import {
  byteShingleFingerprints,
  eightByteWords,
  RabinTokenWindow,
  RabinWindow,
  rabinTables,
  tokenShingleFingerprints,
} from '../../../src/sketch/samples/rabin.js';
import { bigOf, randomHashes } from '../../data/randomHashes.js';
import { naiveFingerprint } from './naiveRabin.js';

const TABLES = [1, 5, 8, 31, 32, 33, 40, 63].flatMap((degree) =>
  [{}, { leadingOne: false }, { appendedNulls: false }].map((options) => rabinTables(degree, 2, options)),
);

test('a window that slides has the fingerprint of its bytes from scratch', (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(...TABLES),
      (bytes, width, tables) => {
        const rolled = byteShingleFingerprints(tables, width, bytes);
        t.is(rolled.length, 2 * Math.max(0, bytes.length - width + 1));
        for (let i = 0; 2 * i < rolled.length; i++) {
          t.is(bigOf(rolled, i), naiveFingerprint(tables, bytes.subarray(i, i + width)));
        }
      },
    ),
    { seed: 1, numRuns: 150 },
  );
});

test('a window not yet full has the fingerprint of what it holds, and reset empties it', (t) => {
  const tables = rabinTables(47, 1);
  const window = new RabinWindow(tables, 4);
  const out = new Uint32Array(2);
  for (let round = 0; round < 2; round++) {
    for (let length = 0; length <= 4; length++) {
      window.write(out, 0);
      t.is(window.length, length);
      t.is(bigOf(out, 0), naiveFingerprint(tables, Uint8Array.of(9, 0, 7, 255).subarray(0, length)));
      window.push([9, 0, 7, 255, 1][length]!);
    }
    window.reset();
  }
  t.throws(() => new RabinWindow(tables, 0), { instanceOf: RangeError });
});

test('shingles of k tokens of 8 bytes: the bytes lie as in memory, lowest first', (t) => {
  const tokens = randomHashes(30, 1);
  const bytes = new Uint8Array(new Uint8Array(tokens.buffer));
  const tables = rabinTables(63, 4);
  for (const k of [1, 4, 30, 31]) {
    const rolled = tokenShingleFingerprints(tables, k, tokens);
    t.is(rolled.length, 2 * Math.max(0, 31 - k));
    for (let i = 0; 2 * i < rolled.length; i++) {
      t.is(bigOf(rolled, i), naiveFingerprint(tables, bytes.subarray(8 * i, 8 * (i + k))));
    }
  }
});

function wordsOf(words: readonly string[]): Uint32Array {
  let length = 0;
  const ends = words.map((word) => {
    length += word.length;
    return length;
  });
  return eightByteWords(new TextEncoder().encode(words.join('')), Uint32Array.from(ends));
}

test('eightByteWords pads short words and cuts long ones into several', (t) => {
  const text = (tokens: Uint32Array): string[] => {
    const bytes = new Uint8Array(tokens.buffer);
    const pieces = Array.from({ length: tokens.length / 2 }, (_, i) => bytes.subarray(8 * i, 8 * i + 8));
    return pieces.map((piece) => new TextDecoder().decode(piece).replaceAll('\0', '.'));
  };
  t.deepEqual(text(wordsOf(['a', 'rose', 'eightful', 'fingerprinting', ''])), [
    'a.......',
    'rose....',
    'eightful',
    'fingerpr',
    'inting..',
    '........',
  ]);
  t.is(wordsOf([]).length, 0);
});

test('the 4-shingling of a rose is a rose is a rose: five shingles, three of them distinct', (t) => {
  const words = wordsOf(['a', 'rose', 'is', 'a', 'rose', 'is', 'a', 'rose']);
  const shingles = tokenShingleFingerprints(rabinTables(40, 1), 4, words);
  const values = Array.from({ length: 5 }, (_, i) => bigOf(shingles, i));
  t.is(shingles.length, 10);
  t.is(new Set(values).size, 3);
  t.is(values[0], values[3]);
  t.is(values[1], values[4]);
});

test('a window of k tokens of any length has the fingerprint of its bytes from scratch', (t) => {
  const tokens = fc.array(fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 90 })), {
    maxLength: 20,
  });
  const out = new Uint32Array(2);
  fc.assert(
    fc.property(tokens, fc.integer({ min: 1, max: 6 }), fc.constantFrom(...TABLES), (words, k, tables) => {
      const window = new RabinTokenWindow(tables, k);
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < words.length; i++) {
          window.push(Uint8Array.of(1, ...words[i]!, 1), 1, 1 + words[i]!.length);
          window.write(out, 0);
          const bytes = words.slice(Math.max(0, i + 1 - k), i + 1).flatMap((word) => [...word]);
          t.is(bigOf(out, 0), naiveFingerprint(tables, Uint8Array.from(bytes)));
          t.is(window.length, Math.min(k, i + 1));
        }
        window.reset();
      }
    }),
    { seed: 1, numRuns: 150 },
  );
  t.throws(() => new RabinTokenWindow(rabinTables(8, 1), 0), { instanceOf: RangeError });
});
