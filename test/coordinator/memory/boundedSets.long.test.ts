/** However many sets verification makes, what of them is in memory is bounded, and the pairs are the same. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type Attempted, type AttemptOptions, attempt } from '../resume/attempts.js';

const WORDS = 400;
/** 750 records in families of three: 2.4 MB of sets. */
const LINES = (() => {
  const random = randomFrom(5);
  return Array.from({ length: 250 }, (_, family) => {
    const words = wordsFrom(random, WORDS);
    return [0, 3, 6].map((edits, i) => {
      // The members of a family stand far from each other.
      return `${JSON.stringify({ id: `${i}-${family}`, text: edited(random, words, edits).join(' ') })}\n`;
    });
  });
})();
const TEXT = [0, 1, 2].map((i) => LINES.map((family) => family[i]!).join('')).join('');
const SETS = 750 * WORDS * 8;
const BUDGET = { task: 128e3, sets: 64e3, tables: 1e6, total: 1e7 };
const RESIDENT = 100e3;

/** With all the memory there is, and within the budget. Null: the lines come on standard input. */
async function bothWays(folder: string, paths: readonly string[] | null): Promise<[Attempted, Attempted]> {
  const optionsOf = (): Omit<AttemptOptions, 'work'> => ({
    run: { paths: paths ?? ['-'], threshold: 0.8 },
    ...(paths === null ? { stdin: Readable.from([Buffer.from(TEXT)]) } : {}),
  });
  return [
    await attempt({ ...optionsOf(), work: join(folder, 'free') }),
    await attempt({ ...optionsOf(), work: join(folder, 'held'), budget: BUDGET, resident: RESIDENT }),
  ];
}

const FORMS: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>> | null>> = {
  lines: { 'x.jsonl': TEXT },
  'packed lines': { 'x.jsonl.gz': gzipSync(TEXT) },
  'an array': { 'x.json': `[${TEXT.trim().replaceAll('\n', ',')}]` },
  'standard input': null,
};

for (const [form, files] of Object.entries(FORMS)) {
  test(`sets of ${form} are read group by group beyond a bound`, async (t) => {
    const named = Object.entries(files ?? {}).map(([name, content]) => [`in/${name}`, content] as const);
    const folder = temporaryFolder(t, { 'in/': '', ...Object.fromEntries(named) });
    const [free, held] = await bothWays(folder, files === null ? null : [join(folder, 'in')]);
    t.deepEqual(held.outcome!.verified, free.outcome!.verified);
    t.true(held.outcome!.verified.accepted.filter((one) => one === 1).length > 600);
    t.true(free.mostSets > SETS / 2, String(free.mostSets));
    t.true(held.mostSets < BUDGET.tables, String(held.mostSets));
    t.true(held.tasks.sets! > free.tasks.sets!, JSON.stringify(held.tasks));
  });
}
