import test from 'ava';
import fc from 'fast-check';
import { WHOLE_FILE } from '../../../src/blocks/documents.js';
import type { Corpus } from '../../../src/coordinator/sketch/corpus.js';
import { standingOf } from '../../../src/coordinator/sketch/places.js';
import type { SketchedBlock } from '../../../src/coordinator/sketch/sketching.js';
import { DocumentPlaces } from '../../../src/coordinator/verify/reread.js';

const KINDS = ['files', 'range', 'chunk', 'memory'] as const;

/** Columns of some blocks, in the order in which they are documents. */
const corpora = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      columns: fc.array(
        fc.record({ file: fc.nat(9), record: fc.constantFrom(WHOLE_FILE, 0, 7), occurrences: fc.nat(100) }),
        { maxLength: 6 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .chain((blocks) => {
    const all = blocks.flatMap(({ columns }, block) => columns.map((_, column) => [block, column] as const));
    return fc.record({
      blocks: fc.constant(blocks),
      documents: fc.shuffledSubarray(all),
      isOrdered: fc.boolean(),
    });
  });

test('DocumentPlaces says what the tables say, and orders documents as they are read', (t) => {
  fc.assert(
    fc.property(corpora, fc.nat(), ({ blocks, documents, isOrdered }, some) => {
      const at = isOrdered ? [...documents].sort(([a, b], [c, d]) => a - c || b - d) : documents;
      const corpus = {
        documents: at.length,
        blockOf: Uint32Array.from(at, ([block]) => block),
        columnOf: Uint32Array.from(at, ([, column]) => column),
        tables: blocks.map(({ columns }) => ({
          columns: {
            file: Uint32Array.from(columns, ({ file }) => file),
            record: Float64Array.from(columns, ({ record }) => record),
            occurrences: Float64Array.from(columns, ({ occurrences }) => occurrences),
            unit: null,
          },
        })),
      } as unknown as Corpus;
      const sketched = blocks.map(({ kind }) => ({ split: { kind } })) as unknown as SketchedBlock[];
      const places = new DocumentPlaces(corpus, sketched);
      const wanted = Uint32Array.from(at.keys()).filter((d) => (d + some) % 3 > 0);
      const columns = standingOf(corpus, wanted);
      wanted.forEach((d, i) => {
        const [block, column] = at[d]!;
        const { kind } = blocks[block]!;
        const { file, record, occurrences } = blocks[block]!.columns[column]!;
        t.is(places.hashesOf(d), occurrences);
        t.is(places.fileOf(d), file);
        t.deepEqual([columns.file[i], columns.record[i]], [file, record]);
        t.is(places.isFile(d), kind === 'files' && record === WHOLE_FILE);
      });
      const inOrder = [...wanted].sort((x, y) => at[x]![0] - at[y]![0] || at[x]![1] - at[y]![1]);
      t.deepEqual([...places.inReadingOrder(wanted)], inOrder);
      const lists = places.byBlock(wanted);
      t.deepEqual(
        [...lists].flatMap(([, list]) => [...list]),
        inOrder,
      );
      for (const [block, list] of lists) for (const d of list) t.is(at[d]![0], block);
    }),
    { seed: 1, numRuns: 200 },
  );
});
