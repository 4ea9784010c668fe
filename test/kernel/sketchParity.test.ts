/** The whole Kernel interface, reference against WebAssembly, used as a run uses it. */
import test from 'ava';
import fc from 'fast-check';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import type { SketchName } from '../../src/sketch/params.js';
import { agreementOf } from '../../src/sketch/probability.js';
import { shardOf } from '../../src/sketch/shards.js';
import type { ShingleParams, ShingleUnit } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { createReferenceKernel } from './referenceKernel.js';
import { hashesOf, kernelModule, seeds } from './sketchKernels.js';

const reference = createReferenceKernel();
const wasm = createWasmKernel(kernelModule);

test('the kernel has every function of the reference', (t) => {
  t.is(wasm.name, 'wasm');
  const names = Object.keys(reference) as (keyof Kernel)[];
  deepSame(
    t,
    names.filter((name) => typeof wasm[name] !== typeof reference[name]),
    [],
  );
});

test('whole texts in the kernel: the same hashes, key and counts as in pieces, and as in the reference', (t) => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => new TextEncoder().encode(text)),
    fc.uint8Array({ maxLength: 60 }),
    fc.tuple(fc.nat(40_000), seeds).map(([length, seed]) => {
      const words = hashesOf('mixed', Math.ceil(length / 8), seed);
      return new Uint8Array(words.buffer, 0, length).map((byte) => 0x20 + (byte % 95));
    }),
  );
  const units = fc.constantFrom<ShingleUnit>('words', 'chars', 'bytes', 'lines', 'stopwords');
  fc.assert(
    fc.property(
      fc.array(texts, { maxLength: 4 }),
      units,
      fc.constantFrom(1, 5),
      fc.boolean(),
      (list, unit, size, bag) => {
        const shingle: ShingleParams = { unit, size, bag, stopWords: ['a', 'e'], seed: 3 };
        const [whole, pieces, plain] = [wasm, wasm, reference].map((kernel, way) => {
          let hashes: number[] = [];
          const stream = kernel.shingleStream(shingle, (found, count) => {
            hashes = [...hashes, ...found.subarray(0, 2 * count)];
          });
          return list.map((text) => {
            hashes = [];
            if (way === 0) stream.whole(text);
            else {
              stream.begin();
              stream.push(text);
              stream.end();
            }
            const { tokens, occurrences, repaired, contentKey } = stream;
            return { hashes, tokens, occurrences, repaired, contentKey: contentKey.slice() };
          });
        });
        deepSame(t, whole, plain);
        deepSame(t, pieces, plain);
      },
    ),
    { seed: 1, numRuns: 80 },
  );
});

/**
 * What a run computes of some texts, by one kernel: signatures over shards, agreements, sets.
 */
function computed(
  kernel: Kernel,
  texts: readonly Uint8Array[],
  sketch: SketchName,
  shingle: ShingleParams,
): unknown {
  const sketcher = kernel.sketcher({ sketch, hashes: 100, seed: shingle.seed });
  const parts = [0, 1, 2].map(() => new Uint32Array(sketcher.stride));
  const whole = new Uint32Array(sketcher.stride);
  let set: number[] = [];
  const stream = kernel.shingleStream(shingle, (hashes, count) => {
    sketcher.update(whole, hashes, count);
    for (let i = 0; i < 2 * count; i += 2) {
      set.push(hashes[i]!, hashes[i + 1]!);
      const shard = shardOf(hashes[i]!, hashes[i + 1]!, parts.length);
      sketcher.update(parts[shard]!, hashes.subarray(i, i + 2), 1);
    }
  });
  const signatures: Uint32Array[] = [];
  const sets: Uint32Array[] = [];
  const rest: unknown[] = [];
  for (const text of texts) {
    set = [];
    for (const signature of [whole, ...parts]) sketcher.clear(signature);
    stream.begin();
    stream.push(text);
    stream.end();
    const merged = new Uint32Array(parts[0]!);
    for (const part of parts.slice(1)) sketcher.merge(merged, part);
    const sorted = Uint32Array.from(set);
    sets.push(sorted.subarray(0, 2 * kernel.sortUnique(sorted, set.length / 2)));
    signatures.push(merged);
    rest.push(whole.slice(), [...stream.contentKey], stream.tokens, stream.occurrences, stream.repaired);
  }
  const comparer = kernel.setComparer();
  for (let i = 1; i < texts.length; i++) {
    const [a, b] = [sets[i - 1]!, sets[i]!];
    rest.push(agreementOf(signatures[i - 1]!, 0, signatures[i]!, 0, 100));
    comparer.clear();
    const common = new Uint32Array(1);
    const sizes = [comparer.place(a, 0, a.length / 2), comparer.place(b, 0, b.length / 2)];
    comparer.compare(Uint32Array.of(0), Uint32Array.of(1), 0, 1, common);
    rest.push(...sizes, common[0]);
  }
  return { signatures, sets, rest };
}

test('both kernels make the same signatures, sets and agreements of texts', (t) => {
  const words = fc.array(fc.constantFrom('to', 'be', 'or', 'not', 'Ärger', '是', '\u0301x', '\n'), {
    maxLength: 300,
  });
  const texts = fc.array(
    fc.oneof(
      words.map((list) => new TextEncoder().encode(list.join(' '))),
      fc.uint8Array({ maxLength: 300 }),
    ),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom<SketchName>('fss', 'classic'),
      fc.constantFrom<ShingleParams['unit']>('words', 'chars', 'bytes', 'lines', 'stopwords'),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (documents, sketch, unit, size, bag) => {
        const shingle = { unit, size, bag, stopWords: ['to', 'be'], seed: 7 };
        deepSame(
          t,
          computed(wasm, documents, sketch, shingle),
          computed(reference, documents, sketch, shingle),
        );
      },
    ),
    { seed: 1, numRuns: 60 },
  );
});
