/** Documents that do not fit --memory are sorted on disk, to the bytes of a run with plenty; what the disk does not take is refused. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { plan } from '../../../src/coordinator/planning/plan.js';
import type { SortedOnDisk } from '../../../src/coordinator/start/sortedInstead.js';
import { MinHashError, type RunOptions, run } from '../../../src/index.js';
import { nearCopies } from '../../data/nearCopies.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { filesOf } from '../cluster/comparedFolders.js';
import { prepared } from '../runs/finished.js';
import { jsonLine } from './namedSize.js';

/** The least with one thread: its tables may have 18 MB. */
const LEAST = 84e6;
/** Few documents fill tables by their ids. */
const RECORDS = 1000;
const idOf = (i: number): string => `${i}`.padStart(16_000, '-');

function longIds(): string {
  const random = randomFrom(7);
  const copies = nearCopies(20).map(({ text }) => String(text));
  const textOf = (i: number): string => copies[i] ?? wordsFrom(random, 8).join(' ');
  return Array.from({ length: RECORDS }, (_, i) => jsonLine({ id: idOf(i), text: textOf(i) })).join('');
}

const OPTIONS = { threads: 0, memory: LEAST, hashes: 16, idField: 'id' } as const satisfies RunOptions;

test('what does not fit is sorted on disk, ended and taken up, to the same bytes', async (t) => {
  const { folder, options } = prepared(t, { 'a.jsonl': longIds() });
  const asked = { ...options, ...OPTIONS };
  const expected = join(folder, 'expected');
  const inMemory = await run({ ...asked, out: expected, memory: 2e9 }, { onSorted: () => t.fail() });
  t.true(inMemory.counts.verified_pairs > 0);
  const tooLittle = await t.throwsAsync(run({ ...asked, memory: 1e6 }), { instanceOf: MinHashError });
  t.regex(tooLittle.message, /at least 84MB with 0 threads, for about \d+ documents, sorted on disk where/);
  const { sorted } = await plan(asked);
  t.is(sorted?.memory, LEAST);
  t.is((await plan({ ...asked, memory: 2e9 })).sorted, undefined);

  const told: SortedOnDisk[] = [];
  const onSorted = (found: SortedOnDisk): void => {
    told.push(found);
  };
  const controller = new AbortController();
  const onProgress = ({ stage }: { readonly stage: string }): void => {
    if (stage.endsWith('-components-all')) controller.abort();
  };
  const ended = await t.throwsAsync(run(asked, { onSorted, onProgress, signal: controller.signal }));
  t.is((ended as { code?: string }).code, 'INTERRUPTED');
  // It goes on where it began, though memory is there now.
  const report = await run({ out: options.out, resume: true, memory: 2e9 }, { onSorted });
  t.true(report.resumedJobs!.jobs > 5);
  t.deepEqual(told, [sorted!, { documents: null, memory: 2e9 }]);
  t.true(Math.abs(sorted!.documents! - RECORDS) < RECORDS / 10, `${sorted!.documents}`);
  t.deepEqual(filesOf(options.out), filesOf(expected));
  t.false(existsSync(join(options.out, '.work')));
});

test('an option or a file that the disk does not take is named, with the size that is enough', async (t) => {
  const { options } = prepared(t, { 'a.jsonl': longIds(), 'b.csv': 'text\na\n' });
  const asked = { ...options, ...OPTIONS };
  const refused = /memory \d+MB has room for them; not sorted on disk: /;
  const onSorted = () => t.fail();
  const kept = { ...asked, keep: 'longest' } as const;
  for (const [given, why] of [
    [kept, /on disk: keep longest engine disk: expected with engine threads only/],
    [asked, /on disk: engine disk: "b\.csv": expected JSON lines/],
  ] as const) {
    const error = await t.throwsAsync(run(given, { onSorted }), { instanceOf: MinHashError });
    t.is(error.code, 'MEMORY_BUDGET');
    t.regex(error.message, refused);
    t.regex(error.message, why);
    t.false(existsSync(options.out));
    await t.throwsAsync(plan(given), { message: error.message });
  }
  const [, enough] = /memory (\d+MB) has room/.exec((await t.throwsAsync(run(kept))).message)!;
  t.is((await run({ ...kept, memory: enough! }, { onSorted })).counts.documents, RECORDS + 1);
});
