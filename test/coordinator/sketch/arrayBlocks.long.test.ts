/** A large file that is one JSON array gives what its records give as lines, or as a file that is read whole. */
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Progress, Run } from '../../../src/coordinator/context.js';
import { plan } from '../../../src/coordinator/planning/plan.js';
import { run } from '../../../src/coordinator/run.js';
import { elementsOfArray } from '../../../src/coordinator/sketch/source.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import type { ResultParams } from '../../../src/sketch/params.js';
import { Store } from '../../../src/store/store.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type AttemptOptions, attempt } from '../runs/attempts.js';
import { finished, prepared, resultOf } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';

const PIECE = 4 << 20;

interface Row {
  readonly id?: string;
  readonly text?: string;
}

/** Families of six near copies that stand far from each other, and what is no document between them. */
function rows(families: number, words: number, seed: number, letters = 0): unknown[] {
  const random = randomFrom(seed);
  const pages = Array.from({ length: families }, () =>
    wordsFrom(random, words).map((word) => word.padEnd(letters, 'a')),
  );
  const found: unknown[] = [];
  for (let member = 0; member < 6; member++) {
    pages.forEach((page, family) => {
      const text = edited(random, page, 2 * member).join(member % 2 === 0 ? ' ' : '\n');
      found.push({ id: `${member}-${family} é`, text, more: { [text.slice(0, 20)]: [family, null] } });
    });
    found.push({ id: `none ${member}` }, [member], { id: { odd: true }, text: 'odd' });
  }
  return found;
}

const SMALL = rows(10, 300, 78);
/** Many bytes in few words, which take little time. */
const LARGE = rows(40, 800, 79, 50);
const WRITINGS: Readonly<Record<string, (rows: readonly unknown[]) => string>> = {
  'a record a line': (all) => `[\n${all.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`,
  'no white space': (all) => JSON.stringify(all),
  pretty: (all) => JSON.stringify(all, null, 2),
};

/** Budgets under which pairs go one way or another. */
const BUDGETS: Readonly<Record<string, Pick<AttemptOptions, 'budget' | 'resident'>>> = {
  'all in memory': {},
  'in small tasks': { budget: { task: 12e3 }, resident: 0 },
  'in tasks of a set': { budget: { task: 1e3 }, resident: 0 },
};

for (const [writing, write] of Object.entries(WRITINGS)) {
  test(`column blocks of an array are verified as the whole array is, ${writing}`, async (t) => {
    // Without ids, so that the index in the array is the name.
    const nameless = SMALL.map((row) => ({ ...(row as Row), id: undefined }));
    const folder = temporaryFolder(t, { 'in/b.json': write(nameless), 'in/a.json': write(SMALL) });
    const options = { run: { paths: [join(folder, 'in')], threshold: 0.7 } };
    const whole = await attempt({ ...options, work: join(folder, 'whole') });
    t.false('cuts' in whole.tasks);
    for (const [held, budget] of Object.entries(BUDGETS)) {
      const work = join(folder, held);
      const cut = await attempt({ ...options, ...budget, work, pieceBytes: 9000 });
      t.is(cut.tasks.cuts, 2);
      t.true(cut.tasks.sketch! > 20, `${cut.tasks.sketch}`);
      t.deepEqual(cut.outcome!.verified, whole.outcome!.verified, held);
      t.true(cut.outcome!.verified.accepted.includes(1));
    }
  });
}

/** The large array, and the same records as lines. */
function both(t: ExecutionContext) {
  const array = WRITINGS['a record a line']!(LARGE);
  t.true(array.length > 2 * PIECE);
  const lines = LARGE.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { folder, inputs, options } = prepared(t, { 'x.json': array });
  return { folder, path: join(inputs, 'x.json'), lines, options: { ...options, threads: 0 } };
}

