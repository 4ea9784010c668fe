/**
 * What does each stage of a run on Hadoop or Spark cost at 10^6, 10^8 and 10^10 documents? Computed, from what is measured here.
 *
 *     node dist/benchmarks/clusterCosts.js [--documents 10000] [--runs 3] [--corpus FILE | --pool debian|npm --cache DIR] [--out FOLDER]
 *
 * The tasks of a whole run work in this process over JSON lines of 3 to 7 KB, 15 % of them edited copies and 5 % whole ones; the
 * result must be that of worker threads, byte for byte. Their records and bytes are counted and their processor time is taken (the
 * median of the rounds, after one that does not count), and everything is multiplied. Not in it: what the engine itself takes for
 * sorting, moving and writing, its copies of files, the start of processes, rounds over hot buckets, and jobs for ids that repeat.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { clusterRecipe } from '../src/coordinator/cluster/clusterRecipe.js';
import { Jobs } from '../src/coordinator/cluster/jobs.js';
import { run } from '../src/index.js';
import { kernelHere } from '../src/tasks/kernelHere.js';
import { KINDS } from '../src/tasks/stream/kinds.js';
import type { StageName } from '../src/tasks/stream/stages.js';
import { filesOf, preparedRun, writtenBy } from '../test/coordinator/cluster/comparedFolders.js';
import { corpusRows, sharedOf } from '../test/engines/corpusRows.js';
import { ProcessEngine } from '../test/engines/processEngine.js';
import {
  BY_STARS,
  bySize,
  heldFacts,
  type MeasuredRun,
  SIZES,
  stageRow,
  totalRow,
} from './cluster/computedCosts.js';
import { Meter, type StageCost } from './cluster/meter.js';
import { LINES_FLAGS, linesFile } from './corpora/lines.js';
import { countOf } from './measure/plainErrors.js';
import { environment, type Row, record } from './measure/record.js';
import { median } from './measure/turns.js';

const { values } = parseArgs({
  options: {
    ...LINES_FLAGS,
    documents: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '3' },
    out: { type: 'string' },
  },
});
const documents = countOf('--documents', values.documents);
const runs = countOf('--runs', values.runs);
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const kernel = await kernelHere();

/** Bytes of a split here: some tasks a job. */
const SPLIT = 16e6;

interface Mode {
  readonly verify: 'exact' | 'signature';
  readonly byStars: boolean;
}

const EXACT: Mode = { verify: 'exact', byStars: false };
const MODES: readonly Mode[] = [EXACT, { ...EXACT, byStars: true }, { verify: 'signature', byStars: false }];

const secondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

function bytesBelow(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Documents that are in a near pair. */
function labelled({ datasets }: ProcessEngine): number {
  const all = [...datasets].filter(([name]) => /-(components|starLabels)-/.test(name));
  return all.reduce((sum, [, records]) => sum + records.filter(([key]) => key[0] === KINDS.label).length, 0);
}

/** One run of all jobs, whose result goes to `out`. */
async function measuredRun(file: string, { verify, byStars }: Mode, out: string): Promise<MeasuredRun> {
  const prepared = await preparedRun({ paths: [file], input: 'jsonl', idField: 'id', verify, out });
  const { params, inputs } = prepared;
  const meter = new Meter();
  const splits = corpusRows(inputs.files, () => SPLIT);
  const engine = new ProcessEngine({ kernel, splits, runs: meter.runs });
  const jobs = new Jobs(engine, sharedOf(params, inputs.files));
  const outcome = await clusterRecipe(jobs, { byStars });
  if (outcome.hot !== null) throw new Error('the corpus has hot buckets, whose rounds are not in the table');
  const before = process.cpuUsage();
  const { report } = await writtenBy(prepared, engine, outcome);
  const seconds = secondsOf(process.cpuUsage(before));
  return {
    documents: report.counts.read,
    textBytes: statSync(file).size,
    hashes: 'hashes' in params.sketch ? params.sketch.hashes : 0,
    stages: meter.stages,
    nearDocuments: labelled(engine),
    factBytes: meter.facts.bytes / meter.facts.records,
    finish: { seconds, bytes: bytesBelow(out) },
  };
}

/** The medians of times over rounds that counted the same. */
function middle(rounds: readonly MeasuredRun[]): MeasuredRun {
  const [first] = rounds;
  const stages = new Map<StageName, StageCost>();
  for (const [name, cost] of first!.stages) {
    const of = (side: 'map' | 'reduce'): StageCost['map'] => ({
      ...cost[side],
      seconds: median(rounds.map((round) => round.stages.get(name)![side].seconds)),
    });
    stages.set(name, { ...cost, map: of('map'), reduce: of('reduce') });
  }
  const seconds = median(rounds.map(({ finish }) => finish.seconds));
  return { ...first!, stages, finish: { ...first!.finish, seconds } };
}

const folderOf = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
};
const file = await linesFile('articles', documents, values, folderOf('corpus'));
const few = await linesFile(
  'articles',
  Math.ceil(documents / 10),
  { ...values, corpus: file },
  folderOf('few'),
);

