/** What a key of 128 bits must keep apart: texts that differ in little, and in ways that texts differ. */
import test from 'ava';
import { createWasmTextHashes } from '../../../src/kernel/text/wasmTextKey.js';
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
 * Whether both halves of all keys are different. Of n keys two share a half of 64 bits with probability n^2 / 2^64: of
 * 51,361 texts, the most here, 1.5e-10.
 */
class Distinct {
  private readonly halves = [new Set<bigint>(), new Set<bigint>()];
  private texts = 0;

  add(bytes: Uint8Array): void {
    const [a, b, c, d] = keyOf(bytes);
    this.halves[0]!.add((BigInt(a!) << 32n) | BigInt(b!));
    this.halves[1]!.add((BigInt(c!) << 32n) | BigInt(d!));
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

test('bits that cancel in one chain of a block leave their difference in the other, told from that of any other block', (t) => {
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

test('texts with two words of eight bytes, or two blocks of sixteen, changed over have different keys', (t) => {
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

test('runs of one byte of any length have different keys, alone and behind a text', (t) => {
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

test('a bit of the text changes every bit of the key half of the time', (t) => {
  // A share of 9,000 changes has a standard deviation of 0.0053; six of them are left by one of 128 bits in 4,000,000 runs.
  const changes = new Uint32Array(128);
  let flips = 0;
  for (const length of [1, 8, 17, 64, 100, 300]) {
    for (let from = 0; from < 60 && flips < 9000; from++) {
      const text = PROSE.slice(from, from + length);
      const before = keyOf(text).slice();
      for (let bit = from % 3; bit < 8 * length; bit += 3 + (length >> 3)) {
        text[bit >> 3]! ^= 1 << (bit & 7);
        const after = keyOf(text);
        for (let i = 0; i < 128; i++) changes[i]! += ((after[i >> 5]! ^ before[i >> 5]!) >>> (i & 31)) & 1;
        text[bit >> 3]! ^= 1 << (bit & 7);
        flips++;
      }
    }
  }
  t.true(flips > 3000);
  const most = 6 * Math.sqrt(0.25 / flips);
  for (const count of changes) t.true(Math.abs(count / flips - 0.5) < most, `${count} of ${flips}`);
});

test('code, markup and numbers are told from prose', (t) => {
  const looks = (text: string): boolean => {
    keyOf(encode(text));
    return hash.looksLikeCode;
  };
  t.true(looks('if (age >= limit) { return list[i] + 1; }\n'));
  t.true(looks('<p class="a">A <b>word</b> or two</p>'));
  t.true(looks('1.5,2,-3\n4,5.25,6\n'));
  t.false(
    looks('Permission is hereby granted, free of charge, to any person obtaining a copy of this software.'),
  );
  t.false(looks('我能吞下玻璃而不伤身体。'));
  t.false(looks(''));
});
