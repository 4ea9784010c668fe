/** Keys of texts: the kernel and the definition in whole numbers, bit for bit, however a text is cut. */
import test from 'ava';
import fc from 'fast-check';
import { seededConstants } from '../../../src/arrays/hashing.js';

import { createWasmTextHashes } from '../../../src/kernel/text/wasmTextKey.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import type { TextHash } from '../../../src/text/keys/textKey.js';
import { cuts, documents, piecesOf } from '../../data/shingledDocuments.js';
import { kernelModule, newMemory } from '../sketchKernels.js';
import { paramsOf } from './textStreams.js';

const kernelHash = createWasmTextHashes(newMemory());

function told(hash: TextHash, pieces: readonly Uint8Array[]): string {
  hash.begin();
  for (const piece of pieces) hash.push(piece);
  hash.end();
  return `${hash.key.join()} ${hash.looksLikeCode}`;
}

const MASK = (1n << 64n) - 1n;

/** The formulas of src/text/keys/textKey.ts, a word at a time. */
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
  const fmix = (h: bigint): bigint => {
    h = ((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
    h = ((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
    return h ^ (h >> 33n);
  };
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
  return [first, second].flatMap((half) => [half & 0xffffffffn, half >> 32n]).join();
}

/** By the words of the definition: more than one byte in ten of the first 1,024 is an ASCII digit or punctuation. */
function definedCode(bytes: Uint8Array): boolean {
  const sample = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const marks = sample.match(/[!-@[-`{-\x7f]/g) ?? [];
  return 10 * marks.length > sample.length;
}

const texts = fc.oneof(
  documents,
  fc.uint8Array({ maxLength: 300, size: 'max' }),
  // Around the sample, and runs of one byte.
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 2300 }))
    .map(([bytes, length]) => Uint8Array.from({ length }, (_, i) => bytes[(i * i) % bytes.length]!)),
);

test('kernel and definition agree on any text, seed and cuts', (t) => {
  fc.assert(
    fc.property(texts, cuts, fc.constantFrom(1, 77, 2 ** 40), (bytes, fractions, seed) => {
      const pieces = piecesOf(bytes, fractions);
      const expected = `${definedKey(bytes, seed)} ${definedCode(bytes)}`;
      const kernel = told(kernelHash(seed), pieces);
      if (kernel !== expected) t.is(kernel, expected);
    }),
    { seed: 1, numRuns: 600 },
  );
  t.pass();
});

test('a text of many blocks has the key of its bytes in every unit, also where the kernel leaves it to the reference', (t) => {
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
    t.is(stream.textKey.join(), expected, params.unit);
    t.is(other.textKey.join(), definedKey(bytes.subarray(5), 1), params.unit);
    // The next document of the stream knows nothing of it.
    stream.begin();
    stream.end();
    t.is(stream.textKey.join(), definedKey(new Uint8Array(0), 1), params.unit);
  }
});
