/** Which of near-duplicates stays, by every policy, where the right answer is known. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findDuplicates } from '../../../src/coordinator/inMemory.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { type Files, prepared, resultOf } from './finished.js';

const VERSIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Which source has a version. */
const SOURCES = ['c', 'a', 'b'];
const nameOf = (version: number): string => `${SOURCES[version % 3]}/v${version}.txt`;

/** The versions, from the longest to the shortest, and from the newest to the oldest. */
const BY_LENGTH = [5, 9, 1, 7, 3, 2, 8, 4, 6];
const BY_TIME = [2, 9, 6, 4, 1, 7, 3, 5, 8];

/**
 * Nine versions of a text in three sources: each resembles the one before and the one after it (90 of 102 shingles), and no
 * other (84 of 108). Blanks at the end make lengths that say nothing else. Beside them a text that is in all sources.
 */
function chain(): Files {
  const words = Array.from({ length: 160 }, (_, i) => `word${String(i).padStart(3, '0')}`);
  const files: Record<string, string> = {};
  for (const version of VERSIONS) {
    const text = words.slice(6 * version, 6 * version + 100).join(' ');
    files[nameOf(version)] = `${text}${' '.repeat(10 * (9 - BY_LENGTH.indexOf(version)))}`;
  }
  const same = 'Here is a text of ten words that all have';
  return { ...files, 'a/same.txt': same, 'b/same.txt': `${same}   `, 'c/same.txt': `${same} ` };
}

/** The files, and when they were modified: the newest a day after the next. */
function scene(t: ExecutionContext) {
  const made = prepared(t, chain());
  BY_TIME.forEach((version, i) => {
    const time = 1e9 + 86_400 * (9 - i);
    utimesSync(join(made.inputs, nameOf(version)), time, time);
  });
  for (const [i, source] of ['b', 'c', 'a'].entries()) {
    utimesSync(join(made.inputs, source, 'same.txt'), 1e9 + i, 1e9 + i);
  }
  const pathsOf = (names: string): string[] => [...names].map((name) => join(made.inputs, name));
  return { ...made, pathsOf };
}

/** Versions that stay, and the source whose copy of the text in all of them does. */
function keptIn(out: string): { readonly versions: readonly number[]; readonly same: string } {
  const { dropped } = resultOf(out);
  const gone = new Set(dropped.map(({ document }) => document));
  const same = ['a', 'b', 'c'].filter((source) => !gone.has(`${source}/same.txt`)).join('');
  return { versions: VERSIONS.filter((version) => !gone.has(nameOf(version))), same };
}

interface Policy {
  /** Sources as PATHs in their order; empty: the folder around them. */
  readonly paths: string;
  readonly options: RunOptions;
  readonly kept: readonly number[];
  /** Of the text that all sources have. */
  readonly same: string;
}

const POLICIES: readonly Policy[] = [
  { paths: '', options: {}, kept: [1, 4, 7, 9], same: 'a' },
  { paths: 'abc', options: {}, kept: [1, 4, 7, 9], same: 'a' },
  { paths: 'cba', options: {}, kept: [1, 3, 6, 9], same: 'c' },
  { paths: 'bca', options: {}, kept: [2, 5, 8], same: 'b' },
  { paths: '', options: { keep: 'last' }, kept: [1, 3, 6, 9], same: 'c' },
  { paths: '', options: { keep: 'longest' }, kept: [1, 3, 5, 7, 9], same: 'b' },
  { paths: '', options: { keep: 'shortest' }, kept: [2, 4, 6, 8], same: 'a' },
  { paths: '', options: { keep: 'newest' }, kept: [2, 4, 6, 9], same: 'a' },
  { paths: '', options: { keep: 'oldest' }, kept: [1, 3, 5, 8], same: 'b' },
  // The order of PATHs is that of locations, which decides ties of --keep.
  { paths: 'cba', options: { keep: 'longest' }, kept: [1, 3, 5, 7, 9], same: 'b' },
];

test('each value of --keep keeps the right document of a chain of versions and of copies in three sources', async (t) => {
  const { options, pathsOf, folder } = scene(t);
  for (const [i, policy] of POLICIES.entries()) {
    const out = join(folder, `out-${i}`);
    const paths = policy.paths === '' ? options.paths : pathsOf(policy.paths);
    await run({ ...policy.options, paths, out, threads: 0 });
    const what = JSON.stringify(policy);
    t.deepEqual(keptIn(out), { versions: policy.kept, same: policy.same }, what);
    const { clusters, dropped, pairs, manifest } = resultOf(out);
    const [first] = clusters.filter(({ document }) => document!.includes('/v'));
    t.is(first!.role, 'representative');
    t.true(policy.kept.includes(Number(/\d/.exec(first!.document!)![0])), what);
    // Versions resemble their neighbours, and every dropped one names one of them.
    t.is(pairs.filter(({ kind }) => kind === 'near').length, 8);
    for (const { document, kept } of dropped) {
      if (!document!.includes('/v')) continue;
      const [one, other] = [document!, kept!].map((name) => Number(/\d/.exec(name)![0]));
      t.is(Math.abs(one! - other!), 1, what);
      t.true(policy.kept.includes(other!), what);
    }
    const { sources, parameters } = manifest;
    t.deepEqual(sources, policy.paths === '' ? undefined : [...policy.paths].map((name) => `${name}/`));
    t.is(parameters.keep.by as string, policy.options.keep ?? 'first');
  }
});

test('findDuplicates keeps the longest or the shortest, and rejects rules that need files', async (t) => {
  const texts = VERSIONS.map((version) => chain()[nameOf(version)] as string);
  for (const [keep, wanted] of [
    ['longest', [1, 3, 5, 7, 9]],
    ['shortest', [2, 4, 6, 8]],
  ] as const) {
    const { dropped, clusters } = await findDuplicates(texts, { keep, threads: 0 });
    const gone = dropped.map(({ index }) => index + 1);
    t.deepEqual(
      VERSIONS.filter((version) => !gone.includes(version)),
      [...wanted],
    );
    t.false(gone.includes(clusters[0]!.index + 1));
  }
  const options = { ...({ keep: 'newest', input: 'text' } as object) };
  const error = await t.throwsAsync(findDuplicates(texts, options), { instanceOf: MinHashError });
  t.deepEqual(
    (error as MinHashError).problems.map(({ detail }) => detail),
    [
      'input: expected with files only, see run',
      'keep newest: expected first, last, longest or shortest: documents in memory have no files and no fields',
    ],
  );
});
