/** Keys of texts: the kernel and the definition in whole numbers, bit for bit, however a text is cut. */
import test from 'ava';
import fc from 'fast-check';
import { seededConstants } from '../../../src/arrays/hashing.js';
import { createWasmTextHashes } from '../../../src/kernel/text/wasmTextKey.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import type { TextHash } from '../../../src/text/keys/textKey.js';
import {
  CLASS,
  codePointTable,
  IGNORABLE,
  MARK,
  SEPARATOR,
  STANDALONE,
  WHITE_SPACE,
  WORD,
} from '../../../src/text/unicode/codePoints.js';
import { anyText } from '../../data/anyText.js';
import { cuts, documents, piecesOf } from '../../data/shingledDocuments.js';
import { kernelModule, newMemory } from '../sketchKernels.js';
import { paramsOf } from './textStreams.js';

const kernelHash = createWasmTextHashes(newMemory());

function keyOf(hash: TextHash, pieces: readonly Uint8Array[]): string {
  hash.begin();
  for (const piece of pieces) hash.push(piece);
  hash.end();
  return hash.key.join();
}

const MASK = (1n << 64n) - 1n;

function fmix(h: bigint): bigint {
  h = ((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  h = ((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return h ^ (h >> 33n);
}

/** The first three words of a key by the formulas of src/text/keys/textKey.ts, a word of 64 bits at a time. */
function definedKey(bytes: Uint8Array, seed: number): string {
  const halves = seededConstants(seed, 'text', 10, true);
  const constants = Array.from(
    { length: 10 },
    (_, i) => BigInt(halves[2 * i]!) | (BigInt(halves[2 * i + 1]!) << 32n),
  );
  const [p1, p2] = [constants[8]!, constants[9]!];
  const rotl = (word: bigint, by: bigint): bigint => ((word << by) | (word >> (64n - by))) & MASK;
  const stepA = (chain: bigint, t: bigint, u: bigint): bigint =>
    rotl((((chain ^ t) + rotl(u, 23n)) * p1) & MASK, 32n);
  const stepB = (chain: bigint, u: bigint, t: bigint): bigint =>
    rotl((((chain ^ u) + rotl(t, 29n)) * p2) & MASK, 32n);
  const padded = new Uint8Array(16 * Math.ceil(bytes.length / 16));
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  const [a, b] = [constants.slice(0, 4), constants.slice(4, 8)];
  for (let at = 0; at < padded.length; at += 16) {
    const [t, u] = [view.getBigUint64(at, true), view.getBigUint64(at + 8, true)];
    const i = (at / 16) % 4;
    a[i] = stepA(a[i]!, t, u);
    b[i] = stepB(b[i]!, u, t);
  }
  const n = BigInt(bytes.length);
  const sum = (chains: bigint[]): bigint =>
    chains.reduce((all, chain, i) => all + (i === 0 ? fmix(chain) : rotl(fmix(chain), 16n * BigInt(i))), 0n) &
    MASK;
  const x = sum(a) ^ n;
  const y = sum(b);
  const first = fmix((x + y) & MASK);
  const second = fmix(y ^ first);
  return [first & 0xffffffffn, first >> 32n, second & 0xffffffffn].join();
}

/** The formula of src/text/keys/textKey.ts for valid text, a code point at a time. */
function definedPunctuation(text: string, seed: number): number {
  const halves = seededConstants(seed, 'text', 10, true);
  const factor = BigInt(halves[16]!) | (BigInt(halves[17]!) << 32n);
  const { flags } = codePointTable();
  const outline: number[] = [];
  let isWithin = false;
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    const flag = flags[codePoint]!;
    const kind = flag & CLASS;
    if (kind === MARK || flag === IGNORABLE) continue;
    if (kind === SEPARATOR && (flag & WHITE_SPACE) === 0 && codePoint > 0x1f && codePoint !== 0x200b)
      outline.push(...new TextEncoder().encode(character));
    if (kind === STANDALONE || (kind === WORD && !isWithin)) outline.push(1);
    isWithin = kind === WORD;
  }
  const view = new DataView(new ArrayBuffer(8 * Math.floor(outline.length / 8) + 8));
  for (const [i, byte] of outline.entries()) view.setUint8(i, byte);
  let chain = 0n;
  for (let at = 0; at < view.byteLength; at += 8) {
    const mixed = ((chain ^ view.getBigUint64(at, true)) * factor) & MASK;
    chain = ((mixed << 32n) | (mixed >> 32n)) & MASK;
  }
  return Number(fmix(chain ^ BigInt(outline.length)) & 0xffffffffn);
}

/** The text of valid bytes. */
function validText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const texts = fc.oneof(
  documents,
  anyText({ maxLength: 400, size: 'max' }).map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 300, size: 'max' }),
  // Runs of few bytes.
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 2300 }))
    .map(([bytes, length]) => Uint8Array.from({ length }, (_, i) => bytes[(i * i) % bytes.length]!)),
);

test('kernel and definition agree on any text, seed and cuts', (t) => {
  fc.assert(
    fc.property(texts, cuts, fc.constantFrom(1, 77, 2 ** 40), (bytes, fractions, seed) => {
      const pieces = piecesOf(bytes, fractions);
      // Of bytes that are not valid, the word of punctuation depends on the text alone.
      const text = validText(bytes);
      const punctuation =
        text === null ? keyOf(kernelHash(seed), [bytes]).split(',')[3] : definedPunctuation(text, seed);
      const kernel = keyOf(kernelHash(seed), pieces);
      const expected = `${definedKey(bytes, seed)},${punctuation}`;
      if (kernel !== expected) t.is(kernel, expected);
    }),
    { seed: 1, numRuns: 600 },
  );
  t.pass();
});

test('a text of many blocks has the key of its bytes in every unit, also if the kernel leaves it to the reference', (t) => {
  const kernel = createWasmKernel(kernelModule);
  const bytes = Uint8Array.from(
    { length: 200_003 },
    (_, i) => [0x61, 0x20, 0x2c, 0xc3, 0xa9, 0x37][(i * i) % 6]!,
  );
  const expected = definedKey(bytes, 1);
  for (const params of [
    paramsOf('words', 3),
    paramsOf('chars', 3),
    paramsOf('bytes', 3),
    paramsOf('lines', 1),
    paramsOf('stopwords', 2),
  ]) {
    const stream = kernel.shingleStream(params, () => {});
    const other = kernel.shingleStream(params, () => {});
    stream.begin();
    stream.push(bytes.subarray(0, 77_777));
    // Another document between two pieces of this one.
    other.begin();
    other.push(bytes.subarray(5));
    stream.push(bytes.subarray(77_777));
    stream.end();
    other.end();
    t.is(stream.textKey.subarray(0, 3).join(), expected, params.unit);
    t.is(other.textKey.subarray(0, 3).join(), definedKey(bytes.subarray(5), 1), params.unit);
    // The next document of the stream knows nothing of it.
    stream.begin();
    stream.end();
    t.is(stream.textKey.subarray(0, 3).join(), definedKey(new Uint8Array(0), 1), params.unit);
  }
});
