/**
 * How fast is a drop list applied, beside reading and writing the same bytes with no work between?
 *
 *     node dist/benchmarks/apply.js [--megabytes 200] [--runs 5] [--out FOLDER]
 *
 * One corpus a form: JSON lines, files of 5 KB, CSV, gzipped JSON lines; every second document has a copy elsewhere. `nothing` reads
 * the corpus and writes all of it, file by file, in the same process; of gzip it unpacks and packs. Apply also makes durable what it
 * writes, which processor time does not show. Processor time of both in turn, medians of the ratio: work on other cores is
 * counted, waiting for a disk is not. A time is printed only where every record that was written is one of the corpus, and none is there twice.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGunzip, createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { applyResult, run } from '../src/index.js';
import { countOf } from './measure/plainErrors.js';
import { environment, type Row, record } from './measure/record.js';
import { median, medianOf } from './measure/turns.js';

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '200' },
    runs: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
const megabytes = countOf('--megabytes', values.megabytes);
const runs = countOf('--runs', values.runs);
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const TEXT_BYTES = 5000;
const documents = Math.ceil((megabytes * 1e6) / TEXT_BYTES);

/** Text `i`: words of its number, so that no two are alike; every third is the one before. */
function textOf(i: number): string {
  const own = i % 3 === 2 ? i - 1 : i;
  const words: string[] = [];
  for (let w = 0, bytes = 0; bytes < TEXT_BYTES; w++) {
    const word = `w${(own * 1_000_003 + w * 7919) % 1_000_000_007}`;
    words.push(word);
    bytes += word.length + 1;
  }
  return words.join(' ');
}

interface Form {
  readonly title: string;
  /** Writes the corpus into a folder. */
  make(into: string): void;
  /** The records of a file. */
  recordsOf(bytes: Buffer): readonly string[];
  readonly isPacked: boolean;
}

const linesOf = (bytes: Buffer): string[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '');
const jsonLine = (i: number): string => `${JSON.stringify({ n: i, text: textOf(i) })}\n`;

/** Files of about 32 MB, so that no string is too long. */
function inFiles(
  into: string,
  ending: string,
  head: string,
  line: (i: number) => string,
  packed: boolean,
): void {
  const perFile = 6400;
  for (let from = 0; from < documents; from += perFile) {
    const lines = Array.from({ length: Math.min(perFile, documents - from) }, (_, i) => line(from + i));
    const bytes = Buffer.from(head + lines.join(''));
    writeFileSync(join(into, `${String(from).padStart(9, '0')}${ending}`), packed ? gzipSync(bytes) : bytes);
  }
}

const FORMS: readonly Form[] = [
  {
    title: 'JSON lines',
    make: (into) => inFiles(into, '.jsonl', '', jsonLine, false),
    recordsOf: linesOf,
    isPacked: false,
  },
  {
    title: 'files of 5 KB',
    make: (into) => {
      for (let i = 0; i < documents; i++) {
        const below = join(into, String(i % 100));
        mkdirSync(below, { recursive: true });
        writeFileSync(join(below, `${i}.txt`), textOf(i));
      }
    },
    recordsOf: (bytes) => [bytes.toString()],
    isPacked: false,
  },
  {
    title: 'CSV',
    make: (into) => inFiles(into, '.csv', 'n,text\n', (i) => `${i},"${textOf(i)}"\n`, false),
    recordsOf: (bytes) => linesOf(bytes).slice(1),
    isPacked: false,
  },
  {
    title: 'JSON lines, gzip',
    make: (into) => inFiles(into, '.jsonl.gz', '', jsonLine, true),
    recordsOf: linesOf,
    isPacked: true,
  },
];

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}

/** Reads and writes all bytes, and nothing else. */
async function nothing(from: string, to: string, isPacked: boolean): Promise<void> {
  const piece = Buffer.allocUnsafe(1 << 20);
  for (const name of filesIn(from)) {
    mkdirSync(join(to, name, '..'), { recursive: true });
    if (isPacked) {
      await pipeline(
        createReadStream(join(from, name)),
        createGunzip(),
        createGzip(),
        createWriteStream(join(to, name)),
      );
      continue;
    }
    const [source, target] = [openSync(join(from, name), 'r'), openSync(join(to, name), 'w')];
    for (let read = readSync(source, piece); read > 0; read = readSync(source, piece))
      writeSync(target, piece, 0, read);
    closeSync(target);
    closeSync(source);
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** Throws where a record was made up, written twice, or lost. */
function check(form: Form, from: string, to: string, dropped: number): void {
  const bytesOf = (path: string): Buffer => {
    const bytes = readFileSync(path);
    return form.isPacked ? gunzipSync(bytes) : bytes;
  };
  const all = new Map<string, number>();
  for (const name of filesIn(from)) {
    for (const one of form.recordsOf(bytesOf(join(from, name))))
      all.set(hashOf(one), (all.get(hashOf(one)) ?? 0) + 1);
  }
  let left = [...all.values()].reduce((sum, count) => sum + count, 0) - dropped;
  for (const name of filesIn(to)) {
    for (const one of form.recordsOf(bytesOf(join(to, name)))) {
      const hash = hashOf(one);
      const count = all.get(hash) ?? 0;
      if (count === 0)
        throw new Error(`${form.title}: ${name} has a record that is none of the corpus, or is there twice`);
      all.set(hash, count - 1);
      left--;
    }
  }
  if (left !== 0) throw new Error(`${form.title}: ${left} records too few`);
}

/** Seconds of processor time, and of the clock. */
async function timed(work: () => Promise<unknown>): Promise<{ cpu: number; wall: number }> {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - wall) / 1e3 };
}

const rows: Row[] = [];
const raw: object[] = [];
for (const form of FORMS) {
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  form.make(corpus);
  const result = join(folder, 'result');
  const report = await run({
    paths: [corpus],
    exactDuplicates: true,
    out: result,
    force: true,
  });
  const [plain, clean] = [join(folder, 'plain'), join(folder, 'clean')];
  const ratios: number[] = [];
  const times: {
    readonly apply: number;
    readonly nothing: number;
    readonly wall: number;
    readonly wallOfNothing: number;
  }[] = [];
  for (let i = 0; i < runs; i++) {
    for (const path of [plain, clean]) rmSync(path, { recursive: true, force: true });
    mkdirSync(plain);
    const none = await timed(() => nothing(corpus, plain, form.isPacked));
    const apply = await timed(() => applyResult(result, { to: clean }));
    if (i === 0) check(form, corpus, clean, report.counts.dropped);
    ratios.push(none.cpu / apply.cpu);
    times.push({ apply: apply.cpu, nothing: none.cpu, wall: apply.wall, wallOfNothing: none.wall });
  }
  const middle = (key: keyof (typeof times)[number]): number =>
    Number(medianOf({ runs: times }, (one) => one[key]).toFixed(2));
  rows.push([
    form.title,
    report.counts.dropped,
    middle('apply'),
    middle('nothing'),
    middle('wall'),
    middle('wallOfNothing'),
    `${Math.round(100 * median(ratios))} %`,
  ]);
  raw.push({ form: form.title, documents, ratios, times });
  rmSync(corpus, { recursive: true, force: true });
}
record(
  'apply',
  'is a drop list applied nearly as fast as the bytes are read and written?',
  where,
  {
    heads: [
      'form',
      'dropped',
      'apply, CPU s',
      'nothing, CPU s',
      'apply, s',
      'nothing, s',
      'speed beside nothing (CPU)',
    ],
    rows,
  },
  raw,
  values.out,
);
