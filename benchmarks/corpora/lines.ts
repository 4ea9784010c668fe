/** A file of a number of JSON lines: the first lines of a file, or generated from the pool. */
import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../measure/plainErrors.js';
import { KINDS } from './kinds.js';
import type { POOLS } from './packages.js';
import { Pool, poolBytes } from './pool.js';
import { randomOf } from './random.js';
import { CorpusWriter } from './writing.js';

/** Flags of a benchmark that select its records. */
export const LINES_FLAGS = {
  corpus: { type: 'string' },
  pool: { type: 'string', default: 'debian' },
  cache: { type: 'string', default: join(tmpdir(), 'mr-minhash-corpora') },
} as const;

interface LinesOptions {
  /** A file of JSON lines; undefined: records are generated. */
  readonly corpus?: string | undefined;
  readonly pool: string;
  readonly cache: string;
}

const SEED = 1;
const LF = 0x0a;

/** The path of a file with `count` records, in the folder. */
export async function linesFile(
  kind: 'articles' | 'records',
  count: number,
  { corpus, pool, cache }: LinesOptions,
  folder: string,
): Promise<string> {
  if (corpus !== undefined) {
    const file = join(folder, 'records.jsonl');
    await copyLines(corpus, file, count);
    return file;
  }
  if (pool !== 'debian' && pool !== 'npm') throw new UsageError(`--pool ${pool}: expected debian or npm`);
  mkdirSync(cache, { recursive: true });
  const bytes = poolBytes(pool satisfies keyof typeof POOLS, cache);
  const out = new CorpusWriter(folder);
  const plan = { count, pool: new Pool(bytes, randomOf(SEED + 1)), random: randomOf(SEED), out, cache };
  KINDS[kind]!.make(plan);
  out.end();
  return join(folder, `${kind}.jsonl`);
}

/** @throws UsageError if there are fewer */
async function copyLines(from: string, to: string, count: number): Promise<void> {
  const descriptor = openSync(to, 'w');
  let left = count;
  try {
    for await (const piece of createReadStream(from) as AsyncIterable<Buffer>) {
      let end = 0;
      while (left > 0) {
        const feed = piece.indexOf(LF, end);
        if (feed < 0) break;
        end = feed + 1;
        left--;
      }
      const all = left > 0 ? piece.length : end;
      for (let at = 0; at < all; ) at += writeSync(descriptor, piece, at, all - at);
      if (left === 0) return;
    }
  } finally {
    closeSync(descriptor);
  }
  throw new UsageError(`--corpus: it has fewer than ${count} lines that end with LF; see --documents`);
}
