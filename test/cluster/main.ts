/**
 * `npm run test:cluster [-- FAULT...] [--documents N]`: runs on a real HDFS and YARN, and on a standalone Spark, while things go
 * wrong, against the result of worker threads, byte for byte. `hadoop` and `spark` are all faults of one of them. Prints a row a
 * fault and ends with 1 where one differs. Hadoop needs java, mvn and root (for a network of its own), Spark java and python3;
 * where they are not there it says `cluster: not run` or `spark: not run`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hadoopJars, hasCommands } from '../hadoop/hadoopHere.js';
import { makeCorpus } from '../hadoop/recipeTest.js';
import { canHaveSpark, SETTINGS, sparkHome } from '../spark/sparkHere.js';
import { faultRun, type Ground } from './faultRuns.js';
import { type Fault, HADOOP_FAULTS, SPARK_FAULTS } from './faults.js';
import { canIsolate, isInside, runInside } from './network.js';
import { Servers } from './servers.js';
import { SparkServers } from './sparkServers.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const REDUCERS = 3;
/** No bucket is hot: rounds are further jobs, and a job takes half a minute on YARN. */
const EXACT = ['--hot-bucket', '1000'];
/** Fewer jobs: those that compare sets are as the others to an engine. */
const SIGNATURE = [...EXACT, '--verify', 'signature'];
const optionsOf = ({ isExact }: { readonly isExact?: boolean }): readonly string[] =>
  isExact === true ? EXACT : SIGNATURE;

interface Place {
  readonly folder: string;
  /** The program, whose tasks fail as they are told to. */
  readonly program: string;
}

/** A copy of the package with faultyTask.cts in the place of the program of tasks. */
function faultyPackage(folder: string): string {
  const copy = join(folder, 'program/package');
  cpSync(join(ROOT, 'dist/package'), copy, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'program/node_modules'));
  renameSync(join(copy, 'task/task.cjs'), join(copy, 'task/real.cjs'));
  copyFileSync(fileURLToPath(new URL('faultyTask.cjs', import.meta.url)), join(copy, 'task/task.cjs'));
  return join(copy, 'cli.js');
}

/** The result of worker threads with the options of a fault. */
function onThreads(folder: string, fault: { readonly isExact?: boolean }): string {
  const out = join(folder, fault.isExact === true ? 'threads-exact' : 'threads-signature');
  if (existsSync(out)) return out;
  const words = ['run', join(folder, 'corpus'), ...optionsOf(fault), '--quiet', '--out', out];
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/package/cli.js'), ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`worker threads: ${stderr}`);
  return out;
}

async function onHadoop({ folder, program }: Place, faults: readonly Fault<Servers>[]): Promise<number> {
  const servers = new Servers(join(folder, 'servers'), hadoopJars('cluster'));
  try {
    // By it Spark knows the cluster.
    process.env.HADOOP_CONF_DIR = servers.conf;
    await servers.start();
    console.log(
      'a name node, a data node, a resource manager, two node managers and a history server are there',
    );
    const put = spawnSync(servers.hadoop, ['fs', '-put', join(folder, 'corpus'), `${servers.hdfs}/corpus`]);
    if (put.status !== 0) throw new Error(`the corpus was not put: ${put.stderr}`);
    const engineWords = ({ isOnSpark }: Fault<Servers>, marks: string): readonly string[] =>
      isOnSpark === true
        ? [...sparkWords(join(sparkHome(), 'bin/spark-sql'), 'yarn', program, marks), ...onYarn()]
        : [
            ...['--engine', 'hadoop', '--hadoop-command', servers.hadoop],
            ...['map', 'reduce'].flatMap((side) => [
              ...['--hadoop-conf', `mapreduce.${side}.env.MR_MINHASH_FAULT=${marks}`],
            ]),
          ];
    const words = (fault: Fault<Servers>, marks: string): readonly string[] => [
      ...['run', `${servers.hdfs}/corpus`, ...optionsOf(fault), '--quiet', '--shards', String(REDUCERS)],
      ...['--cluster-work', `${servers.hdfs}/work-${fault.name}`, ...engineWords(fault, marks)],
    ];
    return await table(faults, { folder, program, servers, words });
  } finally {
    servers.stop();
    // A Spark of its own would look for files there.
    delete process.env.HADOOP_CONF_DIR;
  }
}

const sparkWords = (command: string, master: string, program: string, marks: string): readonly string[] => [
  ...['--engine', 'spark', '--spark-command', command, '--spark-master', master],
  ...Object.entries({
    ...SETTINGS,
    // Small jobs end before code that is made for them pays.
    'spark.sql.codegen.wholeStage': 'false',
    'spark.executorEnv.MR_MINHASH_FAULT': marks,
    // Spark ships the files of the program alone.
    'spark.executorEnv.MR_MINHASH_REAL': join(program, '../task/real.cjs'),
  }).flatMap(([name, value]) => ['--spark-conf', `${name}=${value}`]),
];

