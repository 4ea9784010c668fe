/** Records are cut as their readers count them, however the bytes come; what stays is as it stood. */
import test from 'ava';
import fc from 'fast-check';
import { EditedParts, ListedFates, RecordEditor } from '../../../src/coordinator/apply/records/fates.js';
import { type CutParams, cuttingOf } from '../../../src/readers/cutting.js';
import type { InputFormat } from '../../../src/sketch/formatNames.js';

const PARAMS: CutParams = {
  textField: 'text',
  idField: 'id',
  input: 'auto',
  encoding: 'utf-8',
  maxDocument: 1 << 20,
  textFormat: 'auto',
  separator: null,
  quote: null,
  shingle: { unit: 'words' },
};

interface Left {
  readonly bytes: Buffer;
  readonly records: number;
  readonly leftOut: number;
}

/** What is left of bytes that come in pieces of a length. */
function leftOf(format: InputFormat, bytes: Buffer, dropped: readonly number[], length: number): Left {
  const parts = new EditedParts();
  const editor = new RecordEditor(new ListedFates(Float64Array.from(dropped), false), parts);
  const cutting = cuttingOf(format, PARAMS, editor);
  const out: Buffer[] = [];
  const take = (): void => {
    for (const part of parts.take()) out.push(Buffer.from(part));
  };
  for (let at = 0; at < bytes.length; at += length) {
    // Pieces come in the same memory.
    cutting.push(Buffer.from(bytes.subarray(at, at + length)));
    take();
  }
  cutting.end();
  take();
  const { records, leftOut } = editor.counts;
  return { bytes: Buffer.concat(out), records, leftOut };
}

const chosen = (picks: readonly boolean[], from: number): number[] =>
  picks.flatMap((pick, i) => (pick ? [i + from] : []));

const pieceLength = fc.integer({ min: 1, max: 40 });

test('lines: the other lines are unchanged, blank ones too', (t) => {
  const line = fc.record({
    text: fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, '')),
    end: fc.constantFrom('\n', '\r\n'),
  });
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(fc.boolean()),
      fc.boolean(),
      fc.boolean(),
      pieceLength,
      (lines, picks, isOpen, hasMark, length) => {
        const mark = hasMark ? '\ufeff' : '';
        const texts = lines.map(({ text, end }) => text + end);
        if (isOpen) texts.push('last');
        const isBlank = (text: string): boolean => text === '\n' || text === '\r\n';
        const dropped = chosen(picks, 1).filter(
          (number) => number <= texts.length && !isBlank(texts[number - 1]!),
        );
        const left = leftOf('jsonl', Buffer.from(mark + texts.join('')), dropped, length);
        t.is(left.bytes.toString(), mark + texts.filter((_, i) => !dropped.includes(i + 1)).join(''));
        t.is(left.records, texts.filter((text) => !isBlank(text)).length);
        t.is(left.leftOut, dropped.length);
      },
    ),
    { seed: 1 },
  );
});

test('arrays: the result is an array of the other elements, unchanged', (t) => {
  const space = fc.constantFrom('', ' ', '\n ', '\t');
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ maxLength: 5 }).map((text) => ({ text: `${text}"\\]},{[` })),
  );
  const element = fc.record({ lead: space, value, tail: space });
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 6 }),
      fc.array(fc.boolean()),
      pieceLength,
      (elements, picks, length) => {
        const texts = elements.map(({ lead, value: own, tail }) => lead + JSON.stringify(own) + tail);
        const source = ` [${texts.join(',')}]\n`;
        const dropped = chosen(picks, 1).filter((number) => number <= texts.length);
        const left = leftOf('json', Buffer.from(source), dropped, length);
        const kept = elements.filter((_, i) => !dropped.includes(i + 1));
        t.deepEqual(
          JSON.parse(left.bytes.toString()),
          kept.map(({ value: own }) => JSON.parse(JSON.stringify(own))),
        );
        for (const { value: own } of kept) t.true(left.bytes.includes(JSON.stringify(own)));
        if (dropped.length === 0) t.is(left.bytes.toString(), source);
        t.is(left.records, texts.length);
        t.is(left.leftOut, dropped.length);
      },
    ),
    { seed: 2 },
  );
});

