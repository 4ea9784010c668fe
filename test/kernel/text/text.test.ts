import test from 'ava';
import fc from 'fast-check';
import { createWasmShingleStreams } from '../../../src/kernel/text/wasmStream.js';

import type { ShingleParams } from '../../../src/text/shingles.js';
import {
  cuts,
  documents,
  encode,
  hostileBytes,
  piecesOf,
  shingleParams,
} from '../../data/shingledDocuments.js';
import { newMemory } from '../sketchKernels.js';
import { bothOf, kernelStreams, paramsOf, runner, same } from './textStreams.js';

const WORDS = paramsOf('words', 2);
const CHARS = paramsOf('chars', 3);
const ALL = [WORDS, CHARS, paramsOf('bytes', 3), paramsOf('stopwords', 2), paramsOf('words', 1, true)];

/** The kernel's result is the reference's; `told` says of which document, if not. */
const agrees = (pieces: readonly Uint8Array[], params: ShingleParams): boolean => {
  const [kernel, reference] = bothOf(pieces, params);
  return same(kernel, reference);
};

test('lines are left to the reference', (t) => {
  t.is(
    kernelStreams(paramsOf('lines', 1), () => {}),
    null,
  );
});

test('the kernel equals the reference for any document, parameters and cuts', (t) => {
  const kernelParams = shingleParams.filter(({ unit }) => unit !== 'lines');
  fc.assert(
    fc.property(documents, cuts, kernelParams, (bytes, fractions, params) => {
      const [kernel, reference] = bothOf(piecesOf(bytes, fractions), params);
      if (!same(kernel, reference)) t.deepEqual(kernel, reference);
    }),
    { seed: 1, numRuns: 2500 },
  );
  t.pass();
});

test('marks and the letters that they join equal the reference, with ASCII before and after', (t) => {
  const marks = [
    0x61, 0x20, 0xe01, 0x4e00, 0x378, 0xff, 0x300, 0x301, 0x316, 0x323, 0x334, 0x5b0, 0x5b7, 0x5bc, 0x64b,
    0x651, 0x93c, 0x94d, 0xe38, 0xe48, 0xeb8, 0xec8, 0x34f, 0x3099, 0x903, 0x1d165, 0xad, 0x200d, 0xfe0f,
    0x1160,
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...marks), { maxLength: 90 }), cuts, (codePoints, fractions) => {
      const pieces = piecesOf(encode(String.fromCodePoint(...codePoints)), fractions);
      for (const params of [WORDS, CHARS])
        if (!agrees(pieces, params)) t.deepEqual(...bothOf(pieces, params));
    }),
    { seed: 1, numRuns: 1200 },
  );
  t.pass();
});

test('documents of every length up to 200 are hashed as in the reference, with ASCII and with invalid bytes', (t) => {
  const ascii = (i: number): number =>
    [0x61, 0x42, 0x20, 0x31, 0x2e, 0x0a, 0x7a, 0x5a, 0x40, 0x5b][(i * i) % 10]!;
  const broken = (i: number): number =>
    [0xe2, 0x61, 0x82, 0x20, 0xf0, 0x9f, 0xc3, 0xa9, 0xcc, 0x81, 0xff][(i * i) % 11]!;
  for (const byteAt of [ascii, broken, () => 0x61, () => 0x20, () => 0x80, () => 0xcc]) {
    for (let length = 0; length <= 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => byteAt(i));
      for (const params of ALL) t.true(agrees([bytes], params), `${length} ${params.unit}`);
    }
  }
});

test('words of every length at each of 64 offsets are hashed as in the reference', (t) => {
  for (let length = 1; length <= 80; length++) {
    for (let before = 0; before < 66; before++) {
      const text = `${' '.repeat(before)}${'abcdefghi'.repeat(9).slice(0, length)} end`;
      if (!agrees([encode(text)], WORDS)) t.fail(`${length} after ${before}`);
    }
  }
  t.pass();
});

test('a wide character of every length at every position among ASCII equals the reference', (t) => {
  for (const character of [
    'é',
    'É',
    '中',
    '€',
    '😀',
    '𐐀',
    '\u0301',
    '\u0e38\u0e48',
    '\u3000',
    'Ⱥ',
    '각',
    '\u1112\u1161',
  ]) {
    for (let before = 0; before < 40; before++) {
      for (let after = before % 3; after < 20; after += 3) {
        const bytes = encode(
          `${'aB c'.repeat(10).slice(0, before)}${character}${'x Y z'.repeat(4).slice(0, after)}`,
        );
        for (const params of [WORDS, CHARS]) {
          if (!agrees([bytes], params)) t.fail(`${character} ${before} ${after}`);
        }
      }
    }
  }
  t.pass();
});

test('every code point equals the reference: alone, after a letter, and before a mark', (t) => {
  for (let first = 0; first < 0x110000; first += 0x100) {
    if (first >= 0xd800 && first < 0xe000) continue;
    let text = '';
    for (let codePoint = first; codePoint < first + 0x100; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      text += `${character} a${character}b${character}\u0301`;
    }
    // The planes that are all unassigned or for private use are all alike: every 16th page does.
    if (first >= 0x32000 && first % 0x1000 !== 0 && first >> 12 !== 0xe0) continue;
    for (const params of [WORDS, CHARS]) {
      if (!agrees([encode(text)], params)) t.fail(`U+${first.toString(16)} ${params.unit}`);
    }
  }
  t.pass();
});

