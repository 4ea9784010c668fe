/**
 * How fast is a task as a process of its own, against the same function in a process that is warm?
 *
 *     node dist/benchmarks/taskProcess.js --records FILE [--runs 3] [--out FOLDER]
 *
 * FILE holds JSON lines with a text. The shipped program maps them to sketches, as Hadoop and as Spark give it lines; the same
 * stage runs here over the lines in memory, once before it counts. Its records are compared with those of the processes before a
 * time is printed. Then records of a few sizes go through a task that hands them on, which is what the protocol costs.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { VERSION } from '../src/store/packageFiles.js';
import { kernelHere } from '../src/tasks/kernelHere.js';
import { ColumnSink, ColumnSource } from '../src/tasks/process/columnRows.js';
import { InputWindow, OutputWindow, readingFrom, writingTo } from '../src/tasks/process/descriptors.js';
import { RawBytesSink, RawBytesSource } from '../src/tasks/process/rawBytes.js';
import type { FinishedSink } from '../src/tasks/process/recordFault.js';
import type { TaskForm } from '../src/tasks/process/taskProcess.js';
import { KINDS } from '../src/tasks/stream/kinds.js';
import type { CorpusSource, RecordSink } from '../src/tasks/stream/records.js';
import { runTask } from '../src/tasks/stream/runTask.js';
import { STAGES } from '../src/tasks/stream/stages.js';
import { NOTHING_LEARNT, RECORD_FORMAT, runHash, sealManifest } from '../src/tasks/stream/taskManifest.js';
import { resolveOptions } from '../test/options/resolveOptions.js';
import { filesOf } from '../test/tasks/manifestTables.js';
import { countOf, WrongUse } from './measure/plainErrors.js';
import { measured } from './measure/process.js';
import { environment, type Row, record } from './measure/record.js';
import { median } from './measure/turns.js';

const { values } = parseArgs({
  options: { records: { type: 'string' }, runs: { type: 'string', default: '3' }, out: { type: 'string' } },
});
if (values.records === undefined) throw new WrongUse('--records FILE is needed: JSON lines with a text');
const records = resolve(values.records);
const runs = countOf('--runs', values.runs);
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const TASK = fileURLToPath(new URL('../package/task/task.cjs', import.meta.url));
const IDENTITY = fileURLToPath(new URL('./measure/identityTask.js', import.meta.url));
const TIMEOUT = 3600;
const LF = 0x0a;

const { params } = resolveOptions({ paths: [records], input: 'jsonl' });
const files = filesOf([{ uri: records, id: basename(records), bytes: statSync(records).size }]);
const shared = { format: RECORD_FORMAT, version: VERSION, params, files };
const manifest = sealManifest({
  ...{ ...NOTHING_LEARNT, ...shared, job: '001-sketch', run: runHash(shared) },
});
const manifestFile = join(folder, 'job.json');
writeFileSync(manifestFile, JSON.stringify(manifest));

/** The lines of a file, as a task gets them. */
function linesOf(bytes: Uint8Array): CorpusSource {
  const row = { file: records, start: 0, bytes: bytes.subarray(0, 0) };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  return {
    row,
    next() {
      if (at >= bytes.length) return false;
      const end = buffer.indexOf(LF, at);
      row.bytes = bytes.subarray(at, end < 0 ? bytes.length : end);
      at = end < 0 ? bytes.length : end + 1;
      return true;
    },
  };
}

/** Of records but those that tell of tasks. */
class RecordDigest implements RecordSink {
  count = 0;
  private readonly hash: Hash = createHash('sha256');
  private readonly head = new Uint32Array(2);

  put(key: Uint8Array, value: Uint8Array): void {
    if (key[0] === KINDS.fact) return;
    this.count++;
    this.head.set([key.length, value.length]);
    this.hash.update(this.head).update(key).update(value);
  }

  end(): string {
    return this.hash.digest('hex');
  }
}

function digestOf(file: string, io: TaskForm): RecordDigest {
  const descriptor = openSync(file, 'r');
  const input = new InputWindow(readingFrom(descriptor));
  const source = io === 'rawbytes' ? new RawBytesSource(input) : new ColumnSource(input);
  const digest = new RecordDigest();
  while (source.next()) digest.put(source.key, source.value);
  closeSync(descriptor);
  return digest;
}

const bytes = readFileSync(records);
const kernel = await kernelHere();
const sideFile = (): never => {
  throw new Error('no side files');
};
const sketchHere = (out: RecordSink): unknown =>
  runTask({ rows: linesOf(bytes) }, out, {
    ...{ stage: STAGES.sketch, side: 'map', manifest, kernel, sideFile },
  });

