/** A result to look at: families of near copies, some of them chained, some equal, in records and under ids of their own. */
import { join } from 'node:path';
import { type RunOptions, run } from '../../src/index.js';
import { sharedFolder } from '../data/temporaryFolder.js';

/** Words of a family, of which copy c has c others. */
export function familyText(family: number, copy: number): string {
  const words = Array.from({ length: 80 }, (_, i) => `f${family}w${i}`);
  for (let edit = 0; edit < copy; edit++) words[(edit * 13 + 7) % 80] = `c${copy}e${edit}`;
  return words.join(' ');
}

/** 20 families of 2 to 6 documents; the last copy of every third is the same as its first. */
export const RECORDS: readonly { readonly id: string; readonly text: string }[] = Array.from(
  { length: 20 },
  (_, family) =>
    Array.from({ length: 2 + (family % 5) }, (_, copy) => ({
      id: `${copy % 2 === 0 ? 'news' : 'mail'}/f${String(family).padStart(2, '0')}-${copy}`,
      text: familyText(family, family % 3 === 0 && copy === 1 + (family % 5) ? 0 : copy),
    })),
).flat();

export const VIEWED = sharedFolder({
  'in.jsonl': RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''),
});

/** Every pair is a candidate, so that a run at another threshold finds those of this one. */
const SURE: Partial<RunOptions> = { bands: 64, rows: 1 };

/** Of a run over the records. */
export function optionsIn(name: string, options: Partial<RunOptions> = {}) {
  const sure = options.sketch === undefined ? SURE : {};
  const own = { paths: [join(VIEWED, 'in.jsonl')], out: join(VIEWED, name), threshold: 0.5, threads: 0 };
  return { ...own, ...sure, ...options };
}

/** Runs over the records; to the folder of the result. */
export async function resultIn(name: string, options: Partial<RunOptions> = {}): Promise<string> {
  const all = optionsIn(name, options);
  await run(all);
  return all.out;
}
