/**
 * How fast does the filter pass records on, and does it drop what a run over the same records drops?
 *
 *     node dist/benchmarks/filter.js --records FILE [--runs 3] [--memory 300MB] [--out FOLDER]
 *
 * FILE holds JSON lines with a text. They get ids that are the numbers of their lines, so that the order of ids, in which a run
 * takes them, is that of the lines. The built command as a process, page cache warm, settings in turn; medians. A time is
 * printed only where every difference between the drop lists follows from a pair that one of both did not find.
 */
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { countOf, WrongUse } from './measure/plainErrors.js';
import { type Measured, measured } from './measure/process.js';
import { COMMAND } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';
import { medianOf } from './measure/turns.js';

const { values } = parseArgs({
  options: {
    records: { type: 'string' },
    runs: { type: 'string', default: '3' },
    memory: { type: 'string', default: '300MB' },
    out: { type: 'string' },
  },
});
const { records } = values;
if (records === undefined) throw new WrongUse('--records FILE is needed: JSON lines with a text');
const runs = countOf('--runs', values.runs);
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The records with ids that ascend. */
const lines = join(folder, 'records.jsonl');
let count = 0;
const numbered = createWriteStream(lines);
for await (const line of createInterface({
  input: createReadStream(records),
  crlfDelay: Number.POSITIVE_INFINITY,
})) {
  const { text } = JSON.parse(line) as { readonly text: string };
  const id = String(count++).padStart(9, '0');
  if (!numbered.write(`${JSON.stringify({ id, text })}\n`)) await once(numbered, 'drain');
}
numbered.end();
await finished(numbered);
const megabytes = statSync(lines).size / 1e6;

interface Setting {
  readonly title: string;
  /** What a shell runs. */
  readonly command: string;
}

const node = `exec '${process.execPath}' '${COMMAND}'`;
const filter = (name: string, flags: string): Setting => ({
  title: `filter ${flags}`.trim(),
  command: `${node} filter --quiet --force --dropped '${join(folder, name)}' ${flags} < '${lines}' > '${join(folder, `${name}.jsonl`)}'`,
});
const out = join(folder, 'run');
const SETTINGS: readonly Setting[] = [
  filter('filter.tsv', ''),
  filter('signature.tsv', '--verify signature'),
  filter('small.tsv', `--memory ${values.memory}`),
  { title: 'run --threads 1', command: `${node} run '${lines}' --threads 1 --quiet --force --out '${out}'` },
];

const found = new Map<Setting, Measured[]>(SETTINGS.map((setting) => [setting, []]));
for (let round = 0; round < runs; round++) {
  for (const setting of SETTINGS) {
    const done = await measured('/bin/sh', ['-c', setting.command], { timeout: 3600 });
    if (done.code !== 0) throw new Error(`${setting.title} ended with ${done.code}: ${done.stderr}`);
    found.get(setting)!.push(done);
  }
}

interface Drop {
  readonly kept: string;
  readonly jaccard: string;
}

function rowsOf(file: string): string[][] {
  const [, ...rows] = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
  return rows.map((row) => row.split('\t'));
}

const dropsOf = (file: string): Map<string, Drop> =>
  new Map(rowsOf(file).map(([document, kept, jaccard]) => [document!, { kept: kept!, jaccard: jaccard! }]));

/** The pairs of the run, by the first documents of their classes. */
const firstOf = new Map<string, string>();
const pairs = new Set<string>();
for (const part of readdirSync(join(out, 'pairs'))) {
  for (const [a, b, , , , , kind] of rowsOf(join('run', 'pairs', part))) {
    if (kind === 'near') pairs.add(`${a} ${b}`);
    else firstOf.set(b!, a!);
  }
}
function isFound(a: string, b: string): boolean {
  const [x, y] = [firstOf.get(a) ?? a, firstOf.get(b) ?? b].sort();
  return x === y || pairs.has(`${x} ${y}`);
}

const ofRun = dropsOf('run/duplicates.tsv');
const ofFilter = dropsOf('filter.tsv');

/** Why the drop lists differ in a document; null: nothing explains it. */
function reasonOf(document: string, byRun: Drop | undefined, byFilter: Drop | undefined): string | null {
  if (byFilter !== undefined && !isFound(document, byFilter.kept)) return 'pair that the run did not find';
  if (byFilter !== undefined && ofRun.has(byFilter.kept)) return 'kept document that the run drops';
  return byRun !== undefined && ofFilter.has(byRun.kept) ? 'kept document that the filter drops' : null;
}

const reasons = new Map<string, number>();
let same = 0;
for (const document of new Set([...ofRun.keys(), ...ofFilter.keys()])) {
  const byRun = ofRun.get(document);
  const byFilter = ofFilter.get(document);
  if (byRun?.kept === byFilter?.kept && byRun?.jaccard === byFilter?.jaccard) {
    same++;
    continue;
  }
  const reason = reasonOf(document, byRun, byFilter);
  if (reason === null) {
    throw new Error(
      `${document}: ${JSON.stringify(byRun)} by the run, ${JSON.stringify(byFilter)} by the filter`,
    );
  }
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}
console.log(
  `${count} records, ${ofRun.size} dropped by the run, ${ofFilter.size} by the filter, ${same} alike`,
);
for (const [reason, times] of reasons) console.log(`${times} differ by a ${reason}`);
if (!readFileSync(join(folder, 'small.tsv')).equals(readFileSync(join(folder, 'filter.tsv')))) {
  console.log(`--memory ${values.memory}: other documents are dropped, for some were forgotten`);
}

const rows = [...found].map(([{ title }, all]): Row => {
  const wall = medianOf({ runs: all }, (one) => one.wall);
  const cpu = medianOf({ runs: all }, (one) => one.cpu);
  const peak = Math.round(medianOf({ runs: all }, (one) => one.peakBytes) / 1e6);
  const rates = [Math.round(megabytes / wall), cpu.toFixed(2), Math.round(megabytes / cpu)];
  return [title, Math.round(megabytes), wall.toFixed(2), ...rates, peak];
});
const heads = ['setting', 'MB', 'wall s', 'MB/s', 'CPU s', 'MB a CPU s', 'peak MB'];
const question = 'how fast does the filter pass records on, and does it drop what a run drops?';
const differences = Object.fromEntries(reasons);
const raw = {
  dropped: { run: ofRun.size, filter: ofFilter.size, same, differences },
  times: [...found.values()],
};
record('filter', question, where, { heads, rows }, raw, values.out);