/** Two executors whose classes are those of this machine. */
const onYarn = (): readonly string[] =>
  Object.entries({
    'spark.yarn.jars': `local:${sparkHome()}/jars/*`,
    'spark.yarn.am.memory': '512m',
    'spark.executor.instances': '2',
    'spark.executor.cores': '1',
    'spark.executor.memory': '640m',
    // A process of Node is beside it.
    'spark.executor.memoryOverhead': '640m',
  }).flatMap(([name, value]) => ['--spark-conf', `${name}=${value}`]);

async function onSpark({ folder, program }: Place, faults: readonly Fault<SparkServers>[]): Promise<number> {
  const servers = new SparkServers(join(folder, 'spark'), sparkHome());
  try {
    await servers.start();
    console.log('a master and two workers of Spark are there');
    const words = (fault: Fault<SparkServers>, marks: string): readonly string[] => [
      ...['run', join(folder, 'corpus'), ...optionsOf(fault), '--quiet', '--shards', String(REDUCERS)],
      ...sparkWords(servers.command, servers.master, program, marks),
    ];
    return await table(faults, { folder, program, servers, words });
  } finally {
    servers.stop();
  }
}

/** Prints a row a fault; how many failed. */
async function table<S extends { heal(): Promise<void> }>(
  faults: readonly Fault<S>[],
  place: Omit<Ground<S>, 'expected'>,
): Promise<number> {
  const ground = { ...place, expected: (fault: Fault<S>) => onThreads(place.folder, fault) };
  let failed = 0;
  console.log('| fault | seconds | tasks struck | result |\n|---|---|---|---|');
  for (const one of faults) {
    const { fault, seconds, struck, verdict } = await faultRun(one, ground);
    console.log(`| ${fault} | ${seconds.toFixed(0)} | ${struck} | ${verdict} |`);
    if (verdict !== 'identical') failed++;
  }
  return failed;
}

interface Wanted {
  readonly hadoop: readonly Fault<Servers>[];
  readonly spark: readonly Fault<SparkServers>[];
}

/** @throws Error naming a word that is no fault */
function wantedOf(words: readonly string[]): Wanted {
  const of = <S>(engine: string, faults: readonly Fault<S>[]): readonly Fault<S>[] =>
    faults.filter(({ name }) => words.length === 0 || words.includes(engine) || words.includes(name));
  const known = ['hadoop', 'spark', ...[...HADOOP_FAULTS, ...SPARK_FAULTS].map(({ name }) => name)];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new Error(`no fault ${unknown}: expected one of ${known.join(', ')}`);
  return { hadoop: of('hadoop', HADOOP_FAULTS), spark: of('spark', SPARK_FAULTS) };
}

/** Those that can be run here; the others are said. What they need is fetched, for inside there is no way to it. */
function runnable({ hadoop, spark }: Wanted, isIsolated: boolean): Wanted {
  // Inside it has been said.
  const say = (text: string): void => (isInside() ? undefined : console.log(text));
  const canHadoop = isIsolated && hasCommands(['java', 'mvn']);
  if (hadoop.length > 0 && !canHadoop)
    say('cluster: not run, for there is no java, no mvn or no network of its own (which needs root)');
  const wantsSpark = spark.length > 0 || hadoop.some(({ isOnSpark }) => isOnSpark);
  const canSpark = wantsSpark && canHaveSpark();
  if (wantsSpark && !canSpark) say('spark: not run, for it needs java and python3 with venv');
  if (hadoop.length > 0 && canHadoop) hadoopJars('cluster');
  if (canSpark) sparkHome();
  return {
    hadoop: canHadoop ? hadoop.filter(({ isOnSpark }) => isOnSpark !== true || canSpark) : [],
    spark: canSpark ? spark : [],
  };
}

async function runFaults({ hadoop, spark }: Wanted, documents: number): Promise<number> {
  if (!existsSync(join(ROOT, 'dist/package/task/task.cjs')))
    throw new Error('expected a build: npm run build');
  process.env.SPARK_LOCAL_IP = '127.0.0.1';
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-cluster-'));
  makeCorpus(join(folder, 'corpus'), documents, 60);
  const place = { folder, program: faultyPackage(folder) };
  let failed = 0;
  if (hadoop.length > 0) failed += await onHadoop(place, hadoop);
  if (spark.length > 0) failed += await onSpark(place, spark);
  if (failed === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`what is left is in ${folder}`);
  return failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { documents: { type: 'string', default: '5000' } },
  });
  const wanted = wantedOf(positionals);
  const documents = Number(values.documents);
  if (isInside()) return runFaults(runnable(wanted, true), documents);
  const isIsolated = hasCommands(['unshare', 'ip']) && canIsolate();
  const here = runnable(wanted, isIsolated);
  if (here.hadoop.length + here.spark.length === 0) return 0;
  return isIsolated ? runInside() : runFaults(here, documents);
}

process.exit(await main());
