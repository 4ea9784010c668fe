/** Documents to rows of signatures: the kernel's one call, its general way, and the reference, bit for bit. */
import test from 'ava';
import fc from 'fast-check';
import type { DocumentSketches, Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { Arena, ArenaRows } from '../../src/kernel/wasmMemory.js';
import type { SketchName, SketchParams } from '../../src/sketch/params.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { documents, encode, hostileBytes, shingleParams } from '../data/shingledDocuments.js';
import { createReferenceKernel } from './referenceKernel.js';
import { kernelModule, newMemory } from './sketchKernels.js';
import { paramsOf } from './text/textStreams.js';

const reference = createReferenceKernel();
const wasm = createWasmKernel(kernelModule);
const UNITS = ['words', 'chars', 'bytes'] as const;
const SKETCHES: readonly SketchName[] = ['fss', 'classic'];
const FSS: SketchParams = { sketch: 'fss', hashes: 128, seed: 1 };

/** A document given whole, or in two pieces. */
interface Given {
  readonly bytes: Uint8Array;
  readonly cut?: number;
}

/** All that sketches say of some documents, and their rows. */
function told(
  sketches: DocumentSketches,
  given: readonly Given[],
  placed: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): unknown {
  sketches.rows.clear();
  const facts = given.map(({ bytes, cut }) => {
    if (cut === undefined) sketches.whole(placed(bytes));
    else {
      sketches.begin();
      sketches.push(bytes.subarray(0, cut));
      sketches.push(bytes.subarray(cut));
      sketches.end();
    }
    const { tokens, occurrences, repaired, contentKey, textKey } = sketches;
    return [tokens, occurrences, repaired, ...contentKey, ...textKey];
  });
  const rows = new Uint32Array(sketches.rows.length * sketches.rows.stride);
  sketches.rows.copyTo(rows);
  return { facts, rows };
}

function bothTold(given: readonly Given[], shingle: ShingleParams, sketch: SketchParams): [unknown, unknown] {
  return [
    told(wasm.documentSketches(shingle, sketch), given),
    told(reference.documentSketches(shingle, sketch), given),
  ];
}

const sketchParams = fc.record({
  sketch: fc.constantFrom(...SKETCHES),
  hashes: fc.constantFrom(16, 17, 30, 100, 128, 1023, 1024),
  seed: fc.constantFrom(1, 77),
});

test('one call per document equals the reference for any documents, units, sketches and lengths', (t) => {
  const given = fc.array(
    fc.record({ bytes: documents, cut: fc.nat(60) }, { requiredKeys: ['bytes'] }) as fc.Arbitrary<Given>,
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(given, shingleParams, sketchParams, (list, shingle, sketch) => {
      deepSame(t, ...bothTold(list, shingle, sketch));
    }),
    { seed: 1, numRuns: 150 },
  );
});

function repeatedText(bytes: Uint8Array, times: number): Uint8Array {
  const text = new Uint8Array(Math.min(bytes.length * times, 40_000));
  for (let at = 0; at < text.length; at += bytes.length) text.set(bytes.subarray(0, text.length - at), at);
  return text;
}

/** A text where the sketches have room for it, or in the memory of which that is a part. */
function placedIn(sketches: DocumentSketches, bytes: Uint8Array): Uint8Array {
  const { texts } = sketches;
  if (texts === undefined) return bytes;
  const text = new Uint8Array(texts.bytes.buffer, texts.at, bytes.length);
  text.set(bytes);
  return text;
}

test('a text in kernel memory is sketched in place, also while that memory grows', (t) => {
  const long = repeatedText(encode('The quick é brown fox. '), 1800);
  const repeated = documents.chain((bytes) =>
    fc.constantFrom(1, 40, 300).map((times) => repeatedText(bytes, times)),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 9, arbitrary: repeated }, { weight: 1, arbitrary: fc.constant(long) }), {
        maxLength: 8,
      }),
      shingleParams,
      sketchParams,
      (list, shingle, sketch) => {
        const sketches = createWasmKernel(kernelModule).documentSketches(shingle, sketch);
        const given = list.map((bytes) => ({ bytes }));
        const placed = told(sketches, given, (bytes) => placedIn(sketches, bytes));
        deepSame(t, placed, told(reference.documentSketches(shingle, sketch), given));
      },
    ),
    { seed: 1, numRuns: 12 },
  );
});

test('shingles of a text in the memory of the kernel are those of the text', (t) => {
  const long = repeatedText(encode('The quick é brown fox. '), 1800);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(documents, fc.constant(long)), { maxLength: 5 }),
      shingleParams,
      (list, shingle) => {
        const shinglesBy = (kernel: Kernel): unknown => {
          const found: number[][] = [];
          // Sets are collected in the same memory, which grows for them.
          const sets = kernel.setCollector();
          sets.clear();
          const stream = kernel.shingleStream(shingle, (hashes, count) => {
            found.push(Array.from(hashes.subarray(0, 2 * count)));
            sets.add(hashes, count);
          });
          for (const bytes of list) {
            const { texts } = stream;
            const text =
              texts === undefined ? bytes : new Uint8Array(texts.bytes.buffer, texts.at, bytes.length);
            text.set(bytes);
            stream.whole(text);
            sets.keep();
          }
          return [found.flat(), Array.from(sets.sets())];
        };
        deepSame(t, shinglesBy(createWasmKernel(kernelModule)), shinglesBy(reference));
      },
    ),
    { seed: 1, numRuns: 12 },
  );
});

