/** Units that are taken back: of documents that turn out to be unreadable, and those with too few tokens. */
import test from 'ava';
import { contentKeys } from '../../mappers/contentKeys.js';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { documentSignatures } from '../../mappers/signatures.js';
import { signatures } from '../../reducers/signatures.js';
import type { Block } from '../../src/blocks/block.js';
import { countsWithoutRow, type DocumentFeed } from '../../src/blocks/documents.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { ofUnits } from '../../src/readers/sinks/unitSink.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, someText } from './documents.js';

const KERNELS = [createReferenceKernel(), createWasmKernel(kernelModule)];
const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };
const PARAMS = { sketch: { sketch: 'fss', hashes: 16, seed: 3 }, banding: { bands: 4, rows: 4 } } as const;

const unitsOf =
  (documents: readonly Fed[], leastTokens: number): DocumentFeed =>
  (sink) => {
    sink.leaveAlone?.(leastTokens);
    feedOf(documents)(ofUnits(sink, 'paragraph'));
  };

/** So many paragraphs, of which every third has two words. */
function text(paragraphs: number, seed: number, words = 30): string {
  const all = Array.from({ length: paragraphs }, (_, i) =>
    i % 3 === 2 ? 'two words' : someText(words, seed + i),
  );
  return all.join('\n\n');
}

const LOST: Fed = { begun: `${text(4, 50)}\n\nand`, problem: 'GZIP_TRUNCATED' };
const WITHOUT: readonly Fed[] = [text(5, 1), text(3, 2), text(7, 3)];
const WITH: readonly Fed[] = [LOST, text(5, 1), LOST, text(3, 2), LOST, text(7, 3), LOST];

/** The columns of a table, except the numbers of documents. */
function rowsIn({ columns, meta }: Block) {
  const { unit, contentKey, occurrences, textBytes } = columns;
  const counts = countsWithoutRow({ meta });
  return { rows: [unit, contentKey, occurrences, textBytes].map((column) => [...column!]), counts };
}

test('units of skipped documents leave no rows', (t) => {
  for (const kernel of KERNELS) {
    for (const least of [1, 3]) {
      const [without, lost] = [unitsOf(WITHOUT, least), unitsOf(WITH, least)];
      const fused = [without, lost].map((feed) => documentSignatures(feed, kernel, SHINGLE, PARAMS));
      const tables = fused.map(({ documents }) => rowsIn(documents(0)));
      t.deepEqual(tables[1], tables[0]);
      t.deepEqual(tables[0]!.counts, { tooShort: least === 1 ? 0 : 4, cut: 3 });
      t.is(tables[0]!.rows[0]!.length, least === 1 ? 15 : 11);
      t.deepEqual(fused[1]!.signatures.columns.slots, fused[0]!.signatures.columns.slots);
      const keys = contentKeys(lost, kernel, SHINGLE);
      t.deepEqual(rowsIn(keys(0)), tables[0]);
    }
  }
});

test('units of skipped documents are removed from shards, also for long texts', (t) => {
  const bytes: ShingleParams = { ...SHINGLE, unit: 'bytes' };
  const [large, more] = [text(2, 7, 60_000), text(2, 9, 90_000)];
  const cut: Fed = { begun: text(5, 11, 60_000), problem: 'GZIP_TRUNCATED' };
  const cases: readonly (readonly [readonly Fed[], readonly Fed[], ShingleParams])[] = [
    [WITHOUT, WITH, SHINGLE],
    [[large, more], [cut, large, cut, more, cut], bytes],
  ];
  const kernel = KERNELS[1]!;
  for (const [without, lost, shingle] of cases) {
    for (const shards of [2, 7]) {
      const expected = documentSignatures(unitsOf(without, 3), kernel, shingle, PARAMS);
      const { partials, documents } = partialSignatures(
        unitsOf(lost, 3),
        kernel,
        shingle,
        PARAMS.sketch,
        shards,
      );
      t.deepEqual(signatures(partials, kernel, PARAMS).columns.slots, expected.signatures.columns.slots);
      t.deepEqual(rowsIn(documents(0)), rowsIn(expected.documents(0)));
    }
  }
});

test('documents with few tokens are skipped, empty ones are listed', (t) => {
  const feed: DocumentFeed = (sink) => {
    sink.leaveAlone?.(3);
    feedOf([someText(9, 1), 'two words', '', ' \n', 'now three words'])(sink);
  };
  for (const kernel of KERNELS) {
    const { documents, signatures: made } = documentSignatures(feed, kernel, SHINGLE, PARAMS);
    const table = documents(0);
    t.deepEqual([...table.columns.record!], [0, 2, 3, 4]);
    t.false('unit' in table.columns);
    t.deepEqual(countsWithoutRow(table), { tooShort: 1, cut: 0 });
    t.is(made.columns.slots!.length, 4 * 16);
  }
});
