/**
 * How much of its memory budget does a run use, by the shape of its input?
 *
 *      node dist/benchmarks/memory.js [--only SHAPE]... [--keep FOLDER] [--out FOLDER] [--docs]
 *
 * Runs the built command with two threads over inputs from fixed seeds, each with three budgets. The peak is that of all processes of the command, including the 90 MB of the
 * program. `--docs` writes the table to docs/memory.md.
 */
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { nearCopies } from '../test/data/nearCopies.js';
import { edited, randomFrom, wordsFrom } from '../test/data/seededTexts.js';
import { UsageError } from './measure/plainErrors.js';
import { measured } from './measure/process.js';
import { COMMAND } from './measure/product.js';
import { environment, markdown, type Row, record } from './measure/record.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    keep: { type: 'string' },
    out: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
});
const where = environment();
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'mr-minhash-memory-'));
if (values.keep === undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const BUDGETS = [160, 300, 1000];
const TIMEOUT = 900;

type Pieces = Generator<string>;

interface Shape {
  readonly name: string;
  /** Writes the input below `place`, and returns the arguments of a run over it. */
  make(place: string): Promise<readonly string[]>;
}

/** Writes a file piece by piece, unless it is kept from an earlier run. */
async function write(path: string, pieces: Pieces, isPacked = false): Promise<readonly string[]> {
  if (existsSync(path)) return [path];
  const source = Readable.from(pieces);
  const target = createWriteStream(path);
  if (isPacked) await pipeline(source, createGzip({ level: 6 }), target);
  else await pipeline(source, target);
  return [path];
}

const LONG = 293e6;

/** Words of a text of so many bytes, in pieces. */
function* text(bytes: number, seed = 1): Pieces {
  const random = randomFrom(seed);
  for (let written = 0; written < bytes; ) {
    const piece = `${wordsFrom(random, 10_000).join(' ')} `;
    written += piece.length;
    yield piece;
  }
}

/** One record of so many bytes between two short ones. */
function* longLine(pieces: Pieces): Pieces {
  yield '{"id":"a","text":"a short text"}\n{"id":"long","text":"';
  yield* pieces;
  yield '"}\n{"id":"b","text":"another short text"}\n';
}

/** Compresses to a hundredth: some words, one of which is repeated. */
function* wellPacked(bytes: number): Pieces {
  const words = wordsFrom(randomFrom(2), 7_000).join(' ');
  const piece = `${words}${' same'.repeat(words.length * 20)} `;
  for (let written = 0; written < bytes; written += piece.length) yield piece;
}

function* lines(count: number, words: number, copies = 0.15): Pieces {
  const random = randomFrom(3);
  let last = wordsFrom(random, words);
  for (let i = 0; i < count; i++) {
    last = random() < copies ? edited(random, last, 1) : wordsFrom(random, words);
    yield `${JSON.stringify({ id: `r${i}`, text: last.join(' ') })}\n`;
  }
}

function* records(count: number, textOf: (i: number) => string): Pieces {
  for (let i = 0; i < count; i++) yield `${JSON.stringify({ text: textOf(i) })}\n`;
}

function* rows(sets: number, elements: number, third: boolean): Pieces {
  const random = randomFrom(4);
  for (let set = 0; set < sets; set++) {
    let piece = '';
    for (let i = 0; i < elements; i++)
      piece += `set${set}\te${Math.floor(random() * 100_000)}${third ? `\t${1 + (i % 3)}` : ''}\n`;
    yield piece;
  }
}

/** Rows of CSV, or records of WARC. */
function* wrapped(head: string, one: (id: string, text: string) => string): Pieces {
  const random = randomFrom(5);
  yield head;
  for (let i = 0; i < 200_000; i++) yield one(`r${i}`, wordsFrom(random, 60).join(' '));
}

function warcRecord(id: string, text: string): string {
  const head = `WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://x/${id}\r\nContent-Type: text/plain\r\n`;
  return `${head}Content-Length: ${text.length}\r\n\r\n${text}\r\n\r\n`;
}

/** One row group, as many writers produce. */
function parquet(path: string): readonly string[] {
  if (existsSync(path)) return [path];
  const random = randomFrom(5);
  const texts = Array.from({ length: 200_000 }, () => wordsFrom(random, 60).join(' '));
  const columnData = [
    { name: 'id', data: texts.map((_, i) => `r${i}`), type: 'STRING' as const },
    { name: 'text', data: texts, type: 'STRING' as const },
  ];
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, codec: 'SNAPPY' })));
  return [path];
}

