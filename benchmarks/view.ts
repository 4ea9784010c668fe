/**
 * Does `view` answer at once about a large result, and in how much memory?
 *
 *      node dist/benchmarks/view.js [--documents 1000000] [--rounds 30] [--folder FOLDER] [--out FOLDER]
 *
 * Generates records of 40 words in families of near copies, with about as many pairs as documents, and runs the tool
 * over them. Then the built server runs as a process and gets requests one after the other: first pages, and each kind
 * of action in rounds, at a different position each time. Status and counts of answers are checked. Measured per kind
 * of action: times, processor time of the server with its threads, and the high-water mark of its memory, which is
 * reset for each kind. `--folder` keeps the result and uses it again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { countOf } from './measure/plainErrors.js';
import { COMMAND, runInto } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '30' },
    folder: { type: 'string' },
    out: { type: 'string' },
  },
});
const documents = countOf('--documents', values.documents);
const rounds = countOf('--rounds', values.rounds);
const where = environment();
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
if (values.folder === undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
mkdirSync(folder, { recursive: true });

/** The same numbers every time. */
let state = 12345;
function chance(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

const FILES = 20;
const NAMES = ['news', 'mail', 'web', 'law'];
const LENGTH = 40;

/** Documents of a family: 1 to 6, few of 12, 60 and 300. */
function familySize(): number {
  const at = chance();
  const bounds = [0.36, 0.66, 0.84, 0.93, 0.97, 0.9989, 0.9998, 0.99999];
  const sizes = [1, 2, 3, 4, 5, 6, 12, 60, 300];
  const found = bounds.findIndex((bound) => at < bound);
  return sizes[found < 0 ? sizes.length - 1 : found]!;
}

function makeRecords(target: string): void {
  mkdirSync(target);
  const word = (): string => `w${Math.floor(30_000 * chance()).toString(36)}`;
  const files = Array.from({ length: FILES }, (_, i) =>
    openSync(join(target, `${NAMES[i % 4]}-${2000 + i}.jsonl`), 'w'),
  );
  const lines: string[][] = files.map(() => []);
  const flush = (file: number): void => {
    if (lines[file]!.length > 0) writeSync(files[file]!, `${lines[file]!.join('\n')}\n`);
    lines[file] = [];
  };
  for (let made = 0, family = 0; made < documents; family++) {
    const words = Array.from({ length: LENGTH }, word);
    const size = familySize();
    for (let copy = 0; copy < size && made < documents; copy++, made++) {
      const own = words.slice();
      // A copy differs in up to three words at its end, so that similarities are spread.
      const edits = copy === 0 ? 0 : Math.floor(4 * chance());
      for (let i = 0; i < edits; i++) own[LENGTH - 1 - 2 * i] = word();
      const file = Math.floor(FILES * chance());
      const source = NAMES[file % 4]!;
      const row = { id: `${source}/${family}-${copy}`, source, year: 2000 + file, text: own.join(' ') };
      lines[file]!.push(JSON.stringify(row));
      if (lines[file]!.length >= 5000) flush(file);
    }
  }
  for (const [i, file] of files.entries()) {
    flush(i);
    closeSync(file);
  }
}

const [input, result] = [join(folder, 'in'), join(folder, 'result')];
if (!existsSync(input)) makeRecords(input);
if (!existsSync(join(result, '_SUCCESS'))) await runInto(result, [input, '--threshold', '0.7']);
const { counts } = JSON.parse(readFileSync(join(result, 'manifest.json'), 'utf8')) as {
  readonly counts: Readonly<Record<string, number>>;
};
const pairs = counts.verified_pairs! + counts.identical_pairs! + counts.same_tokens_pairs!;
console.log(`${documents} documents, ${pairs} pairs, ${counts.clusters} clusters, ${counts.dropped} dropped`);

interface Server {
  readonly child: ChildProcess;
  readonly address: string;
  /** Start time. */
  readonly from: number;
}

async function started(): Promise<Server> {
  const from = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'view', result], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout! });
  const [address] = (await once(lines, 'line')) as [string];
  return { child, address, from };
}

async function ended({ child }: Server): Promise<void> {
  child.kill('SIGINT');
  await once(child, 'exit');
}

