import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { MinHashError } from '../../../src/errors.js';
import { streamChunks } from '../../../src/readers/bytes/chunks.js';
import type { ReadParams } from '../../../src/readers/documentSink.js';
import type { IndexedFile } from '../../data/temporaryFolder.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { readSource, STREAM } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const STDIN: IndexedFile = { ...STREAM, index: 0 };

interface Streamed {
  readonly chunks: string[];
  readonly firstLines: number[];
  readonly lines: number;
  readonly problems: string[];
}

async function streamed(
  file: IndexedFile,
  params: ReadParams,
  pieces: readonly (string | Uint8Array)[] = [],
  chunkBytes = 4 << 20,
): Promise<Streamed> {
  const result = { chunks: [] as string[], firstLines: [] as number[], lines: 0, problems: [] as string[] };
  const stdin = Readable.from(pieces, { objectMode: true });
  for await (const chunk of streamChunks(file, params, stdin, chunkBytes)) {
    if ('problem' in chunk) result.problems.push(`${chunk.line} ${chunk.problem}`);
    else {
      result.chunks.push(Buffer.from(chunk.bytes).toString('utf8'));
      result.firstLines.push(chunk.firstLine);
      result.lines += chunk.lines;
    }
  }
  return result;
}

test('streamChunks cuts at the last line feed of each window, or after a longer line', async (t) => {
  const found = await streamed(STDIN, readParams(), ['ab\ncd\nef', 'ghijklmnop\nq\nr'], 8);
  t.deepEqual(found.chunks, ['ab\ncd\n', 'efghijklmnop\n', 'q\nr']);
  t.deepEqual(found.firstLines, [0, 2, 3]);
  t.is(found.lines, 5);
  t.deepEqual(await streamed(STDIN, readParams()), { chunks: [], firstLines: [], lines: 0, problems: [] });
});

