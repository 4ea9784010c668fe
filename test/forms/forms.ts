/** One corpus of records in every form in which it can be read, with the same ids: where they lie and how they are read. */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';

export interface CorpusRecord {
  readonly id: string;
  readonly text: string;
}

/** Where a form of the corpus lies, and what else a run needs to read it. */
export interface CorpusForm {
  readonly name: string;
  readonly args: readonly string[];
  /** Null: it can be read; else why it could not be made. */
  readonly missing: string | null;
}

/** What texts have that a form has to quote or escape. */
const HARD = [', ', '"', '\n', '\r\n', '\t', ' "quoted, so" ', "''", '\\', ' ä 中文 😀 ', ';'];

/** Families of near copies: every third text has one, and some are identical. */
export function corpusRecords(count: number): CorpusRecord[] {
  const random = randomFrom(16);
  const records: CorpusRecord[] = [];
  let words: string[] = [];
  for (let i = 0; i < count; i++) {
    if (i % 3 !== 1) words = wordsFrom(random, 60 + Math.floor(60 * random()));
    const own = i % 3 === 1 ? edited(random, words, Math.floor(3 * random())) : words;
    const text = own.map((word) =>
      random() < 0.02 ? word + HARD[Math.floor(HARD.length * random())] : word,
    );
    records.push({ id: `r${String(i).padStart(7, '0')}`, text: text.join(' ') });
  }
  return records;
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const row = (cells: readonly string[], separator: string): string => cells.map(quoted).join(separator);

/** Packs a file by a program; a reason where that is not there. */
function packed(program: string, from: string, to: string, args: readonly string[] = []): string | null {
  try {
    writeFileSync(to, execFileSync(program, [...args, '-c', from], { maxBuffer: 2 ** 31 }));
    return null;
  } catch {
    return `no program ${program}`;
  }
}

const zstdPage = (page: Uint8Array): Uint8Array =>
  execFileSync('zstd', ['-q', '-c'], { input: page, maxBuffer: 2 ** 31 });

type Codec = 'SNAPPY' | 'GZIP' | 'ZSTD';

function writeParquet(
  path: string,
  records: readonly CorpusRecord[],
  codec: Codec,
  group: number,
): string | null {
  try {
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: 'other', data: records.map((_, i) => i), type: 'INT32' },
        { name: 'id', data: records.map(({ id }) => id), type: 'STRING' },
        { name: 'text', data: records.map(({ text }) => text), type: 'STRING' },
      ],
      codec,
      compressors: { GZIP: (page) => gzipSync(page), ZSTD: zstdPage },
      rowGroupSize: group,
    });
    writeFileSync(path, new Uint8Array(bytes));
    return null;
  } catch (error) {
    if (codec === 'ZSTD') return 'no program zstd';
    throw error;
  }
}

/** Writes all forms that are files below a folder, each in a folder of its own. */
export async function writeForms(folder: string, records: readonly CorpusRecord[]): Promise<CorpusForm[]> {
  const forms: CorpusForm[] = [];
  const add = (name: string, file: string, write: (path: string) => unknown): string => {
    const place = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(place, { recursive: true });
    const path = join(place, file);
    const said = write(path);
    forms.push({ name, args: [path], missing: typeof said === 'string' ? said : null });
    return path;
  };
  const lines = add('JSON lines', 'c.jsonl', (path) =>
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  );
  add('JSON array', 'c.json', (path) =>
    writeFileSync(path, `[${records.map((r) => JSON.stringify(r)).join(',\n')}]`),
  );
  for (const [name, separator] of [
    ['csv', ','],
    ['tsv', '\t'],
  ] as const) {
    const table = [{ id: 'id', text: 'text' }, ...records];
    add(name.toUpperCase(), `c.${name}`, (path) =>
      writeFileSync(path, table.map(({ id, text }) => `${row([id, 'x', text], separator)}\r\n`).join('')),
    );
  }
  for (const codec of ['SNAPPY', 'ZSTD', 'GZIP'] as const) {
    for (const group of [1000, 50_000])
      add(`Parquet ${codec.toLowerCase()}, groups of ${group}`, 'c.parquet', (path) =>
        writeParquet(path, records, codec, group),
      );
  }
  const gz = add('gzip', 'c.jsonl.gz', () => null);
  await pipeline(createReadStream(lines), createGzip(), createWriteStream(gz));
  add('zstd', 'c.jsonl.zst', (path) => packed('zstd', lines, path, ['-q']));
  add('bzip2', 'c.jsonl.bz2', (path) => packed('bzip2', lines, path));
  add('xz', 'c.jsonl.xz', (path) => packed('xz', lines, path, ['-1']));
  add('CSV in gzip', 'c.csv.gz', (path) =>
    writeFileSync(path, gzipSync(readFileSync(join(folder, 'CSV', 'c.csv')))),
  );
  add('UTF-16', 'c.jsonl', (path) => {
    writeFileSync(path, Buffer.from(`\ufeff${readFileSync(lines, 'utf8')}`, 'utf16le'));
  });
  add('no ending', 'corpus', (path) => writeFileSync(path, readFileSync(lines)));
  return forms;
}
