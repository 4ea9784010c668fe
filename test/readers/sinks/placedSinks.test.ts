/** Places of records: named while they are at work, and left out where they are unprocessable. */
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { type Block, encodeBlock } from '../../../src/blocks/block.js';
import type { ErrorCode } from '../../../src/errors.js';
import { readBuffers } from '../../../src/readers/documentSink.js';
import { parquetCuts } from '../../../src/readers/formats/parquet.js';
import { fileListBlock } from '../../../src/readers/list/fileList.js';
import { SetLineReader, SplitReader } from '../../../src/readers/reader.js';
import { PlacedDocuments, PlacedRows } from '../../../src/readers/sinks/placedSinks.js';
import { elementSplits, type Split } from '../../../src/readers/split.js';
import { packDocuments } from '../../data/packedDocuments.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { listOf } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

interface Example {
  readonly split: Split;
  readonly text: Block | null;
}

/** Lines with a byte order mark, blank and broken ones, and a last one without a line feed. */
const LINES = [
  '\ufeff{"text":"one"}',
  '',
  '{"text":"two","id":7}',
  '{broken',
  '{"text":"ünï"}\r',
  '   ',
  '{"text":"last"}',
].join('\n');

const PARQUET = fileURLToPath(new URL('../../../../test/data/parquet/snappy.parquet', import.meta.url));

function examples(t: ExecutionContext): Example[] {
  const folder = temporaryFolder(t, {
    'a.txt': 'a',
    'b.txt': '',
    'c.json': '[{"text":"x"},{"text":"y"}]',
    'lines.jsonl': LINES,
  });
  const names = ['a.txt', 'b.txt', 'gone.txt', 'c.json'];
  const files = names.map((name, i) => {
    const known = inputFile(`${folder}/${name === 'gone.txt' ? 'a.txt' : name}`, 5 + i);
    return { ...known, path: `${folder}/${name}` };
  });
  const rows = { file: inputFile(PARQUET, 3), index: 3, step: 1e9 };
  const [elements] = elementSplits(rows, parquetCuts(rows, readParams({}), readBuffers()));
  const lines = inputFile(`${folder}/lines.jsonl`, 3);
  const bytes = new Uint8Array(Buffer.from(LINES));
  const [memory] = packDocuments(['x', 'y', 'z'].map((id) => ({ id, text: `text of ${id}` })));
  return [
    { split: { kind: 'files' }, text: fileListBlock(listOf(files)) },
    { split: { kind: 'range', file: lines, index: 3, from: 0, to: bytes.length }, text: null },
    {
      split: { kind: 'chunk', file: lines, index: 3, firstLine: 0 },
      text: encodeBlock('text', {}, { bytes }),
    },
    { split: elements!, text: null },
    { split: { kind: 'memory' }, text: memory! },
  ];
}

function read({ split, text }: Example, unprocessable: readonly number[]) {
  const sink = new RecordingSink();
  const places: number[] = [];
  const placed = new PlacedDocuments(sink, unprocessable, (place) => {
    if (place !== undefined) places.push(place);
  });
  const lines = new SplitReader().read(split, text, readParams({}), placed);
  return { lines, places, documents: sink.documents, skips: sink.skips, lost: placed.lost };
}

test('places count from 1, and after the last record none is at work', (t) => {
  for (const example of examples(t)) {
    const { places, lost } = read(example, []);
    const named = places.filter((place) => place > 0);
    t.deepEqual(
      named,
      Array.from(named, (_, i) => i + 1),
      example.split.kind,
    );
    t.is(places.at(-1), 0);
    t.deepEqual(lost, []);
  }
});

test('a place that is unprocessable is one skip, and everything else keeps its numbers', (t) => {
  for (const example of examples(t)) {
    const whole = read(example, []);
    const { kind } = example.split;
    const last = Math.max(...whole.places);
    const met = new Set<string>();
    for (let place = 1; place <= last; place++) {
      const { lines, documents, skips, lost } = read(example, [place]);
      const left = skips.filter(({ code }) => code === 'UNPROCESSABLE');
      t.is(left.length, 1);
      const { file, record } = left[0]!;
      t.deepEqual(lost, [[file, record]]);
      met.add(`${file} ${record}`);
      const isLost = (one: { file: number; record: number }): boolean =>
        one.file === file && (record === -1 || one.record === record);
      t.is(lines, kind === 'range' && record === -1 ? 0 : whole.lines, `${kind} ${place}`);
      t.deepEqual(
        documents,
        whole.documents.filter((one) => !isLost(one)),
        `${kind} ${place}`,
      );
      t.deepEqual(
        skips.filter(({ code }) => code !== 'UNPROCESSABLE'),
        whole.skips.filter((one) => !isLost(one)),
        `${kind} ${place}`,
      );
    }
    for (const { file, record } of whole.documents) t.true(met.has(`${file} ${record}`), `${kind} ${record}`);
  }
});