test('tables: the header is kept; a quoted field may have line ends, and blank lines are not records', (t) => {
  const cell = fc.constantFrom('', 'a', 'b c', '"x ""y"""', '"two\nlines"', '"a,b"', '"\r\n"');
  const row = fc.record({ cells: fc.tuple(fc.constant('k'), cell), end: fc.constantFrom('\n', '\r\n') });
  fc.assert(
    fc.property(
      fc.array(row),
      fc.array(fc.boolean()),
      fc.boolean(),
      pieceLength,
      (rows, picks, hasMark, length) => {
        const texts = rows.map(({ cells, end }) => cells.join(',') + end);
        const head = `${hasMark ? '\ufeff' : ''}id,text\r\n`;
        const dropped = chosen(picks, 1).filter((number) => number <= texts.length);
        const source = head + texts.map((text, i) => (i % 3 === 2 ? `\n${text}` : text)).join('');
        const left = leftOf('csv', Buffer.from(source), dropped, length);
        const kept = texts.map(
          (text, i) => (i % 3 === 2 ? '\n' : '') + (dropped.includes(i + 1) ? '' : text),
        );
        t.is(left.bytes.toString(), head + kept.join(''));
        t.is(left.records, texts.length);
      },
    ),
    { seed: 3 },
  );
});

test('archives: a record includes the blank lines after it, and damage counts as a record', (t) => {
  const record = (text: string): string =>
    `WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: ${text.length}\r\n\r\n${text}\r\n\r\n`;
  const parts = [
    record('one'),
    record('WARC/1.0 is no record here'),
    'WARC/1.0\r\nnothing\r\n\r\n',
    record('four'),
  ];
  for (const length of [1, 5, 64, 1000]) {
    const left = leftOf('warc', Buffer.from(parts.join('')), [2, 4], length);
    t.is(left.bytes.toString(), parts[0]! + parts[2]!);
    t.is(left.records, 4);
  }
});

test('a record that is too long to be held stays, and is counted', (t) => {
  const small: CutParams = { ...PARAMS, maxDocument: 1 };
  const parts = new EditedParts();
  const editor = new RecordEditor(new ListedFates(Float64Array.of(1, 3), false), parts);
  const cutting = cuttingOf('csv', small, editor);
  const long = `b,${'x'.repeat(6 << 20)}\n`;
  const out: Buffer[] = [];
  const source = Buffer.from(`id,text\na,1\n${long}c,2\nd,3\n`);
  for (let at = 0; at < source.length; at += 1 << 20) {
    cutting.push(source.subarray(at, at + (1 << 20)));
    for (const part of parts.take()) out.push(Buffer.from(part));
  }
  cutting.end();
  for (const part of parts.take()) out.push(Buffer.from(part));
  t.true(Buffer.concat(out).equals(Buffer.from(`id,text\n${long}d,3\n`)));
  t.deepEqual(editor.counts, { records: 4, written: 2, leftOut: 2 });
});

test('a long line is left out, and the byte order mark before it is kept', (t) => {
  const long = `"${'x'.repeat(9 << 20)}"\n`;
  const source = Buffer.from(`\ufeff${long}2\n\n${long}5`);
  for (const [dropped, left] of [
    [[1, 4], '\ufeff2\n\n5'],
    [[2], `\ufeff${long}\n${long}5`],
  ] as const) {
    const made = leftOf('jsonl', source, dropped, 1 << 20);
    t.true(made.bytes.equals(Buffer.from(left)));
    t.deepEqual([made.records, made.leftOut], [4, dropped.length]);
  }
});
