/** What a key of 128 bits must keep apart: texts that differ in little, and in ways that texts differ. */
import test from 'ava';
import { createWasmTextHashes } from '../../../src/kernel/text/wasmTextKey.js';
import { PUNCTUATION_WORD } from '../../../src/text/keys/textKey.js';
import { encode } from '../../data/shingledDocuments.js';
import { newMemory } from '../../kernel/sketchKernels.js';

const hash = createWasmTextHashes(newMemory())(1);

function keyOf(bytes: Uint8Array): Uint32Array {
  hash.begin();
  hash.push(bytes);
  hash.end();
  return hash.key;
}

/**
 * Whether the first two words of all keys are different, and the second and third ones. Of n keys two share 64 bits with probability n^2 / 2^64: of
 * 51,361 texts, the most here, 1.5e-10.
 */
class Distinct {
  private readonly halves = [new Set<bigint>(), new Set<bigint>()];
  private texts = 0;

  add(bytes: Uint8Array): void {
    const [a, b, c] = keyOf(bytes);
    this.halves[0]!.add((BigInt(a!) << 32n) | BigInt(b!));
    this.halves[1]!.add((BigInt(c!) << 32n) | BigInt(b!));
    this.texts++;
  }

  get areAll(): boolean {
    return this.halves.every(({ size }) => size === this.texts);
  }
}

const PROSE = encode(
  'The quick brown fox jumps over the lazy dog, and over 13 other dogs; then it rests. '.repeat(8),
);

test('texts that differ in one bit or two have different keys', (t) => {
  const found = new Distinct();
  const text = PROSE.slice(0, 40);
  const flip = (bit: number): void => {
    text[bit >> 3]! ^= 1 << (bit & 7);
  };
  found.add(text);
  for (let one = 0; one < 8 * text.length; one++) {
    flip(one);
    found.add(text);
    for (let other = one + 1; other < 8 * text.length; other++) {
      flip(other);
      found.add(text);
      flip(other);
    }
    flip(one);
  }
  t.true(found.areAll);
});

test('bits that cancel in one chain of a block change the other chain, differently in each block', (t) => {
  const text = PROSE.slice(0, 192);
  const flip = (block: number, bit: number): void => {
    text[16 * block + (bit >> 3)]! ^= 1 << (bit & 7);
  };
  const found = new Distinct();
  for (let bit = 0; bit < 64; bit++) {
    // Of the first word of a block, and of the second one: rotated by 23 to the same place, and the first one by 29.
    for (const other of [64 + ((bit + 41) % 64), 64 + ((bit + 29) % 64)]) {
      for (let block = 0; block < 12; block++) {
        for (let second = block; second < 12; second++) {
          for (const one of new Set([block, second])) for (const at of [bit, other]) flip(one, at);
          found.add(text);
          for (const one of new Set([block, second])) for (const at of [bit, other]) flip(one, at);
        }
      }
    }
  }
  t.true(found.areAll);
});

test('texts that differ in the case of letters at equal distances have different keys', (t) => {
  for (const distance of [1, 2, 4, 8, 16, 32, 64, 128]) {
    const found = new Distinct();
    for (let subset = 0; subset < 4096; subset++) {
      const text = new Uint8Array(12 * distance).fill(0x61);
      for (let i = 0; i < 12; i++) if ((subset >> i) & 1) text[i * distance] = 0x41;
      found.add(text);
    }
    t.true(found.areAll, String(distance));
  }
});

test('texts with two words of eight bytes, or two blocks of sixteen, exchanged have different keys', (t) => {
  for (const size of [8, 16]) {
    const found = new Distinct();
    const text = PROSE.slice(0, 40 * size);
    // No two blocks are the same.
    for (let at = 0; at < text.length; at += size) text[at] = at / size;
    found.add(text);
    for (let i = 0; i < 40; i++) {
      for (let j = i + 1; j < 40; j++) {
        const changed = text.slice();
        changed.set(text.subarray(size * j, size * (j + 1)), size * i);
        changed.set(text.subarray(size * i, size * (i + 1)), size * j);
        found.add(changed);
      }
    }
    t.true(found.areAll, String(size));
  }
});

