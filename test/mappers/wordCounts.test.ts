/** wordCounts: in how many documents a word occurs. */
import test from 'ava';
import { wordCounts } from '../../mappers/wordCounts.js';
import { elementsOf, wordRule } from '../../src/analysis/methods/elementStreams.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const DOCUMENTS: readonly Fed[] = [...SOME_DOCUMENTS, someText(6000, 4), someText(100, 1), 'two words two'];
const TEXTS = DOCUMENTS.filter((document) => typeof document === 'string');
const RULE = { seed: 7 };

const wordsOf = (text: string): string[] => {
  const words = elementsOf(Buffer.from(text), wordRule(RULE));
  return Array.from({ length: words.length / 2 }, (_, i) => `${words[2 * i]} ${words[2 * i + 1]}`);
};

/** By definition: the number of documents with each word. */
function expectedCounts(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of TEXTS)
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

for (const [name, kernel] of [
  ['reference', createReferenceKernel()],
  ['wasm', createWasmKernel(kernelModule)],
] as const) {
  test(`wordCounts counts a word once per document, in the kernel ${name}`, (t) => {
    const expected = expectedCounts();
    const { block, documents } = wordCounts(feedOf(DOCUMENTS), kernel, null, RULE);
    t.is(documents, TEXTS.length);
    const { hashes, documents: counts } = block.columns;
    const found = new Map<string, number>();
    // A discarded document may leave words without documents.
    for (let i = 0; i < counts!.length; i++)
      if (counts![i]! > 0) found.set(`${hashes![2 * i]} ${hashes![2 * i + 1]}`, counts![i]!);
    t.deepEqual([...found].sort(), [...expected].sort());
    const list = ['two', 'absent', 'words'].map((word) => elementsOf(Buffer.from(word), wordRule(RULE)));
    const words = Uint32Array.from(list.flatMap((element) => [...element]));
    const ofList = wordCounts(feedOf(DOCUMENTS), kernel, words, RULE).block.columns;
    t.deepEqual(Object.keys(ofList), ['documents']);
    t.deepEqual(
      Array.from(ofList.documents!),
      ['two', 'absent', 'words'].map((word) => expected.get(wordsOf(word)[0]!) ?? 0),
    );
  });
}
