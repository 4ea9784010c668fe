/** Runs of the whole pipeline over small folders made for one test. */
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunHooks } from '../../../src/coordinator/runFiles.js';
import type { RunOptions } from '../../../src/options/check.js';
import { detailLines } from '../../../src/result/details.js';
import type { Manifest } from '../../../src/result/manifest.js';
import type { Report } from '../../../src/result/report.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { manifestIn, type Row, rowsOf } from './resultFiles.js';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Finished {
  readonly folder: string;
  /** Where the inputs lie. */
  readonly inputs: string;
  readonly out: string;
  readonly report: Report;
  readonly summary: string;
  readonly manifest: Manifest;
  readonly pairs: readonly Row[];
  readonly candidates: readonly Row[];
  readonly clusters: readonly Row[];
  readonly dropped: readonly Row[];
  readonly skipped: readonly Row[];
  /** What else skipped.tsv lists: repaired, empty, left out. */
  readonly noted: readonly Row[];
}

/** The files in `in/` of a folder of their own, and the options that read them into `out/` beside it. */
export function prepared(
  t: ExecutionContext,
  files: Files,
): { folder: string; inputs: string; options: { readonly paths: string[]; readonly out: string } } {
  const named = Object.entries(files).map(([name, content]) => [`in/${name}`, content] as const);
  const folder = temporaryFolder(t, { 'in/': '', ...Object.fromEntries(named) });
  const inputs = join(folder, 'in');
  return { folder, inputs, options: { paths: [inputs], out: join(folder, 'out') } };
}

/** Runs over the files on this thread, listing all candidates, unless told otherwise, and reads the result. */
export async function finished(
  t: ExecutionContext,
  files: Files,
  options: RunOptions = {},
  hooks: RunHooks = {},
): Promise<Finished> {
  const { folder, inputs, options: places } = prepared(t, files);
  const all: RunOptions = options.exactDuplicates === true ? {} : { candidates: 'all' };
  const report = await run({ threads: 0, ...all, ...places, ...options }, hooks);
  return { folder, inputs, ...resultOf(places.out), report, summary: detailLines(report).join('\n') };
}

export function resultOf(out: string) {
  const listed = rowsOf(out, 'skipped');
  return {
    out,
    manifest: manifestIn(out),
    pairs: rowsOf(out, 'pairs'),
    candidates: rowsOf(out, 'candidates'),
    clusters: rowsOf(out, 'clusters'),
    dropped: rowsOf(out, 'duplicates'),
    skipped: listed.filter(({ kind }) => kind === 'skipped'),
    noted: listed.filter(({ kind }) => kind !== 'skipped'),
  };
}

/** `a b kind` of every pair. */
export function pairNames(pairs: readonly Row[]): string[] {
  return pairs.map(({ a, b, kind }) => `${a} ${b} ${kind}`);
}