test('runs of one byte of different lengths have different keys, alone and after a text', (t) => {
  const found = new Distinct();
  found.add(new Uint8Array(0));
  for (const byte of [0, 0x20, 0x61, 0xff]) {
    const run = new Uint8Array(700).fill(byte);
    for (let length = 1; length <= run.length; length++) found.add(run.subarray(0, length));
    for (const before of [1, 7, 16, 63, 64]) {
      const text = Uint8Array.of(...PROSE.subarray(0, before), ...run.subarray(0, 200));
      for (let length = before + 1; length <= text.length; length++) found.add(text.subarray(0, length));
    }
  }
  t.true(found.areAll);
});

test('a bit of the text changes every bit of the key half of the time, except for that of punctuation', (t) => {
  // A share of 9,000 changes has a standard deviation of 0.0053; six of them are left by one of 96 bits in 5,000,000 runs.
  const changes = new Uint32Array(96);
  let flips = 0;
  for (const length of [1, 8, 17, 64, 100, 300]) {
    for (let from = 0; from < 60 && flips < 9000; from++) {
      const text = PROSE.slice(from, from + length);
      const before = keyOf(text).slice();
      for (let bit = from % 3; bit < 8 * length; bit += 3 + (length >> 3)) {
        text[bit >> 3]! ^= 1 << (bit & 7);
        const after = keyOf(text);
        for (let i = 0; i < 96; i++) changes[i]! += ((after[i >> 5]! ^ before[i >> 5]!) >>> (i & 31)) & 1;
        text[bit >> 3]! ^= 1 << (bit & 7);
        flips++;
      }
    }
  }
  t.true(flips > 3000);
  const most = 6 * Math.sqrt(0.25 / flips);
  for (const count of changes) t.true(Math.abs(count / flips - 0.5) < most, `${count} of ${flips}`);
});

test('texts of the same words have the same key of punctuation if they differ in case and white space alone', (t) => {
  const keyOfPunctuation = (text: string): number => keyOf(encode(text))[PUNCTUATION_WORD]!;
  const same = [
    ['I know C++ well', 'i  KNOW\n\tC++   Well '],
    ['a, b', 'a , b'],
    ['Élan, été', 'éLAN,\u00a0ÉTÉ'],
    ['e\u0301t\u00e9, oui', '\u00e9te\u0301, oui'],
    ['docu\u00admentation: x', 'documentation:x'],
    ['我能abc，吞下', '我 能 ABC， 吞下'],
    ['ПРИВЕТ, мир', 'привет, МИР'],
    ['a\u200bb\u3000c', 'a b c'],
  ] as const;
  for (const [a, b] of same) t.is(keyOfPunctuation(a), keyOfPunctuation(b), `${a} | ${b}`);
  const different = [
    ['C++', 'C#'],
    ['x >= 1', 'x < 1'],
    ['x ≤ y', 'x ≥ y'],
    ['5 -3', '-5 3'],
    ['eat, grandma now', 'eat grandma, now'],
    ['«oui»', '“oui”'],
    ['我能，吞下', '我，能吞下'],
    ['yes 👍', 'yes 👎'],
    ['a "word"', 'a word'],
  ] as const;
  for (const [a, b] of different) t.not(keyOfPunctuation(a), keyOfPunctuation(b), `${a} | ${b}`);
});

test('the key of punctuation does not depend on where its code points are in a text', (t) => {
  // Around the ends of vectors, stripes and pieces.
  for (const mark of [',', '×', '≥', '👍']) {
    const keys = new Set<number>();
    for (let blanks = 1; blanks < 140; blanks++) {
      const bytes = encode(`one${' '.repeat(blanks)}two ${mark} éa three`);
      for (const cut of [0, blanks, bytes.length - 12, bytes.length - 10]) {
        hash.begin();
        hash.push(bytes.subarray(0, cut));
        hash.push(bytes.subarray(cut));
        hash.end();
        keys.add(hash.key[PUNCTUATION_WORD]!);
      }
    }
    t.is(keys.size, 1, mark);
  }
});
