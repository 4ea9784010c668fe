/**
 * What does a whole run cost, and what do verification, a second thread and --shards add?
 *
 *      node dist/benchmarks/endToEnd.js --corpus PATH [--runs 5] [--out FOLDER] [-- more flags of run]
 *
 * Runs the built command as a process with a warm page cache, settings in turn, and prints medians. A time is printed
 * only if all rounds, numbers of threads and shards gave the same bytes.
 */
import { parseArgs } from 'node:util';
import { countOf, UsageError } from './measure/plainErrors.js';
import { environment, record } from './measure/record.js';
import { inTurn, medianOf, type Rounds, type Setting } from './measure/turns.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: 'string' },
    runs: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
const { corpus } = values;
if (corpus === undefined)
  throw new UsageError('--corpus PATH is needed: a folder or file, as corpora.js makes them');
const where = environment();

const SETTINGS: readonly Setting[] = (
  [
    ['signature', '--threads 2'],
    ['signature', '--threads 1'],
    ['signature', '--shards 16'],
    ['exact', '--threads 2'],
    ['exact', '--threads 1'],
    ['none', '--threads 2'],
  ] as const
).map(([verify, setting]) => ({
  title: `--verify ${verify} ${setting}`,
  args: [corpus, '--verify', verify, ...setting.split(' '), ...positionals],
  answers: verify,
}));

const rounds = await inTurn(SETTINGS, countOf('--runs', values.runs));
const [base] = rounds;
const baseWall = medianOf(base!, ({ wall }) => wall);
const stages = Object.keys(base!.runs[0]!.stages);

function rowOf(one: Rounds): (string | number)[] {
  const wall = medianOf(one, (run) => run.wall);
  const cpu = medianOf(one, (run) => run.cpu);
  const { counts, textBytes } = one.runs[0]!;
  return [
    one.setting.title,
    Number(wall.toFixed(2)),
    Number((wall / baseWall).toFixed(2)),
    Number(cpu.toFixed(2)),
    Math.round(medianOf(one, (run) => run.peakBytes) / 1e6),
    Number((textBytes / 1e6 / cpu).toFixed(1)),
    ...stages.map((stage) => Number((medianOf(one, (run) => run.stages[stage] ?? 0) / 1000).toFixed(2))),
    String(counts.documents),
    String(counts.verified_pairs),
  ];
}

const heads = [
  'setting',
  'wall s',
  'ratio',
  'CPU s',
  'peak MB',
  'MB per CPU s',
  ...stages,
  'documents',
  'pairs',
];
const question = 'what does a whole run cost, by verification, threads and shards?';
record('endToEnd', question, where, { heads, rows: rounds.map(rowOf) }, rounds, values.out);