test('streamChunks cuts the same however the stream comes in pieces', async (t) => {
  const text = fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', '\n') });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 9 }),
      async (whole, window, size) => {
        const pieces: string[] = [];
        for (let at = 0; at < whole.length; at += size) pieces.push(whole.slice(at, at + size));
        const found = await streamed(STDIN, readParams(), pieces, window);
        t.deepEqual(found, await streamed(STDIN, readParams(), whole === '' ? [] : [whole], window));
        t.is(found.chunks.join(''), whole);
        t.is(found.lines, whole.replace(/[^\n]+$/, '\n').split('\n').length - 1);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
  t.pass();
});

test('streamChunks names a line that is too long and goes on behind it', async (t) => {
  const params = readParams({ maxDocument: 1 });
  const long = 'x'.repeat((1 << 20) + 7);
  const pieces = ['a\n', long.slice(0, 100), long.slice(100), '\nb\n', long];
  const found = await streamed(STDIN, params, pieces, 16);
  t.deepEqual(found.chunks, ['a\n', 'b\n']);
  t.deepEqual(found.firstLines, [0, 2]);
  t.deepEqual(found.problems, ['1 TOO_LARGE', '3 TOO_LARGE']);
});

test('a message that ends a stream is read behind one that is too long', async (t) => {
  const message = (body: string): string => `From a@b.c Mon Jan  1 00:00:00 2024\nSubject: a\n\n${body}\n\n`;
  const pieces = [message('a'), message('x'.repeat(2 << 20)), message('b'), message('c')];
  const file: IndexedFile = { ...STDIN, format: 'mbox' };
  const found = await streamed(file, readParams({ maxDocument: 1 }), pieces, 4096);
  t.is(found.chunks.join(''), message('a') + message('b') + message('c'));
  t.deepEqual(found.firstLines, [0, 2]);
  t.deepEqual(found.problems, ['1 TOO_LARGE']);
});

/** What one reading tells: chunks and problems, or the error that ended it. */
async function toldOf(file: IndexedFile, params: ReadParams, pieces: readonly string[]): Promise<unknown> {
  try {
    return await streamed(file, params, pieces, 16);
  } catch (error) {
    isRefusal(error);
    return error.message;
  }
}

function isRefusal(error: unknown): asserts error is MinHashError {
  if (!(error instanceof MinHashError) || error.code !== 'MEMORY_RECORD') throw error;
}

test('a record that --max-document allows and memory has no room for ends the reading', async (t) => {
  const pieces = ['a\n', 'x'.repeat(3000), '\nb\n', 'y'.repeat(2000), 'y'.repeat(3000), '\n'];
  const error = await toldOf(STDIN, readParams({ room: { record: 1000 } }), pieces);
  t.regex(String(error), /a record of - takes 3001 bytes, and 1000 bytes are free for it; raise memory, or/);
  const wanted = await streamed(STDIN, readParams(), pieces, 16);
  t.deepEqual(await toldOf(STDIN, readParams({ room: { record: 6000 } }), pieces), wanted);
});

test('What --max-document leaves out is left out whatever the memory, however the stream ends', async (t) => {
  const long = 'x'.repeat((1 << 20) + 7);
  for (const pieces of [
    ['a\n', long, '\nb\n', long],
    [long, '\n', long, '\n', 'b\n'],
  ]) {
    const wanted = await streamed(STDIN, readParams({ maxDocument: 1 }), pieces, 16);
    t.is(wanted.problems.length, 2);
    const found = await toldOf(STDIN, readParams({ maxDocument: 1, room: { record: 1000 } }), pieces);
    t.deepEqual(found, wanted);
  }
});

test('A chunk larger than the line limit still skips its long lines', (t) => {
  const long = `{"text":"${'x'.repeat((1 << 20) + 7)}"}`;
  const bytes = new TextEncoder().encode(`${long}\n\n{"text":"a"}`);
  const sink = new RecordingSink();
  const source = { kind: 'chunk' as const, index: 3, firstLine: 9, bytes };
  t.is(readSource(source, readParams({ maxDocument: 1 }), sink).lines, 3);
  t.deepEqual(sink.codes, ['0 TOO_LARGE']);
  t.deepEqual(sink.documents, [{ file: 3, record: 2, id: null, text: 'a', repaired: false }]);
});

test('a byte order mark before a line is dropped in every chunk', (t) => {
  const bytes = new TextEncoder().encode('\ufeff{"text":"a"}\n');
  const read = (firstLine: number): string[] => {
    const sink = new RecordingSink();
    readSource({ kind: 'chunk', index: 0, firstLine, bytes }, readParams(), sink);
    return [...sink.texts, ...sink.codes];
  };
  t.deepEqual(read(0), ['a']);
  t.deepEqual(read(5), ['a']);
});

test('streamChunks reads lines in other encodings, and a chunk tells what was repaired', async (t) => {
  const params = readParams({ encoding: 'utf-16le' });
  const compressed = Buffer.concat([
    Buffer.from('\ufeff{"text":"grün"}\n{"text":"', 'utf16le'),
    Buffer.from([0, 0xd8]),
  ]);
  const top = temporaryFolder(t, { 'a.jsonl': Buffer.concat([compressed, Buffer.from('"}', 'utf16le')]) });
  const found = await streamed(inputFile(`${top}/a.jsonl`), params);
  t.deepEqual(found.chunks, ['{"text":"grün"}\n{"text":"\ufffd"}']);
  const sink = new RecordingSink();
  const bytes = new TextEncoder().encode(found.chunks[0]);
  readSource({ kind: 'chunk', index: 0, firstLine: 0, bytes }, params, sink);
  t.deepEqual(
    sink.documents.map((document) => document.repaired),
    [false, true],
  );
});

test('streamChunks refuses binary streams and names what cannot be read', async (t) => {
  const top = temporaryFolder(t, {
    'a.jsonl.gz': gzipSync('{"text":"a\0"}\n'),
    'folder.jsonl.gz/': '',
    'l.jsonl': 'a\0',
  });
  const compressed = inputFile(`${top}/a.jsonl.gz`);
  t.deepEqual((await streamed(compressed, readParams())).problems, ['0 BINARY']);
  const binary = await streamed(STDIN, readParams(), ['a', 'b\0\n'], 2);
  t.deepEqual([binary.chunks, binary.problems], [[], ['0 BINARY']]);
  const late = `${'a\n'.repeat(4096)}\0`;
  t.deepEqual((await streamed(STDIN, readParams(), [...late])).chunks, [late]);
  t.deepEqual((await streamed(inputFile(`${top}/l.jsonl`), readParams({ encoding: 'latin1' }))).problems, []);
  t.deepEqual((await streamed(inputFile(`${top}/folder.jsonl.gz`), readParams())).problems, ['0 UNREADABLE']);
  const gone = { ...compressed, path: `${top}/gone` };
  t.deepEqual((await streamed(gone, readParams())).problems, ['0 VANISHED']);
  t.deepEqual((await streamed(gone, readParams({ encoding: 'latin1' }))).problems, ['0 VANISHED']);
});

test('streamChunks throws where standard input fails, with its cause', async (t) => {
  const failing = Readable.from(
    (async function* () {
      yield 'a\nb';
      throw new Error('gone');
    })(),
  );
  const found: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const chunk of streamChunks(STDIN, readParams(), failing)) {
      found.push('problem' in chunk ? `${chunk.line} ${chunk.problem}` : Buffer.from(chunk.bytes).toString());
    }
  };
  const error = await t.throwsAsync(reading, { instanceOf: MinHashError });
  t.is(error.problems[0]!.detail, 'standard input, after 1 piece: gone');
  t.is((error.cause as Error).message, 'gone');
  t.deepEqual(found, []);
});

