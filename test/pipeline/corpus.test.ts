import test from 'ava';
import fc from 'fast-check';
import { type Column, encodeBlock } from '../../src/blocks/block.js';
import { EMPTY, HAS_ID, REPAIRED, WHOLE_FILE } from '../../src/blocks/documents.js';
import { idText } from '../../src/blocks/idTable.js';
import { type ErrorCode, SKIP_CODES } from '../../src/errors.js';
import { CorpusBuilder } from '../../src/pipeline/corpus.js';
import type { SketchedBlock } from '../../src/pipeline/sketching.js';
import { SkipList } from '../../src/pipeline/skipped.js';
import type { FileTable } from '../../src/storage/fileTable.js';
import { createMemoryStore } from '../../src/storage/store.js';
import type { TaskSource } from '../../src/storage/taskSource.js';
import { tableOf } from '../storage/fileTables.js';

interface Document {
  readonly file: number;
  readonly record: number;
  /** Null: none is named. */
  readonly id: string | null;
  readonly flags: number;
}

interface Skipped {
  readonly file: number;
  readonly record: number;
  readonly code: ErrorCode;
}

interface TestBlock {
  readonly source: TaskSource;
  readonly documents: readonly Document[];
  readonly skips?: readonly Skipped[];
  readonly lines?: number;
}

const ends = (texts: readonly string[]): Uint32Array => {
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i]! + text.length;
  });
  return offsets;
};

function documentsBlock({ documents, skips = [], lines = 0 }: TestBlock, block: number) {
  const ids = documents.map(({ id }) => id ?? '');
  const columns: Record<string, Column> = {
    file: Uint32Array.from(documents, ({ file }) => file),
    record: Float64Array.from(documents, ({ record }) => record),
    idOffsets: ends(ids),
    idBytes: Buffer.from(ids.join(''), 'latin1'),
    flags: Uint8Array.from(documents, ({ id, flags }) => flags | (id === null ? 0 : HAS_ID)),
    // Keys that say where the document stands.
    contentKey: Uint32Array.from(documents.flatMap((_, column) => [block, column, 7, 9])),
    textKey: Uint32Array.from(documents.flatMap((_, column) => [5, block, 3, column])),
    occurrences: Float64Array.from(documents, (_, column) => 10 ** block + column),
    skipFile: Uint32Array.from(skips, ({ file }) => file),
    skipRecord: Float64Array.from(skips, ({ record }) => record),
    skipCode: Uint8Array.from(skips, ({ code }) => SKIP_CODES.indexOf(code)),
    skipIdOffsets: new Uint32Array(skips.length + 1),
    skipIdBytes: new Uint8Array(0),
  };
  return encodeBlock('documents', { lines, bytes: 0 }, columns);
}

function build(blocks: readonly TestBlock[], files: FileTable | null) {
  const store = createMemoryStore();
  const skipped = new SkipList();
  const builder = new CorpusBuilder(store, files, skipped);
  blocks.forEach((block, k) => {
    store.put(`documents/${k}`, documentsBlock(block, k).buffer);
    const { documents, source, skips = [], lines = 0 } = block;
    const report = { documents: documents.length, skipped: skips.length, lines, bytes: 0 };
    builder.add({ block: k, source, text: null, label: `${k}`, report } satisfies SketchedBlock);
  });
  const corpus = builder.finish();
  const columns = skipped.columns();
  const skips = Array.from(columns.codes, (code, i) => `${idText(columns.places, i)} ${SKIP_CODES[code]!}`);
  const ids = Array.from({ length: corpus.documents }, (_, d) => idText(corpus.ids, d));
  return { corpus, skips, ids };
}

const texts = (...ids: string[]): FileTable =>
  tableOf(ids.map((id) => ({ path: `/${id}`, id, bytes: 0, format: 'text', gzip: false, stdin: false })));

const whole = (file: number, flags = 0): Document => ({ file, record: WHOLE_FILE, id: null, flags });
const FILES = { kind: 'files' } as const;
const RANGE = (index: number): TaskSource => ({
  kind: 'range',
  index,
  file: { path: '', id: '', bytes: 0, format: 'jsonl', gzip: false, stdin: false },
  from: 0,
  to: 1,
});

test('CorpusBuilder numbers documents that come in order as they come', (t) => {
  const files = texts('a', 'b', 'c', 'd', 'e');
  const { corpus, ids, skips } = build(
    [
      { source: FILES, documents: [whole(0, EMPTY), whole(1), whole(3, REPAIRED)] },
      { source: FILES, documents: [whole(4)] },
    ],
    files,
  );
  t.deepEqual(ids, ['a', 'b', 'd', 'e']);
  t.deepEqual(skips, []);
  t.deepEqual([...corpus.blockOf], [0, 0, 0, 1]);
  t.deepEqual([...corpus.columnOf], [0, 1, 2, 0]);
  t.deepEqual([...corpus.empty], [1, 0, 0, 0]);
  t.deepEqual([...corpus.contentKeys.subarray(8, 16)], [0, 2, 7, 9, 1, 0, 7, 9]);
  t.deepEqual([...corpus.textKeys!.subarray(8, 16)], [5, 0, 3, 2, 5, 1, 3, 0]);
  t.deepEqual(corpus.counts, { read: 4, empty: 1, repaired: 1, shingleOccurrences: 16 });
  t.true(corpus.ids.bytes.buffer instanceof SharedArrayBuffer);
});