/** The high-water mark of a process, in bytes. */
function peakOf({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
  return 1024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]);
}

/** Processor milliseconds of a process so far. */
function processorOf({ child }: Server): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

interface Answer {
  readonly milliseconds: number;
  readonly body: string;
}

async function ask(server: Server, path: string, body?: object): Promise<Answer> {
  const from = performance.now();
  const response = await fetch(server.address + path, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${path} ${JSON.stringify(body)}: ${response.status} ${text.slice(0, 300)}`);
  return { milliseconds: performance.now() - from, body: text };
}

const isWaiting = (body: string): boolean => body.includes('http-equiv="refresh"');

/** Repeats a request until the page is complete; the time of each answer, and the time until it was complete. */
async function completeAnswer(
  server: Server,
  path: string,
): Promise<{ readonly answers: number[]; readonly last: string; readonly until: number }> {
  const answers: number[] = [];
  const from = performance.now();
  for (;;) {
    const { milliseconds, body } = await ask(server, path);
    answers.push(milliseconds);
    if (!isWaiting(body)) return { answers, last: body, until: performance.now() - from };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const table: Row[] = [];
const raw: object[] = [];
const rounded = (milliseconds: number): string =>
  milliseconds < 10 ? milliseconds.toFixed(1) : String(Math.round(milliseconds));

/** The measured server, and its processor time before the measurement. */
let measured: { readonly server: Server; readonly processor: number } | null = null;
const peaks: { readonly what: string; readonly bytes: number }[] = [];

/** The following is measured separately: processor time, and peak memory. */
function begin(server: Server): void {
  writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5');
  measured = { server, processor: processorOf(server) };
}

function row(what: string, times: readonly number[], note = ''): void {
  const sorted = [...times].sort((x, y) => x - y);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
  const [processor, bytes] =
    measured === null
      ? [Number.NaN, Number.NaN]
      : [(processorOf(measured.server) - measured.processor) / times.length, peakOf(measured.server)];
  raw.push({ what, times, processor, bytes });
  if (measured !== null) peaks.push({ what, bytes });
  const cells = [
    what,
    ...[at(0.5), at(0.95), sorted.at(-1)!].map(rounded),
    Number.isNaN(processor) ? '' : rounded(processor),
    Number.isNaN(bytes) ? '' : String(Math.round(bytes / 1e6)),
    note,
  ];
  table.push(cells);
  console.error(cells.join(' | '));
  if (measured !== null) begin(measured.server);
}

const firstPeaks: number[] = [];
rmSync(`${result}-drop-list.tsv`, { force: true });
{
  const server = await started();
  await ask(server, '');
  row('opening: the first page', [performance.now() - server.from]);
  const { answers } = await completeAnswer(server, 'clusters');
  const processor = `${(processorOf(server) / 1000).toFixed(1)} s of processor time`;
  row('opening: all tables', [performance.now() - server.from], processor);
  if (answers.length > 2) row('answers while the index is built', answers);
  firstPeaks.push(peakOf(server));
  await ended(server);
}

const server = await started();
await completeAnswer(server, 'clusters');
await completeAnswer(server, '');
begin(server);

/** A different position in each round. */
const randomPosition = (most: number): number => 1 + Math.floor(most * chance());

async function measure(
  what: string,
  paths: (round: number) => string | Promise<string>,
  note = '',
): Promise<string> {
  const times: number[] = [];
  let last = '';
  for (let round = 0; round < rounds; round++) {
    const path = await paths(round);
    const { milliseconds, body } = await ask(server, path);
    times.push(milliseconds);
    last = body;
  }
  row(what, times, note);
  return last;
}

const clusters = counts.clusters!;
await measure('overview', () => '');
await measure(
  'another threshold, each once',
  (round) => `recount?at=${(0.71 + (0.28 * round) / rounds).toFixed(2)}`,
);
for (const sort of ['size', 'drops', 'least'])
  await measure(
    `clusters by ${sort}`,
    () => `clusters?sort=${sort}&from=${100 * randomPosition(clusters / 100 - 1)}`,
  );
await measure(
  'a page of clusters',
  () => `clusters?sort=size&from=${100 * randomPosition(clusters / 100 - 1)}`,
);
await measure(
  'search by id',
  () => `clusters?search=${encodeURIComponent(`/${randomPosition(clusters)}-1`)}`,
);
await measure(
  'search by path',
  (round) => `clusters?search=${NAMES[round % 4]}-20${10 + (round % 10)}.jsonl`,
);
await measure('a cluster', () => `cluster?n=${randomPosition(clusters)}`);
const largest = Number(
  /cluster\?n=(\d+)/.exec((await ask(server, 'clusters?sort=size')).body.split('<tbody')[1]!)![1],
);
await measure('the largest cluster', () => `cluster?n=${largest}`);
await measure(
  'pairs, most alike first',
  () => `pairs?kind=all&from=${100 * randomPosition(pairs / 100 - 1)}`,
);
await measure(
  'pairs, least alike first',
  () => `pairs?kind=all&sort=least&from=${100 * randomPosition(pairs / 100 - 1)}`,
);
await measure('a page of pairs', () => `pairs?kind=all&from=${100 * randomPosition(pairs / 100 - 1)}`);
const pairOf = async (): Promise<string> => {
  const { body } = await ask(server, `cluster?n=${randomPosition(clusters)}`);
  return /pair\?a=\d+&amp;b=\d+/.exec(body)![0].replace('&amp;', '&');
};
{
  const [answers, until]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const found = await completeAnswer(server, await pairOf());
    answers.push(...found.answers);
    until.push(found.until);
  }
  row('two texts: each answer', answers);
  row('two texts: until they are there', until);
}
{
  const found = await completeAnswer(server, 'clusters?search=w1a+w2b&in=texts');
  row('search by words of texts: each answer', found.answers, 'reads all texts');
  row('search by words of texts: until it is there', [found.until], 'the same');
}
{
  const times: Record<string, number[]> = {};
  const edit = async (kind: string, body: object): Promise<void> => {
    const { milliseconds } = await ask(server, 'edit', body);
    const known = times[kind] ?? [];
    times[kind] = known;
    known.push(milliseconds);
  };
  for (let round = 0; round < rounds; round++) {
    const { body } = await ask(server, `cluster?n=${randomPosition(clusters)}`);
    const [, kept, dropped] = /data-keep="(\d+)" data-drop="(\d+)"/.exec(body)!.map(Number);
    await edit('keep this instead', { keep: [kept], drop: [dropped] });
    if (round % 2 === 0) await edit('undo', { undo: true });
    const other = (await ask(server, `cluster?n=${randomPosition(clusters)}`)).body;
    await edit('keep both', { keep: [Number(/data-keep="(\d+)" data-drop="\d+"/.exec(other)![1])] });
  }
  for (const [kind, all] of Object.entries(times)) row(kind, all);
  await measure('drop list', () => 'list');
  await measure('a cluster, with edits', () => `cluster?n=${randomPosition(clusters)}`);
}
{
  const { milliseconds, body } = await ask(server, 'pairs.tsv?kind=all');
  const lines = body.split('\n').length - 2;
  if (lines !== pairs) throw new Error(`pairs.tsv has ${lines} rows, expected ${pairs}`);
  row('all pairs as TSV', [milliseconds], `${Math.round(body.length / 1e6)} MB`);
}
await ended(server);
const highest = peaks.reduce((one, other) => (other.bytes > one.bytes ? other : one));
const megabytes = [...firstPeaks, highest.bytes].map((bytes) => `${Math.round(bytes / 1e6)} MB`);
const summary = `${documents.toLocaleString('en')} documents, ${pairs.toLocaleString('en')} pairs, ${clusters.toLocaleString('en')} clusters. Memory at its highest: ${megabytes[0]} while the index is made, ${megabytes[1]} when it is opened, ${megabytes[2]} of all actions (${highest.what}).`;
console.log(summary);
const heads = [
  ...['answer', 'median ms', '95th percentile ms', 'longest ms'],
  ...['processor ms, mean', 'highest MB', ''],
];
const question = 'does `view` answer at once about a large result, and in how much memory?';
record('view', question, where, { heads, rows: table }, { summary, times: raw }, values.out);
