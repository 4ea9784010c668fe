/**
 * What do lines of sets cost: how fast are ratings read and sketched, does a second thread help, and does skew stay
 * linear?
 *
 *     node dist/benchmarks/rows.js [--lines 1000000] [--runs 3] [--seed 1] [--out FOLDER]
 *
 * Makes rating lines by a seed (users with some 50 ratings, items of uneven popularity, one user in twenty a near copy of
 * the one before), and skewed sets at two sizes. Before a time is believed: one thread and two, row chunks, another order
 * of the lines and another number of files give the same bytes; pairs have the resemblance that is counted from the lines;
 * and the near copies are found.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../src/index.js';
import { countOf } from './measure/plainErrors.js';
import { environment, type Row, record } from './measure/record.js';
import { inTurn, medianOf, type Rounds } from './measure/turns.js';
import { ratingProblems } from './rows/check.js';
import { ratings, skewedSets, writeRatings } from './rows/lines.js';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const count = countOf('--lines', values.lines);
const runs = countOf('--runs', values.runs);
const seed = countOf('--seed', values.seed);
const where = environment(values.out);
const THRESHOLD = '0.5';
const FLAGS = ['--input', 'sets', '--ratings', 'stars', '--threshold', THRESHOLD];

const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-rows-'));
try {
  await measure();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const all = ratings(count, seed);
  const [one, three] = [join(scratch, 'one'), join(scratch, 'three')];
  for (const folder of [one, three]) mkdirSync(folder);
  const bytes = writeRatings(all, one, 1, seed + 1);
  writeRatings(all, three, 3, seed + 2);
  const problems = await check(one, all);
  if (problems.length > 0) throw new Error(`${problems.length} problems, such as: ${problems[0]}`);
  const setting = (title: string, folder: string, ...args: string[]) => {
    return { title, args: [folder, ...FLAGS, ...args], answers: 'ratings' };
  };
  const rounds = await inTurn(
    [
      setting('1 thread', one, '--threads', '1'),
      setting('2 threads', one, '--threads', '2'),
      setting('2 threads, 64 row chunks', one, '--threads', '2', '--shards', '64'),
      setting('2 threads, other order, 3 files', three, '--threads', '2'),
    ],
    runs,
  );
  const wallOfOne = medianOf(rounds[0]!, ({ wall }) => wall);
  const rows = rounds.map((round): Row => {
    const wall = medianOf(round, (taken) => taken.wall);
    const cpu = medianOf(round, (taken) => taken.cpu);
    return [
      round.setting.title,
      count,
      Number((bytes / 1e6).toFixed(0)),
      Number(wall.toFixed(2)),
      Number((wallOfOne / wall).toFixed(2)),
      Number(cpu.toFixed(2)),
      Number((bytes / 1e6 / seconds(round, 'rows')).toFixed(1)),
      Number((bytes / 1e6 / seconds(round, 'rows', 'sketch')).toFixed(1)),
      Math.round(medianOf(round, (taken) => taken.peakBytes) / 1e6),
    ];
  });
  const heads = [
    'setting',
    'lines',
    'MB',
    'wall s',
    'speed',
    'CPU s',
    'MB/s read',
    'MB/s read, sketched',
    'peak MB',
  ];
  record('rows', 'how fast are rating lines?', where, { heads, rows }, rounds, values.out);
  await measureSkew();
}

function seconds(round: Rounds, ...stages: string[]): number {
  return (
    medianOf(round, (taken) => stages.reduce((sum, stage) => sum + (taken.stages[stage] ?? 0), 0)) / 1000
  );
}

/** Runs once and keeps the result for looking. */
async function check(folder: string, all: ReturnType<typeof ratings>): Promise<string[]> {
  const out = join(scratch, 'out');
  const report = await run({
    paths: [folder],
    out,
    input: 'sets',
    ratings: 'stars',
    threshold: Number(THRESHOLD),
    threads: 2,
  });
  return ratingProblems(out, report.counts.verified_pairs, all, Number(THRESHOLD));
}

/** 60,000 sets of which 44,000 are equal, one of a million elements, an element that all have; and a tenth of that. */
async function measureSkew(): Promise<void> {
  const sizes = [6_000, 60_000];
  const bytes: number[] = [];
  const settings = sizes.map((sets) => {
    const file = join(scratch, `skewed-${sets}`);
    skewedSets(file, sets);
    bytes.push(statSync(file).size);
    return { title: `${sets} sets`, args: [file, '--input', 'sets', '--threads', '2'], answers: `${sets}` };
  });
  const rounds = await inTurn(settings, runs);
  const rows = rounds.map((round, i): Row => {
    const { counts } = round.runs[0]!;
    if (counts.identical_pairs !== (sizes[i]! * 11) / 15 - 1)
      throw new Error('the equal sets are not one class');
    const cpu = medianOf(round, (taken) => taken.cpu);
    const stages = seconds(round, 'rows', 'sketch', 'bands', 'verify', 'clusters', 'write');
    const before = i === 0 ? null : rounds[i - 1]!;
    const growth =
      before === null
        ? ''
        : (stages / seconds(before, 'rows', 'sketch', 'bands', 'verify', 'clusters', 'write')).toFixed(1);
    const megabytes = Number((bytes[i]! / 1e6).toFixed(1));
    return [round.setting.title, megabytes, Number(cpu.toFixed(2)), Number(stages.toFixed(2)), growth];
  });
  const heads = ['corpus', 'MB', 'CPU s', 'stages s', 'tenfold'];
  record('rowsSkewed', 'do skewed sets stay linear?', where, { heads, rows }, rounds, values.out);
}