test('CorpusBuilder of nothing is an empty corpus', (t) => {
  const { corpus } = build([], texts());
  t.is(corpus.documents, 0);
  t.deepEqual([...corpus.ids.offsets], [0]);
  t.is(build([{ source: FILES, documents: [] }], texts('a')).corpus.documents, 0);
});

test('CorpusBuilder counts lines over the ranges of a file, and elements from 0', (t) => {
  const record = (file: number, number: number): Document => ({ file, record: number, id: null, flags: 0 });
  const { ids } = build(
    [
      { source: RANGE(0), documents: [record(0, 0), record(0, 2)], lines: 3 },
      { source: RANGE(0), documents: [record(0, 0)], lines: 1 },
      { source: { kind: 'chunk', index: 1, id: 'b', firstLine: 5 }, documents: [record(1, 1)] },
      { source: FILES, documents: [record(2, 0), record(2, 4)] },
    ],
    texts('a', 'b', 'c'),
  );
  t.deepEqual(ids, ['a#1', 'a#3', 'a#4', 'b#7', 'c#0', 'c#4']);
});

test('CorpusBuilder names a whole file that is skipped in every range once', (t) => {
  const skip: Skipped = { file: 0, record: WHOLE_FILE, code: 'VANISHED' };
  const line: Skipped = { file: 0, record: 1, code: 'JSON_BROKEN' };
  const blocks = [[skip], [skip, line], [line]].map((skips) => ({
    source: RANGE(0),
    documents: [],
    skips,
    lines: 2,
  }));
  const { corpus, skips } = build(blocks, texts('a'));
  t.deepEqual(skips, ['a VANISHED', 'a#4 JSON_BROKEN', 'a#6 JSON_BROKEN']);
  t.is(corpus.skipsRepeated, 1);
});

test('CorpusBuilder gives what sorting all documents by id, file and place gives', (t) => {
  const document = fc.record({
    id: fc.option(fc.string({ unit: fc.constantFrom('f', '0', '1', '#'), maxLength: 3 })),
    flags: fc.constantFrom(0, EMPTY, REPAIRED),
  });
  const files = texts('f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8');
  const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(document, { minLength: 9, maxLength: 9 }), sizes, (all, cuts) => {
      const documents = all.map((one, file): Document => ({ ...one, file, record: WHOLE_FILE }));
      const blocks: TestBlock[] = [];
      for (const size of cuts) blocks.push({ source: FILES, documents: documents.splice(0, size) });
      blocks.push({ source: FILES, documents });
      const rows = blocks.flatMap((block, k) =>
        block.documents.map((one, column) => ({ ...one, k, column, name: one.id ?? `f${one.file}` })),
      );
      rows.sort((a, b) => (a.name !== b.name ? (a.name < b.name ? -1 : 1) : a.file - b.file));
      const kept = rows.filter((row, i) => i === 0 || rows[i - 1]!.name !== row.name);
      const { corpus, ids, skips } = build(blocks, files);
      t.deepEqual(
        ids,
        kept.map((row) => row.name),
      );
      t.deepEqual(
        [...corpus.blockOf],
        kept.map((row) => row.k),
      );
      t.deepEqual(
        [...corpus.columnOf],
        kept.map((row) => row.column),
      );
      t.deepEqual(
        [...corpus.contentKeys],
        kept.flatMap((row) => [row.k, row.column, 7, 9]),
      );
      t.deepEqual(
        [...corpus.textKeys!],
        kept.flatMap((row) => [5, row.k, 3, row.column]),
      );
      t.deepEqual(
        [...corpus.empty],
        kept.map((row) => (row.flags === EMPTY ? 1 : 0)),
      );
      t.deepEqual(corpus.counts, {
        read: rows.length,
        empty: kept.filter((row) => row.flags === EMPTY).length,
        repaired: kept.filter((row) => row.flags === REPAIRED).length,
        shingleOccurrences: kept.reduce((sum, row) => sum + 10 ** row.k + row.column, 0),
      });
      t.deepEqual(
        skips.sort(),
        rows
          .filter((row) => !kept.includes(row))
          .map((row) => `f${row.file} DUPLICATE_ID`)
          .sort(),
      );
    }),
    { seed: 1, numRuns: 300 },
  );
});
