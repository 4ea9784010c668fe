import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type ReportCounts, type RunLibrary, runCommand } from '../../../cli/commands/run.js';
import { planLines } from '../../../cli/show/plan.js';
import { MinHashError } from '../../../src/errors.js';
import type { Plan, RunHooks } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { sharedFolder } from '../../data/temporaryFolder.js';
import { type CaptureOptions, capturedTerminal } from '../capturedTerminal.js';

// Every run listens for interrupts, and the tests of this file run at the same time.
process.setMaxListeners(100);

const folder = sharedFolder({});

const PLAN: Plan = {
  compared: {
    document: 'document',
    documents: 'documents',
    shingle: 'shingle',
    alike: 'documents with the same tokens',
  },
  files: 3,
  bytes: 12_000,
  skipped: 1,
  leftOut: { hidden: 2, links: { inside: 0, outside: 0, broken: 0 }, unwanted: 3, results: ['old'] },
  columnBlocks: 2,
  shards: 16,
  threshold: 0.8,
  agree: null,
  bands: 18,
  rows: 7,
  probability: 0.985,
  sCurve: [{ similarity: 0.5, probability: 0.13 }],
  memoryBytes: 300e6,
  programBytes: 90e6,
  budgetBytes: 2e9,
  workBytes: 0,
  freeBytes: 5e9,
};

interface Call {
  readonly options: RunOptions;
  readonly hooks: RunHooks | undefined;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly calls: readonly Call[];
}

interface Scene {
  readonly paths?: readonly string[];
  readonly flags?: Record<string, unknown>;
  readonly counts?: ReportCounts['counts'];
  readonly body?: (hooks: RunHooks | undefined) => void;
  readonly capture?: CaptureOptions;
}

const NO_PAIRS = { verified_pairs: 0, identical_pairs: 0, same_tokens_pairs: 0 };

async function outcomeOf(scene: Scene): Promise<Outcome> {
  const { terminal, stdout, stderr } = capturedTerminal(scene.capture);
  const calls: Call[] = [];
  const library: RunLibrary = {
    run: async (options, hooks) => {
      calls.push({ options, hooks });
      scene.body?.(hooks);
      return { counts: scene.counts ?? NO_PAIRS };
    },
    plan: async () => PLAN,
    statements: async () => 'SELECT 1',
    summaryLines: (report) => [`Near  ${report.counts.verified_pairs}`, 'an id\x1b[31m'],
  };
  const loadLibrary = async () => library;
  const checkPlaces = async ({ paths }: { readonly paths: readonly string[] }) =>
    paths.length === 0 ? [{ code: 'NO_INPUT', detail: '' } as const] : [];
  const context = { terminal, loadLibrary, checkPlaces, stdin: process.stdin };
  const code = await runCommand(scene.paths ?? ['texts'], scene.flags ?? {}, context);
  return { code, stdout: stdout(), stderr: stderr(), calls };
}

test('run passes its options on and prints the summary without control characters', async (t) => {
  const { code, stdout, stderr, calls } = await outcomeOf({ flags: { hashes: '64', threshold: '0.5' } });
  t.is(code, 0);
  t.deepEqual(calls[0]!.options, { paths: ['texts'], hashes: 64, threshold: 0.5 });
  t.is(stdout, 'Near  0\nan id\\x1b[31m\n');
  t.is(stderr, '');
});

test('a failed run on Spark is continued without --resume, by its tables in --spark-work', async (t) => {
  const body = (): never => {
    throw new MinHashError({ code: 'SPARK_FAILED', detail: 'the session is over' });
  };
  const flags = { engine: 'spark', sparkWork: 'hdfs:///tmp' };
  const { code, stderr } = await outcomeOf({ flags, body });
  t.is(code, 1);
  t.regex(stderr, /run the same command again: it uses the tables in --spark-work/);
  t.notRegex(stderr, /--resume/);
});

test('run --json prints one JSON object and nothing else on stdout', async (t) => {
  const { stdout } = await outcomeOf({ flags: { json: true } });
  t.deepEqual(JSON.parse(stdout), { counts: NO_PAIRS });
  t.is(stdout.split('\n').length, 2);
});