test.serial(
  'a large array gives the bytes of its lines, for all threads, row chunks and both kernels',
  async (t) => {
    const { folder, path, lines, options } = both(t);
    const others = join(folder, 'lines');
    const broken = LARGE.length - 6 * 40;
    for (const more of [
      {},
      { maxShingleDocuments: 30, verify: 'signature' },
      { exactDuplicates: true },
    ] as const) {
      writeFileSync(join(folder, 'x.jsonl'), lines);
      const sets = { ...options, ...more };
      const wanted = await run({ ...sets, paths: [join(folder, 'x.jsonl')], out: others, force: true });
      t.is(
        Object.values(wanted.counts.skipped).reduce((sum, count) => sum + count, 0),
        broken,
      );
      const same = resultBytes(others);
      const executions = [{}, { threads: 2 }, { threads: 1, shards: 3 }];
      for (const execution of Object.keys(more).length === 0 ? executions : [{ threads: 2 }]) {
        const told: Progress[] = [];
        await run({ ...sets, ...execution, force: true }, { onProgress: (one) => told.push(one) });
        const found = resultBytes(options.out);
        // Lines count from 1, elements from 0.
        const names = (text: string): string => {
          return text.replaceAll('x.jsonl#', 'x.json#');
        };
        t.is(found['skipped.tsv'], names(same['skipped.tsv']!));
        t.deepEqual(Object.keys(found), Object.keys(same));
        for (const name of Object.keys(same).filter((one) => !/^(skipped|manifest)/.test(one))) {
          t.true(found[name] === names(same[name]!), name);
        }
        const last = told.filter(({ stage }) => stage === 'sketch').at(-1)!;
        t.deepEqual([last.done, last.total], [readFileSync(path).length, readFileSync(path).length]);
      }
    }
  },
);

test.serial('a large array that changes between the readings: records are withdrawn by name', async (t) => {
  const { path, options } = both(t);
  const bytes = readFileSync(path);
  const changes: Readonly<Record<string, () => void>> = {
    'a word': () => {
      const file = openSync(path, 'r+');
      writeSync(file, 'QQQQ', bytes.indexOf('"text":"', bytes.indexOf('"3-7 ')) + 8);
      closeSync(file);
    },
    'all behind it': () => truncateSync(path, bytes.indexOf('"3-7 ')),
  };
  const gone = new Map([
    ['a word', 1],
    ['all behind it', 6 * 40 - (3 * 40 + 7)],
  ]);
  for (const [what, change] of Object.entries(changes)) {
    writeFileSync(path, bytes);
    let changed = false;
    const hooks = {
      onProgress: ({ stage }: Progress) => {
        if (stage !== 'bands' || changed) return;
        changed = true;
        change();
      },
    };
    const report = await run({ ...options, force: true }, hooks);
    t.is(report.counts.skipped.CHANGED, gone.get(what)!);
    t.true(resultOf(options.out).skipped.some(({ document }) => document === '3-7 é'));
  }
});

test.serial('a large array that is broken is named, or is a text, and a large record is one', async (t) => {
  const text = 'much of it '.repeat(8e5);
  const files = {
    'a.json': JSON.stringify(LARGE).slice(0, -1),
    'b.json': JSON.stringify([{ title: text }]),
    'c.json': JSON.stringify({ text }),
    'd.json': `[${' '.repeat(9e6)}]`,
  };
  const { skipped, report } = await finished(t, files, { exactDuplicates: true });
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.split(':')[0]}`),
    ['a.json JSON_BROKEN'],
  );
  // An array of nothing has no text: it is one, as it always was.
  t.is(report.counts.read, 3);
});

test.serial(
  'a dry run tells of the look for cuts, and that what follows from it is known later',
  async (t) => {
    const { options } = both(t);
    const { columnBlocks, tasks, workBytes } = await plan(options);
    t.is(columnBlocks, 3);
    t.deepEqual(tasks.slice(0, 2), [
      { stage: 'cuts', tasks: 1 },
      { stage: 'sketch', tasks: null },
    ]);
    t.true(workBytes > 1e6);
  },
);

test('an array that no worker could look at is read as one file, in another attempt, too', async (t) => {
  const store = new Store();
  let looks = 0;
  const cuts = {
    work() {
      looks++;
      throw new Error('no such luck');
    },
  };
  const engine = await createInlineEngine({ tasks: { TASKS: { cuts } }, setup: null, store });
  const run = new Run({} as ResultParams, engine, undefined, undefined);
  const file = {
    path: '/x',
    id: 'x',
    bytes: 9e6,
    format: 'json',
    packing: null,
    utf16: false,
    stdin: false,
  } as const;
  for (let attempts = 0; attempts < 2; attempts++) {
    t.deepEqual(await elementsOfArray(run, { kind: 'array', file, index: 7, step: 5 }), []);
    t.is(looks, 2);
  }
});
