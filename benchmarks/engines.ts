/**
 * What does a run cost on worker threads, on Hadoop in one JVM, and on Spark in one JVM?
 *
 *     node dist/benchmarks/engines.js [--documents 100000] [--runs 1] [--hadoop-command COMMAND] [--spark-command COMMAND]
 *         [--corpus FILE | --pool debian|npm --cache DIR] [--out FOLDER] [-- more flags of run]
 *
 * The built command over JSON lines, engines in turn; medians. Every file of each result but stats.json must be that of threads
 * before a time is printed. Hadoop is made of Maven's jars, where `java` and `mvn` are found and no command is named; Spark is the
 * `spark-sql` that is named or found. An engine that is not there, or does not start, is left out. On one machine both can only lose: the figures say
 * what they take for themselves.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hadoopJars, hasCommands, makeHadoop } from '../test/hadoop/hadoopHere.js';
import { SETTINGS } from '../test/spark/sparkHere.js';
import { LINES_FLAGS, linesFile } from './corpora/lines.js';
import { countOf } from './measure/plainErrors.js';
import { type ProductRun, runInto } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';
import { median } from './measure/turns.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...LINES_FLAGS,
    documents: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '1' },
    'hadoop-command': { type: 'string' },
    'spark-command': { type: 'string' },
    out: { type: 'string' },
  },
});
const documents = countOf('--documents', values.documents);
const rounds = countOf('--runs', values.runs);
const where = environment(values.out);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
/** How jobs are called among the stages of a run. */
const JOB = /^\d{3}-/;
/** So begins what a run says of an engine that does not start. */
const UNUSABLE = 'the engine cannot be used';
const SPARK_MASTER = 'local[2,4]';

interface Engine {
  readonly title: string;
  readonly args: readonly string[];
}

function hadoop(): Engine | null {
  let command = values['hadoop-command'];
  if (command === undefined) {
    if (!hasCommands(['java', 'mvn'])) {
      console.log('hadoop: not run, for there is no java or no mvn; name one with --hadoop-command');
      return null;
    }
    command = makeHadoop(join(folder, 'hadoop'), hadoopJars('local'));
  }
  return { title: 'hadoop', args: ['--engine', 'hadoop', '--hadoop-command', command] };
}

function spark(): Engine | null {
  const command = values['spark-command'] ?? 'spark-sql';
  if (!hasCommands([command])) {
    console.log(`spark: not run, for there is no ${command}; name one with --spark-command`);
    return null;
  }
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--spark-conf', `${name}=${value}`]);
  const args = ['--spark-command', command, '--spark-master', SPARK_MASTER, ...settings];
  return { title: `spark ${SPARK_MASTER}`, args: ['--engine', 'spark', ...args] };
}

/** The digest of every file of a result but stats.json, by its name. */
function digestsOf(result: string): Record<string, string> {
  const names = readdirSync(result, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(result.length + 1))
    .filter((name) => name !== 'stats.json')
    .sort();
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(result, name)))
      .digest('hex');
  return Object.fromEntries(names.map((name) => [name, digest(name)]));
}

/** Which files of two results differ, or are in one alone. */
function differing(one: Record<string, string>, other: Record<string, string>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => one[name] !== other[name],
  );
}

const path = join(folder, 'corpus');
mkdirSync(path);
const file = await linesFile('records', documents, values, path);
const shared = [file, '--id-field', 'id', ...positionals];
const threads: Engine = { title: 'threads', args: ['--threads', '2'] };
let engines = [threads, hadoop(), spark()].filter((one) => one !== null);

/** A run of an engine; null: it turns out not to be there. */
async function runOn({ title, args }: Engine, out: string): Promise<ProductRun | null> {
  try {
    return await runInto(out, [...shared, ...args]);
  } catch (error) {
    const { message } = error as Error;
    if (!message.includes(UNUSABLE)) throw error;
    console.log(`${title}: not run, for ${message.slice(message.indexOf(UNUSABLE)).split('\n')[0]}`);
    return null;
  }
}

const runs = new Map<Engine, ProductRun[]>(engines.map((engine) => [engine, []]));
let expected: Record<string, string> | null = null;
for (let round = 1; round <= rounds; round++) {
  for (const engine of engines) {
    const out = join(folder, 'out');
    const run = await runOn(engine, out);
    if (run === null) {
      engines = engines.filter((one) => one !== engine);
      rmSync(out, { recursive: true, force: true });
      continue;
    }
    const found = digestsOf(out);
    expected ??= found;
    const different = differing(expected, found);
    if (different.length > 0)
      throw new Error(`${engine.title}: other bytes than those of threads in ${different.join(', ')}`);
    rmSync(out, { recursive: true });
    runs.get(engine)!.push(run);
    process.stderr.write(`round ${round} of ${rounds}, ${engine.title}: ${run.wall.toFixed(1)} s\n`);
  }
}
console.log(`${Object.keys(expected!).length} files of the result are the same, byte for byte`);

const medianOf = (engine: Engine, pick: (run: ProductRun) => number): number =>
  median(runs.get(engine)!.map(pick));
const ratio = (engine: Engine, pick: (run: ProductRun) => number): string =>
  (medianOf(engine, pick) / medianOf(threads, pick)).toFixed(1);

function rowOf(engine: Engine): Row {
  const { counts, stages } = runs.get(engine)![0]!;
  return [
    ...[engine.title, medianOf(engine, ({ wall }) => wall).toFixed(1), ratio(engine, ({ wall }) => wall)],
    ...[medianOf(engine, ({ cpu }) => cpu).toFixed(1), ratio(engine, ({ cpu }) => cpu)],
    Math.round(medianOf(engine, ({ peakBytes }) => peakBytes) / 1e6),
    ...[Object.keys(stages).filter((name) => JOB.test(name)).length, String(counts.documents)],
    String(counts.verified_pairs),
  ];
}
const heads = ['engine', 'wall s', 'ratio', 'CPU s', 'ratio of CPU', 'peak MB', 'jobs', 'documents', 'pairs'];
const raw = Object.fromEntries(engines.map((engine) => [engine.title, runs.get(engine)!]));
const question = 'what does a run cost on threads, Hadoop and Spark of one machine?';
record('engines', question, where, { heads, rows: engines.map(rowOf) }, raw, values.out);

/** Seconds of each stage: those of threads are others than the jobs of engines. */
const stagesOf = (some: readonly Engine[]): Row[] =>
  [...new Set(some.flatMap((engine) => Object.keys(runs.get(engine)![0]!.stages)))].map((stage) => [
    stage,
    ...engines.map((engine) =>
      some.includes(engine) ? (medianOf(engine, ({ stages }) => stages[stage] ?? 0) / 1000).toFixed(1) : '',
    ),
  ]);
const jobs = {
  heads: ['stage or job, s', ...engines.map(({ title }) => title)],
  rows: [...stagesOf([threads]), ...stagesOf(engines.slice(1))],
};
record('enginesJobs', 'what does each job take?', where, jobs, raw, values.out);
