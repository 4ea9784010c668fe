/** The same evidence however texts are read and sets are held, and of standard input that was kept. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { Outcome } from '../../../src/coordinator/finish/clusters.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type AttemptOptions, attempt } from '../runs/attempts.js';

/** 60 records in families of six. */
const RECORDS = (() => {
  const random = randomFrom(77);
  return Array.from({ length: 10 }, (_, family) => {
    const words = wordsFrom(random, 300);
    return Array.from({ length: 6 }, (_, i) => ({
      id: `r${i}-${family}`,
      text: edited(random, words, 2 * i).join(' '),
    }));
  }).flat();
})();
const LINES = RECORDS.map((record) => `${JSON.stringify(record)}\n`);
/** Under which budget pairs go which way: a stage that tells. */
const TELLING: Readonly<Record<string, string>> = {
  'files, in small tasks': 'verified',
  'lines, in small tasks': 'verified',
  'an array, in small tasks': 'verified',
  'files, all in memory': 'fused',
  'lines, all in memory': 'verified',
};
const FORMS: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  files: Object.fromEntries(RECORDS.map(({ id, text }) => [`${id}.txt`, text])),
  lines: { 'x.jsonl': LINES.slice(0, 30).join(''), 'y.jsonl': LINES.slice(30).join('') },
  'packed lines': { 'x.jsonl.gz': gzipSync(LINES.join('')) },
  'an array': { 'x.json': JSON.stringify(RECORDS) },
};

/** Budgets under which pairs go one way or another. */
const BUDGETS: Readonly<Record<string, Pick<AttemptOptions, 'budget' | 'resident'>>> = {
  'all in memory': {},
  'in small tasks': { budget: { task: 12e3 }, resident: 0 },
};

function evidence({ verified }: Outcome): unknown {
  return { ...verified, exact: { ...verified.exact } };
}

for (const [form, files] of Object.entries(FORMS)) {
  for (const [held, budget] of Object.entries(BUDGETS)) {
    test(`the evidence over ${form}, ${held}, is that of all in memory`, async (t) => {
      const folder = temporaryFolder(
        t,
        Object.fromEntries(Object.entries(files).map(([n, c]) => [`in/${n}`, c])),
      );
      const work = join(folder, 'work');
      const options = {
        run: { paths: [join(folder, 'in')], threshold: 0.7, textField: 'text' },
        work,
        ...budget,
      };
      const { run } = form === 'files' ? { run: { paths: options.run.paths, threshold: 0.7 } } : options;
      const whole = await attempt({ ...options, run });
      t.true(
        (whole.tasks[TELLING[`${form}, ${held}`] ?? 'candidates'] ?? 0) > 0,
        JSON.stringify(whole.tasks),
      );
      t.true(whole.outcome!.verified.accepted.includes(1));
      const reference = await attempt({ run, work: join(folder, 'other') });
      t.deepEqual(evidence(whole.outcome!), evidence(reference.outcome!));
    });
  }
}
