/**
 * A whole run on Spark in one JVM against worker threads: interrupted, then resumed with tasks whose first attempts fail. Every file
 * of the result is to be the same, stats.json aside; a run all of whose attempts fail ends by name.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { SparkPlace } from './sparkAdapter.js';
import { columnsFile } from './sparkColumns.js';
import { MASTER, SETTINGS } from './sparkHere.js';

const PROGRAM = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const OPTIONS = [
  '--hot-bucket',
  '8',
  '--threshold',
  '0.7',
  '--text-field',
  'meta.title,text',
  '--keep',
  'longest',
];

/** Those of a second run: samples, their hot fingerprints, containment, units and groups. */
const SAMPLED = [
  ...['--measure', 'containment', '--modulus', '2', '--hot-bucket', '8', '--threshold', '0.7'],
  ...['--unit', 'paragraph', '--protect', '*.jsonl', '--group-by', 'path:1'],
];

/** Stands for `node`: the first two starts of every Map and Reduce write a piece, and end with 1; or all do. */
const BAD_NODE = `#!/bin/sh
place="$MR_TEST_MARKS/$2-$3"
if [ -n "$MR_TEST_ALWAYS" ] || mkdir "$place.1" 2>/dev/null || mkdir "$place.2" 2>/dev/null; then
  '${process.execPath}' "$@" | head -c 5000
  echo "error: this attempt fails on purpose" >&2
  exit 1
fi
exec '${process.execPath}' "$@"
`;

/** Numbers as if drawn: the same at every run. */
function drawn(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Near, identical, short and empty documents, some of CJK, one text many times; ids that repeat, and records without one. */
function writeCorpus(folder: string): void {
  const below = drawn();
  const text = (words: number): string =>
    Array.from({ length: words }, () => `w${below(500).toString(36)}`).join(' ');
  const bases = Array.from({ length: 60 }, () => text(40 + below(60)));
  const base = (): string => bases[below(bases.length)]!;
  const document = (i: number): string => {
    if (i % 97 === 0) return '';
    if (i % 50 === 0) return `${'這是一個測試文件'.repeat(6)}${i % 100}`;
    if (i % 11 === 0) return `${bases[0]}\n\n${i}`;
    const kind = below(4);
    if (kind === 0) return base();
    if (kind === 1) return base().replace(/w\w+ /, `new${i} `);
    return kind === 2 ? text(2) : text(60);
  };
  mkdirSync(join(folder, 'texts'), { recursive: true });
  for (const [file, name] of ['a b.jsonl', 'größe%41,x.jsonl', 'packed.jsonl.gz'].entries()) {
    const lines = Array.from({ length: 400 }, (_, i) =>
      JSON.stringify({ ...(i % 3 > 0 && { id: `${file}-${i % 300}` }), text: document(i) }),
    );
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(bytes) : bytes);
  }
  const rows = (from: number, count: number): (string | null)[] =>
    Array.from({ length: count }, (_, i) => (i % 23 === 9 ? null : document(from + i)));
  writeFileSync(join(folder, 'c.parquet'), columnsFile(rows(2000, 500), 90));
  writeFileSync(join(folder, 'texts', 'd é.pq'), columnsFile(rows(3000, 300), 1000));
  for (let i = 0; i < 20; i++)
    writeFileSync(join(folder, 'texts', `d ${i}.txt`), i === 3 ? '' : `${base()}\r\n`);
}

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs the program; `stopAt`: it is interrupted once it says that. */
function program(words: readonly string[], env: NodeJS.ProcessEnv, stopAt?: RegExp): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    let isStopped = false;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (isStopped || stopAt?.test(said) !== true) return;
      isStopped = true;
      child.kill('SIGINT');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, said }));
  });
}

/** Every file of a result, by name. */
function filesOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && name !== 'stats.json');
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

export async function testSparkRun({ folder, home, checks }: SparkPlace): Promise<void> {
  const at = (name: string): string => join(folder, name);
  writeCorpus(at('in'));
  mkdirSync(at('marks'));
  mkdirSync(at('bin'));
  writeFileSync(at('bin/node'), BAD_NODE);
  chmodSync(at('bin/node'), 0o755);
  const threads = await program(['run', at('in'), '--out', at('threads'), ...OPTIONS], process.env);
  checks.same('worker threads end well', threads.code, 0);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['--spark-conf', `${name}=${value}`]);
  const words = (out: string, options = OPTIONS): string[] => [
    ...['run', at('in'), '--out', at(out), ...options, '--engine', 'spark', '--shards', '3'],
    ...['--spark-command', join(home, 'bin/spark-sql'), '--spark-master', MASTER, ...settings],
  ];
  const stopped = await program(words('spark'), process.env, /00[56]-\w+/);
  checks.same('an interrupted run ends with 130', stopped.code, 130);
  const bad = { ...process.env, PATH: `${at('bin')}:${process.env.PATH}`, MR_TEST_MARKS: at('marks') };
  const resumed = await program([...words('spark'), '--resume'], bad);
  checks.same('a resumed run whose tasks fail at first ends well', [resumed.code, tailOf(resumed)], [0, '']);
  checks.matches('tasks did fail', readdirSync(at('marks')).join(' '), /-map\.1 .*-reduce\.2/);
  if (existsSync(at('spark'))) compare(filesOf(at('spark')), filesOf(at('threads')), checks);
  const local = await program(['run', at('in'), '--out', at('samples'), ...SAMPLED], process.env);
  checks.same('worker threads compare samples of units', local.code, 0);
  const sampled = await program(words('samples-spark', SAMPLED), process.env);
  checks.same('so does Spark', [sampled.code, tailOf(sampled)], [0, '']);
  if (sampled.code === 0) compare(filesOf(at('samples-spark')), filesOf(at('samples')), checks);
  const never = await program(words('never'), { ...bad, MR_TEST_ALWAYS: '1' });
  checks.same('a run whose tasks always fail ends with 1', never.code, 1);
  checks.matches(
    'and names job and reason',
    never.said,
    /001-sketch: error: .*this attempt fails on purpose/,
  );
}

const tailOf = ({ code, said }: Ended): string => (code === 0 ? '' : said.slice(-1500));

function compare(
  found: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
  checks: SparkPlace['checks'],
): void {
  checks.same('the result has the same files', [...found.keys()], [...expected.keys()]);
  for (const [name, bytes] of expected) checks.same(`${name} is the same`, found.get(name) === bytes, true);
}
