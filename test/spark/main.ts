/**
 * Runs on real Spark: results are those of one machine, byte for byte, whatever is killed meanwhile.
 *
 *      npm run test:spark                          small corpora, on the versions of sparkHere.ts
 *      npm run test:spark -- 4.0.1 --kills 20      one version; tasks, executors and drivers are killed so often
 *      npm run test:spark -- 4.0.1 --cluster       on a standalone cluster of two workers; with --kills, executors are killed, too
 *      npm run test:spark -- 4.0.1 --only records --records 100000
 *
 * Spark is installed by pip below ~/.cache/mr-minhash. Without Java 17, Python 3 or a network, nothing is run: the last line is
 * `spark: not run (REASON)`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';
import { killBelow } from './processes.js';
import { environmentOf, sparkHome, VERSIONS, whyMissing } from './sparkHere.js';

const PROGRAM = resolve('dist/package/cli.js');
const LICENCES = 'node_modules/spdx-license-list/licenses';
const MASTER = 'local[2,4]';

interface Corpus {
  readonly name: string;
  readonly words: readonly string[];
}

/** Records with chains of near copies, copies, pages of one template, empty texts, and ids that repeat. */
function* records(count: number): Generator<string> {
  const random = randomFrom(11);
  const template = wordsFrom(random, 120);
  let words = wordsFrom(random, 80);
  for (let i = 0; i < count; i++) {
    const kind = random();
    if (kind < 0.5) words = wordsFrom(random, 40 + Math.floor(80 * random()));
    else if (kind < 0.7) words = edited(random, words, 1 + Math.floor(3 * random()));
    else if (kind < 0.75 && i < 40_000) words = edited(random, template, 4);
    const text = kind > 0.98 ? '' : kind > 0.93 ? words.join(', ').toUpperCase() : words.join(' ');
    yield `${JSON.stringify({ id: kind > 0.97 ? 'again' : `doc ${i}\t`, text })}\n`;
  }
}

function corporaIn(folder: string, count: number): readonly Corpus[] {
  const lines = [...records(count)];
  const write = (name: string, bytes: string | Uint8Array): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  };
  write('records/a.jsonl', lines.join(''));
  write('mixed/a.jsonl.gz', gzipSync(lines.slice(0, count / 2).join('')));
  write('mixed/b.txt', JSON.parse(lines[0]!).text as string);
  write(
    'mixed/c.csv',
    `text\n${lines
      .slice(0, 50)
      .map((_, i) => `text of row ${i}\n`)
      .join('')}`,
  );
  write('mixed/d.jsonl', `${lines.slice(count / 4).join('')}{"text"\n`);
  const known = join(folder, 'mixed');
  return [
    { name: 'licences', words: [LICENCES, '--text-field', 'licenseText'] },
    { name: 'records', words: [join(folder, 'records')] },
    { name: 'signatures', words: [join(folder, 'records'), '--verify', 'signature'] },
    { name: 'formats', words: [known] },
    { name: 'reference', words: [join(folder, 'records'), '--against', known] },
  ];
}

/** What must be equal: the tables and the manifest of a result by their paths, and the formats of stats.json. */
function comparedFiles(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.tsv') || name === 'manifest.json');
  const texts = files.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  const stats = JSON.parse(readFileSync(join(folder, 'stats.json'), 'utf8')) as { readonly read_as: unknown };
  return new Map([...texts, ['read_as', JSON.stringify(stats.read_as)]]);
}

function mustEqual(one: string, other: string): void {
  const [expected, actual] = [comparedFiles(one), comparedFiles(other)];
  for (const name of new Set([...expected.keys(), ...actual.keys()]))
    if (expected.get(name) !== actual.get(name))
      throw new Error(`${other}/${name} differs from ${one}/${name}`);
}

