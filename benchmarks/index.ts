/**
 * What does an index cost: creating, growing, opening, querying, filtering?
 *
 *      node dist/benchmarks/index.js --records FILE [--times 10] [--portions 10] [--queries 2000] [--python PYTHON] [--out FOLDER]
 *
 * FILE has JSON lines with a text. `--times 10` takes each record ten times, with different words each time.
 * `--portions 0` omits the comparison with an index that is created at once. PYTHON has datasketch
 * (benchmarks/rivals/requirements), which is measured with the first 100,000 records. Runs the built command as a
 * process with a warm page cache. Answers are checked first: portions, and an index without sets, answer like one
 * index of all records; a filter passes the same records as a filter against the records; a record finds itself.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openIndex } from '../src/index.js';
import { countOf, UsageError } from './measure/plainErrors.js';
import { type Measured, measured } from './measure/process.js';
import { COMMAND } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';

const { values } = parseArgs({
  options: {
    records: { type: 'string' },
    times: { type: 'string', default: '1' },
    portions: { type: 'string', default: '10' },
    queries: { type: 'string', default: '2000' },
    python: { type: 'string' },
    out: { type: 'string' },
    /** The benchmark itself in a separate process, which opens an index. */
    open: { type: 'string' },
  },
});

/** What one process needs to open an index and to look up texts. */
interface OpenedFacts {
  readonly documents: number;
  /** Milliseconds; bytes after opening, and at the end. */
  readonly opening: number;
  readonly openedBytes: number;
  readonly p95: number;
  readonly cpuOfQuery: number;
  readonly bytes: number;
  readonly found: number;
}

/** Opens an index and looks up texts in this process. */
async function opened(folder: string, texts: readonly string[]): Promise<OpenedFacts> {
  const start = performance.now();
  const index = await openIndex(folder);
  const documents = index.documents;
  const opening = performance.now() - start;
  const openedBytes = process.memoryUsage.rss();
  for (const text of texts.slice(0, 100)) await index.query(text);
  const times = new Float64Array(texts.length);
  const before = process.cpuUsage();
  let found = 0;
  for (const [i, text] of texts.entries()) {
    const begun = performance.now();
    const answers = await index.query(text);
    times[i] = performance.now() - begun;
    if (answers[0]?.jaccard === 1) found++;
  }
  const { user, system } = process.cpuUsage(before);
  times.sort();
  return {
    ...{ documents, opening, openedBytes, found, p95: times[Math.floor(0.95 * times.length)]! },
    ...{ cpuOfQuery: (user + system) / 1000 / texts.length, bytes: process.memoryUsage.rss() },
  };
}

if (values.open !== undefined) {
  const texts = JSON.parse(readFileSync(join(values.open, '..', 'queries.json'), 'utf8')) as string[];
  process.stdout.write(JSON.stringify(await opened(values.open, texts)));
  process.exit(0);
}

if (values.records === undefined) throw new UsageError('--records FILE is needed: JSON lines with a text');
const recordsFile = resolve(values.records);
const where = environment();
const portions = Number(values.portions);
const times = countOf('--times', values.times);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const textOf = (line: string): string => (JSON.parse(line) as { readonly text: string }).text;