const threads = new Map<Mode['verify'], Record<string, string>>();
for (const verify of ['exact', 'signature'] as const) {
  const out = join(folder, verify);
  await run({ paths: [file], input: 'jsonl', idField: 'id', verify, out });
  threads.set(verify, filesOf(out));
}
const rounds = new Map<Mode, MeasuredRun[]>(MODES.map((mode) => [mode, []]));
for (let round = 0; round <= runs; round++) {
  for (const mode of MODES) {
    const { verify, byStars } = mode;
    const out = join(folder, 'out');
    const measured = await measuredRun(round === 0 ? few : file, mode, out);
    if (round > 0) {
      if (!isDeepStrictEqual(filesOf(out), threads.get(verify)))
        throw new Error(`--verify ${verify}: other bytes than those of threads`);
      rounds.get(mode)!.push(measured);
    }
    process.stderr.write(`round ${round} of ${runs}, ${verify}${byStars ? ', by stars' : ''}\n`);
    rmSync(out, { recursive: true });
  }
}

const [plain, starred, signed] = MODES.map((mode) => middle(rounds.get(mode)!)) as [
  MeasuredRun,
  MeasuredRun,
  MeasuredRun,
];
const stars = BY_STARS.map((name) => [name, starred.stages.get(name)!] as const);
/** A run with what it costs by stars, which are measured once. */
const withStars = (one: MeasuredRun): MeasuredRun => ({
  ...one,
  stages: new Map(
    [...one.stages].flatMap(([name, cost]) =>
      name === 'components' ? [[name, cost], ...stars] : [[name, cost]],
    ),
  ),
});
const exact = withStars(plain);
const signature = withStars(signed);

/** The end of a run: one process, on one machine. */
function finishRow({ finish, documents: measured }: MeasuredRun): Row {
  const at = (value: number): string => bySize(SIZES.map((size) => (value * size) / measured));
  const held = bySize(SIZES.map((size) => (size / 8 + heldFacts(exact, size)) / 1e6));
  return [
    'the result is written, by the run itself',
    '',
    '0',
    at(finish.bytes / 1e9),
    at(finish.seconds / 3600),
    held,
  ];
}

const rows = [...exact.stages.values()].map((cost) =>
  stageRow(cost, exact, signature.stages.has(cost.stage) ? '' : '`--verify exact` alone'),
);
const heads = ['stage', 'jobs', 'GB shuffled', 'GB written', 'core-hours of our tasks', 'MB one task holds'];
const table = {
  heads,
  rows: [
    ...rows,
    totalRow('all, `--verify exact`', exact),
    totalRow('all, `--verify signature`', signature),
    finishRow(exact),
  ],
};
const plainOf = (one: MeasuredRun): unknown => ({
  ...one,
  stages: [...one.stages.values()].map((cost) => ({ ...cost, jobs: [...cost.jobs] })),
});
/** Of every round: the processor time of all tasks. */
const spent = [...rounds].map(([{ verify, byStars }, some]) => {
  const seconds = some.map(({ stages }) =>
    [...stages.values()].reduce((sum, { map, reduce }) => sum + map.seconds + reduce.seconds, 0),
  );
  return { verify, byStars, seconds };
});
const raw = { sizes: SIZES, spent, exact: plainOf(exact), signature: plainOf(signature) };
const bytes = Math.round(exact.textBytes / exact.documents);
const question = `what does each stage cost at 10^6 / 10^8 / 10^10 documents of ${bytes} bytes? Computed from ${documents} documents`;
record('clusterCosts', question, where, table, raw, values.out);
