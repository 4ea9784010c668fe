import { appendFileSync, rmSync, truncateSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { planPieces } from '../../../src/readers/pieces.js';
import type { RangeSplit } from '../../../src/readers/split.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { readSource, tableOf } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

/** Reads a lines file by ranges of a size, numbering lines as the coordinator does. */
function readRanges(
  path: string,
  rangeBytes: number,
  params: ReadParams,
  pieceBytes = 64,
  buffers: ReadBuffers = readBuffers(pieceBytes),
): RecordingSink {
  const all = new RecordingSink();
  let base = 0;
  for (const source of planPieces({ files: tableOf([inputFile(path)]) }, params, rangeBytes)) {
    const sink = new RecordingSink();
    const { lines } = readSource(source as RangeSplit, params, sink, buffers);
    for (const document of sink.documents)
      all.documents.push({ ...document, record: document.record + base });
    for (const skip of sink.skips) {
      all.skips.push({ ...skip, record: skip.record < 0 ? -1 : skip.record + base });
    }
    base += lines;
  }
  return all;
}

/** The plain way: split the whole file. */
function expectedOf(content: string): RecordingSink {
  const sink = new RecordingSink();
  const lines = content.replace(/^\ufeff/, '').split('\n');
  lines.forEach((line, record) => {
    // Joined files have byte order marks before lines.
    const text = line.replace(/^\ufeff/, '').replace(/^[ \t\r]+|[ \t\r]+$/g, '');
    if (text === '') return;
    try {
      const value = JSON.parse(text) as { text: string };
      const bytes = Buffer.from(value.text, 'utf8').toString('latin1');
      sink.documents.push({ file: 0, record, id: null, text: bytes, repaired: false });
    } catch {
      sink.skips.push({ file: 0, record, code: 'JSON_BROKEN', id: null });
    }
  });
  return sink;
}

const LINE = fc.oneof(
  fc.string({ maxLength: 12, unit: 'grapheme' }).map((text) => JSON.stringify({ text })),
  fc.constantFrom('', ' \t', '{', '{"text":"é"}', '{"text":"a"}', '\ufeff{"text":"a"}'),
);

test('Ranges of every size give what the whole file gives, with the same line numbers', (t) => {
  const top = temporaryFolder(t);
  const kernel = createWasmKernel(kernelModule);
  const content = fc
    .tuple(fc.boolean(), fc.array(fc.tuple(LINE, fc.constantFrom('\n', '\r\n')), { maxLength: 8 }), LINE)
    .map(([mark, lines, last]) => (mark ? '\ufeff' : '') + lines.flat().join('') + last);
  let run = 0;
  fc.assert(
    fc.property(
      content,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 50 }),
      (text, size, piece) => {
        const path = `${top}/${run++}.jsonl`;
        appendFileSync(path, text);
        const expected = expectedOf(text);
        const sink = readRanges(path, size, readParams(), piece);
        t.deepEqual(sink.documents, expected.documents);
        t.deepEqual(sink.skips, expected.skips);
        const fast = readRanges(path, size, readParams(), piece, readBuffers(piece, kernel));
        t.deepEqual(fast.documents, expected.documents);
        t.deepEqual(fast.skips, expected.skips);
        rmSync(path);
      },
    ),
    { seed: 1, numRuns: 400 },
  );
  t.pass();
});

test('A range counts every line that starts in it, blank and last ones too', (t) => {
  const content = '{"text":"a"}\r\n\n \n{"text":"b"}';
  const top = temporaryFolder(t, { 'a.jsonl': content, 'empty.jsonl': '', 'end.jsonl': '{"text":"a"}\n' });
  const lines = (name: string): number => {
    const file = inputFile(`${top}/${name}`);
    const source = { kind: 'range' as const, file, index: 0, from: 0, to: file.bytes };
    return readSource(source, readParams(), new RecordingSink()).lines;
  };
  t.deepEqual([lines('a.jsonl'), lines('empty.jsonl'), lines('end.jsonl')], [4, 0, 1]);
});

test('A line that is too long is skipped without being held, and lines after it keep their numbers', (t) => {
  const params = readParams({ maxDocument: 10 });
  const long = `{"text":"${'x'.repeat((1 << 20) + 60)}"}`;
  const content = `{"text":"a"}\n${long}\n{"id":"i","text":"01234567890"}\n{"text":"b"}\n${long}`;
  const top = temporaryFolder(t, { 'a.jsonl': content });
  for (const [rangeBytes, pieceBytes] of [
    [4 << 20, 64],
    [100_000, 4 << 20],
    [4 << 20, 4 << 20],
    [999, 1000],
  ]) {
    const sink = readRanges(`${top}/a.jsonl`, rangeBytes!, params, pieceBytes);
    t.deepEqual(
      sink.documents.map(({ record, text }) => [record, text]),
      [
        [0, 'a'],
        [3, 'b'],
      ],
    );
    t.deepEqual(
      sink.skips.map(({ record, code, id }) => [record, code, id]),
      [
        [1, 'TOO_LARGE', null],
        [2, 'TOO_LARGE', 'i'],
        [4, 'TOO_LARGE', null],
      ],
    );
  }
});

test('A long line is read whole where it is allowed', (t) => {
  const text = 'y'.repeat(3 << 20);
  const top = temporaryFolder(t, { 'a.jsonl': `{"text":"${text}"}\n{"text":"b"}\n` });
  const sink = readRanges(`${top}/a.jsonl`, 1 << 18, readParams(), 1 << 16);
  t.deepEqual(
    sink.documents.map(({ record, text: found }) => [record, found.length]),
    [
      [0, 3 << 20],
      [1, 1],
    ],
  );
});

test('Ranges of a file that is gone, shrank, grew or is binary', (t) => {
  const line = '{"text":"a"}\n';
  const top = temporaryFolder(t, { 'a.jsonl': line.repeat(4), 'b.jsonl': `\0${line.repeat(3)}` });
  const ranges = planPieces(
    { files: tableOf([inputFile(`${top}/a.jsonl`)]) },
    readParams(),
    26,
  ) as RangeSplit[];
  const read = (source: RangeSplit): RecordingSink => {
    const sink = new RecordingSink();
    readSource(source, readParams(), sink);
    return sink;
  };
  appendFileSync(`${top}/a.jsonl`, line);
  t.is(read(ranges[1]!).documents.length, 2);
  truncateSync(`${top}/a.jsonl`, 39);
  t.is(read(ranges[1]!).documents.length, 1);
  rmSync(`${top}/a.jsonl`);
  t.deepEqual(
    ranges.map((range) => read(range).codes),
    [['-1 VANISHED'], ['-1 VANISHED']],
  );
  t.deepEqual(readRanges(`${top}/b.jsonl`, 10, readParams()).codes, ['-1 BINARY']);
  t.deepEqual(readRanges(`${top}/b.jsonl`, 10, readParams({ bytes: true })).texts, ['a', 'a']);
});