/** A folder of files with the text of one record each, a thousand per folder. */
function files(place: string, count: number, words: number): string {
  const root = join(place, 'files');
  if (existsSync(root)) return root;
  const random = randomFrom(6);
  for (let i = 0; i < count; i++) {
    const folder = join(root, String(Math.floor(i / 1000)));
    if (i % 1000 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${i}.txt`), wordsFrom(random, words).join(' '));
  }
  return root;
}

const SHAPES: readonly Shape[] = [
  { name: 'a line of 293 MB', make: (at) => write(join(at, 'a.jsonl'), longLine(text(LONG))) },
  { name: 'a text of 293 MB', make: (at) => write(join(at, 'a.txt'), text(LONG)) },
  { name: '1,000,000 records of 8 words', make: (at) => write(join(at, 'a.jsonl'), lines(1e6, 8)) },
  {
    name: '2,000,000 empty records',
    make: (at) =>
      write(
        join(at, 'a.jsonl'),
        records(2e6, () => ''),
      ),
  },
  {
    name: '2,000,000 records of one word',
    make: (at) =>
      write(
        join(at, 'a.jsonl'),
        records(2e6, (i) => `w${i}`),
      ),
  },
  { name: '200,000 files of 60 words', make: async (at) => [files(at, 2e5, 60)] },
  {
    name: '20,000 near copies of a page',
    make: (at) =>
      write(
        join(at, 'a.jsonl'),
        (function* () {
          for (const copy of nearCopies(20_000)) yield `${JSON.stringify(copy)}\n`;
        })(),
      ),
  },
  {
    name: '100,000 sets of 40 elements',
    make: async (at) => [...(await write(join(at, 'a.tsv'), rows(1e5, 40, false))), '--input', 'sets'],
  },
  {
    name: '100,000 bags of 40 elements',
    make: async (at) => [
      ...(await write(join(at, 'a.tsv'), rows(1e5, 40, true))),
      '--input',
      'sets',
      '--bag',
    ],
  },
  {
    name: '200,000 rows of CSV',
    make: (at) =>
      write(
        join(at, 'a.csv'),
        wrapped('id,text\r\n', (id, text) => `${id},"${text}"\r\n`),
      ),
  },
  { name: '200,000 records of WARC', make: (at) => write(join(at, 'a.warc'), wrapped('', warcRecord)) },
  {
    name: 'a compressed record of 1.2 GB',
    make: (at) => write(join(at, 'a.jsonl.gz'), longLine(wellPacked(1.2e9)), true),
  },
  { name: '200,000 rows of Parquet', make: async (at) => parquet(join(at, 'a.parquet')) },
  {
    name: '200,000 records, containment',
    make: async (at) => {
      const [path] = await write(join(at, 'a.jsonl'), lines(2e5, 60));
      const [base] = await write(join(at, 'b.jsonl'), lines(2e4, 20));
      return [path!, '--measure', 'containment', '--against', base!];
    },
  },
  {
    name: '200,000 records --against as many',
    make: async (at) => {
      const [path] = await write(join(at, 'a.jsonl'), lines(2e5, 60));
      const [base] = await write(join(at, 'b.jsonl'), lines(2e5, 60));
      return [path!, '--against', base!];
    },
  },
];

/** Why a run ended without a result; null if it has one. */
function errorOf(code: number | null, stderr: string): string | null {
  if (code === 0) return null;
  return stderr.includes('does not fit into --memory') ? 'does not fit' : `exit code ${code}`;
}

const table: Row[] = [];
const raw: unknown[] = [];
for (const { name, make } of SHAPES) {
  if (values.only.length > 0 && !values.only.some((part) => name.includes(part))) continue;
  const place = join(folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(place, { recursive: true });
  const args = await make(place);
  const cells: string[] = [];
  const out = join(place, 'out');
  for (const budget of BUDGETS) {
    const options = ['--memory', `${budget}MB`, '--threads', '2', '--out', out, '--force', '--quiet'];
    const command = [COMMAND, 'run', ...args, ...options];
    const ended = await measured(process.execPath, command, { timeout: TIMEOUT });
    const error = errorOf(ended.code, ended.stderr);
    const peak = Math.round(ended.peakBytes / 1e6);
    raw.push({ name, budget, peak, error, wall: ended.wall });
    rmSync(out, { recursive: true, force: true });
    cells.push(error === null ? `${peak} MB` : error);
  }
  console.error(`${name}: ${cells.join(' | ')}`);
  table.push([name, ...cells]);
  if (values.keep === undefined) rmSync(place, { recursive: true });
}

const heads = ['input', ...BUDGETS.map((budget) => `--memory ${budget}MB`)];
const question = 'how much memory does a run take of what it was allowed, by the shape of its input?';
record('memory', question, where, { heads, rows: table }, raw, values.out);

const MARKS = ['<!-- memory: made by npm run bench:memory -- --docs -->', '<!-- end of memory -->'] as const;
if (values.docs) {
  const page = new URL('../../docs/memory.md', import.meta.url);
  const before = readFileSync(page, 'utf8');
  const [from, to] = MARKS.map((mark) => before.indexOf(mark)) as [number, number];
  if (from < 0 || to < 0) throw new UsageError('--docs: docs/memory.md has no marks for the table');
  const load = where.loadBefore[0];
  const caption = `Measured on ${where.date}, ${where.machine}, Node ${where.node}, at a load of ${load}.`;
  const section = `${MARKS[0]}\n\n${caption}\n\n${markdown({ heads, rows: table })}\n\n`;
  writeFileSync(page, before.slice(0, from) + section + before.slice(to));
}