/** Lines that hardly pack, so that damage in the middle is far from both ends. */
function noise(lines: number): string {
  let state = 1;
  const line = (): string => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return `{"text":"${state.toString(36)}${Math.imul(state, 77) >>> 0}"}\n`;
  };
  return Array.from({ length: lines }, line).join('');
}

test('streamChunks decompresses gzip of several members, padded or not', async (t) => {
  const text = noise(20_000);
  const cut = 123_456;
  const members = Buffer.concat([
    gzipSync(text.slice(0, cut)),
    gzipSync(text.slice(cut)),
    Buffer.alloc(70_000),
  ]);
  const top = temporaryFolder(t, { 'a.jsonl.gz': members });
  const found = await streamed(inputFile(`${top}/a.jsonl.gz`), readParams(), [], 1 << 16);
  t.is(found.chunks.join(''), text);
  t.is(found.lines, 20_000);
  t.true(found.chunks.length > 5);
  t.deepEqual(found.problems, []);
  t.deepEqual(await streamed(inputFile(`${top}/a.jsonl.gz`), readParams(), [], 1 << 16), found);
});

test('streamChunks delivers the complete lines before damage, then the problem', async (t) => {
  const text = noise(4000);
  const whole = gzipSync(text);
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, whole.length >> 1, (whole.length >> 1) + 64);
  const path = `${temporaryFolder(t)}/a.jsonl.gz`;
  const after = async (bytes: Uint8Array): Promise<Streamed> => {
    writeFileSync(path, bytes);
    return streamed(inputFile(path), readParams());
  };
  const cut = await after(whole.subarray(0, whole.length >> 1));
  t.true(text.startsWith(cut.chunks.join('')));
  t.true(cut.lines > 1500 && cut.chunks.join('').endsWith('\n'));
  t.deepEqual(cut.problems, [`${cut.lines} GZIP_TRUNCATED`]);
  const garbage = await after(Buffer.concat([whole, Buffer.from('garbage')]));
  t.is(garbage.chunks.join(''), text);
  t.deepEqual(garbage.problems, ['4000 GZIP_BEHIND']);
  const behind = await after(Buffer.concat([whole, Buffer.alloc(40_000), whole]));
  t.is(behind.chunks.join(''), text);
  t.deepEqual(behind.problems, ['4000 GZIP_BEHIND']);
  const broken = await after(damaged);
  // Damage is noticed only where the compressed data stop making sense, which may be far behind where it lies.
  t.true(broken.lines > 1500);
  t.true(broken.chunks.join('').startsWith(text.slice(0, text.length * 0.45)));
  t.deepEqual(broken.problems, [`${broken.lines} GZIP_DAMAGED`]);
  t.deepEqual((await after(new Uint8Array(0))).problems, ['0 GZIP_TRUNCATED']);
  t.deepEqual((await after(Buffer.from('plain text'))).problems, ['0 GZIP_OTHER']);
});