test('run ends with 3 only with --fail-on-duplicates and an accepted pair', async (t) => {
  const near = { ...NO_PAIRS, verified_pairs: 1 };
  const alike = [
    { ...NO_PAIRS, identical_pairs: 1 },
    { ...NO_PAIRS, same_tokens_pairs: 1 },
  ];
  t.is((await outcomeOf({ counts: near })).code, 0);
  t.is((await outcomeOf({ counts: near, flags: { failOnDuplicates: true } })).code, 3);
  for (const counts of alike) t.is((await outcomeOf({ counts, flags: { failOnDuplicates: true } })).code, 3);
  t.is((await outcomeOf({ flags: { failOnDuplicates: true } })).code, 0);
});

test('run reports errors of the library with their exit code', async (t) => {
  const failing = (code: 'PATH_MISSING' | 'WRITE_FAILED') =>
    outcomeOf({
      body: () => {
        throw new MinHashError({ code, detail: 'a\nb' });
      },
    });
  const use = await failing('PATH_MISSING');
  t.is(use.code, 2);
  t.regex(use.stderr, /^error: a PATH does not exist or may not be read: a\\nb\nhint: /);
  t.is((await failing('WRITE_FAILED')).code, 1);
  const verbose = await outcomeOf({ flags: { verbose: true, shards: '0' } });
  t.notRegex(verbose.stderr, /\n\s+at /);
});

test('a defect ends with 1 and a short message; --verbose adds the stack and causes', async (t) => {
  const body = () => {
    throw new Error('boom', { cause: new Error('the reason') });
  };
  const short = await outcomeOf({ body });
  t.is(short.code, 1);
  t.regex(short.stderr, /^error: bug in mr-minhash: boom\nhint: .*\n$/);
  const long = await outcomeOf({ body, flags: { verbose: true } });
  t.regex(long.stderr, /boom\n\s+at [\s\S]*the reason\n\s+at /);
});

test('run passes standard input on only for -', async (t) => {
  t.is((await outcomeOf({ paths: ['-'] })).calls[0]!.hooks?.stdin, process.stdin);
  t.is((await outcomeOf({ paths: ['a'] })).calls[0]!.hooks?.stdin, undefined);
});

test('run --dry-run prints the plan and runs nothing', async (t) => {
  const { code, stdout, calls } = await outcomeOf({ flags: { dryRun: true } });
  t.is(code, 0);
  t.is(calls.length, 0);
  for (const part of [
    'input: 3 files, 12 KB, 1 skipped',
    'reading: 2 batches, 16 shards each',
    'banding: 18 bands of 7 rows',
    'memory: about 210 MB for workers and documents (an estimate), and the pairs',
    'memory: the budget (--memory) is 2.0 GB, so workers and documents fit; the program takes about 90 MB besides',
    'disk: no work files, because the data fit in memory; the result takes about 300 bytes per pair; 5.0 GB are free',
    'a pair at 0.8 becomes a candidate with probability 0.9850',
    '0.50  0.130000',
  ]) {
    t.true(stdout.includes(part), part);
  }
  const json = await outcomeOf({ flags: { dryRun: true, json: true } });
  t.deepEqual(JSON.parse(json.stdout), PLAN);
});

test('a plan shows what does not fit into memory or on the disk', (t) => {
  const lines = planLines({ ...PLAN, budgetBytes: 200e6, workBytes: 70e6, freeBytes: 60e6 }).join('\n');
  t.regex(
    lines,
    /is 200 MB, so workers and documents do not fit: data are kept in files; the program takes about 90 MB/,
  );
  t.regex(lines, /^disk: about 70 MB of work files .* per pair; 60 MB are free, probably too little$/m);
  t.regex(planLines({ ...PLAN, freeBytes: null }).join('\n'), /per pair; how much is free is not known$/m);
});

const STEPS = [0, 40, 100, 150, 200].map((elapsedMs, index) => ({
  stage: 'signatures',
  done: index * 250,
  total: 1000,
  unit: 'documents',
  bytes: index * 2500,
  elapsedMs,
}));

test('progress is one line per stage if stderr is not a terminal', async (t) => {
  const { stderr } = await outcomeOf({
    body: (hooks) => {
      for (const step of STEPS) hooks?.onProgress?.(step);
      hooks?.onProgress?.({ stage: 'bands', done: 18, total: 18, unit: 'bands', bytes: 0, elapsedMs: 1000 });
    },
  });
  t.is(stderr, 'signatures: 1,000 documents in 0.2 s, 50 KB/s\nbands: 18 bands in 1.0 s\n');
});

