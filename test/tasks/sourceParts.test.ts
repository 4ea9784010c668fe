/** Sources read in parts: the same documents and lines as in one piece, but for the parts that are left out. */
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Block, encodeBlock } from '../../src/blocks/block.js';
import { packDocuments } from '../../src/readers/formats/memoryDocuments.js';
import { fileListBlock } from '../../src/readers/list/fileList.js';
import { SplitReader } from '../../src/readers/reader.js';
import type { Split } from '../../src/readers/split.js';
import { readParts, type SourcePart } from '../../src/tasks/workplace.js';
import { inputFile, temporaryFolder } from '../data/temporaryFolder.js';
import { listOf } from '../readers/list/fileTables.js';
import { RecordingSink, readParams } from '../readers/recordingSink.js';

interface Example {
  readonly source: Split;
  readonly text: Block | null;
  /** Where parts may be cut: first, last and all between. */
  readonly cuts: readonly number[];
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

const ARRAY = '[{"text":"one"},{"text":"two","id":7}, 17 ,{"text":3},{"text":"last"}]';

function upTo(count: number): number[] {
  return Array.from({ length: count + 1 }, (_, i) => i);
}

function lineCuts(text: string): number[] {
  const bytes = Buffer.from(text);
  const cuts = [0];
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 10) cuts.push(i + 1);
  return [...cuts, bytes.length];
}

function examples(t: ExecutionContext): Example[] {
  const folder = temporaryFolder(t, {
    'a.txt': 'a',
    'b.txt': '',
    'c.json': '[{"text":"x"},{"text":"y"}]',
    lines: LINES,
    'array.json': ARRAY,
  });
  const names = ['a.txt', 'b.txt', 'gone.txt', 'c.json'];
  const files = names.map((name, i) => {
    const known = inputFile(`${folder}/${name === 'gone.txt' ? 'a.txt' : name}`, 5 + i);
    return { ...known, path: `${folder}/${name}` };
  });
  const array = inputFile(`${folder}/array.json`, 3);
  const lines = { ...inputFile(`${folder}/lines`, 3), format: 'jsonl' } as const;
  const bytes = new Uint8Array(Buffer.from(LINES));
  const [memory] = packDocuments(['x', 'y', 'z'].map((id) => ({ id, text: `text of ${id}` })));
  return [
    { source: { kind: 'files' }, text: fileListBlock(listOf(files)), cuts: upTo(files.length) },
    {
      source: { kind: 'range', file: lines, index: 3, from: 0, to: bytes.length },
      text: null,
      cuts: upTo(bytes.length),
    },
    {
      source: { kind: 'chunk', index: 3, file: lines, firstLine: 0 },
      text: encodeBlock('text', {}, { bytes }),
      cuts: lineCuts(LINES),
    },
    {
      source: { kind: 'elements', file: array, index: 3, from: 1, to: ARRAY.length - 1, first: 0, count: 5 },
      text: null,
      cuts: upTo(5),
    },
    {
      source: { kind: 'elements', file: array, index: 3, from: 15, to: ARRAY.length - 1, first: 1, count: 4 },
      text: null,
      cuts: upTo(4),
    },
    { source: { kind: 'memory' }, text: memory!, cuts: upTo(3) },
  ];
}

function read({ source: split, text }: Example, parts: readonly SourcePart[] | null) {
  const sink = new RecordingSink();
  const places: number[] = [];
  const progress = (place?: number): void => {
    if (place !== undefined) places.push(place);
  };
  const lines = readParts({ split, text, parts }, new SplitReader(), readParams({}), sink, progress);
  return { lines, places, documents: sink.documents, skips: sink.skips };
}

test('readParts of all parts is the source, however it is cut, and names every part in order', (t) => {
  for (const example of examples(t)) {
    const { cuts } = example;
    const whole = read(example, null);
    t.deepEqual(whole.places, [1, 2]);
    const inner = fc.uniqueArray(fc.constantFrom(...cuts.slice(1, -1)));
    fc.assert(
      fc.property(inner, (chosen) => {
        const ends = [...chosen.sort((a, b) => a - b), cuts.at(-1)!];
        const parts = ends.map((to, i): SourcePart => [i === 0 ? 0 : ends[i - 1]!, to, 0]);
        const { places, ...rest } = read(example, parts);
        t.deepEqual(
          places,
          upTo(parts.length).map((i) => i + 1),
          example.source.kind,
        );
        const { places: _, ...expected } = whole;
        t.deepEqual(rest, expected, example.source.kind);
      }),
      { seed: 1, numRuns: 60 },
    );
  }
});

test('a part that is left out is one skip, and everything else keeps its numbers', (t) => {
  for (const example of examples(t)) {
    const whole = read(example, null);
    const { kind } = example.source;
    const cuts = kind === 'range' ? lineCuts(LINES) : example.cuts;
    const last = cuts.at(-1)!;
    for (let i = 0; i + 1 < cuts.length; i++) {
      const lost: SourcePart = [cuts[i]!, kind === 'range' ? cuts[i]! + 1 : cuts[i + 1]!, 1];
      const { lines, documents, skips } = read(example, [[0, lost[0], 0], lost, [lost[1], last, 0]]);
      t.is(lines, whole.lines, `${kind} ${i}`);
      const left = skips.filter(({ code }) => code === 'UNPROCESSABLE');
      t.is(left.length, 1);
      const { file, record, id } = left[0]!;
      t.is(id, kind === 'memory' ? 'xyz'[i]! : null);
      const isLost = (one: { file: number; record: number }): boolean =>
        one.file === file && (record === -1 || one.record === record);
      t.deepEqual(
        documents,
        whole.documents.filter((one) => !isLost(one)),
        `${kind} ${i}`,
      );
      t.deepEqual(
        skips.filter(({ code }) => code !== 'UNPROCESSABLE'),
        whole.skips.filter((one) => !isLost(one)),
        `${kind} ${i}`,
      );
    }
  }
});

test('a range whose file cannot be opened is left out as a file', (t) => {
  const range = examples(t)[1]!;
  const { lines, documents, skips } = read(range, [[0, range.cuts.at(-1)!, 2]]);
  t.is(lines, 0);
  t.deepEqual(documents, []);
  t.deepEqual(skips, [{ file: 3, record: -1, code: 'UNPROCESSABLE', id: null }]);
});

test('elements whose file cannot be opened are left out as a file', (t) => {
  const elements = examples(t).find(({ source }) => source.kind === 'elements')!;
  const { documents, skips } = read(elements, [[0, 5, 2]]);
  t.deepEqual(documents, []);
  t.deepEqual(skips, [{ file: 3, record: -1, code: 'UNPROCESSABLE', id: null }]);
});
