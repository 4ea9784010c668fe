/** Mail: one document per message, with its text decoded; the same wherever the stream is cut. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { streamChunks } from '../../../src/readers/bytes/chunks.js';
import { type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { FormatReading } from '../../../src/readers/formats/reading.js';
import { readSplit } from '../../../src/readers/reader.js';
import { chunkSplit, linesBlock } from '../../../src/readers/split.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { listOf, readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const mail = (id: string, fields: readonly string[], body: string, end = '\n'): string =>
  [`Message-ID: <${id}>`, ...fields, '', body, ''].join(end);
const FROM = 'From ada@example.org Mon Jan  1 00:00:00 2024\n';
const part = (type: string, body: string, more: readonly string[] = []): string =>
  ['--xx', `Content-Type: ${type}`, ...more, '', body].join('\n');

const utf8 = (binary: string | null): string => Buffer.from(binary ?? 'null', 'latin1').toString();
const rowsOf = ({ documents, skips }: RecordingSink): string[] => [
  ...documents.map(({ record, id, text }) => `${record} ${utf8(id)}: ${utf8(text)}`),
  ...skips.map(({ record, code, id }) => `${record} ${utf8(id)} ${code}`),
];

function read(
  t: ExecutionContext,
  name: string,
  content: string | Uint8Array,
  params = readParams(),
): string[] {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, content);
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf([inputFile(path)]) }, params, sink, readBuffers());
  return rowsOf(sink);
}

async function readMbox(
  t: ExecutionContext,
  content: string,
  params: ReadParams,
  chunkBytes: number,
): Promise<string[]> {
  const path = join(temporaryFolder(t), 'a.mbox');
  writeFileSync(path, content);
  const file = inputFile(path);
  const rows: string[] = [];
  for await (const chunk of streamChunks(file, params, undefined, chunkBytes)) {
    if ('problem' in chunk) return [...rows, chunk.problem];
    const sink = new RecordingSink();
    const { firstLine } = chunk;
    const reading = new FormatReading(params, sink, readBuffers());
    const read = readSplit(chunkSplit(file, 0, chunk), linesBlock(chunk.bytes, false), reading);
    t.is(read, chunk.lines);
    for (const row of rowsOf(sink)) rows.push(row.replace(/^\d+/, (n) => String(firstLine + Number(n))));
  }
  return rows;
}

test('the plain text of a mail is read, whatever its encoding and character set; else its HTML', (t) => {
  const quoted = [
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
  ];
  t.deepEqual(read(t, 'a.eml', mail('1@a', quoted, 'caf=E9 is =\nopen')), ['-1 1@a: café is open\n']);
  const base64 = ['Content-Type: text/plain;', ' charset="utf-8"', 'Content-Transfer-Encoding: BASE64'];
  const compressed = Buffer.from('Zwölf Boxkämpfer').toString('base64');
  t.deepEqual(read(t, 'a.eml', mail('2@a', base64, compressed, '\r\n')), ['-1 2@a: Zwölf Boxkämpfer']);
  const both = [part('text/html', '<html><p>page</p></html>'), part('text/plain', 'plain'), '--xx--'].join(
    '\n',
  );
  const alternative = ['Content-Type: multipart/alternative; boundary="xx"'];
  t.deepEqual(read(t, 'a.eml', mail('3@a', alternative, both)), ['-1 3@a: plain\n']);
  const blank = both.replace('plain\n', '\n');
  t.deepEqual(read(t, 'a.eml', mail('3@a', alternative, blank)), ['-1 3@a: page']);
  const mixed = ['Content-Type: multipart/mixed; boundary="xx"'];
  const attached = part('text/plain', 'a file', ['Content-Disposition: attachment; filename=a.txt']);
  const page = [attached, part('text/html', '<html><p>page &amp; more</p></html>'), '--xx--'].join('\n');
  t.deepEqual(read(t, 'a.eml', mail('4@a', mixed, page)), ['-1 4@a: page & more']);
  t.deepEqual(read(t, 'a.eml', mail('5@a', mixed, attached)), ['-1 5@a MAIL_NO_TEXT']);
  t.deepEqual(read(t, 'a.eml', 'no field here\n\nbody'), ['-1 null MAIL_NO_HEADER']);
});

test('a million blanks in a line of quoted-printable, or before a character set, are read once', (t) => {
  const blanks = ' '.repeat(1 << 20);
  const fields = [
    `Content-Type: text/plain; charset=${blanks};`,
    'Content-Transfer-Encoding: quoted-printable',
  ];
  const [row] = read(
    t,
    'a.eml',
    mail('1@a', ['Content-Transfer-Encoding: quoted-printable'], `a${blanks}b${blanks}\nc`),
  );
  t.is(row, `-1 1@a: a${blanks}b\nc\n`);
  t.deepEqual(read(t, 'a.eml', mail('2@a', fields, 'c').replace(blanks, ' '.repeat(500_000))), [
    '-1 2@a: c\n',
  ]);
});

test('all texts of a mail are read, also of forwarded mails, but no attachments', (t) => {
  const mixed = ['Content-Type: multipart/mixed; boundary="xx"'];
  const parts = [
    part('text/html', '<p>first &amp; page</p>'),
    part('image/png', 'iVBO', ['Content-Transfer-Encoding: base64']),
    part('text/plain', 'attached', ['Content-Disposition: attachment']),
    part('text/calendar', 'BEGIN:VCALENDAR'),
    part('text/plain; charset=latin1', 'caf=E9', ['Content-Transfer-Encoding: quoted-printable']),
    part('message/rfc822', 'Subject: inner\n\nforwarded'),
    '--xx--',
  ];
  t.deepEqual(read(t, 'a.eml', mail('1@a', mixed, parts.join('\n'))), [
    '-1 1@a: first & page\n\ncafé\n\n\nforwarded\n',
  ]);
  t.deepEqual(read(t, 'a.eml', mail('2@a', mixed, parts.slice(3, 4).join('\n'))), [
    '-1 2@a: BEGIN:VCALENDAR\n',
  ]);
  t.deepEqual(read(t, 'a.eml', mail('3@a', ['Content-Type: text'], 'no subtype')), ['-1 3@a: no subtype\n']);
});

test('a body that begins as a page is read as one, whatever its type', (t) => {
  const page = '<html><body><p>one &amp; two</p></body></html>';
  for (const fields of [[], ['Content-Type: text/plain']])
    t.deepEqual(read(t, 'a.eml', mail('1@a', fields, page)), ['-1 1@a: one & two']);
  t.deepEqual(read(t, 'a.eml', mail('1@a', [], page), readParams({ textFormat: 'text' })), [
    `-1 1@a: ${page}\n`,
  ]);
});

test('what programs write before the header of a mail is skipped', (t) => {
  const message = 'Message-ID: 1@a\nSubject: x\n\nbody\n';
  for (const before of ['', '\ufeff', '\r\n\r\n', FROM, `>${FROM}`])
    t.deepEqual(read(t, 'a.eml', before + message), ['-1 1@a: body\n'], before);
  const apple = `${message.length}  \n${message}<?xml version="1.0"?>\n<plist/>\n`;
  t.deepEqual(read(t, 'a.emlx', apple), ['-1 1@a: body\n']);
});

test('an mbox without blank lines between messages is cut at lines with a time before a header', async (t) => {
  const content = [1, 2].map((n) => `${FROM}${mail(`${n}@a`, [], 'From here\nto 10:30\nthere')}`).join('');
  for (const size of [1, 50, 1 << 20])
    t.deepEqual(
      (await readMbox(t, content, readParams(), size)).sort(),
      [1, 2].map((n) => `${n - 1} ${n}@a: From here\nto 10:30\nthere\n`),
    );
});

test('an mbox has a document per message, wherever it is cut', async (t) => {
  const messages = [
    mail('1@a', [], 'one\n\n>From here on\n>>From there\nFrom a line without a blank one before'),
    mail('2@a', ['Subject: two'], 'two '.repeat(40)),
    'no field here\n\nbody\n',
    mail('4@a', ['Content-Type: image/png'], 'x'),
    mail('5@a', [], 'five\n\nFrom nowhere it goes on\nwithout a field'),
  ];
  // A field behind such a line shows a message, too.
  const content = messages.map((message, i) => `${i === 1 ? 'From bob\n' : FROM}${message}\n`).join('');
  const whole = await readMbox(t, content, readParams(), 1 << 20);
  t.deepEqual(
    whole.map((row) => row.replace(/(?: two){2,}/, ' ...').trim()),
    [
      '0 1@a: one\n\nFrom here on\n>From there\nFrom a line without a blank one before',
      '1 2@a: ...',
      '4 5@a: five\n\nFrom nowhere it goes on\nwithout a field',
      '2 null MAIL_NO_HEADER',
      '3 4@a MAIL_NO_TEXT',
    ],
  );
  for (const size of [1, 7, 50, 333])
    t.deepEqual((await readMbox(t, content, readParams(), size)).sort(), [...whole].sort(), String(size));
});