/** A file that is written through a buffer. */
class Lines {
  readonly #file: number;
  #waiting: string[] = [];
  constructor(name: string) {
    this.#file = openSync(join(folder, name), 'w');
  }
  add(line: string): void {
    if (this.#waiting.push(line) === 4096) this.flush();
  }
  flush(): void {
    if (this.#waiting.length > 0) writeSync(this.#file, `${this.#waiting.join('\n')}\n`);
    this.#waiting = [];
  }
  close(): void {
    this.flush();
    closeSync(this.#file);
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

let records = 0;
const all = new Lines('all.jsonl');
for (let time = 0; time < times; time++) {
  for await (const line of linesOf(recordsFile)) {
    records++;
    all.add(
      time === 0
        ? line
        : JSON.stringify({ id: `r${records}`, text: textOf(line).replace(/\S+/g, `$&x${time}`) }),
    );
  }
}
all.close();
const queries: string[] = [];
const [ofPortion, ofQuery] = [
  Math.ceil(records / Math.max(1, portions)),
  Math.ceil(records / countOf('--queries', values.queries)),
];
const some = new Lines('some.jsonl');
let row = 0;
let portion: Lines | null = null;
for await (const line of linesOf(join(folder, 'all.jsonl'))) {
  if (row % ofQuery === 0) queries.push(textOf(line));
  if (row < 20_000) some.add(line);
  if (portions > 0 && row % ofPortion === 0) {
    portion?.close();
    portion = new Lines(`p${row / ofPortion}.jsonl`);
  }
  portion?.add(line);
  row++;
}
portion?.close();
some.close();
writeFileSync(join(folder, 'queries.json'), JSON.stringify(queries));

const rows: Row[] = [];
const raw: Record<string, unknown> = { records };
const megabytes = (count: number): number => Math.round(count / 1e6);

async function run(title: string, command: string): Promise<Measured> {
  const done = await measured('/bin/sh', ['-c', `cd '${folder}' && ${command}`], { timeout: 7200 });
  if (done.code !== 0) throw new Error(`${title} ended with ${done.code}: ${done.stderr}`);
  const { wall, cpu, peakBytes } = done;
  rows.push([title, cpu.toFixed(1), wall.toFixed(1), megabytes(peakBytes), '']);
  raw[title] = { wall, cpu, peakBytes };
  console.log(`${title}: ${cpu.toFixed(1)} s CPU, ${wall.toFixed(1)} s`);
  return done;
}

/** Bytes per document of an index. */
function bytesOf(index: string): string {
  const bytes = readdirSync(join(folder, index), { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, index, name)).size,
    0,
  );
  return (bytes / records).toFixed(0);
}

async function answersOf(index: string, count: number): Promise<string> {
  const handle = await openIndex(join(folder, index));
  const answers: unknown[] = [];
  for (const text of queries.slice(0, count)) answers.push(await handle.query(text, { top: 100 }));
  await handle.close();
  return JSON.stringify(answers).replace(/"location":"[^"]*","portion":"[^"]*",/g, '');
}

async function mustAnswerAlike(index: string, count: number): Promise<void> {
  if ((await answersOf(index, count)) !== (await answersOf('whole', count)))
    throw new Error(`${index} gives different answers`);
}

const program = `'${process.execPath}' '${COMMAND}'`;
const seconds = await run('run', `exec ${program} run all.jsonl --quiet --out result`);
rmSync(join(folder, 'result'), { recursive: true });
const made = await run(
  'index create, all at once',
  `${program} index create whole 2>&1 && exec ${program} index add whole all.jsonl --portion all --quiet`,
);
const ratio = (of: Measured, to: Measured): string => (of.cpu / to.cpu).toFixed(2);
rows[1] = [...rows[1]!.slice(0, 4), `${ratio(made, seconds)}x run, ${bytesOf('whole')} bytes per document`];
if (portions > 0) {
  const adds = Array.from(
    { length: portions },
    (_, i) => `${program} index add grown p${i}.jsonl --portion p${i} --quiet`,
  );
  const grown = await run(
    `index of ${portions} portions`,
    `${program} index create grown 2>&1 && ${adds.join(' && ')}`,
  );
  rows[2] = [...rows[2]!.slice(0, 4), `${ratio(grown, made)}x at once`];
  await mustAnswerAlike('grown', 200);
  await run(
    'index create --without-sets',
    `${program} index create bare --without-sets 2>&1 && exec ${program} index add bare all.jsonl --portion all --quiet`,
  );
  rows[3] = [...rows[3]!.slice(0, 4), `${bytesOf('bare')} bytes per document`];
  await mustAnswerAlike('bare', 5);
  const filter = await run(
    'filter --index',
    `exec ${program} filter --index whole --quiet < some.jsonl > indexed.jsonl`,
  );
  rows[4] = [
    ...rows[4]!.slice(0, 4),
    `${Math.round(Math.min(records, 20_000) / filter.wall)} records per second`,
  ];
  await run(
    'filter --against',
    `exec ${program} filter --against all.jsonl --memory 8GB --quiet < some.jsonl > against.jsonl`,
  );
  if (!readFileSync(join(folder, 'indexed.jsonl')).equals(readFileSync(join(folder, 'against.jsonl'))))
    throw new Error('the filters pass different records');
}
const facts = JSON.parse(
  execFileSync(process.execPath, [process.argv[1]!, '--open', join(folder, 'whole')], { encoding: 'utf8' }),
) as OpenedFacts;
if (facts.found < queries.length) throw new Error('a record does not find itself');
const { opening, openedBytes, p95, cpuOfQuery, bytes } = facts;
rows.push(['opening', '', (opening / 1000).toFixed(3), megabytes(openedBytes), '']);
rows.push([
  'a query, of one process',
  (cpuOfQuery / 1000).toFixed(5),
  (p95 / 1000).toFixed(5),
  megabytes(bytes),
  `${Math.round(1000 / cpuOfQuery)} per second of CPU; the time is the 95th percentile`,
]);
raw.opened = facts;
if (values.python !== undefined) {
  const { banding, sketch } = (
    JSON.parse(readFileSync(join(folder, 'whole', 'manifest.json'), 'utf8')) as {
      readonly parameters: {
        readonly banding: { readonly bands: number; readonly rows: number };
        readonly sketch: { readonly hashes: number };
      };
    }
  ).parameters;
  const script = fileURLToPath(new URL('../../benchmarks/rivals/index_datasketch.py', import.meta.url));
  const numbers = [100_000, sketch.hashes, banding.bands, banding.rows].map(String);
  const files = [join(folder, 'all.jsonl'), join(folder, 'queries.json')];
  const found = JSON.parse(
    execFileSync(values.python, [script, ...files, ...numbers], { encoding: 'utf8' }),
  ) as Record<'documents' | 'cpu' | 'wall' | 'peakBytes' | 'queryCpu' | 'p95', number>;
  raw.datasketch = found;
  rows.push(
    [
      `datasketch in memory, ${found.documents} records`,
      found.cpu.toFixed(1),
      found.wall.toFixed(1),
      megabytes(found.peakBytes),
      `${((found.cpu / found.documents) * (records / made.cpu)).toFixed(1)}x our CPU per record; nothing is verified`,
    ],
    [
      'a query of datasketch',
      found.queryCpu.toFixed(5),
      found.p95.toFixed(5),
      '',
      'candidates, not verified',
    ],
  );
}
const heads = ['what', 'CPU s', 'wall s', 'peak MB', 'beside'];
const question = `what does an index of ${records} records cost?`;
record('index', question, where, { heads, rows }, raw, values.out);