/** A text of many scripts, longer than two blocks of 32 KiB, made without chance. */
function longText(parts: readonly string[], length: number): Uint8Array {
  let text = '';
  for (let i = 0; text.length < length; i++) text += parts[(i * 7919 + (i >> 3)) % parts.length];
  return encode(text);
}

const LONG: Readonly<Record<string, Uint8Array>> = {
  'ASCII words': longText(
    ['The quick ', 'brown fox, ', 'x', ' ', 'jumps\n', 'over 12 ', 'LAZY_dogs. '],
    72_000,
  ),
  'words of many scripts': longText(
    ['été ', 'Straße', 'привет ', '中文', 'ไทย', 'हिन्दी ', 'e\u0301', '가'],
    36_000,
  ),
  'one word': longText(['abcdefg', 'é', 'Z9'], 72_000),
  'no ASCII': longText(['中', '文', '字', 'ก็', '한', 'е'], 27_000),
  blanks: new Uint8Array(72_000).fill(0x20),
  'continuation bytes': new Uint8Array(72_000).fill(0xbf),
  'lead bytes': new Uint8Array(70_000).fill(0xe4),
  'one letter and marks': encode(`e${'\u0301'.repeat(36_000)} end`),
  'free marks': encode(`क${'\u0903'.repeat(24_000)} end`),
  'ordered marks and joiners': encode(`x${'\u0323\u0301\u034f'.repeat(12_000)}y`),
  'vowel jamo': encode(`\u1112${'\u1161'.repeat(24_000)}z`),
  'marks at the start': encode(`\ufeff${'\u0301'.repeat(36_000)}`),
  'what NFC triples': encode('\u{1d160}'.repeat(18_000)),
  'broken at every cut': longText(['a', '\u0301'], 48_000).map((byte, i) => (i % 97 === 0 ? 0xf0 : byte)),
};

for (const [name, bytes] of Object.entries(LONG)) {
  test(`a document longer than a block is hashed alike: ${name}`, (t) => {
    for (const params of [...ALL, paramsOf('words', 63), paramsOf('chars', 32)]) {
      for (const cutAt of [[0.5], [0.1, 0.10001, 0.7]]) {
        t.true(agrees(piecesOf(bytes, cutAt), params), `${params.unit}:${params.size}`);
      }
    }
    for (let offset = 0; offset < 9; offset++) {
      // One block and what is left of it: the position of a text in its first block decides where all others begin.
      const start = bytes.subarray(0, 40_000);
      const moved = new Uint8Array(start.length + offset).fill(0x2e);
      moved.set(start, offset);
      for (const params of [WORDS, CHARS]) t.true(agrees([moved], params), `${params.unit} at ${offset}`);
    }
  });
}

test('documents of about the size of a block are hashed as in the reference', (t) => {
  for (let length = 32_760; length <= 32_776; length++) {
    const bytes = encode('aé 中'.repeat(9000)).subarray(0, length);
    for (const params of ALL) t.true(agrees([bytes], params), `${length} ${params.unit}`);
  }
});

test('streams of one kernel may alternate, also within a document', (t) => {
  const one = bothOf([encode('one two three')], WORDS)[1];
  const calls: string[] = [];
  const a = kernelStreams(WORDS, (hashes, count) => calls.push(`a ${hashes.slice(0, 2 * count).join()}`))!;
  const b = kernelStreams(CHARS, (hashes, count) => calls.push(`b ${hashes.slice(0, 2 * count).join()}`))!;
  a.push(encode('one tw'));
  b.push(encode('given up'));
  b.begin();
  b.push(encode('one two three'));
  a.push(encode('o three'));
  b.end();
  a.end();
  t.is(calls[1], `a ${one.hashes.join()}`);
  t.is(calls[0], `b ${bothOf([encode('one two three')], CHARS)[1].hashes.join()}`);
  t.deepEqual([...a.contentKey], [...one.contentKey]);
});

test('invalid bytes among words are repaired as in the reference', (t) => {
  fc.assert(
    fc.property(fc.array(hostileBytes, { maxLength: 12 }), (parts) => {
      const bytes = Uint8Array.from(parts.flatMap((part) => [...part, 0x61, 0x62]));
      for (const params of [WORDS, CHARS])
        if (!agrees([bytes], params)) t.deepEqual(...bothOf([bytes], params));
    }),
    { seed: 1, numRuns: 1000 },
  );
  t.pass();
});

test('runs of marks are cut where the reference cuts them', (t) => {
  for (const mark of ['\u0903', '\u0301', '\u034f', '\u0316']) {
    for (const before of ['', 'a', 'ab ', 'é', '中', ' ', '\u3000', '\u{1f600}']) {
      for (let count = 28; count <= 64; count++) {
        const bytes = encode(`${before}${mark.repeat(count)}z`);
        for (const params of [WORDS, CHARS]) {
          if (!agrees([bytes], params)) t.fail(`${JSON.stringify(before + mark)} ${count} ${params.unit}`);
        }
      }
    }
  }
  t.pass();
});

test('a sink may enlarge kernel memory after it has read its hashes', (t) => {
  const memory = newMemory();
  const grown = runner((params, sink) => {
    return createWasmShingleStreams(memory)(params, (hashes, count) => {
      sink(hashes, count);
      memory.allocate(1 << 20);
    });
  }, CHARS);
  const bytes = encode('Æøå and more '.repeat(20_000));
  for (let i = 0; i < 3; i++) t.true(same(grown([bytes]), bothOf([bytes], CHARS)[1]));
});
