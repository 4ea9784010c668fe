/** containments: which reference documents are contained in which documents, against a plain comparison of sets. */
import test from 'ava';
import { ContainedReferences, containments, referenceTable } from '../../mappers/containments.js';
import { shingleSets } from '../../mappers/shingleSets.js';
import { decodeBlock } from '../../src/blocks/block.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { type ShingleParams, shingleSet } from '../../src/text/shingles.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };

/** Rows [document, reference, common, size]. */
function containedIn(
  documents: readonly Fed[],
  references: readonly string[],
  threshold: number,
  shingle: ShingleParams,
  kernel = createReferenceKernel(),
): number[][] {
  const { counts, hashes } = shingleSets(feedOf(references), kernel, shingle, null);
  let from = 0;
  const sets = Array.from(counts, (count) => {
    from += count;
    return hashes.slice(2 * (from - count), 2 * from);
  });
  const table = new ContainedReferences(referenceTable(sets, threshold), threshold);
  const found = containments(feedOf(documents), kernel, shingle, table);
  found.documents(documents.length);
  const { row, reference, common, size } = decodeBlock(found.containments().buffer).columns;
  return Array.from(row!, (_, i) => [row![i]!, reference![i]!, common![i]!, size![i]!]);
}

function setOf(text: string, shingle: ShingleParams): Set<string> {
  const hashes = shingleSet(new TextEncoder().encode(text), shingle);
  return new Set(
    Array.from({ length: hashes.length / 2 }, (_, i) => `${hashes[2 * i]} ${hashes[2 * i + 1]}`),
  );
}

/** The same by comparing all pairs of sets. */
function byComparison(
  documents: readonly Fed[],
  references: readonly string[],
  threshold: number,
  shingle: ShingleParams,
): number[][] {
  const read = documents.filter((document) => typeof document === 'string');
  const sets = references.map((text) => setOf(text, shingle));
  return read.flatMap((document, row) => {
    const set = setOf(document, shingle);
    return sets.flatMap((wanted, reference) => {
      const common = [...wanted].filter((key) => set.has(key)).length;
      return wanted.size > 0 && common / wanted.size >= threshold ? [[row, reference, common, set.size]] : [];
    });
  });
}

const REFERENCES: readonly string[] = [
  someText(40, 3),
  `${someText(30, 1)} and other words`,
  'two words',
  '',
  someText(25, 9),
  `${someText(20, 4)} ${someText(20, 9)}`,
  'rose is a rose is a rose is a rose',
];
const DOCUMENTS: readonly Fed[] = [
  ...SOME_DOCUMENTS,
  `before ${REFERENCES[0]} after`,
  `${REFERENCES[4]} between ${REFERENCES[5]}`,
  'a rose is a rose is a rose',
];

for (const bag of [false, true])
  test(`reference documents are found as by comparing all pairs of ${bag ? 'bags' : 'sets'}`, (t) => {
    for (const unit of ['words', 'chars'] as const)
      for (const threshold of [0.05, 0.5, 0.55, 1]) {
        const shingle = { ...SHINGLE, unit, bag };
        const expected = byComparison(DOCUMENTS, REFERENCES, threshold, shingle);
        t.true(expected.length > 0);
        t.deepEqual(containedIn(DOCUMENTS, REFERENCES, threshold, shingle), expected);
        t.deepEqual(
          containedIn(DOCUMENTS, REFERENCES, threshold, shingle, createWasmKernel(kernelModule)),
          expected,
        );
      }
  });

test('a reference document shorter than a shingle is contained only in equal texts', (t) => {
  t.deepEqual(containedIn(['two words', 'these two words', ''], ['Two words!'], 0.7, SHINGLE), [
    [0, 0, 1, 1],
  ]);
});
