import { isUtf8 } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { ByteColumn } from '../../../src/arrays/growable.js';
import {
  appendEscaped,
  appendPlace,
  ByteWriter,
  countNotUtf8,
  idTableOf,
  unescapeId,
  unescapePlace,
} from '../../../src/output/tables/escaping.js';
import { csvCells } from '../../../src/readers/formats/csv/cells.js';
import type { ResultFormat } from '../../../src/sketch/params.js';
import { utf8SequenceLength } from '../../../src/text/unicode/utf8.js';

const FORMATS: readonly ResultFormat[] = ['tsv', 'csv', 'jsonl'];
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The cell as it stands in the file; throws where it is not valid UTF-8. */
function cellOf(bytes: Uint8Array, format: ResultFormat): string {
  const out = new ByteWriter(1);
  appendEscaped(out, format, bytes, 0, bytes.length);
  return strictUtf8.decode(out.written());
}

const fromBinary = (id: string): Uint8Array => Buffer.from(id, 'latin1');

/** What the format's own reader makes of a cell. */
function readValue(cell: string, format: ResultFormat): string {
  if (format === 'jsonl') return JSON.parse(cell) as string;
  return format === 'csv' ? csvCells(cell)![0]! : cell;
}

/** Random bytes, with the interesting ones more often than chance has them. */
const hostileBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
      fc.constantFrom('\\', '"', ',', '\t', '\n', '\r', ' ', '\\n', '\\x41', '\x7f', '\0').map(fromBinary),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Uint8Array.from(pieces.flatMap((piece) => [...piece])));

const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

test('appendEscaped then unescapeId gives any bytes back in tsv', (t) => {
  fc.assert(
    fc.property(hostileBytes, (bytes) => unescapeId(cellOf(bytes, 'tsv'), 'tsv') === binary(bytes)),
    { seed: 1, numRuns: 2000 },
  );
  t.pass();
});