function runHere({ words }: Corpus, out: string): void {
  const { status, stderr } = spawnSync('node', [PROGRAM, 'run', ...words, '--out', out, '--quiet'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

interface SparkRun {
  readonly out: string;
  readonly env: NodeJS.ProcessEnv;
  readonly master: string;
  readonly work: string;
  /** Called for each line of progress with the process. */
  readonly onLine?: (line: string, child: ChildProcess) => void;
}

/** Runs on Spark; returns the exit code and the messages. */
async function runOnSpark({ words }: Corpus, { out, env, master, work, onLine }: SparkRun) {
  const sparkOptions = [
    '--engine',
    'spark',
    '--spark-master',
    master,
    '--spark-work',
    `file:${work}`,
    '--out',
    out,
    '--force',
    // Small tables in few partitions: a run takes half the time.
    ...(master === MASTER ? [] : ['--spark-conf', 'spark.sql.shuffle.partitions=2']),
  ];
  const child = spawn('node', [PROGRAM, 'run', ...words, ...sparkOptions], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    onLine?.(line, child);
  });
  const status = await new Promise<number | null>((done) => child.on('close', done));
  return { status, lines };
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** The victims in turn: a Node task, the processes of the driver, and on a cluster an executor. */
const VICTIMS = [/node .*task\.cjs/, /driver\.py$/, /SparkSubmit/];
const EXECUTOR = /CoarseGrainedExecutorBackend/;

/** Kills a process during each of several runs. A run that ends because of it is started again and resumes. */
async function withKills(corpus: Corpus, run: SparkRun, kills: number, expected: string): Promise<void> {
  const victims = run.master === MASTER ? VICTIMS : [...VICTIMS, EXECUTOR];
  for (let kill = 0; kill < kills; kill++) {
    const victim = victims[kill % victims.length]!;
    const after = 1 + Math.floor((kill * 20) / kills);
    let [lines, isKilled] = [0, false];
    const first = await runOnSpark(corpus, {
      ...run,
      onLine: (_, child) => {
        lines++;
        if (lines !== after) return;
        // Tasks are short: look for one until it is there, or the run is over.
        const look = (): void => {
          isKilled = killBelow(process.pid, victim);
          if (!isKilled && child.exitCode === null) setTimeout(look, 20);
        };
        look();
      },
    });
    if (first.status !== 0) {
      const again = await runOnSpark(corpus, run);
      if (again.status !== 0) throw new Error(again.lines.join('\n'));
    }
    mustEqual(expected, run.out);
    const outcome = first.status === 0 ? 'the run continued' : 'the run ended and was resumed';
    say(
      `  kill ${kill + 1}: ${isKilled ? `${victim.source} after ${after} tables; ${outcome}` : 'nothing to kill'}`,
    );
  }
}

/** A standalone cluster: a master and two workers of this machine. */
async function cluster(home: string, env: NodeJS.ProcessEnv, folder: string) {
  const start = (name: string, ...words: string[]): ChildProcess =>
    spawn(join(home, 'bin/spark-class'), [`org.apache.spark.deploy.${name}`, ...words], {
      env: { ...env, SPARK_WORKER_DIR: join(folder, 'workers'), SPARK_LOG_DIR: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const hasSaid = (child: ChildProcess, text: RegExp): Promise<void> =>
    new Promise((done, fail) => {
      createInterface({ input: child.stderr! }).on('line', (line) => text.test(line) && done());
      child.on('exit', () => fail(new Error('the cluster ended')));
    });
  const url = 'spark://127.0.0.1:17077';
  const master = start('master.Master', '--host', '127.0.0.1', '--port', '17077', '--webui-port', '0');
  await hasSaid(master, /New state: ALIVE|elected leader/);
  const workers = [1, 2].map(() =>
    start(
      'worker.Worker',
      '--host',
      '127.0.0.1',
      '--cores',
      '1',
      '--memory',
      '1536m',
      '--webui-port',
      '0',
      url,
    ),
  );
  await Promise.all(workers.map((worker) => hasSaid(worker, /Successfully registered/)));
  return {
    url,
    close(): void {
      for (const child of [...workers, master]) child.removeAllListeners('exit').kill();
    },
  };
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ kills: { type: 'string' }, records: { type: 'string' }, only: { type: 'string' } },
      cluster: { type: 'boolean' },
    },
  });
  const versions = positionals.length > 0 ? positionals : VERSIONS;
  const reason = whyMissing(versions);
  if (reason !== null) {
    say(`spark: not run (${reason})`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-spark-'));
  try {
    const all = corporaIn(join(folder, 'corpora'), Number(values.records ?? 1000));
    const corpora = all.filter(({ name }) => values.only === undefined || name === values.only);
    for (const version of versions) {
      const home = sparkHome(version);
      const env = environmentOf(home);
      const servers = values.cluster === true ? await cluster(home, env, folder) : null;
      const run = { env, master: servers?.url ?? MASTER, work: join(folder, 'work') };
      try {
        for (const corpus of corpora) {
          const [one, out] = [join(folder, `${corpus.name}-one`), join(folder, corpus.name)];
          runHere(corpus, one);
          const started = performance.now();
          const { status, lines } = await runOnSpark(corpus, { ...run, out });
          if (status !== 0) throw new Error(lines.join('\n'));
          mustEqual(one, out);
          say(
            `Spark ${version}, ${run.master}, ${corpus.name}: same bytes, ${((performance.now() - started) / 1000).toFixed(0)} s`,
          );
          if (corpus.name === 'records')
            await withKills(corpus, { ...run, out }, Number(values.kills ?? 0), one);
          for (const made of [one, out]) rmSync(made, { recursive: true });
        }
      } finally {
        servers?.close();
      }
    }
    say(`${corpora.length} corpora on Spark ${versions.join(' and ')}: the bytes of one machine`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