test('all records of a source can be unprocessable at once', (t) => {
  for (const example of examples(t)) {
    const { places } = read(example, []);
    const { documents } = read(
      example,
      places.filter((place) => place > 0),
    );
    t.deepEqual(documents, [], example.split.kind);
  }
});

const SET_LINES = ['\ufeffa\tx', '', 'a\ty', 'alone', 'b\tx\r', 'b\ty'].join('\n');

function readRows(t: ExecutionContext, unprocessable: readonly number[]) {
  const folder = temporaryFolder(t, { lines: SET_LINES });
  const file = { ...inputFile(`${folder}/lines`, 3), format: 'sets' } as const;
  const found: string[] = [];
  const skips: [number, number, ErrorCode][] = [];
  const places: number[] = [];
  const sink = new PlacedRows(
    {
      row: (bytes, setFrom, setTo, from, to) => {
        const text = (a: number, b: number): string => Buffer.from(bytes.slice(a, b)).toString('latin1');
        found.push(`${text(setFrom, setTo)} ${text(from, to)}`);
        return null;
      },
      skip: (index, line, code) => skips.push([index, line, code]),
    },
    unprocessable,
    (place) => places.push(place!),
  );
  const source = { kind: 'range', file, index: 3, from: 0, to: SET_LINES.length + 2 } as const;
  const fields = { set: 0, element: 1, weight: -1, separator: 9, header: false };
  const counts = new SetLineReader().read(source, null, readParams({}), fields, 'set', sink);
  return { found, skips, places, counts };
}

test('rows are taken many at once until some are to be named, and count as places', (t) => {
  const none = { elements: new Uint32Array(6), values: new Float64Array(3), number: () => t.fail() };
  const batch = { count: 3, from: 0, to: 0, ...none };
  const takenBy = (unprocessable: readonly number[] | undefined): boolean => {
    const places: number[] = [];
    const sink = new PlacedRows(
      { row: () => null, many: () => true, skip: () => t.fail() },
      unprocessable,
      (place) => places.push(place!),
    );
    const isTaken = sink.many(new Uint8Array(0), batch);
    sink.row(new Uint8Array(0), 0, 0, 0, 0, 1, new Uint32Array(4), 0);
    t.deepEqual(places, isTaken ? [0, 4, 0] : [1, 0]);
    return isTaken;
  };
  t.true(takenBy(undefined));
  t.false(takenBy([]));
  t.false(takenBy([2]));
});

test('a line of sets that is unprocessable is one skip, and the other lines keep their numbers', (t) => {
  const whole = readRows(t, []);
  t.deepEqual(whole.found, ['a x', 'a y', 'b x', 'b y']);
  t.deepEqual(whole.skips, [[3, 3, 'SETS_NO_ELEMENT']]);
  // The file that is opened, and four rows; what is skipped is no place.
  t.deepEqual(whole.places, [1, 2, 0, 3, 0, 0, 4, 0, 5, 0]);
  for (const [place, line] of [
    [2, 0],
    [3, 2],
    [4, 4],
    [5, 5],
  ] as const) {
    const { found, skips, counts } = readRows(t, [place]);
    t.deepEqual(
      found,
      whole.found.filter((_, i) => i !== place - 2),
    );
    t.deepEqual(
      skips.filter(([, , code]) => code === 'UNPROCESSABLE'),
      [[3, line, 'UNPROCESSABLE']],
    );
    t.is(skips.length, 2);
    t.deepEqual(counts, whole.counts);
  }
  const unopened = readRows(t, [1]);
  t.deepEqual(unopened.found, []);
  t.deepEqual(unopened.skips, [[3, -1, 'UNPROCESSABLE']]);
  t.deepEqual(unopened.counts, { lines: 0, passed: 0 });
});
