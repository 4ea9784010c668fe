/** Which files are binary, by the bytes of their specifications. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { isBinary } from '../../../src/readers/bytes/binaryKinds.js';
import { finished } from '../../coordinator/runs/finished.js';
import { anyCharacter } from '../../data/anyText.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
/** A local file header of a zip archive, its first entry and what stands in it. */
const zip = (entry: string, content = ''): Buffer =>
  Buffer.concat([
    bytes('PK\x03\x04'),
    Buffer.alloc(22),
    bytes(`${String.fromCharCode(entry.length)}\0\0\0`),
    bytes(entry + content),
  ]);

const KINDS: Readonly<Record<string, readonly [Uint8Array, boolean]>> = {
  nothing: [bytes(''), false],
  text: [bytes('a text\n'), false],
  'NUL late': [bytes(`${'x'.repeat(8192)}\0`), false],
  unknown: [bytes('abc\0def'), true],
  'utf-16le': [Buffer.from('\ufeffhi', 'utf16le'), true],
  'utf-16le without a NUL': [Buffer.from('\ufeff\u4e2d\u6587', 'utf16le'), true],
  'utf-16be': [Buffer.from('\ufeffhi', 'utf16le').swap16(), true],
  'utf-32le': [bytes('\xff\xfe\0\0h\0\0\0'), true],
  'utf-32be': [bytes('\0\0\xfe\xff\0\0\0h'), true],
  gzip: [gzipSync('text'), true],
  zstd: [bytes('\x28\xb5\x2f\xfd\x04\x58'), true],
  xz: [bytes('\xfd7zXZ\0\0\x04'), true],
  bzip2: [bytes('BZh91AY&SY\x01'), true],
  'a text of bzip2': [bytes('BZh91 is how such files begin'), false],
  lz4: [bytes('\x04\x22\x4d\x18d'), true],
  compress: [bytes('\x1f\x9d\x90a'), true],
  zip: [zip('a.txt'), true],
  jar: [zip('META-INF/'), true],
  docx: [zip('[Content_Types].xml'), true],
  epub: [zip('mimetype', 'application/epub+zip'), true],
  '7z': [bytes('7z\xbc\xaf\x27\x1c\0\x04'), true],
  rar: [bytes('Rar!\x1a\x07\x01\0'), true],
  pdf: [bytes('%PDF-1.4\n1 0 obj'), true],
  doc: [bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0'), true],
  png: [bytes('\x89PNG\r\n\x1a\n\0\0'), true],
  jpeg: [bytes('\xff\xd8\xff\xe0\0'), true],
  gif: [bytes('GIF89a\x01\0'), true],
  webp: [bytes('RIFF\0\0\0\0WEBPVP8 '), true],
  wav: [bytes('RIFF\0\0\0\0WAVEfmt '), true],
  mp4: [bytes('\0\0\0\x20ftypisom'), true],
  parquet: [bytes('PAR1\x15\x04\x15\0'), true],
  'a text of PAR1': [bytes('PAR1 is a gene'), false],
  sqlite: [bytes('SQLite format 3\0'), true],
  avro: [bytes('Obj\x01\x04'), true],
  arrow: [bytes('ARROW1\0\0'), true],
  elf: [bytes('\x7fELF\x02\x01\x01\0'), true],
  class: [bytes('\xca\xfe\xba\xbe\0\0'), true],
  brotli: [Buffer.concat([brotliCompressSync('x'), bytes('\0')]), true],
};

test('a binary file is recognised by its first bytes', (t) => {
  for (const [name, [content, binary]] of Object.entries(KINDS)) t.is(isBinary(content), binary, name);
  t.true(isBinary(readFileSync(process.execPath).subarray(0, 8192)));
});

test('a text in UTF-8 is none of them, but for what names itself a PDF or bzip2 file', (t) => {
  const isTold = (some: string): boolean => /^(%PDF-[12]\.|BZh[1-9]1AY&SY)/.test(some);
  const unit = fc.oneof(
    fc.constantFrom('P', 'K', 'B', 'Z', '%', '7', 'z', 'R', 'S', 'O', '\t'),
    anyCharacter,
  );
  const text = fc
    .array(unit, { maxLength: 12 })
    .map((parts) => parts.join('').replace(/[\0-\x08\x0b-\x1f\x7f]/g, 'x'));
  fc.assert(
    fc.property(text, (some) => {
      t.is(isBinary(new TextEncoder().encode(some)), isTold(some), some);
    }),
    { seed: 12, numRuns: 600 },
  );
});

test('a binary file is skipped with its kind, and compressed or UTF-16 text is read', async (t) => {
  const page = 'one two three four five six seven';
  const utf16 = KINDS['utf-16le']![0];
  const { skipped } = await finished(t, {
    'a.txt': page,
    'lines.jsonl': KINDS.lz4![0],
    'list.json': gzipSync(page),
    'paper.pdf': KINDS.pdf![0],
    'report.docx': KINDS.docx![0],
    'scan.gif': KINDS.gif![0],
    'wide.txt': Buffer.from(page, 'utf16le'),
    'windows.txt': utf16,
    'inner.txt.gz': gzipSync(KINDS.sqlite![0]),
    'inner.jsonl.gz': gzipSync(KINDS.zip![0]),
    'wide.txt.gz': gzipSync(utf16),
  });
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.split(':')[0]}`),
    [
      'inner.jsonl.gz BINARY_ARCHIVE',
      'inner.txt.gz BINARY_TABLE',
      'lines.jsonl BINARY_PACKED',
      'paper.pdf BINARY_PDF',
      'report.docx BINARY_OFFICE',
      'scan.gif BINARY_IMAGE',
      'wide.txt BINARY_UTF16',
    ],
  );
});
