/**
 * Does the cost of a document stay when there are ten times as many, and does a second thread help?
 *
 *     node dist/benchmarks/scaling.js --small PATH --large PATH [--split PATH] [--runs 5] [--out FOLDER] [-- flags of run]
 *
 * `--small` and `--large` are corpora of one kind (records, 10^5 and 10^6); the start-up that is taken off their cost is
 * that of a run over ten words. `--split` is one file so large that its parts must be read by several threads for the
 * second to help. The built command as a process, page cache warm, settings in turn; medians. One thread and two must
 * give the same bytes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countOf, WrongUse } from './measure/plainErrors.js';
import { environment, type Row, record } from './measure/record.js';
import { inTurn, medianOf, type Rounds, type Setting } from './measure/turns.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: 'string' },
    large: { type: 'string' },
    split: { type: 'string' },
    runs: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
if (values.small === undefined || values.large === undefined)
  throw new WrongUse(
    '--small PATH and --large PATH are needed: corpora of one kind, as corpora.js makes them',
  );
const where = environment(values.out);
const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-scaling-'));
writeFileSync(join(scratch, 'one.txt'), 'ten words are enough to see what a start costs\n');

const corpora = new Map([
  ['start', scratch],
  ['small', values.small],
  ['large', values.large],
  ...(values.split === undefined ? [] : [['split', values.split] as const]),
]);
const settings: Setting[] = [];
for (const [name, path] of corpora) {
  for (const threads of [1, 2]) {
    const args = [path, '--threads', String(threads), ...positionals];
    settings.push({ title: `${name}, --threads ${threads}`, args, answers: name });
  }
}

let rounds: readonly Rounds[];
try {
  rounds = await inTurn(settings, countOf('--runs', values.runs));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const wallOf = (one: Rounds): number => medianOf(one, ({ wall }) => wall);
const cpuOf = (one: Rounds): number => medianOf(one, ({ cpu }) => cpu);
const find = (title: string): Rounds => rounds.find(({ setting }) => setting.title === title)!;

/** Microseconds of processor time a document, less the start. */
function costOf(name: string, threads: number): number {
  const one = find(`${name}, --threads ${threads}`);
  const documents = Number(one.runs[0]!.counts.documents);
  return (1e6 * (cpuOf(one) - cpuOf(find(`start, --threads ${threads}`)))) / documents;
}

const rows: Row[] = rounds.map((one) => {
  const [name, flag] = one.setting.title.split(', ') as [string, string];
  const threads = Number(flag.split(' ')[1]);
  const { counts, textBytes } = one.runs[0]!;
  return [
    name,
    threads,
    String(counts.documents),
    Math.round(textBytes / 1e6),
    wallOf(one).toFixed(2),
    (wallOf(find(`${name}, --threads 1`)) / wallOf(one)).toFixed(2),
    cpuOf(one).toFixed(2),
    name === 'start' ? '' : costOf(name, threads).toFixed(1),
    name === 'large' ? (costOf('large', threads) / costOf('small', threads)).toFixed(2) : '',
    Math.round(medianOf(one, ({ peakBytes }) => peakBytes) / 1e6),
  ];
});
const heads = [
  'corpus',
  'threads',
  'documents',
  'MB',
  'wall s',
  'faster than 1',
  'CPU s',
  'CPU us a document',
];
const question = 'does the cost of a document stay, and does a second thread help?';
record(
  'scaling',
  question,
  where,
  { heads: [...heads, 'large to small', 'peak MB'], rows },
  rounds,
  values.out,
);
