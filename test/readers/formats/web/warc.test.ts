/** Records of WARC and WET: what becomes a document, how bodies are decompressed, and what damage costs. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import type { ReasonLeftOut } from '../../../../src/blocks/documents.js';
import { ChunkCutter, type ChunkProblem, type LineChunk } from '../../../../src/readers/bytes/chunkCutter.js';
import { readBuffers } from '../../../../src/readers/documentSink.js';
import { FormatReading } from '../../../../src/readers/formats/reading.js';
import { WARC } from '../../../../src/readers/formats/web/warcRecords.js';
import { readChunk } from '../../../../src/readers/reader.js';
import { EVERY_BYTE } from '../../../data/everyByte.js';
import { RecordingSink, readParams } from '../../recordingSink.js';

/** Bytes from one damaged location to the next. */
const STEP = EVERY_BYTE ? 1 : 5;

class ArchiveSink extends RecordingSink {
  passed: ReasonLeftOut[] = [];
  pages = 0;
  pass(_file: number, why: ReasonLeftOut): void {
    this.passed.push(why);
  }
  is(): void {
    this.pages++;
  }
}

type Params = Parameters<typeof readParams>[0];

function read(bytes: Uint8Array, changes: Params = {}): ArchiveSink & { records: number } {
  const sink = new ArchiveSink();
  const records = readChunk(
    'warc',
    { bytes, index: 0, firstLine: 0 },
    new FormatReading(readParams(changes), sink, readBuffers(1)),
  );
  return Object.assign(sink, { records });
}

/** `id: text` of each document, or `number code`. */
const said = ({ documents, codes }: RecordingSink): string[] => [
  ...documents.map(({ id, text }) => `${id}: ${Buffer.from(text, 'latin1')}`),
  ...codes,
];

const WARC_TYPES = { response: 'application/http; msgtype=response', conversion: 'text/plain' } as const;

