import test from 'ava';
import fc from 'fast-check';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { type Column, encodeBlock } from '../../../src/blocks/block.js';
import { EMPTY, HAS_ID, REPAIRED, WHOLE_FILE } from '../../../src/blocks/documents.js';
import { idText } from '../../../src/blocks/ids.js';
import { CorpusBuilder, SkipList } from '../../../src/coordinator/sketch/corpus.js';
import type { SketchedBlock } from '../../../src/coordinator/sketch/sketching.js';
import { type ErrorCode, SKIP_CODES } from '../../../src/errors.js';
import type { FileTable } from '../../../src/readers/list/fileTable.js';
import { placeEnd } from '../../../src/readers/list/pathIds.js';
import type { Split } from '../../../src/readers/split.js';
import { Store } from '../../../src/store/store.js';
import { filesOf, tableOf } from '../../readers/list/fileTables.js';

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
  readonly source: Split;
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
    textBytes: Float64Array.from(documents, () => 1),
    tokens: Uint32Array.from(documents, () => 1),
    skipFile: Uint32Array.from(skips, ({ file }) => file),
    skipRecord: Float64Array.from(skips, ({ record }) => record),
    skipCode: Uint8Array.from(skips, ({ code }) => SKIP_CODES.indexOf(code)),
    skipIdOffsets: new Uint32Array(skips.length + 1),
    skipIdBytes: new Uint8Array(0),
  };
  return encodeBlock('documents', { lines, bytes: 0 }, columns);
}

function build(blocks: readonly TestBlock[], files: FileTable) {
  const store = new Store();
  const skipped = new SkipList();
  const builder = new CorpusBuilder(store, files, skipped);
  blocks.forEach((block, k) => {
    store.put(`documents/${k}`, documentsBlock(block, k).buffer);
    const { documents, source: split, skips = [], lines = 0 } = block;
    const report = { documents: documents.length, skipped: skips.length, lines, bytes: 0 };
    builder.add({ block: k, split, text: null, label: `${k}`, report } satisfies SketchedBlock);
  });
  const corpus = atOnce(builder.finish());
  const columns = skipped.columns();
  const skips = Array.from(columns.codes, (code, i) => `${idText(columns.places, i)} ${SKIP_CODES[code]!}`);
  const ids = Array.from({ length: corpus.documents }, (_, d) => idText(corpus.ids, d));
  return { corpus, skips, ids };
}

const lines = (...ids: string[]): FileTable =>
  tableOf(
    ids.map((id) => ({
      path: `/${id}`,
      id,
      bytes: 0,
      format: 'jsonl',
      packing: null,
      utf16: false,
      stdin: false,
    })),
  );
const texts = (...ids: string[]): FileTable =>
  tableOf(
    ids.map((id) => ({
      path: `/${id}`,
      id,
      bytes: 0,
      format: 'text',
      packing: null,
      utf16: false,
      stdin: false,
    })),
  );

const whole = (file: number, flags = 0): Document => ({ file, record: WHOLE_FILE, id: null, flags });
const FILES = { kind: 'files' } as const;
const FILE = {
  path: '',
  id: '',
  bytes: 0,
  format: 'jsonl',
  packing: null,
  utf16: false,
  stdin: false,
} as const;
const CHUNK = { kind: 'chunk', file: FILE } as const;
const RANGE = (index: number): Split => ({
  kind: 'range',
  index,
  file: FILE,
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
  t.deepEqual(corpus.counts, { repeatedIds: 0, empty: 1, listed: 2 });
  t.deepEqual([...corpus.textKeys!(Uint32Array.of(2, 3))], [5, 0, 3, 2, 5, 1, 3, 0]);
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
      { source: { ...CHUNK, index: 1, firstLine: 5 }, documents: [record(1, 1)] },
      { source: FILES, documents: [record(2, 0), record(2, 4)] },
    ],
    tableOf([...filesOf(lines('a', 'b')), ...filesOf(texts('c'))]),
  );
  t.deepEqual(ids, ['a#1', 'a#3', 'a#4', 'b#7', 'c#1', 'c#5']);
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
  const { corpus, skips } = build(blocks, lines('a'));
  t.deepEqual(skips, ['a VANISHED', 'a#4 JSON_BROKEN', 'a#6 JSON_BROKEN']);
  t.is(corpus.skipsRepeated, 1);
});

/** By row: what it is called. Of equal ids one that is a place goes first, then the order of files. */
function namesByHand(
  rows: readonly { readonly id: string | null; readonly file: number; readonly told: string }[],
) {
  const keeps = rows.filter(
    (row) =>
      row.id === null ||
      !rows.some((other) => other.told === row.told && (other.id === null || other.file < row.file)),
  );
  const kept = new Set(keeps.map((row) => row.told));
  const all = rows.flatMap((row) => [row.told, `f${row.file}`]);
  let number = 1;
  while (all.some((name) => name.endsWith(`~${number}`))) number++;
  return rows.map((row) => {
    if (keeps.includes(row)) return row.told;
    const place = `f${row.file}`;
    return kept.has(place) ? `${place}~${number}` : place;
  });
}

