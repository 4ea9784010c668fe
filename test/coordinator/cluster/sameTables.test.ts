/** All jobs of a run, on an engine in this process: the tables, counts and numbers of a run on threads, byte for byte. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { clusterRecipe } from '../../../src/coordinator/cluster/clusterRecipe.js';
import { streamedResult } from '../../../src/coordinator/cluster/streamedResult.js';
import { run } from '../../../src/coordinator/run.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import type { RunOptions } from '../../../src/options/check.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { processRun } from '../../engines/corpusRows.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { type Files, prepared } from '../runs/finished.js';
import { manifestIn } from '../runs/resultFiles.js';

const kernel = createWasmKernel(kernelModule);
/** Ids of several records, some of them places of others. */
const IDS = ['x', 'y', 'b.jsonl#2', 'c.txt', 'a.jsonl#3', null, null];

/** Near copies of a few pages, in lines of which some are broken or empty. */
function corpus(random: () => number): Files {
  const pages = Array.from({ length: 5 }, () => wordsFrom(random, 60));
  const line = (): string => {
    if (random() < 0.03) return '{"text": ';
    const page = pages[Math.floor(random() * pages.length)]!;
    const words = random() < 0.05 ? [] : edited(random, page, Math.floor(random() * 4));
    const id = random() < 0.3 ? IDS[Math.floor(random() * IDS.length)]! : `n${Math.floor(random() * 500)}`;
    return JSON.stringify({ ...(id !== null && { id }), text: words.join(random() < 0.2 ? '  ' : ' ') });
  };
  const lines = Array.from({ length: 80 }, line);
  return {
    'a.jsonl': lines.slice(0, 40).join('\n'),
    'b.jsonl': `${lines.slice(40).join('\r\n\n')}\n`,
    'c.txt': pages[0]!.join(' '),
  };
}

/** The bytes of all tables below a folder, by name. */
const tablesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => /(?:part|duplicates|skipped)[^/]*$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')])
      .sort(),
  );

const MODES: readonly (readonly [string, RunOptions, boolean])[] = [
  ['exact, components by stars', { threshold: 0.6 }, true],
  ['hot buckets, all pairs of classes', { threshold: 0.6, hotBucket: 4, expandIdentical: true }, false],
  [
    'signatures of characters',
    { threshold: 0.5, verify: 'signature', shingle: 'chars:5', format: 'jsonl' },
    false,
  ],
];

for (const [i, [mode, options, byStars]] of MODES.entries()) {
  test(`the tables of all jobs are those of threads: ${mode}`, async (t) => {
    const random = randomFrom(180 + i);
    const { folder, options: places } = prepared(t, corpus(random));
    await run({ threads: 0, ...places, ...options });
    const splitBytes = (): number => 1 + Math.floor(random() * 4000);
    const cluster = { kernel, splitBytes, mappers: 2, reducers: 3 };
    const { engine, jobs, params, inputs } = processRun({ paths: places.paths, ...options }, cluster);
    const outcome = await clusterRecipe(jobs, params, { byStars });
    const root = join(folder, 'streamed');
    for (const name of ['pairs', 'candidates', 'clusters']) mkdirSync(join(root, name), { recursive: true });
    const { facts } = await streamedResult({ engine, params, outcome, inputs, root });
    const expected = tablesIn(places.out);
    t.true(Object.keys(expected).length >= 5);
    t.deepEqual(tablesIn(root), expected);
    const { counts, numbers, content_digest } = manifestIn(places.out);
    t.deepEqual({ ...facts.counts }, { ...counts });
    t.deepEqual({ ...facts.numbers }, { ...numbers });
    t.is(facts.contentDigest, content_digest);
    t.true(counts.ids_repeated > 5 && counts.dropped > 20 && Object.keys(counts.skipped).length > 0);
    t.is(counts.hot_buckets > 0, options.hotBucket === 4);
  });
}