function record(
  type: string,
  uri: string,
  block: string | Buffer,
  more: Record<string, string> = {},
): Buffer {
  const fields = {
    'WARC-Type': type,
    ...(uri === '' ? {} : { 'WARC-Target-URI': uri }),
    'Content-Type': WARC_TYPES[type as keyof typeof WARC_TYPES],
    'Content-Length': String(Buffer.byteLength(block)),
    ...more,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}\r\n`,
  );
  return Buffer.concat([
    Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(block),
    Buffer.from('\r\n\r\n'),
  ]);
}

function http(
  body: string | Buffer,
  type: string | null = 'text/html',
  more: string[] = [],
  status = 200,
): Buffer {
  const header = [
    `HTTP/1.1 ${status} Whatever`,
    ...(type === null ? [] : [`content-type: ${type}`]),
    ...more,
  ];
  return Buffer.concat([Buffer.from(`${header.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

const PAGE = '<html><title>t</title><p>tëxt';

test('pages, texts and conversions are documents; the rest is left out', (t) => {
  const found = read(
    Buffer.concat([
      record('warcinfo', '', 'software: x'),
      record('request', 'u:0', 'GET / HTTP/1.1\r\n\r\n'),
      record('response', 'u:page', http(PAGE, 'Text/HTML; charset=UTF-8')),
      record('response', '<u:old>', http(PAGE, 'application/xhtml+xml')),
      record('response', 'u:text', http('a <b>', 'text/plain')),
      record('response', 'u:json', http('{}', 'application/ld+json')),
      record('response', 'u:image', http('GIF', 'image/gif')),
      record('response', 'u:style', http('p{}', 'text/css')),
      record('response', 'u:binary', http('a\0', 'text/plain')),
      record('response', 'u:untyped', http(PAGE, null)),
      record('response', 'u:unknown', http('a', null)),
      record('response', 'u:gone', http(PAGE, 'text/html', [], 404)),
      record('response', 'dns:x', 'x. 1 IN A 1.2.3.4', { 'Content-Type': 'text/dns' }),
      record('revisit', 'u:page', http('')),
      record('continuation', 'u:page', 'more'),
      record('metadata', 'u:page', 'a: b'),
      record('conversion', 'u:wet', 'wét <b>'),
      record('resource', 'u:file', PAGE, { 'Content-Type': 'text/html' }),
      record('resource', '', 'without', { 'Content-Type': 'text/plain' }),
      record('response', 'u:empty', http('', 'text/plain')),
      record('future', 'u:x', 'x'),
    ]),
  );
  t.deepEqual(said(found), [
    'u:page: tëxt',
    'u:old: tëxt',
    'u:text: a <b>',
    'u:json: {}',
    'u:untyped: tëxt',
    'u:wet: wét <b>',
    'u:file: tëxt',
    'null: without',
    'u:empty: ',
  ]);
  t.deepEqual(
    found.documents.map((document) => document.record),
    [2, 3, 4, 5, 9, 16, 17, 18, 19],
  );
  t.deepEqual(
    found.passed.sort(),
    [...Array(6).fill('other types'), 'other statuses', 'revisits', 'segments'].sort(),
  );
  t.is(found.pages, 4);
  t.is(found.records, 21);
});

test('--text-format text gives the source of pages', (t) => {
  t.deepEqual(said(read(record('response', 'u', http(PAGE)), { textFormat: 'text' })), [`u: ${PAGE}`]);
});

const chunked = (body: Buffer): Buffer =>
  Buffer.concat([
    ...Array.from({ length: Math.ceil(body.length / 9) }, (_, i) => {
      const part = body.subarray(9 * i, 9 * i + 9);
      return Buffer.concat([Buffer.from(`${part.length.toString(16)};x=y\r\n`), part, Buffer.from('\r\n')]);
    }),
    Buffer.from('0\r\n\r\n'),
  ]);

test('bodies are unchunked, decompressed and decoded', (t) => {
  const page = Buffer.from(PAGE);
  const bodies: readonly (readonly [body: Buffer | string, fields: string[], type?: string])[] = [
    [gzipSync(page), ['Content-Encoding: gzip']],
    [deflateSync(page), ['Content-Encoding: deflate']],
    [deflateRawSync(page), ['Content-Encoding: deflate']],
    [brotliCompressSync(page), ['Content-Encoding: br']],
    [chunked(page), ['Transfer-Encoding: chunked']],
    [chunked(gzipSync(page)), ['Transfer-Encoding: chunked', 'content-encoding: GZIP']],
    [brotliCompressSync(gzipSync(page)), ['Content-Encoding: gzip, br']],
    // Fields that are left of a body that was decompressed.
    [page, ['Content-Encoding: gzip', 'Transfer-Encoding: chunked']],
    [page, ['Content-Encoding: br']],
    [Buffer.from(PAGE, 'latin1'), [], 'text/html; charset="iso-8859-1"'],
    [Buffer.from(`\ufeff${PAGE}`), [], 'text/html; charset=iso-8859-1'],
    [Buffer.from(`<meta charset=latin1>${PAGE}`, 'latin1'), []],
    [Buffer.from('tëxt', 'latin1'), [], 'text/plain; charset=latin1'],
  ];
  for (const [body, fields, type] of bodies) {
    t.deepEqual(said(read(record('response', 'u', http(body, type, fields)))), ['u: tëxt'], fields.join());
  }
  const damaged: readonly (readonly [body: Buffer, fields: string[]])[] = [
    [gzipSync(page).subarray(0, 20), ['Content-Encoding: gzip']],
    [chunked(page).subarray(0, 20), ['Transfer-Encoding: chunked']],
    [brotliCompressSync(page).subarray(0, 20), ['Content-Encoding: br']],
    [page, ['Content-Encoding: own']],
  ];
  for (const [body, fields] of damaged) {
    t.deepEqual(said(read(record('response', 'u', http(body, 'text/html', fields)))), [
      '0 WARC_BODY_DAMAGED',
    ]);
  }
  const bomb = record(
    'response',
    'u',
    http(gzipSync(Buffer.alloc(1 << 20)), 'text/plain', ['Content-Encoding: gzip']),
  );
  t.deepEqual(said(read(bomb, { maxDocument: 1000 })), ['0 TOO_LARGE']);
  t.deepEqual(said(read(record('conversion', 'u', 'abcdef'), { maxDocument: 5 })), ['0 TOO_LARGE']);
});

test('a record that is damaged is named, and the next ones are read', (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => record('conversion', `u:${name}`, `${name} text`));
  const lying = (length: number): Buffer =>
    record('conversion', 'u:x', 'some text', { 'Content-Length': String(length) });
  const cases: readonly (readonly [name: string, middle: Buffer | string, codes: string[]])[] = [
    ['too short', lying(4), ['1 WARC_DAMAGED']],
    ['too long', lying(30), ['1 WARC_DAMAGED']],
    ['behind the next', lying(150), ['1 WARC_DAMAGED']],
    ['behind the end', lying(1e9), ['1 WARC_DAMAGED']],
    ['no number', record('conversion', 'u:x', 'x', { 'Content-Length': 'x' }), ['1 WARC_DAMAGED']],
    ['no length', 'WARC/1.0\r\nWARC-Type: conversion\r\n\r\n', ['1 WARC_DAMAGED']],
    ['no header', 'WARC/1.0\r\n', ['1 WARC_DAMAGED']],
    ['garbage', 'garbage\nWarc\nWARC/2\n', ['1 WARC_DAMAGED']],
  ];
  for (const [name, middle, codes] of cases) {
    const found = read(Buffer.concat([a!, b!, Buffer.from(middle), c!]));
    t.deepEqual(said(found).slice(0, 3), ['u:a: a text', 'u:b: b text', 'u:c: c text'], name);
    t.deepEqual(
      found.codes,
      codes.map((code) => code.replace('1 ', '2 ')),
      name,
    );
    t.is(found.records, 4, name);
  }
  t.deepEqual(said(read(Buffer.concat([a!, b!.subarray(0, -8)]))), ['u:a: a text', '1 WARC_TRUNCATED']);
  t.deepEqual(said(read(Buffer.from('WARC/1.0\n'.repeat(100_000)))).length, 100_000);
});

const MADE_BY_WARCIO = gunzipSync(
  readFileSync(new URL('../../../../../test/data/warcio.warc.gz', import.meta.url)),
);

test('an archive that warcio made', (t) => {
  const found = read(MADE_BY_WARCIO);
  const fox = 'The quick brown fox jumps over the lazy dog by the river.';
  t.deepEqual(said(found), [
    `http://example.com/a: ${fox}`,
    `http://example.com/b: ${fox}`,
    'http://example.com/c: café latin one page with words',
    'http://example.com/f.txt: plain text as it stands <b>',
    'http://example.com/w: Wét text of a page',
    'http://example.com/r: {"a": 1}',
  ]);
  t.deepEqual(found.passed, ['other types', 'other statuses', 'revisits']);
  t.is(found.records, 10);
});

/** Where the records of the archive begin; at last its end. */
const STARTS = [...MADE_BY_WARCIO.toString('latin1').matchAll(/^WARC\/1\.\d\r$/gm)].map(
  (found) => found.index,
);

test('a cut in the first 4 KB costs the record that it is in, which is named', (t) => {
  const whole = read(MADE_BY_WARCIO);
  for (let cut = 0; cut < 4096; cut += STEP) {
    const found = read(MADE_BY_WARCIO.subarray(0, cut));
    const last = STARTS.findLastIndex((start) => start < cut);
    const before = whole.documents.filter((document) => document.record < last);
    const own = found.documents.filter((document) => document.record >= last);
    t.deepEqual(found.documents.slice(0, before.length), before);
    t.is(found.records, last + 1);
    t.true(own.length + found.skips.length <= 1);
    if (found.skips.length > 0) t.regex(found.codes.join(), new RegExp(`^${last} WARC_(TRUNCATED|DAMAGED)$`));
  }
});

test('a byte that is flipped in the first 4 KB costs the record that it is in', (t) => {
  const whole = read(MADE_BY_WARCIO);
  for (let at = 0; at < 4096; at += STEP) {
    const bytes = Buffer.from(MADE_BY_WARCIO);
    bytes[at]! ^= 1 << (at % 8);
    const found = read(bytes);
    const own = STARTS.findLastIndex((start) => start <= at);
    // A record begins a line: without the line feed before it there is none.
    const others = whole.documents.filter(({ record }) => record !== own && at !== STARTS[record]! - 1);
    for (const { id, text } of others) {
      t.true(
        found.documents.some((document) => document.id === id && document.text === text),
        `${at} ${id}`,
      );
    }
    const told = found.documents.length + found.skips.length + found.passed.length;
    t.true(told >= whole.documents.length + whole.passed.length - 1, `${at}`);
  }
});

test('an archive is cut the same however its bytes come, damaged or not', (t) => {
  const params = readParams();
  const cuts = (bytes: Buffer, sizes: readonly number[]): string[] => {
    const cutter = new ChunkCutter({ of: WARC, params }, 64, { most: 4096 });
    const found: string[] = [];
    const take = (parts: Iterable<LineChunk | ChunkProblem>): void => {
      for (const part of parts)
        found.push('problem' in part ? part.problem : `${part.lines} in ${part.bytes.length}`);
    };
    for (let from = 0, i = 0; from < bytes.length; i++) {
      const to = Math.min(bytes.length, from + sizes[i % sizes.length]!);
      cutter.push(bytes.subarray(from, to));
      take(cutter.chunks());
      from = to;
    }
    take(cutter.rest(false));
    return found;
  };
  const lengths = STARTS.map((start, i) => (STARTS[i + 1] ?? MADE_BY_WARCIO.length) - start);
  t.deepEqual(
    cuts(MADE_BY_WARCIO, [1e6]),
    lengths.map((length) => `1 in ${length}`),
  );
  fc.assert(
    fc.property(
      fc.nat(MADE_BY_WARCIO.length - 1),
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
      (at, sizes) => {
        const bytes = Buffer.from(MADE_BY_WARCIO);
        bytes[at]! ^= 4;
        t.deepEqual(cuts(bytes, sizes), cuts(bytes, [1e6]));
      },
    ),
    { seed: 5, numRuns: 200 },
  );
});
