import test from 'ava';
import fc from 'fast-check';
import {
  decoded as decodedText,
  holdsReplacement,
  isUtf8,
  pieceDecoder,
} from '../../../src/readers/bytes/encodings.js';

const utf8 = new TextEncoder();

function decoded(bytes: Uint8Array, label: string, pieceBytes?: number): [text: string, repaired: boolean] {
  const { text, repaired } = decodedText(bytes, label, pieceBytes);
  return [Buffer.from(text).toString('utf8'), repaired];
}

test('isUtf8 knows the names of UTF-8', (t) => {
  t.true(isUtf8('utf-8') && isUtf8('utf8') && isUtf8('unicode-1-1-utf-8'));
  t.false(isUtf8('utf-16le') || isUtf8('latin1'));
});

test('windows-1252 is decoded by the table of the standard, in every Node version', (t) => {
  t.deepEqual(decoded(Uint8Array.of(0x80, 0x81, 0x41, 0xe9, 0x9f), 'latin1'), ['€\u0081AéŸ', false]);
  t.deepEqual(decoded(Uint8Array.of(0x80), 'windows-1252', 1), ['€', false]);
  t.deepEqual(decoded(new Uint8Array(0), 'windows-1252'), ['', false]);
});

test('a text is decoded the same in pieces of any size', (t) => {
  const labels = fc.constantFrom(
    'utf-16le',
    'utf-16be',
    'shift_jis',
    'gb18030',
    'euc-jp',
    'windows-1251',
    'big5',
  );
  fc.assert(
    fc.property(
      labels,
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      (label, bytes, size) => {
        t.deepEqual(decoded(bytes, label, size), decoded(bytes, label));
      },
    ),
    { seed: 1, numRuns: 1000 },
  );
  t.pass();
});

test('bytes that cannot be decoded become U+FFFD, and a byte order mark is dropped', (t) => {
  t.deepEqual(decoded(Uint8Array.of(0xff, 0xfe, 0x41, 0x00), 'utf-16le'), ['A', false]);
  t.deepEqual(decoded(Uint8Array.of(0x41, 0x00, 0x42), 'utf-16le'), ['A\ufffd', true]);
  t.deepEqual(decoded(Uint8Array.of(0x41, 0x00, 0x42), 'utf-16le', 1), ['A\ufffd', true]);
});

test('a surrogate pair that is cut is decoded whole', (t) => {
  const decoder = pieceDecoder('utf-16le');
  const parts = [
    decoder.push(Uint8Array.of(0x3d, 0xd8), false),
    decoder.push(Uint8Array.of(0x00, 0xde), true),
  ];
  t.is(Buffer.concat(parts).toString('utf8'), '\u{1F600}');
});

test('only U+FFFD itself is a replacement', (t) => {
  t.true(holdsReplacement(utf8.encode('a\ufffdb')));
  t.false(holdsReplacement(utf8.encode('a\uff0d\ufffcb')));
  t.false(holdsReplacement(Uint8Array.of(0xef, 0xbf)));
});
