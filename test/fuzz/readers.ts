/** Fuzzing of the readers of inputs: files, ranges and chunks of lines, packed streams, encodings. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { streamChunks } from '../../src/readers/bytes/chunks.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../src/readers/documentSink.js';
import { isObject, memberPlace, parsedJson, skipSpace } from '../../src/readers/formats/json/json.js';
import type { FileList } from '../../src/readers/list/fileList.js';
import { fileKind } from '../../src/readers/list/formats.js';

import type { InputFormat } from '../../src/sketch/formatNames.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Read, readSource } from '../readers/list/fileTables.js';
import { CheckingSink } from './checkingSink.js';
import type { FuzzTarget } from './main.js';
import type { Mutator } from './mutations.js';

const words = (...list: readonly (string | readonly number[])[]): Buffer[] =>
  list.map((word) => (typeof word === 'string' ? Buffer.from(word) : Buffer.from(word)));

const WORDS = words(
  ...['\ufeff', '\n', '\r\n', '\0', '"', '\\', '\\u', '\\ud800', '\\udc00', '{', '}', '[', ']', ',', ':'],
  ...[
    '"text"',
    '"id"',
    '{"text":"',
    '"text":null',
    '1e999',
    '-0',
    'true',
    'nul',
    '\u2028',
    '[[[[',
    '{"a":{"a":',
  ],
  ...['\\u0000', 'e\u0301\u0301', '日本', ' '.repeat(100), 'x'.repeat(200)],
  ...[
    [0xff, 0xfe],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x82],
    [0x1f, 0x8b, 8, 0],
  ],
);

const LINES = [
  '{"id":"a","text":"one two three"}',
  '{"text":"esc \\u0061\\n\\ud83d\\ude00 \\ud800","id":17}',
  '{"x":[1,{"text":"inner"},[]],"text":"outer","id":null}',
  '{"text":"first","text":"last"}',
  '{"id":{},"text":""}',
  '',
  '  [1,2.5e-3,"x"] ',
  `{"text":"${'long '.repeat(60)}"}`,
];
const JSONL = LINES.join('\n');
const SAMPLES = words(
  JSONL,
  `\ufeff${JSONL}\n`,
  LINES[0]!,
  `[${LINES.filter((line) => line !== '').join(',')}]`,
);
const TEXTS = words(
  'plain words, and more of them',
  `é日本 ${'a '.repeat(90)}`,
  [0xff, 0xfe, 0x61, 0, 0x62, 0],
  '',
);
const LONG = words('long text '.repeat(900), `${'é'.repeat(8191)} end`);
const PACKED = [...SAMPLES, ...TEXTS].map((bytes) => gzipSync(bytes));
const MANY = [
  ...PACKED,
  Buffer.concat([PACKED[0]!, PACKED[2]!]),
  Buffer.concat([PACKED[1]!, Buffer.alloc(600)]),
];
const PACKED_WORDS = [...words([0], [0x1f, 0x8b], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), PACKED[2]!];

const ENCODINGS = ['utf-16le', 'utf-16be', 'windows-1252', 'shift_jis', 'gb18030', 'euc-kr'];
const LIMITS = [1, 5, 40, 200, 100_000];

const fast = createWasmKernel(kernelModule);
/** As long as the bytes in which a NUL is looked for, or a little longer. */
const WIDE: readonly ReadBuffers[] = [8192, 8193, 9000].map((size) =>
  readBuffers(size, size === 8193 ? fast : null),
);
/** Small ones, so that every boundary is met. */
const BUFFERS: readonly ReadBuffers[] = [1, 7, 64, 8192].map((size) => readBuffers(size, fast));
const PLAIN = readBuffers(64);
const WHOLE = readBuffers(64 << 10);

function params(from: Mutator, encoding = 'utf-8'): ReadParams {
  return {
    textField: from.pick(['text', 'text', 'x', '', 'id']),
    idField: 'id',
    encoding,
    input: 'auto',
    textFormat: 'auto',
    separator: null,
    quote: null,
    maxDocument: from.pick(LIMITS),
    shingle: { unit: from.pick(['words', 'words', 'bytes']) },
  };
}

/** What a reading tells, after the checks of the sink. */
function told(source: Read, read: ReadParams, buffers: ReadBuffers, most = read.maxDocument): string[] {
  const sink = new CheckingSink(most);
  readSource(source, read, sink, buffers);
  sink.close();
  return sink.told;
}