test('documents of every length up to 200, at each of 16 offsets, are sketched as in the reference', (t) => {
  const ascii = (i: number): number => 'aB 1.\nzZ@['.charCodeAt((i * i) % 10);
  const broken = [0xe2, 0x61, 0x82, 0x20, 0xf0, 0x9f, 0xc3, 0xa9, 0xcc, 0x81, 0xff];
  const bytesAt = [ascii, (i: number) => broken[(i * i) % 11]!, () => 0x61, () => 0x20, () => 0x80];
  for (const unit of UNITS) {
    for (const sketch of unit === 'words' ? SKETCHES : SKETCHES.slice(0, 1)) {
      const given: Given[] = [];
      for (const byteAt of bytesAt) {
        for (let length = 0; length <= 200; length++) {
          const room = Uint8Array.from({ length: length + 32 }, (_, i) => byteAt(i));
          given.push({ bytes: room.subarray(length % 16, (length % 16) + length) });
        }
      }
      deepSame(t, ...bothTold(given, paramsOf(unit, 5), { sketch, hashes: 30, seed: 1 }));
    }
  }
});

test('documents of about the size of a block, and longer ones, are sketched as in the reference', (t) => {
  const text = encode('aé 中 The quick x, '.repeat(3000));
  const ascii = encode('The quick brown fox. '.repeat(2500));
  for (const unit of UNITS) {
    const given: Given[] = [];
    for (const length of [32_767, 32_768, 32_769]) {
      given.push({ bytes: text.subarray(0, length) }, { bytes: ascii.subarray(0, length) });
    }
    given.push({ bytes: ascii }, { bytes: ascii.subarray(0, 100) }, { bytes: ascii, cut: 33_000 });
    given.push({ bytes: encode('中'.repeat(10_922)) }, { bytes: new Uint8Array(32_768).fill(0x80) });
    given.push({ bytes: encode('a '.repeat(16_384)) }, { bytes: encode('Ⱥ'.repeat(16_384)) });
    for (const size of unit === 'words' ? [1, 63] : [5])
      deepSame(t, ...bothTold(given, paramsOf(unit, size), FSS));
  }
});

test('a byte order mark, marks, white space and invalid bytes among words equal the reference', (t) => {
  const pieces = fc.oneof(
    fc.constantFrom(
      '\ufeff',
      'a',
      'É',
      'e\u0301',
      '\u0301',
      '\u0323',
      ' ',
      '\t\n',
      '\u3000',
      '中',
      '각',
      '😀',
    ),
    fc.constantFrom('ab cd ef', 'Straße', 'ก็', '\u1112\u1161', '\u0958', 'İ'),
  );
  const text = fc.array(pieces, { maxLength: 40 }).map((list) => encode(list.join('')));
  const hostile = fc
    .array(hostileBytes, { maxLength: 8 })
    .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part, 0x61, 0x20])));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(text, hostile), { maxLength: 8 }),
      fc.constantFrom(...UNITS),
      (list, unit) => {
        const given = list.map((bytes) => ({ bytes }));
        deepSame(t, ...bothTold(given, paramsOf(unit, 3), FSS));
      },
    ),
    { seed: 1, numRuns: 100 },
  );
});

test('kernel memory may grow between documents', (t) => {
  const sketch: SketchParams = { ...FSS, hashes: 1024 };
  const texts = ['one two three', 'e\u0301 and more', '', 'long '.repeat(9000), '\u1112\u1161'];
  // More rows than the arena has at first.
  const given = Array.from({ length: 300 }, (_, i) => ({
    bytes: encode(`${i % 7} ${texts[(i * i) % texts.length]}`),
  }));
  for (const shingle of [paramsOf('words', 2), paramsOf('chars', 3), paramsOf('stopwords', 2)]) {
    const grown = createWasmKernel(kernelModule).documentSketches(shingle, sketch);
    deepSame(t, told(grown, given), told(reference.documentSketches(shingle, sketch), given));
  }
});

test('sketches of one kernel may alternate, and a document that was not ended has no row', (t) => {
  const words = wasm.documentSketches(paramsOf('words', 2), FSS);
  const chars = wasm.documentSketches(paramsOf('chars', 5), { ...FSS, sketch: 'classic' });
  const one = encode('one two three four');
  const expected = told(reference.documentSketches(paramsOf('words', 2), FSS), [
    { bytes: one },
    { bytes: one },
  ]);
  words.rows.clear();
  words.begin();
  words.push(encode('given up'));
  words.whole(one);
  words.begin();
  words.push(one.subarray(0, 5));
  words.begin();
  words.push(one);
  words.end();
  const rows = new Uint32Array(2 * words.rows.stride);
  words.rows.copyTo(rows);
  deepSame(t, rows, (expected as { rows: Uint32Array }).rows);
  deepSame(
    t,
    told(chars, [{ bytes: one }]),
    told(reference.documentSketches(paramsOf('chars', 5), { ...FSS, sketch: 'classic' }), [{ bytes: one }]),
  );
  deepSame(t, told(words, [{ bytes: one }, { bytes: one }]), expected);
});

test('rows may exceed the arena, and earlier rows are kept', (t) => {
  for (const most of [1 << 19, 1 << 20]) {
    const rows = new ArenaRows(new Arena(newMemory(), most), 128);
    for (let round = 0; round < 2; round++) {
      rows.clear();
      t.is(rows.length, 0);
      rows.copyTo(new Uint32Array(0));
      const count = 5000;
      for (let i = 0; i < count; i++) rows.append(new Uint32Array(128).fill(i + round));
      t.is(rows.length, count);
      const all = new Uint32Array(128 * count);
      rows.copyTo(all);
      t.true(all.every((slot, at) => slot === (at >> 7) + round));
    }
  }
});
