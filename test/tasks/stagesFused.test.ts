/** fusedPairs: the evidence of stored sets without storing them. */
import test from 'ava';
import fc from 'fast-check';
import { shingleSets } from '../../mappers/shingleSets.js';
import { exactPairs } from '../../reducers/exactPairs.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { fusedPairs } from '../../src/tasks/kinds/setTasks.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, someText } from '../mappers/documents.js';
import { pairsOf } from '../reducers/bruteForce.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };
const THRESHOLD = 0.4;
const KERNELS: readonly (readonly [string, Kernel])[] = [
  ['the reference', createReferenceKernel()],
  ['the kernel', createWasmKernel(kernelModule)],
];

/** Near copies, some of which can no longer be read. */
const corpora = fc.array(
  fc.record({
    seed: fc.nat(2),
    length: fc.integer({ min: 3, max: 60 }),
    gone: fc.constantFrom(true, false, false),
  }),
  { minLength: 2, maxLength: 12 },
);

function evidenceOf(kernel: Kernel, documents: readonly Fed[], list: readonly [number, number][]) {
  const wanted = {
    file: new Uint32Array(documents.length),
    record: Float64Array.from(documents.keys()),
  };
  const pairs = pairsOf(list);
  return fusedPairs(feedOf(documents), kernel, SHINGLE, wanted, pairs, THRESHOLD).columns;
}

for (const [name, kernel] of KERNELS) {
  test(`pairs of present documents get what their stored sets say, with ${name}`, (t) => {
    fc.assert(
      fc.property(corpora, (corpus) => {
        const documents: Fed[] = corpus.map(({ seed, length, gone }) => {
          const text = someText(length, seed);
          return gone ? { begun: text, fault: 'BINARY' as const } : text;
        });
        const list: [number, number][] = [];
        for (let a = 0; a < corpus.length; a++) for (let b = a + 1; b < corpus.length; b++) list.push([a, b]);
        const found = evidenceOf(kernel, documents, list);
        const wanted = { file: new Uint32Array(corpus.length), record: Float64Array.from(corpus.keys()) };
        const stored = shingleSets(feedOf(documents), createReferenceKernel(), SHINGLE, wanted).columns;
        t.deepEqual(found.record, stored.record);
        t.deepEqual(found.contentKey, stored.contentKey);
        const setOf = new Map(Array.from(stored.record!, (record, set) => [record, set]));
        const present = list.filter(([a, b]) => setOf.has(a) && setOf.has(b));
        const sets = setOf.size;
        const expected = exactPairs(
          pairsOf(present.map(([a, b]) => [setOf.get(a)!, setOf.get(b)!])),
          {
            blocks: [{ hashes: stored.hashes as Uint32Array, offsets: stored.offsets as Float64Array }],
            setBlock: new Uint32Array(sets),
            setIndex: Uint32Array.from({ length: sets }, (_, set) => set),
          },
          THRESHOLD,
          createReferenceKernel().setComparer(),
        );
        for (const column of ['jaccard', 'containmentAB', 'containmentBA', 'accepted'] as const) {
          const rows = list.map((pair, i) => [pair, found[column]![i]!] as const);
          const of = (isPresent: boolean) =>
            rows.filter(([[a, b]]) => (setOf.has(a) && setOf.has(b)) === isPresent).map(([, value]) => value);
          t.deepEqual(of(true), Array.from(expected[column]));
          t.true(of(false).every((value) => (column === 'accepted' ? value === 0 : Number.isNaN(value))));
        }
      }),
      { seed: 1, numRuns: 100 },
    );
  });
}

test('no pairs and no documents are no error', (t) => {
  for (const [, kernel] of KERNELS) {
    t.is(evidenceOf(kernel, [], []).jaccard!.length, 0);
    t.is(evidenceOf(kernel, ['a b c d'], []).record!.length, 1);
  }
});
