/**
 * `npm run test:cluster [-- FAULT...] [--documents N]`: runs on a real HDFS and YARN while things go wrong, against the result of
 * worker threads, byte for byte. Prints a row a fault and ends with 1 where one differs. Needs java, mvn and root (for a network
 * of its own); where they are not there it says `cluster: not run`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hadoopJars, hasCommands } from '../hadoop/hadoopHere.js';
import { differences, makeCorpus } from '../hadoop/recipeTest.js';
import { FAULTS, type Fault } from './faults.js';
import { canIsolate, isInside, runInside } from './network.js';
import { Servers } from './servers.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const REDUCERS = 3;

interface Ground {
  readonly folder: string;
  readonly servers: Servers;
  /** The program, whose archive of tasks fails as it is told to. */
  readonly program: string;
  readonly expected: string;
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

/** No bucket is hot: rounds are further jobs, and a job takes half a minute here. */
const COMPARED = ['--hot-bucket', '1000'];

function onThreads(folder: string): string {
  const out = join(folder, 'threads');
  const words = ['run', join(folder, 'corpus'), ...COMPARED, '--quiet', '--out', out];
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist/package/cli.js'), ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`worker threads: ${stderr}`);
  return out;
}

interface Outcome {
  readonly fault: string;
  readonly seconds: number;
  readonly struck: number;
  readonly verdict: string;
}

async function oneFault(fault: Fault, ground: Ground): Promise<Outcome> {
  const begun = performance.now();
  const marks = join(ground.folder, `marks-${fault.name}`);
  mkdirSync(marks);
  for (const side of fault.sides) writeFileSync(join(marks, `armed-${side}`), '');
  const out = join(ground.folder, `hadoop-${fault.name}`);
  const words = [
    ...[
      'run',
      `${ground.servers.hdfs}/corpus`,
      ...COMPARED,
      '--quiet',
      '--out',
      out,
      '--shards',
      String(REDUCERS),
    ],
    ...['--engine', 'hadoop', '--hadoop-command', ground.servers.hadoop],
    ...['--cluster-work', `${ground.servers.hdfs}/work-${fault.name}`],
    ...['map', 'reduce'].flatMap((side) => [
      ...['--hadoop-conf', `mapreduce.${side}.env.MR_MINHASH_FAULT=${fault.kind}:${marks}`],
    ]),
  ];
  const driver = started(ground.program, words);
  const isStruck = await struckOrEnded(fault, marks, driver.child);
  if (isStruck) fault.strike?.({ servers: ground.servers, driver: driver.child, task: isStruck });
  let ended = await driver.end;
  if (fault.endsDriver === true) ended = await started(ground.program, [...words, '--resume']).end;
  const struck = readdirSync(marks).filter((name) => /^(map|reduce)\./.test(name)).length;
  const wanted = fault.kind === 'none' || struck > 0;
  const different = ended.code === 0 ? differences(ground.expected, out) : [];
  const verdict =
    ended.code !== 0
      ? `failed: ${ended.printed}`
      : different.length > 0
        ? `different: ${different.join(', ')}`
        : wanted
          ? 'identical'
          : 'no task was struck';
  await ground.servers.heal();
  return { fault: fault.name, seconds: (performance.now() - begun) / 1000, struck, verdict };
}

interface Started {
  readonly child: ChildProcess;
  readonly end: Promise<{ readonly code: number | null; readonly printed: string }>;
}

function started(program: string, words: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const end = new Promise<{ code: number | null; printed: string }>((resolve) => {
    child.on('exit', (code) => resolve({ code, printed: Buffer.concat(printed).toString() }));
  });
  return { child, end };
}

/** Waits for the first task that is struck, and disarms; its process id, or null: the driver ended before. */
async function struckOrEnded(fault: Fault, marks: string, driver: ChildProcess): Promise<number | null> {
  if (fault.kind === 'none' || fault.isLasting === true) return null;
  while (driver.exitCode === null && driver.signalCode === null) {
    const mark = readdirSync(marks).find((name) => /^(map|reduce)\./.test(name));
    if (mark !== undefined) {
      for (const side of fault.sides) rmSync(join(marks, `armed-${side}`));
      return Number(mark.split('.')[1]);
    }
    await pause(100);
  }
  return null;
}

async function inside(names: readonly string[], documents: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-cluster-'));
  const servers = new Servers(join(folder, 'servers'), hadoopJars('cluster'));
  let failed = 0;
  try {
    makeCorpus(join(folder, 'corpus'), documents, 60);
    const expected = onThreads(folder);
    await servers.start();
    console.log('a name node, a data node, a resource manager and two node managers are there');
    const put = spawnSync(servers.hadoop, ['fs', '-put', join(folder, 'corpus'), `${servers.hdfs}/corpus`]);
    if (put.status !== 0) throw new Error(`the corpus was not put: ${put.stderr}`);
    const ground = { folder, servers, program: faultyPackage(folder), expected };
    console.log('| fault | seconds | tasks struck | result |\n|---|---|---|---|');
    for (const fault of FAULTS) {
      if (names.length > 0 && !names.includes(fault.name)) continue;
      const { seconds, struck, verdict } = await oneFault(fault, ground);
      console.log(`| ${fault.name} | ${seconds.toFixed(0)} | ${struck} | ${verdict} |`);
      if (verdict !== 'identical') failed++;
    }
  } finally {
    servers.stop();
    if (failed === 0) rmSync(folder, { recursive: true, force: true });
    else console.log(`what is left is in ${folder}`);
  }
  return failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { documents: { type: 'string', default: '5000' } },
  });
  if (!isInside()) {
    if (!hasCommands(['java', 'mvn', 'unshare', 'ip']) || !canIsolate()) {
      console.log(
        'cluster: not run, for there is no java, no mvn or no network of its own (which needs root)',
      );
      return 0;
    }
    // Inside there is no way to the jars.
    hadoopJars('cluster');
    return runInside();
  }
  if (!existsSync(join(ROOT, 'dist/package/task/task.cjs')))
    throw new Error('expected a build: npm run build');
  return inside(positionals, Number(values.documents));
}

process.exit(await main());
