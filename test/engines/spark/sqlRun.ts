/** Runs a corpus by the pipeline of Spark, with DuckDB in its place, and on one machine, for comparison. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { runOnSpark } from '../../../src/coordinator/sparkRun.js';
import { check } from '../../../src/coordinator/start/checked.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/runOptions.js';
import type { Report } from '../../../src/result/report.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { openDuckDb, type Tamper } from './duckdb.js';

const PROGRAM = fileURLToPath(new URL('../../../package/spark/task.cjs', import.meta.url));

/** The result is in the folder `out` of the options, and tables are beside it. */
export async function runOnDuckDb(options: RunOptions, tamper?: Tamper): Promise<Report> {
  const checked = await check({ ...options, engine: 'spark' });
  return runOnSpark(checked, {}, performance.now(), ({ params }) =>
    openDuckDb({ work: `${options.out}-tables`, program: PROGRAM, params, ...(tamper && { tamper }) }),
  );
}

export function runOnOneMachine(options: RunOptions): Promise<Report> {
  return run({ ...options, threads: 0 });
}

/** The tables below a folder, as texts by the names of their files. */
export function tablesIn(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, prefix)).sort()) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    if (statSync(join(folder, path)).isDirectory()) Object.assign(found, tablesIn(folder, path));
    else if (path.endsWith('.tsv')) found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}

/** Records: chains of near copies, copies, empty texts, and ids that need escapes. */
export function records(count: number, seed = 1): { id: string; text: string }[] {
  const random = randomFrom(seed);
  let words = wordsFrom(random, 80);
  return Array.from({ length: count }, (_, i) => {
    const kind = random();
    if (kind < 0.3) words = wordsFrom(random, 60 + Math.floor(60 * random()));
    else if (kind < 0.8) words = edited(random, words, 1 + Math.floor(3 * random()));
    const text = kind > 0.98 ? '' : kind > 0.9 ? words.join(', ').toUpperCase() : words.join(' ');
    return { id: `doc\t${i}\\`, text };
  });
}

export const jsonLines = (documents: readonly object[]): string =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join('');

/** The tables of a result and its manifest are those of one machine, byte for byte. */
export async function equalsOneMachine(t: ExecutionContext, folder: string, options: RunOptions) {
  const one = await runOnOneMachine({ ...options, out: join(folder, '.one') });
  await runOnDuckDb({ ...options, out: join(folder, '.sql') });
  const [expected, found] = [tablesIn(join(folder, '.one')), tablesIn(join(folder, '.sql'))];
  t.deepEqual(Object.keys(found), Object.keys(expected));
  for (const [name, text] of Object.entries(expected)) t.is(found[name], text, name);
  const textOf = (name: string, file: string): string => readFileSync(join(folder, name, file), 'utf8');
  t.is(textOf('.sql', 'manifest.json'), textOf('.one', 'manifest.json'));
  const [expectedStats, stats] = ['.one', '.sql'].map((name) => JSON.parse(textOf(name, 'stats.json')));
  for (const name of ['read_as', 'left_out', 'missing_id_field', 'input_notes', 'places'])
    t.deepEqual(stats[name], expectedStats[name], name);
  t.true(stats.read_as.formats.length > 0);
  t.true(one.counts.dropped > 5);
  return one.counts;
}

/** A folder of documents, of which `against` has a third, and other documents in other formats. */
export function withReference(t: ExecutionContext) {
  const lines = records(400);
  const folder = temporaryFolder(t, {
    'known/a.jsonl': jsonLines(lines.filter((_, i) => i % 3 === 0)),
    'known/b.txt': lines[1]!.text,
    'new/a.jsonl': jsonLines(lines.filter((_, i) => i % 3 !== 0)),
    'new/b.jsonl': jsonLines(lines.filter((_, i) => i % 7 === 0)),
  });
  return { folder, against: [join(folder, 'known')] };
}

/** Drops the first line of the task's output for which the condition holds; once. */
export function without(task: string, isLost: (cells: string[]) => boolean): Tamper {
  let isDone = false;
  return (name, lines) => {
    const lost = name === task && !isDone ? lines.findIndex((line) => isLost(line.split('\t'))) : -1;
    if (lost < 0) return lines;
    isDone = true;
    return lines.filter((_, i) => i !== lost);
  };
}

/** A run ends with an error if rows of a task are lost. */
export async function detectsLoss(t: ExecutionContext, tamper: Tamper): Promise<void> {
  const folder = temporaryFolder(t, { 'a.jsonl': jsonLines(records(60)) });
  const options = { paths: [join(folder, 'a.jsonl')], out: join(folder, '.sql'), hotBucket: 2 };
  const error = await t.throwsAsync(runOnDuckDb(options, tamper), { instanceOf: MinHashError });
  t.is((error as MinHashError).code, 'SPARK_ROWS_LOST');
}
