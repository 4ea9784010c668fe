/** What binary files are told to be, by real ones where Node or the system makes them, else by the bytes of their specification. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { ERRORS, type ErrorCode } from '../../../src/errors.js';
import { binaryCodeOf } from '../../../src/readers/bytes/binaryKinds.js';
import { streamChunks } from '../../../src/readers/bytes/chunks.js';
import { finished } from '../../coordinator/runs/finished.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { STREAM } from '../list/fileTables.js';
import { readParams } from '../recordingSink.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
/** A local file header of a zip archive, its first entry and what stands in it. */
const zip = (entry: string, content = ''): Buffer =>
  Buffer.concat([
    bytes('PK\x03\x04'),
    Buffer.alloc(22),
    bytes(`${String.fromCharCode(entry.length)}\0\0\0`),
    bytes(entry + content),
  ]);

const KINDS: Readonly<Record<string, readonly [Uint8Array, ErrorCode | null]>> = {
  nothing: [bytes(''), null],
  text: [bytes('a text\n'), null],
  'NUL late': [bytes(`${'x'.repeat(8192)}\0`), null],
  unknown: [bytes('abc\0def'), 'BINARY'],
  'utf-16le': [Buffer.from('\ufeffhi', 'utf16le'), 'BINARY UTF16LE'],
  'utf-16le without a NUL': [Buffer.from('\ufeff\u4e2d\u6587', 'utf16le'), 'BINARY UTF16LE'],
  'utf-16be': [Buffer.from('\ufeffhi', 'utf16le').swap16(), 'BINARY UTF16BE'],
  'utf-32le': [bytes('\xff\xfe\0\0h\0\0\0'), 'BINARY UTF32'],
  'utf-32be': [bytes('\0\0\xfe\xff\0\0\0h'), 'BINARY UTF32'],
  gzip: [gzipSync('text'), 'BINARY PACKED'],
  zstd: [bytes('\x28\xb5\x2f\xfd\x04\x58'), 'BINARY PACKED'],
  xz: [bytes('\xfd7zXZ\0\0\x04'), 'BINARY PACKED'],
  bzip2: [bytes('BZh91AY&SY\x01'), 'BINARY PACKED'],
  'a text of bzip2': [bytes('BZh91 is how such files begin'), null],
  lz4: [bytes('\x04\x22\x4d\x18d'), 'BINARY LZ4'],
  compress: [bytes('\x1f\x9d\x90a'), 'BINARY COMPRESS'],
  zip: [zip('a.txt'), 'BINARY ZIP'],
  jar: [zip('META-INF/'), 'BINARY ZIP'],
  docx: [zip('[Content_Types].xml'), 'BINARY OFFICE'],
  epub: [zip('mimetype', 'application/epub+zip'), 'BINARY OFFICE'],
  '7z': [bytes('7z\xbc\xaf\x27\x1c\0\x04'), 'BINARY 7Z'],
  rar: [bytes('Rar!\x1a\x07\x01\0'), 'BINARY RAR'],
  pdf: [bytes('%PDF-1.4\n1 0 obj'), 'BINARY PDF'],
  doc: [bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0'), 'BINARY OLD OFFICE'],
  png: [bytes('\x89PNG\r\n\x1a\n\0\0'), 'BINARY IMAGE'],
  jpeg: [bytes('\xff\xd8\xff\xe0\0'), 'BINARY IMAGE'],
  gif: [bytes('GIF89a\x01\0'), 'BINARY IMAGE'],
  webp: [bytes('RIFF\0\0\0\0WEBPVP8 '), 'BINARY IMAGE'],
  wav: [bytes('RIFF\0\0\0\0WAVEfmt '), 'BINARY SOUND'],
  mp4: [bytes('\0\0\0\x20ftypisom'), 'BINARY SOUND'],
  parquet: [bytes('PAR1\x15\x04\x15\0'), 'BINARY PARQUET'],
  'a text of PAR1': [bytes('PAR1 is a gene'), null],
  sqlite: [bytes('SQLite format 3\0'), 'BINARY SQLITE'],
  avro: [bytes('Obj\x01\x04'), 'BINARY TABLE'],
  arrow: [bytes('ARROW1\0\0'), 'BINARY TABLE'],
  elf: [bytes('\x7fELF\x02\x01\x01\0'), 'BINARY PROGRAM'],
  class: [bytes('\xca\xfe\xba\xbe\0\0'), 'BINARY PROGRAM'],
  brotli: [Buffer.concat([brotliCompressSync('x'), bytes('\0')]), 'BINARY'],
};

test('a binary file is told by its first bytes', (t) => {
  for (const [name, [content, code]] of Object.entries(KINDS)) t.is(binaryCodeOf(content), code, name);
  t.is(binaryCodeOf(readFileSync(process.execPath).subarray(0, 8192)), 'BINARY PROGRAM');
  const folder = temporaryFolder(t, { 'a.txt': 'text' });
  execFileSync('tar', ['-cf', join(folder, 'a.tar'), '-C', folder, 'a.txt']);
  t.is(binaryCodeOf(readFileSync(join(folder, 'a.tar'))), 'BINARY TAR');
});

test('a text in UTF-8 is none of them, but for what names itself a PDF or bzip2 file', (t) => {
  const isTold = (some: string): boolean => /^(%PDF-[12]\.|BZh[1-9]1AY&SY)/.test(some);
  const unit = fc.oneof(
    fc.constantFrom('P', 'K', 'B', 'Z', '%', '7', 'z', 'R', 'S', 'O', '\t'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  const text = fc
    .array(unit, { maxLength: 12 })
    .map((parts) => parts.join('').replace(/[\0-\x08\x0b-\x1f\x7f]/g, 'x'));
  fc.assert(
    fc.property(text, (some) => {
      t.is(binaryCodeOf(new TextEncoder().encode(some)) !== null, isTold(some), some);
    }),
    { seed: 12, numRuns: 600 },
  );
});

/** First bytes of what is read all the same. */
const READ: readonly (ErrorCode | null)[] = ['BINARY PACKED', 'BINARY UTF16LE', 'BINARY UTF16BE'];

test('what a stream is does not depend on how a pipe cuts it', async (t) => {
  // What is packed or UTF-16 is read.
  const kinds = Object.values(KINDS).filter(([, code]) => code !== null && !READ.includes(code));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      fc.array(fc.nat(30), { maxLength: 4 }),
      async ([content, code], cuts) => {
        const ends = [0, ...cuts.sort((a, b) => a - b), content.length];
        const pieces = ends.slice(1).map((end, i) => content.subarray(ends[i]!, end));
        const faults: unknown[] = [];
        for await (const part of streamChunks(
          STREAM,
          readParams(),
          Readable.from(pieces, { objectMode: true }),
        )) {
          faults.push('fault' in part ? part.fault : part);
        }
        t.deepEqual(faults, [code]);
      },
    ),
    { seed: 12, numRuns: 60 },
  );
});

test('skipped.tsv says what each file is and which command makes it readable', async (t) => {
  const page = 'one two three four five six seven';
  const { skipped, noted, manifest, summary } = await finished(t, {
    'a.txt': page,
    'lines.jsonl': KINDS.lz4![0],
    'none.jsonl': KINDS.zstd![0],
    'list.json': KINDS.gzip![0],
    'paper.pdf': KINDS.pdf![0],
    'windows.txt': KINDS['utf-16le']![0],
    'inner.txt.gz': gzipSync(KINDS.sqlite![0]),
    'inner.jsonl.gz': gzipSync(KINDS.zip![0]),
    'wide.txt.gz': gzipSync(KINDS['utf-16le']![0]),
    'empty.txt': ' \n',
    'latin.txt': bytes(`${page} caf\xe9`),
  });
  const said = ({ document, kind, reason }: Readonly<Record<string, string>>): string =>
    `${document} ${kind} ${reason}`;
  const row = (place: string, kind: string, code: ErrorCode): string =>
    `${place} ${kind} ${code}: ${ERRORS[code].text}`;
  t.deepEqual(skipped.map(said), [
    row('inner.jsonl.gz', 'skipped', 'BINARY PACKED'),
    row('inner.txt.gz', 'skipped', 'BINARY PACKED'),
    row('lines.jsonl', 'skipped', 'BINARY LZ4'),
    row('none.jsonl', 'skipped', 'ZSTD_TRUNCATED'),
    row('paper.pdf', 'skipped', 'BINARY PDF'),
  ]);
  t.deepEqual(noted.map(said), [
    row('empty.txt', 'empty', 'EMPTY'),
    row('latin.txt', 'repaired', 'REPAIRED'),
    row('list.json', 'as text', 'RECORDS_AS_TEXT'),
  ]);
  t.regex(summary, /^ +1 BINARY PDF: a PDF file: pdftotext FILE FILE\.txt makes it a text$/m);
  t.regex(summary, /^ +1 BINARY LZ4: packed by lz4: lz4 -d FILE unpacks it$/m);
  const { read, documents, empty, repaired } = manifest.counts;
  t.deepEqual([documents, read, empty, repaired], [11, 6, 1, 1]);
});