test('CorpusBuilder calls every document by a name of its own, and numbers them in the order of places', (t) => {
  const document = fc.record({
    id: fc.option(fc.string({ unit: fc.constantFrom('f', '0', '1', '~'), maxLength: 4 })),
    flags: fc.constantFrom(0, EMPTY, REPAIRED),
  });
  const files = texts('f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8');
  const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(document, { minLength: 9, maxLength: 9 }),
      sizes,
      fc.boolean(),
      (all, cuts, turned) => {
        const documents = all.map((one, file): Document => ({ ...one, file, record: WHOLE_FILE }));
        const blocks: TestBlock[] = [];
        for (const size of cuts) blocks.push({ source: FILES, documents: documents.splice(0, size) });
        blocks.push({ source: FILES, documents });
        // Groups of files close after files between them.
        if (turned) blocks.reverse();
        const told = blocks.flatMap((block, k) =>
          block.documents.map((one, column) => ({ ...one, k, column, told: one.id ?? `f${one.file}` })),
        );
        const names = namesByHand(told);
        const rows = told.map((row, i) => ({ ...row, name: names[i]! }));
        rows.sort((x, y) => x.file - y.file);
        const { corpus, ids, skips } = build(blocks, files);
        t.deepEqual(skips, []);
        t.is(corpus.documents, rows.length);
        t.deepEqual(
          ids,
          rows.map((row) => row.name),
        );
        t.deepEqual(
          [...corpus.blockOf],
          rows.map((row) => row.k),
        );
        t.deepEqual(
          [...corpus.columnOf],
          rows.map((row) => row.column),
        );
        t.deepEqual(
          [...corpus.contentKeys],
          rows.flatMap((row) => [row.k, row.column, 7, 9]),
        );
        t.deepEqual(
          [...corpus.textKeys!(Uint32Array.from(rows.keys()))],
          rows.flatMap((row) => [5, row.k, 3, row.column]),
        );
        t.deepEqual(
          [...corpus.empty],
          rows.map((row) => (row.flags === EMPTY ? 1 : 0)),
        );
        t.deepEqual(corpus.counts, {
          repeatedIds: rows.filter((row) => row.name !== row.told).length,
          empty: rows.filter((row) => row.flags === EMPTY).length,
          listed: rows.filter((row) => row.flags === EMPTY || row.flags === REPAIRED).length,
        });
        const numbers = Uint32Array.from(rows, (_, d) => d);
        t.deepEqual(
          [...(corpus.places?.of(numbers).name ?? rows.map((row) => row.file))],
          rows.map((row) => row.file),
        );
        t.is(
          corpus.places === null,
          told.every(({ id }) => id === null),
        );
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test('places are the lines of their file over all blocks, elements and whole files, as long as some id is named', (t) => {
  const record = (file: number, number: number, id: string | null): Document => ({
    file,
    record: number,
    id,
    flags: 0,
  });
  const files = tableOf(
    ['a.jsonl', 'a.jsonl#3', 'c.json', 'd.txt'].map((id) => {
      const format = id.endsWith('.jsonl') ? 'jsonl' : id.endsWith('.json') ? 'json' : 'text';
      return { path: `/${id}`, id, bytes: 0, format, packing: null, utf16: false, stdin: false } as const;
    }),
  );
  const { corpus, ids } = build(
    [
      { source: RANGE(0), documents: [record(0, 0, 'x'), record(0, 2, 'x')], lines: 3 },
      { source: RANGE(0), documents: [record(0, 1, null)], lines: 2 },
      { source: FILES, documents: [whole(1), record(2, 7, 'x'), whole(3)] },
    ],
    files,
  );
  t.deepEqual(ids, ['x', 'a.jsonl#3', 'a.jsonl#5', 'a.jsonl#3#', 'c.json#8', 'd.txt']);
  const { name, number } = corpus.places!.of(Uint32Array.of(0, 1, 2, 3, 4, 5));
  const places = Array.from(name, (file, i) => files.id(file) + placeEnd(number[i]!));
  t.deepEqual(places, ['a.jsonl#1', 'a.jsonl#3', 'a.jsonl#5', 'a.jsonl#3#', 'c.json#8', 'd.txt']);
});

test('many documents of one id, and chains of ids that are places of others, are numbered at once', (t) => {
  const count = 50_000;
  const same = Array.from({ length: count }, (_, i): Document => ({ file: 0, record: i, id: 'x', flags: 0 }));
  // Numbered from 0 by whoever made it, and one id twice.
  const chain = same.map((one, i) => ({ ...one, id: `a#${i === 5 ? 3 : i}` }));
  const first = build([{ source: RANGE(0), documents: same, lines: count }], lines('a'));
  t.is(first.corpus.counts.repeatedIds, count - 1);
  t.deepEqual([first.ids[0], first.ids[1], first.ids.at(-1)], ['x', 'a#2', `a#${count}`]);
  const second = build([{ source: RANGE(0), documents: chain, lines: count }], lines('a'));
  t.is(second.corpus.counts.repeatedIds, 1);
  t.true(second.ids.includes('a#6~1'));
  t.is(new Set(second.ids).size, count);
});
