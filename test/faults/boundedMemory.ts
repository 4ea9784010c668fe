/**
 * Corpora many times the size of the budget: the same bytes as with all the memory there is, within the budget, and not
 * much slower.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { resultBytes } from '../coordinator/runs/resultFiles.js';
import { bytesLost } from './comparedResult.js';
import { writeCorpus } from './largeCorpus.js';
import type { FaultResult } from './main.js';
import { watchedRun } from './watchedRun.js';

interface BoundedCase {
  readonly name: string;
  readonly records: number;
  readonly sentences: number;
  readonly memory: number;
  readonly options: readonly string[];
  /** Least bytes of signatures, as a multiple of the budget. */
  readonly signatures?: number;
  /** The most time, as a multiple of that of the run in memory. */
  readonly slower: number;
}

const MB = 1e6;

/** What the program takes beside its budget. */
const BESIDE = 200 * MB;

const CASES: readonly BoundedCase[] = [
  {
    name: 'a corpus of 2 GB with --memory 256MB',
    records: 440_000,
    sentences: 100,
    memory: 256 * MB,
    options: ['--threads', '2'],
    // Measured: 3.3. Its texts are read twice there, and once in memory.
    slower: 4,
  },
  {
    name: 'signatures ten times --memory 84MB',
    records: 210_000,
    sentences: 8,
    memory: 84 * MB,
    options: ['--threads', '1', '--hashes', '1024', '--bands', '50', '--rows', '14'],
    signatures: 10,
    slower: 5,
  },
];

export async function* boundedMemory(place: string, only: string): AsyncGenerator<FaultResult> {
  for (const one of CASES) {
    if (!one.name.includes(only)) continue;
    const folder = join(place, 'bounded');
    mkdirSync(folder, { recursive: true });
    try {
      yield await bounded(one, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function bounded(one: BoundedCase, folder: string): Promise<FaultResult> {
  const corpus = join(folder, 'corpus.jsonl');
  const bytes = writeCorpus(corpus, 5, one.records, one.sentences);
  const common = ['run', corpus, ...one.options, '--json'];
  const free = await watchedRun([...common, '--out', join(folder, 'free'), '--memory', '64GB'], 900);
  const expected = resultBytes(join(folder, 'free'));
  const memory = ['--memory', String(one.memory)];
  const held = await watchedRun([...common, '--out', join(folder, 'held'), ...memory], 1800);
  const faults: string[] = [];
  if (free.code !== 0) faults.push(`the run in memory ended with ${free.code}: ${free.stderr}`);
  if (held.code !== 0) faults.push(`the run within the budget ended with ${held.code}: ${held.stderr}`);
  const lost = bytesLost(expected, join(folder, 'held'));
  if (lost > 0) faults.push(`${lost} bytes are not those of the run in memory`);
  if (held.peakBytes > one.memory + BESIDE) {
    faults.push(`took ${Math.round(held.peakBytes / MB)} MB, the budget is ${one.memory / MB} MB`);
  }
  const ratio = held.seconds / free.seconds;
  if (ratio > one.slower) faults.push(`took ${ratio.toFixed(2)} times as long as in memory`);
  const signatures = signatureBytes(join(folder, 'free'));
  if (signatures < (one.signatures ?? 0) * one.memory) faults.push(`signatures of ${signatures} bytes only`);
  const megabytes = (amount: number): string => `${Math.round(amount / MB)} MB`;
  const said = [
    `${megabytes(bytes)} of text, ${megabytes(signatures)} of signatures`,
    `in memory ${megabytes(free.peakBytes)}, ${free.seconds.toFixed(1)} s`,
    `within the budget ${ratio.toFixed(2)} times as long`,
  ].join('; ');
  return { name: one.name, peakBytes: held.peakBytes, seconds: held.seconds, said, bytesLost: lost, faults };
}

/** Bytes of the signatures of all documents. */
function signatureBytes(folder: string): number {
  const { counts, parameters } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    readonly counts: { readonly read: number };
    readonly parameters: { readonly sketch: { readonly hashes: number } };
  };
  return 4 * parameters.sketch.hashes * counts.read;
}
