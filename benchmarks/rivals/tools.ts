/**
 * The compared tools: how each is installed, run and read. Adapters are in benchmarks/rivals. Each is called with the
 * input, the file for its answer, the threshold and the number of threads.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { COMMAND } from '../measure/product.js';
import { type AnswerKind, rowsOf } from './scoring.js';

export interface Job {
  readonly corpus: string;
  readonly input: string;
  readonly answer: string;
  readonly threshold: number;
  readonly threads: number;
}

export interface Tool {
  readonly name: string;
  readonly version: string;
  /** The contents of a row of its answer. */
  readonly gives: string;
  readonly kind: AnswerKind;
  readonly install: (folder: string) => void;
  readonly command: (job: Job, folder: string) => readonly [string, ...string[]];
  readonly rows: (answer: string) => AsyncIterable<readonly string[]>;
}

/** Adapters and requirements are not compiled: they are read from the sources. */
const HERE = fileURLToPath(new URL('../../../benchmarks/rivals/', import.meta.url));

/** The rows of a result's pairs, without column names: a, b, jaccard and more. */
export async function* resultRows(folder: string): AsyncGenerator<readonly string[]> {
  for (const part of readdirSync(join(folder, 'pairs')).sort()) {
    let heads = true;
    for await (const line of createInterface({ input: createReadStream(join(folder, 'pairs', part)) })) {
      if (!heads) yield line.split('\t');
      heads = false;
    }
  }
}

function once(folder: string, key: string, install: () => void): void {
  const mark = join(folder, 'installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === key) return;
  mkdirSync(folder, { recursive: true });
  install();
  writeFileSync(mark, key);
}

function python(name: string, gives: string, kind: AnswerKind): Tool {
  const requirements = join(HERE, 'requirements', `${name}.txt`);
  const pins = readFileSync(requirements, 'utf8');
  const spelt = name === 'textdedup' ? 'text-dedup' : name;
  const version = pins.split('\n').find((pin) => pin.toLowerCase().startsWith(`${spelt}==`))!;
  return {
    ...{ name: spelt, version: version.split('==')[1]!, gives, kind, rows: rowsOf },
    install: (folder) =>
      once(folder, pins, () => {
        execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'pipe' });
        const flags = ['--quiet', '--disable-pip-version-check', '--requirement', requirements];
        execFileSync(join(folder, 'bin', 'pip'), ['install', ...flags], { stdio: 'pipe' });
      }),
    command: ({ input, answer, threshold, threads }, folder) => [
      join(folder, 'bin', 'python'),
      join(HERE, `with_${name}.py`),
      ...[input, answer, String(threshold), String(threads)],
    ],
  };
}

function npmMinhash(): Tool {
  const version = '0.0.9';
  return {
    ...{ name: 'npm minhash', version, gives: 'candidates', kind: 'pairs', rows: rowsOf },
    install: (folder) =>
      once(folder, version, () => {
        writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
        const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
        execFileSync('npm', ['install', ...flags, `minhash@${version}`], { stdio: 'pipe' });
      }),
    command: ({ input, answer }) => [process.execPath, join(HERE, 'with_npmMinhash.mjs'), input, answer],
  };
}

function ours(version: string, verify: 'exact' | 'signature', raw: boolean, more: readonly string[]): Tool {
  const flags = ['--bands=20', '--rows=5', `--verify=${verify}`, '--force', '--quiet', ...more];
  return {
    name: `mr-minhash ${verify}${raw ? ', texts as they are' : ''}`,
    ...{ version, kind: 'pairs', rows: resultRows },
    gives: verify === 'exact' ? 'verified pairs' : 'pairs by signature',
    install: () => undefined,
    command: ({ corpus, input, answer, threshold, threads }) => [
      process.execPath,
      ...[COMMAND, 'run', raw ? corpus : input, ...flags],
      ...[`--threshold=${threshold}`, `--threads=${threads}`, `--out=${answer}`],
    ],
  };
}

/** All tools, ours first. `more`: further flags of our command. */
export function allTools(version: string, more: readonly string[]): readonly Tool[] {
  return [
    ours(version, 'signature', false, more),
    ours(version, 'exact', false, more),
    ours(version, 'exact', true, more),
    python('daft', 'candidates', 'pairs'),
    python('gaoya', 'pairs by signature', 'pairs'),
    python('fastsketchlsh', 'candidates', 'pairs'),
    python('rensa', 'candidates', 'pairs'),
    python('datasketch', 'candidates', 'pairs'),
    npmMinhash(),
    python('textdedup', 'clusters', 'clusters'),
    python('datatrove', 'clusters', 'clusters'),
  ];
}
