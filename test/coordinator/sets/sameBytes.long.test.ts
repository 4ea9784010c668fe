/** One result in row form: shards, threads, files of work, splits, files and the order of lines behind those that first name a set do not change a byte. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { randomFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type manifestIn, resultBytes } from '../runs/resultFiles.js';
import { linesAsText, randomLines } from './naiveSets.js';

/** The lines in so many files, in an order of their own for every `seed`, behind the first line of each set: those number the sets. */
function inputs(t: ExecutionContext, lines: readonly string[], files: number, seed: number): string {
  const random = randomFrom(seed);
  const named = new Set<string>();
  const firsts: string[] = [];
  const order: string[] = [];
  for (const line of lines) {
    const isFirst = named.size < named.add(line.slice(0, line.indexOf('\t'))).size;
    (isFirst ? firsts : order).push(line);
  }
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const folder = temporaryFolder(t);
  for (let file = 0; file < files; file++) {
    const part = [...(file === 0 ? firsts : []), ...order.filter((_, i) => i % files === file)];
    // The last line of a file may lack its line feed.
    writeFileSync(
      join(folder, `part${file}`),
      part
        .map((line) => `${line}\n`)
        .join('')
        .slice(0, file === 0 ? -1 : undefined),
    );
  }
  return folder;
}

async function bytesOf(
  t: ExecutionContext,
  path: string,
  options: RunOptions,
  inFiles = false,
): Promise<Record<string, string>> {
  const out = join(temporaryFolder(t), 'out');
  await run({ input: 'sets', paths: [path], ...options, out }, { inFiles });
  return resultBytes(out);
}

function differing(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).sort();
}

const CASES: readonly (readonly [title: string, ratings: boolean, options: RunOptions])[] = [
  ['sets', false, {}],
  ['bags, n minhash functions', false, { bag: true, sketch: 'classic', hashes: 100 }],
  ['liked and hated, classic', true, { ratings: 'liked-hated', sketch: 'classic' }],
  ['stars', true, { ratings: 'stars' }],
  ['liked, by signature', true, { ratings: 'liked', verify: 'signature' }],
  ['bags in greedy clusters', false, { bag: true, cluster: 'greedy' }],
  ['sets, unverified', false, { verify: 'none' }],
];

const SHARDS = [1, 2, 7, 64] as const;

for (const [at, [title, ratings, options]] of CASES.entries()) {
  test.serial(`run gives the same bytes for any execution, split and order of lines: ${title}`, async (t) => {
    const lines = linesAsText(randomLines(7, ratings)).trimEnd().split('\n');
    const all = { threshold: 0.5, hotBucket: 8, ...options };
    const expected = await bytesOf(t, inputs(t, lines, 1, 1), { ...all, threads: 0 });
    let seed = 2;
    // Every number of shards has three cases or four; one of the two executions is in files.
    for (const i of [at % SHARDS.length, (at + 2) % SHARDS.length]) {
      const shards = SHARDS[i]!;
      // To start workers takes longer than the run: every other case has one run on them.
      const threads = at % 2 === 0 && i === at % SHARDS.length ? 1 + ((at / 2) % 2) : 0;
      const path = inputs(t, lines, 1 + (seed % 4), seed++);
      const inFiles = i !== at % SHARDS.length;
      t.deepEqual(
        differing(expected, await bytesOf(t, path, { ...all, shards, threads }, inFiles)),
        [],
        `${shards} ${threads}`,
      );
    }
  });
}

test.serial('sets of several batches, from ranges of several megabytes, give the same bytes', async (t) => {
  t.timeout(240_000);
  const random = randomFrom(5);
  const sets = 8_000;
  const lines: string[] = [];
  for (let set = 0; set < sets; set++) {
    // Two neighbours are alike in most of their elements.
    const base = Math.floor(set / 2) * 7;
    // A long name makes megabytes of few lines.
    const customer = `customer ${set}`.padEnd(50, '.');
    for (let i = 0; i < 8; i++) lines.push(`${customer}\tarticle ${base + (random() < 0.05 ? 1000 : i)}`);
    lines.push(`${customer}\tin every set`);
  }
  for (let i = 0; i < 30_000; i++) lines.push(`the giant\tarticle ${i}`);
  const all: RunOptions = { threshold: 0.7, hashes: 256 };
  const expected = await bytesOf(t, inputs(t, lines, 1, 1), { ...all, threads: 0, shards: 1 });
  const executions: readonly RunOptions[] = [
    { threads: 2, shards: 5 },
    // 8,000 signatures alone take more than the blocks of such a budget may.
    { threads: 1, memory: '84MB' },
  ];
  for (const [i, execution] of executions.entries()) {
    const path = inputs(t, lines, 1 + i, 10 + i);
    t.deepEqual(
      differing(expected, await bytesOf(t, path, { ...all, ...execution })),
      [],
      JSON.stringify(execution),
    );
  }
  const { counts } = JSON.parse(Buffer.from(expected['manifest.json']!, 'latin1').toString()) as ReturnType<
    typeof manifestIn
  >;
  t.is(counts.read, sets + 1);
  t.true(counts.verified_pairs + counts.identical_documents > 2_000);
});