function mustEqual(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

function listOf(path: string, format: InputFormat, gzip: boolean, size: number): FileList {
  const paths = Buffer.from(path);
  return {
    indexes: Uint32Array.of(0),
    kinds: Uint16Array.of(fileKind(format, gzip ? 'gzip' : null)),
    sizes: Float64Array.of(size),
    pathEnds: Uint32Array.of(paths.length),
    paths,
  };
}

/** The targets, working on files in `folder`. */
export function readerTargets(folder: string): FuzzTarget[] {
  const path = join(folder, 'input');
  const wholeFile = (
    from: Mutator,
    format: InputFormat,
    gzip: boolean,
    bytes: Buffer,
    encoding?: string,
  ): void => {
    writeFileSync(path, bytes);
    const read = params(from, encoding);
    // The size when listed: known, unknown, or another one.
    const size = from.pick([
      bytes.length,
      bytes.length,
      -1,
      bytes.length + 5,
      Math.max(0, bytes.length - 5),
      0,
    ]);
    const source: Read = { kind: 'files', list: listOf(path, format, gzip, size) };
    const first = told(source, read, from.pick(WIDE));
    mustEqual('another buffer', told(source, read, WHOLE), first);
  };
  return [
    {
      name: 'text file',
      run: (from) => wholeFile(from, 'text', false, from.damaged([...TEXTS, ...SAMPLES, ...LONG], WORDS)),
    },
    {
      name: 'text file in another encoding',
      run: (from) => wholeFile(from, 'text', false, from.damaged(TEXTS, WORDS), from.pick(ENCODINGS)),
    },
    {
      name: 'JSON file',
      run: (from) =>
        wholeFile(from, from.pick(['json', 'json-or-text']), false, from.damaged(SAMPLES, WORDS)),
    },
    {
      name: 'packed file',
      run: (from) => wholeFile(from, from.pick(['text', 'json']), true, from.damaged(MANY, PACKED_WORDS)),
    },
    { name: 'chunk of lines', run: chunkOfLines },
    { name: 'ranges of lines', run: (from) => rangesOfLines(from, path) },
    { name: 'JSON scanner against JSON.parse', run: valueAgainstParse },
    { name: 'packed stream of lines', every: 16, run: (from) => stream(from, path, true) },
    { name: 'stream in another encoding', every: 4, run: (from) => stream(from, path, false) },
  ];
}

function chunkOfLines(from: Mutator): void {
  const bytes = from.damaged(SAMPLES, WORDS);
  const read = params(from);
  const source: Read = { kind: 'chunk', index: 0, firstLine: from.number(2), bytes };
  mustEqual('the kernel', told(source, read, BUFFERS[0]!), told(source, read, PLAIN));
}

/** However a file is cut into ranges, its lines are read once each. */
function rangesOfLines(from: Mutator, path: string): void {
  const bytes = from.damaged(SAMPLES, WORDS);
  writeFileSync(path, bytes);
  const read = params(from);
  const file = {
    path,
    id: 'x',
    bytes: bytes.length,
    format: 'jsonl',
    codec: null,
    utf16: false,
    stdin: false,
  } as const;
  const range = (start: number, to: number, buffers: ReadBuffers) => {
    const sink = new CheckingSink(read.maxDocument);
    const source: Read = { kind: 'range', file, index: 0, from: start, to };
    const { lines } = readSource(source, read, sink, buffers);
    sink.close();
    return { lines, told: sink.told };
  };
  const whole = range(0, bytes.length, PLAIN);
  let lines = 0;
  const found: string[] = [];
  for (let start = 0; start < bytes.length || start === 0; ) {
    const to = Math.min(bytes.length, start + 1 + from.number(60));
    const part = range(start, to, from.pick(BUFFERS));
    const moved = (line: string): string => {
      const [record, ...rest] = line.split(' ');
      return [Number(record) < 0 ? record : Number(record) + lines, ...rest].join(' ');
    };
    found.push(...part.told.map(moved));
    lines += part.lines;
    start = Math.max(to, 1);
  }
  mustEqual('lines', lines, whole.lines);
  mustEqual('ranges', found, whole.told);
  // One that was listed longer than it is says so.
  const cut = range(0, bytes.length + 1 + from.number(100), from.pick(BUFFERS));
  if (whole.told.at(-1)?.startsWith('-1 - BINARY') !== true && cut.told.at(-1) !== '-1 - CHANGED') {
    throw new Error(`a file that became shorter: ${cut.told.at(-1)}`);
  }
}

/** Valid here is valid there, and the text is at the place where it is looked for. */
function valueAgainstParse(from: Mutator): void {
  const bytes = from.damaged(SAMPLES, WORDS);
  const text = bytes.toString('utf8');
  // JSON.parse takes text, so bytes that are no UTF-8 cannot be compared; a byte order mark it refuses.
  if (!Buffer.from(text).equals(bytes)) return;
  const record = parsedJson(bytes, 0, bytes.length);
  let value: unknown;
  let parses = true;
  try {
    value = JSON.parse(text);
  } catch {
    parses = false;
  }
  mustEqual('validity', record !== undefined, parses);
  if (!isObject(record)) return;
  const object = { from: skipSpace(bytes, 0, bytes.length), to: bytes.length };
  const place = memberPlace(bytes, object, 'text');
  const inField = place === null ? undefined : JSON.parse(bytes.toString('utf8', place.from, place.to));
  mustEqual('the text field', inField, (value as { text?: unknown }).text);
}

/** A stream has an end, its lines are numbered without a gap, and every chunk can be read. */
async function stream(from: Mutator, path: string, gzip: boolean): Promise<void> {
  writeFileSync(path, gzip ? from.damaged(MANY, PACKED_WORDS) : from.damaged([...SAMPLES, ...TEXTS], WORDS));
  const read = params(from, gzip ? 'utf-8' : from.pick(ENCODINGS));
  const file = {
    path,
    id: 'x',
    bytes: 0,
    format: 'jsonl',
    codec: gzip ? 'gzip' : null,
    utf16: false,
    stdin: false,
  } as const;
  let next = 0;
  for await (const chunk of streamChunks(file, read, undefined, 1 + from.number(100))) {
    if ('problem' in chunk) {
      if (chunk.line < next) throw new Error(`a problem in line ${chunk.line}, after line ${next}`);
      next = chunk.line + (chunk.problem === 'TOO_LARGE' ? 1 : 0);
      continue;
    }
    if (chunk.firstLine !== next) throw new Error(`line ${chunk.firstLine} after line ${next}`);
    next += chunk.lines;
    const { bytes, firstLine } = chunk;
    const source: Read = { kind: 'chunk', index: 0, firstLine, bytes };
    mustEqual('the kernel', told(source, read, BUFFERS[0]!), told(source, read, PLAIN));
  }
}