for (const format of ['csv', 'jsonl'] as const) {
  test(`a reader of ${format} has the id itself, with U+FFFD as any decoder puts it`, (t) => {
    fc.assert(
      fc.property(hostileBytes, (bytes) => {
        const value = readValue(cellOf(bytes, format), format);
        t.is(value, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
        t.is(unescapeId(value, format), Buffer.from(value).toString('latin1'));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
}

/** The place as a cell, as the column `place` has it. */
function placeCellOf(bytes: Uint8Array, format: ResultFormat): string {
  const text = new ByteColumn();
  if (format === 'tsv') text.append(bytes);
  else appendPlace(text, bytes, 0, bytes.length);
  return cellOf(text.view, format);
}

for (const format of FORMATS) {
  test(`a place in ${format} gives any bytes back`, (t) => {
    fc.assert(
      fc.property(hostileBytes, (bytes) => {
        const cell = Buffer.from(readValue(placeCellOf(bytes, format), format)).toString('latin1');
        return unescapePlace(cell, format) === binary(bytes);
      }),
      { seed: 1, numRuns: 2000 },
    );
    t.pass();
  });

  test(`places in ${format} tell any two documents apart, and so do ids that are UTF-8`, (t) => {
    fc.assert(
      fc.property(hostileBytes, hostileBytes, (x, y) => {
        const same = Buffer.from(x).equals(Buffer.from(y));
        const isText = isUtf8(x) && isUtf8(y);
        t.is(placeCellOf(x, format) === placeCellOf(y, format), same);
        if (isText || format === 'tsv') t.is(cellOf(x, format) === cellOf(y, format), same);
      }),
      { seed: 2, numRuns: 1000 },
    );
  });
}

test('a place in csv and jsonl is the path itself, backslashes and all, unless something reads as an escape', (t) => {
  t.is(JSON.parse(placeCellOf(fromBinary('C:\\new\\a.txt'), 'jsonl')), 'C:\\new\\a.txt');
  t.is(placeCellOf(fromBinary('a\\\\b'), 'csv'), 'a\\\\b');
  t.is(placeCellOf(fromBinary('a\\b\xff'), 'csv'), 'a\\\\b\\xff');
  t.is(placeCellOf(fromBinary('a\\xfe'), 'csv'), 'a\\\\xfe');
  t.is(placeCellOf(fromBinary('a\\xg'), 'csv'), 'a\\xg');
});

test('countNotUtf8 counts ids', (t) => {
  t.is(countNotUtf8(idTableOf(['', 'a', '\xff', '\xc3\xa9', 'b\xc3', '\xa9'])), 3);
});

test('a TSV cell has no tab, line end or other control character', (t) => {
  fc.assert(
    fc.property(hostileBytes, (bytes) => !/[\x00-\x1f\x7f]/.test(cellOf(bytes, 'tsv'))),
    { seed: 3, numRuns: 1500 },
  );
  t.pass();
});

test('TSV escapes tab, line ends and the backslash by letter and other bytes by number', (t) => {
  t.is(cellOf(fromBinary('a\tb\nc\rd\\e'), 'tsv'), 'a\\tb\\nc\\rd\\\\e');
  t.is(cellOf(fromBinary('\x00\x1f\x7f\xff\xc3'), 'tsv'), '\\x00\\x1f\\x7f\\xff\\xc3');
  t.is(cellOf(new TextEncoder().encode('é "x", 漢𝄞'), 'tsv'), 'é "x", 漢𝄞');
});

test('CSV quotes by RFC 4180, and changes nothing else', (t) => {
  t.is(cellOf(fromBinary('plain text'), 'csv'), 'plain text');
  t.is(cellOf(fromBinary('a,b'), 'csv'), '"a,b"');
  t.is(cellOf(fromBinary('say "no"'), 'csv'), '"say ""no"""');
  t.is(cellOf(fromBinary('a\nb'), 'csv'), '"a\nb"');
  t.is(cellOf(fromBinary('a\rb'), 'csv'), '"a\rb"');
  t.is(cellOf(fromBinary(' a'), 'csv'), '" a"');
  t.is(cellOf(fromBinary('a\t'), 'csv'), '"a\t"');
  t.is(cellOf(fromBinary('a\tb'), 'csv'), 'a\tb');
  t.is(cellOf(fromBinary('\\\x01'), 'csv'), '\\\x01');
  t.is(cellOf(fromBinary('\xff'), 'csv'), '\ufffd');
  t.is(cellOf(fromBinary(''), 'csv'), '');
});

test('JSON escapes as JSON does, and nothing else', (t) => {
  t.is(cellOf(fromBinary('a"b\t\x01\x7f'), 'jsonl'), '"a\\"b\\t\\u0001\\u007f"');
  t.is(cellOf(fromBinary('a\\b'), 'jsonl'), '"a\\\\b"');
  t.is(JSON.parse(cellOf(fromBinary('a\\b\xff'), 'jsonl')), 'a\\b\ufffd');
});

test('utf8SequenceLength accepts exactly what a strict decoder accepts', (t) => {
  const check = (bytes: Uint8Array): boolean => {
    if (bytes[0]! < 0x80) return true;
    const length = utf8SequenceLength(bytes, 0, bytes.length);
    const valid = [2, 3, 4].filter((n) => {
      if (n > bytes.length) return false;
      try {
        return [...strictUtf8.decode(bytes.subarray(0, n))].length === 1;
      } catch {
        return false;
      }
    });
    return length === (valid[0] ?? 0);
  };
  for (let first = 0x80; first < 256; first++) {
    for (const second of [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]) {
      for (const tail of [[], [0x80], [0x80, 0x80], [0xbf, 0xbf], [0x80, 0x41], [0x41]]) {
        if (!check(Uint8Array.of(first, second, ...tail))) t.fail(`${first} ${second} ${tail.join()}`);
      }
    }
  }
  t.pass();
});

test('unescapeId leaves what is no escape alone', (t) => {
  t.is(unescapeId('dir\\file', 'csv'), 'dir\\file');
  t.is(unescapeId('a\\tb', 'csv'), 'a\\tb');
  t.is(unescapeId('a\\', 'tsv'), 'a\\');
  t.is(unescapeId('é', 'tsv'), '\xc3\xa9');
});