test('progress on a terminal is one line, rewritten at most ten times per second and removed at the end', async (t) => {
  const { stderr } = await outcomeOf({
    capture: { tty: true, columns: 60 },
    body: (hooks) => {
      for (const step of STEPS) hooks?.onProgress?.(step);
    },
  });
  t.deepEqual(stderr.split('\r\x1b[K'), [
    'signatures 0/1,000 documents',
    'signatures 500/1,000 documents, 50 KB/s, 0.1 s left',
    'signatures 1,000/1,000 documents, 50 KB/s',
    '',
  ]);
});

function config(value: unknown): string {
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

test.serial('options of the command line override those of --config', async (t) => {
  const file = config({ paths: ['from-config'], hashes: 64, threshold: 0.5, bag: true });
  const own = await outcomeOf({ paths: [], flags: { config: file } });
  t.deepEqual(own.calls[0]!.options, { paths: ['from-config'], hashes: 64, threshold: 0.5, bag: true });
  const over = await outcomeOf({ paths: ['x'], flags: { config: file, hashes: '32', bag: false } });
  t.deepEqual(over.calls[0]!.options, { paths: ['x'], hashes: 32, threshold: 0.5, bag: false });
});

test.serial('errors of the config file are reported with its name', async (t) => {
  const file = config({ hashes: '64', treshold: 1 });
  const { code, stderr } = await outcomeOf({ flags: { config: file, shards: '0' } });
  t.is(code, 2);
  t.true(stderr.includes(`error: ${file}: --hashes "64": expected`));
  t.true(stderr.includes(`error: ${file}: treshold: no such option, did you mean threshold?`));
  t.true(stderr.includes('error: --shards 0: expected'));
});

test.serial('errors in values that the command line overrides are reported too', async (t) => {
  const file = config({ hashes: 7, include: ['['], paths: 'x', out: '', quiet: true, bands: 999 });
  const { code, stderr } = await outcomeOf({
    paths: ['texts'],
    flags: { config: file, hashes: '64', include: ['*.md'], verbose: true, out: 'result', bands: '8' },
  });
  t.is(code, 2);
  const lines = stderr.trimEnd().split('\n');
  t.deepEqual(
    lines.map((line) => line.replace(file, 'FILE').replace(/: expected.*/, '')),
    [
      'error: FILE: --quiet --verbose',
      'error: FILE: PATH x',
      'error: FILE: --hashes 7',
      'error: FILE: --include [',
      'error: FILE: --out ""',
      'hint: mr-minhash run --help lists every option with its values',
    ],
  );
});

test.serial(
  'values of a config file are combined with the command line before conflicts are searched for',
  async (t) => {
    // 20 x 7 is more than 128 hashes, and the command line corrects it.
    const file = config({ bands: 20, rows: 7, paths: [] });
    t.is((await outcomeOf({ flags: { config: file, rows: '5' } })).code, 0);
    t.is((await outcomeOf({ flags: { config: file } })).code, 2);
  },
);

test('an unreadable config file is reported together with other errors', async (t) => {
  const { code, stderr } = await outcomeOf({ flags: { config: join(folder, 'absent'), shards: '0' } });
  t.is(code, 2);
  t.regex(stderr, /^error: --config .*absent: there is no such file\nhint: .*\nerror: --shards 0/);
});

test('if the corpus cannot be written, the result is complete and apply continues', async (t) => {
  const flags = { out: join(folder, 'found'), write: 'the corpus' };
  const body = (code: 'DISK_FULL' | 'INPUT_LOST') => (hooks: RunHooks | undefined) => {
    hooks?.onResult?.();
    throw new MinHashError({ code, detail: 'a.jsonl' });
  };
  const { code, stderr } = await outcomeOf({ flags, body: body('DISK_FULL') });
  t.is(code, 1);
  t.is(
    stderr,
    'error: there is not enough disk space: a.jsonl\n' +
      'hint: free some space, or choose a folder on another file system\n' +
      `hint: ${flags.out} has the complete result; the corpus is not written\n` +
      `hint: continue with: mr-minhash apply ${flags.out} --to 'the corpus'\n`,
  );
  const lost = await outcomeOf({ flags: { ...flags, force: true }, body: body('INPUT_LOST') });
  t.regex(lost.stderr, /--to 'the corpus' --force\n$/);
  t.notRegex(lost.stderr, /the same command/);
});
