import { isUtf8 } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { ByteWriter, csvCell, placeText, unescapeId } from '../../../src/result/tables/escaping.js';
import { utf8SequenceLength } from '../../../src/text/unicode/utf8.js';
import { anyText } from '../../data/anyText.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The cell in the file; throws if it is not valid UTF-8. */
function cellOf(bytes: Uint8Array): string {
  const out = new ByteWriter(1);
  out.appendEscaped(bytes, 0, bytes.length);
  return strictUtf8.decode(out.written());
}

const fromBinary = (id: string): Uint8Array => Buffer.from(id, 'latin1');

/** Random bytes, with the interesting ones more often than chance has them. */
const hostileBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      anyText({ minLength: 1, maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
      fc.constantFrom('\\', '"', ',', '\t', '\n', '\r', ' ', '\\n', '\\x41', '\x7f', '\0').map(fromBinary),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Uint8Array.from(pieces.flatMap((piece) => [...piece])));

const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

test('a cell decodes to the same bytes', (t) => {
  fc.assert(
    fc.property(hostileBytes, (bytes) => unescapeId(cellOf(bytes)) === binary(bytes)),
    { seed: 1, numRuns: 2000 },
  );
  t.pass();
});

test('a location in CSV and JSON decodes to the same bytes, and differs for any two documents', (t) => {
  const hasEscapes = /\\x[0-9a-f]{2}/i;
  fc.assert(
    fc.property(hostileBytes, hostileBytes, (x, y) => {
      const [text, other] = [placeText(binary(x)), placeText(binary(y))];
      // Exactly the places with \xNN are to be decoded.
      const plain = Buffer.from(text).toString('latin1');
      const decoded = plain.replace(/\\(?:\\|x([0-9a-f]{2}))/gi, (_, digits) =>
        digits === undefined ? '\\' : String.fromCharCode(Number.parseInt(digits, 16)),
      );
      t.is(hasEscapes.test(text) ? decoded : plain, binary(x));
      t.is(text === other, Buffer.from(x).equals(Buffer.from(y)));
      if (isUtf8(x) && !hasEscapes.test(binary(x))) t.is(plain, binary(x));
    }),
    { seed: 2, numRuns: 1000 },
  );
});

test('a location in CSV and JSON is the path itself unless a part of it reads as an escape', (t) => {
  t.is(placeText('C:\\new\\a.txt'), 'C:\\new\\a.txt');
  t.is(placeText('a\\b\xff'), 'a\\\\b\\xff');
  t.is(placeText('a\\xfe'), 'a\\\\xfe');
  t.is(placeText('a\\xg'), 'a\\xg');
  t.is(placeText('\xc3\xa9'), 'é');
});

test('a TSV cell has no tab, line end or other control character', (t) => {
  fc.assert(
    fc.property(hostileBytes, (bytes) => !/[\x00-\x1f\x7f]/.test(cellOf(bytes))),
    { seed: 3, numRuns: 1500 },
  );
  t.pass();
});

test('TSV escapes tab, line ends and the backslash by letter and other bytes by number', (t) => {
  t.is(cellOf(fromBinary('a\tb\nc\rd\\e')), 'a\\tb\\nc\\rd\\\\e');
  t.is(cellOf(fromBinary('\x00\x1f\x7f\xff\xc3')), '\\x00\\x1f\\x7f\\xff\\xc3');
  t.is(cellOf(new TextEncoder().encode('é "x", 漢𝄞')), 'é "x", 漢𝄞');
});

test('CSV quotes by RFC 4180, and changes nothing else', (t) => {
  for (const plain of ['plain text', 'a\tb', '\\\x01', '']) t.is(csvCell(plain), plain);
  for (const quoted of ['a,b', 'a\nb', 'a\rb', ' a', 'a\t']) t.is(csvCell(quoted), `"${quoted}"`);
  t.is(csvCell('say "no"'), '"say ' + '""no""' + '"');
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

test('unescapeId keeps backslashes that begin no escape', (t) => {
  t.is(unescapeId('a\\'), 'a\\');
  t.is(unescapeId('é'), '\xc3\xa9');
});