/** Seconds of processor time of this process. */
function spentHere(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** One way to do a work; every way of a group gives the same records. */
interface Way {
  readonly group: string;
  readonly title: string;
  readonly megabytes: number;
  /** Seconds of processor time. */
  readonly spent: () => Promise<number>;
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');
async function spentThere(program: readonly string[], from: string, to: string): Promise<number> {
  const environment = `mapreduce_map_input_file='${records}' mapreduce_map_input_start=0`;
  const command = `${environment} exec ${quoted([process.execPath, ...program])} < '${from}' > '${to}'`;
  const { code, cpu, stderr } = await measured('/bin/sh', ['-c', command], { timeout: TIMEOUT });
  if (code !== 0) throw new Error(`${program.join(' ')} ended with ${code}: ${stderr}`);
  return cpu;
}

/** A program over descriptors, whose records are those of `expected`. */
async function processWay(
  way: Omit<Way, 'spent'>,
  program: readonly string[],
  { from, io, expected }: { readonly from: string; readonly io: TaskForm; readonly expected: string },
): Promise<Way> {
  const to = join(folder, 'records');
  await spentThere(program, from, to);
  if (digestOf(to, io).end() !== expected) throw new Error(`${way.title}: other records than expected`);
  rmSync(to);
  return { ...way, spent: () => spentThere(program, from, '/dev/null') };
}

function sinkInto(file: string, io: TaskForm): { readonly sink: FinishedSink; readonly close: () => void } {
  const descriptor = openSync(file, 'w');
  const output = new OutputWindow(writingTo(descriptor));
  const sink = io === 'rawbytes' ? new RawBytesSink(output) : new ColumnSink(output);
  const close = (): void => {
    sink.finish();
    closeSync(descriptor);
  };
  return { sink, close };
}

/** The lines as Spark gives them. */
function rowsFile(): string {
  const file = join(folder, 'rows.tsv');
  const descriptor = openSync(file, 'w');
  const output = new OutputWindow(writingTo(descriptor));
  const start = `${Buffer.from(records).toString('hex')}\t0\t`;
  const lines = linesOf(bytes);
  while (lines.next()) {
    const line = Buffer.from(`${start}${Buffer.from(lines.row.bytes).toString('base64')}\n`);
    output.reserve(line.length);
    output.bytes.set(line, output.end);
    output.end += line.length;
  }
  output.flush();
  closeSync(descriptor);
  return file;
}

async function sketchWays(): Promise<Way[]> {
  const digest = new RecordDigest();
  sketchHere(digest);
  const expected = digest.end();
  console.log(`${digest.count} records of sketches from ${(bytes.length / 1e6).toFixed(0)} MB`);
  const way = { group: 'sketch', megabytes: bytes.length / 1e6 };
  const program = (io: TaskForm): string[] => [TASK, 'sketch', 'map', '--io', io, '--manifest', manifestFile];
  const spent = async (): Promise<number> => spentHere(() => sketchHere({ put() {} }));
  return [
    { ...way, title: 'here, lines in memory', spent },
    await processWay({ ...way, title: 'process, rawbytes' }, program('rawbytes'), {
      ...{ from: records, io: 'rawbytes', expected },
    }),
    await processWay({ ...way, title: 'process, tsv' }, program('tsv'), {
      ...{ from: rowsFile(), io: 'tsv', expected },
    }),
  ];
}

/** What goes through a task that hands it on. */
const HANDED_ON = 100e6;
const SIZES = [
  [12, 16],
  [12, 512],
  [12, 4096],
] as const;

async function identityWays(): Promise<Way[]> {
  const ways: Way[] = [];
  for (const [keyBytes, valueBytes] of SIZES) {
    for (const io of ['rawbytes', 'tsv'] as const) {
      const from = join(folder, `${keyBytes}-${valueBytes}.${io}`);
      const { sink, close } = sinkInto(from, io);
      const digest = new RecordDigest();
      const [key, value] = [Buffer.alloc(keyBytes, 0xc3), Buffer.alloc(valueBytes, 0x5a)];
      const count = Math.floor(HANDED_ON / (keyBytes + valueBytes));
      for (let i = 0; i < count; i++) {
        key.writeUInt32BE(i);
        value.writeUInt32LE(Math.imul(i, 0x9e3779b1) >>> 0);
        sink.put(key, value);
        digest.put(key, value);
      }
      close();
      const title = `${keyBytes} + ${valueBytes} bytes, ${io}`;
      const way = { group: title, title, megabytes: (count * (keyBytes + valueBytes)) / 1e6 };
      const program = [IDENTITY, io, manifestFile];
      ways.push(await processWay(way, program, { from, io, expected: digest.end() }));
    }
  }
  return ways;
}

const ways = [...(await sketchWays()), ...(await identityWays())];
const found = new Map<Way, number[]>(ways.map((way) => [way, []]));
for (let round = -1; round < runs; round++) {
  for (const way of ways) {
    const seconds = await way.spent();
    if (round >= 0) found.get(way)!.push(seconds);
  }
}

const rateOf = (way: Way): number => way.megabytes / median(found.get(way)!);
const rows = ways.map((way): Row => {
  const first = ways.find(({ group }) => group === way.group)!;
  const ratio = first === way ? '' : (rateOf(way) / rateOf(first)).toFixed(2);
  const seconds = median(found.get(way)!).toFixed(2);
  return [way.title, Math.round(way.megabytes), seconds, Math.round(rateOf(way)), ratio];
});
const heads = ['task', 'MB', 'CPU s', 'MB a CPU s', 'of the speed here'];
const raw = Object.fromEntries(ways.map((way) => [way.title, found.get(way)]));
record('taskProcess', 'how fast is a task as a process of its own?', where, { heads, rows }, raw, values.out);
