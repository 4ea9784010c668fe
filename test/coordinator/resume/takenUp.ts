/** Runs that are interrupted at a moment of their progress, and taken up. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import type { RunHooks } from '../../../src/coordinator/recipe.js';
import { run } from '../../../src/coordinator/run.js';
import type { Resumption } from '../../../src/coordinator/start/resume.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import type { Report } from '../../../src/output/report.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import type { Files } from '../runs/finished.js';

/** Stages that tell how far they are, in their order. */
export const STAGES = ['sketch', 'bands', 'verify', 'write'] as const;
export type StageName = (typeof STAGES)[number];

/** Families of near copies in files of every kind: nine column blocks. */
export function mixedCorpus(seed = 77): Files {
  const random = randomFrom(seed);
  const files: Record<string, string | Uint8Array> = {};
  for (let family = 0; family < 8; family++) {
    const page = wordsFrom(random, 80);
    const text = (): string => edited(random, page, 3).join(' ');
    const lines = Array.from({ length: 12 }, (_, i) =>
      JSON.stringify({ id: `${family}-${i}`, text: text() }),
    );
    if (family === 3) files['z.jsonl.gz'] = gzipSync(`${lines.join('\n')}\n`);
    else files[`lines/${family}.jsonl`] = `${lines.join('\n')}\n`;
    for (let i = 0; i < 4; i++) files[`texts/${family}/${i}.txt`] = text();
  }
  files['texts/copy.txt'] = files['texts/0/0.txt']!;
  files['texts/empty.txt'] = '';
  files['texts/binary.txt'] = 'a\0b';
  return files;
}

/** Ends a run, which keeps its work as it comes, at the `nth` progress of a stage (from 1) as an interrupt does. */
export async function interruptAt(
  t: ExecutionContext,
  options: RunOptions,
  stage: StageName,
  nth = 1,
  hooks: RunHooks = {},
): Promise<void> {
  const controller = new AbortController();
  let seen = 0;
  const onProgress: RunHooks['onProgress'] = (progress) => {
    if (progress.stage === stage && ++seen === nth) controller.abort();
  };
  const all = { ...hooks, onProgress, signal: controller.signal };
  const error = await t.throwsAsync(run({ checkpointAfter: 0, ...options }, all), {
    instanceOf: MinHashError,
  });
  t.is((error as MinHashError).code, 'INTERRUPTED');
}

export interface TakenUp {
  readonly report: Report;
  readonly found: Resumption;
  /** By stage. */
  readonly tasks: Readonly<Record<string, number>>;
}

/** Takes a run up and says what it found and how many tasks each stage took. */
export async function takeUp(options: RunOptions, hooks: RunHooks = {}): Promise<TakenUp> {
  let found: Resumption = { kind: 'nothing' };
  const onResume = (told: Resumption): void => {
    found = told;
  };
  const report = await run({ ...options, resume: true }, { ...hooks, onResume });
  const tasks = Object.fromEntries(report.stages.map(({ stage, tasks }) => [stage, tasks]));
  return { report, found, tasks };
}

/** Standard input that nobody may ask for. */
export function untouched(): Readable {
  return new Readable({ read: () => Promise.reject(new Error('standard input was read again')) });
}
