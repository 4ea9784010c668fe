/** Which tables count against the budget, and in which words a run says that one does not fit. */
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import type { RunOptions } from '../../src/options/check.js';
import { attempt } from '../coordinator/runs/attempts.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const TEXT = 'one two three four five six seven eight nine ten';
const FILES = Object.fromEntries([1, 2, 3].map((i) => [`in/text ${i}.txt`, `${TEXT} ${i % 2}`]));
const ROWS = [1, 2, 3].map((set) => [1, 2, 3, 4].map((one) => `set ${set}\telement ${one}\n`).join(''));
const LINES = [1, 2, 3].map((i) => `${JSON.stringify({ id: `d${i}`, text: `${TEXT} ${i % 2}` })}\n`);

for (const [what, files, options] of [
  ['3 input files', FILES, {}],
  ['3 documents and more', FILES, {}],
  ['3 names of sets', { 'in/rows.tsv': ROWS.join('') }, { input: 'sets' }],
  ['3 sets', { 'in/rows.tsv': ROWS.join('') }, { input: 'sets' }],
  ['3 places of shingle sets', { 'in/x.jsonl': LINES.join('') }, { threshold: 0.5 }],
] as const satisfies readonly (readonly [string, Record<string, string>, RunOptions])[]) {
  test(`${what} count against the budget`, async (t) => {
    const folder = temporaryFolder(t, files);
    const errors: string[] = [];
    // Larger and larger budgets meet every table, one after the other, until all fit.
    for (let tables = 0, done = false; !done; ) {
      const run = { ...options, paths: [join(folder, 'in')] };
      const work = join(folder, `work ${tables}`);
      const budget = { total: 1e6, tables };
      const error = await attempt({ run, work, budget }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error === null) done = true;
      else if (error instanceof MinHashError && error.code === 'MEMORY_BUDGET') {
        errors.push(error.message);
        tables += Math.max(20, Math.floor(tables / 40));
      } else throw error;
    }
    t.true(
      errors.some((message) => message.includes(`: ${what} take `)),
      [...new Set(errors)].join('\n'),
    );
  });
}
