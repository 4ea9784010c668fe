/** What a run found of its pairs is not looked for again by the run that takes it up, however they were read. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { Outcome } from '../../../src/coordinator/finish/clusters.js';
import { ExactEvidence } from '../../../src/coordinator/verify/exactPairs.js';
import { damageOfPiped } from '../../../src/readers/bytes/spool.js';
import { createSpillingStore } from '../../../src/store/spilling.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { type AttemptOptions, attempt } from '../resume/attempts.js';
import { FakeCorpus, LIMITS, pairsWithout } from './fakeCorpus.js';

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
  'files, sets on disk': 'verified',
  'lines, sets on disk': 'grouped',
  'an array, sets on disk': 'grouped',
  'files, no set whole anywhere': 'ranged',
  'lines, no set whole anywhere': 'ranged',
  'files, all in memory': 'fused',
  'lines, all in memory': 'verified',
};
/** Tasks of these stages look at pairs exactly, or read for it. */
const EXACT = ['sets', 'fused', 'verified', 'grouped', 'scatter', 'ranged'];

const FORMS: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  files: Object.fromEntries(RECORDS.map(({ id, text }) => [`${id}.txt`, text])),
  lines: { 'x.jsonl': LINES.slice(0, 30).join(''), 'y.jsonl': LINES.slice(30).join('') },
  'packed lines': { 'x.jsonl.gz': gzipSync(LINES.join('')) },
  'an array': { 'x.json': JSON.stringify(RECORDS) },
};

/** Budgets under which pairs go one way or another. */
const BUDGETS: Readonly<Record<string, Pick<AttemptOptions, 'budget' | 'resident'>>> = {
  'all in memory': {},
  'sets on disk': { budget: { task: 12e3, sets: 13e3 }, resident: 0 },
  'no set whole anywhere': { budget: { task: 1e3, sets: 1e3 }, resident: 0 },
};

function exactTasks(tasks: Readonly<Record<string, number>>): number {
  return EXACT.reduce((sum, stage) => sum + (tasks[stage] ?? 0), 0);
}

function evidence({ verified }: Outcome): unknown {
  return { ...verified, exact: { ...verified.exact } };
}

for (const [form, files] of Object.entries(FORMS)) {
  for (const [held, budget] of Object.entries(BUDGETS)) {
    test(`evidence is reused over ${form}, ${held}`, async (t) => {
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
      // Nothing is missing.
      const again = await attempt({ ...options, run, resume: true });
      t.is(exactTasks(again.tasks), 0);
      t.is(again.tasks.sketch ?? 0, 0);
      t.deepEqual(evidence(again.outcome!), evidence(whole.outcome!));
      t.is(again.outcome!.counts.documentsReadAgain, 0);
      t.true(again.outcome!.counts.pairsRecalled > 0);
      // All in memory: what may be held decides nothing of what is known.
      const other = await attempt({ run, work, resume: true });
      t.is(exactTasks(other.tasks), 0);
      t.deepEqual(evidence(other.outcome!), evidence(whole.outcome!));
    });
  }
}

test('an attempt that was stopped is gone on with where it was, any number of times', async (t) => {
  const folder = temporaryFolder(t, { 'in/x.jsonl': LINES.join('') });
  const options = {
    run: { paths: [join(folder, 'in')], threshold: 0.7 },
    budget: { task: 10e3, sets: 20e3 },
  };
  const whole = await attempt({ ...options, work: join(folder, 'whole') });
  const work = join(folder, 'work');
  let verified = 0;
  let recalled = 0;
  for (let number = 0; ; number++) {
    const stopAfter = { stage: 'verified', tasks: 3 };
    const one = await attempt({ ...options, work, resume: number > 0, stopAfter });
    verified += one.tasks.verified ?? 0;
    if (one.outcome === null) continue;
    t.true(number > 3);
    t.deepEqual(evidence(one.outcome), evidence(whole.outcome!));
    recalled = one.outcome.counts.pairsRecalled;
    break;
  }
  t.true(recalled > 0);
  // Tasks are cut anew over what is left, so a few more than in one go.
  t.true(verified <= 2 * whole.tasks.verified!, `${verified} of ${whole.tasks.verified}`);
});

test('of pairs that were not all known only the others are looked at', async (t) => {
  const folder = join(temporaryFolder(t, {}), '.work');
  const chain = Array.from({ length: 40 }, (_, d) => [d, d + 1] as const);
  const documentOf = (d: number) => ({ set: [d, d + 1, d + 2], alone: true, file: d < 20 });
  const bounds = { group: 100, task: { gathered: 100, alone: 100 }, pair: 1e9 };
  const complete = async (list: typeof chain, resume: boolean) => {
    const store = createSpillingStore({ folder, limit: 0 });
    store.open({ fingerprint: 'test', resume });
    const corpus = await FakeCorpus.of(41, documentOf, store);
    const pairs = pairsWithout(list);
    const found = new ExactEvidence(corpus.run, corpus, LIMITS.margin, bounds);
    await found.complete(pairs);
    await store.flush();
    await store.close();
    return { corpus, pairs, found, names: store.recalled('evidence/') };
  };
  await complete(
    chain.filter((_, i) => i % 3 === 0),
    false,
  );
  const some = await complete(
    chain.filter((_, i) => i % 3 !== 2),
    true,
  );
  t.is(some.found.pairsRecalled, 14);
  t.deepEqual(
    [...new Set(some.corpus.asked.flat())].sort((x, y) => x - y),
    chain.flatMap(([a, b], i) => (i % 3 === 1 ? [a, b] : [])),
  );
  const all = await complete(chain, true);
  t.is(all.found.pairsRecalled, 27);
  t.true(all.pairs.jaccard.every((value) => value === 0.5));
  t.deepEqual([...all.pairs.accepted], new Array(40).fill(1));
  const last = await complete(chain, true);
  t.is(last.found.pairsRecalled, 40);
  t.deepEqual(last.corpus.asked, []);
  t.is(new Set(last.names).size, last.names.length);
});

test('standard input is taken from the spool once all of it is there', async (t) => {
  const folder = temporaryFolder(t, {});
  const work = join(folder, 'work');
  const text = LINES.join('');
  for (const verify of ['exact', 'signature', 'none'] as const) {
    const run = { paths: ['-'], threshold: 0.7, verify };
    const whole = await attempt({
      run,
      work: join(folder, verify),
      stdin: Readable.from([Buffer.from(text)]),
    });
    const stopped = await attempt({
      run,
      work,
      stdin: Readable.from([Buffer.from(text)]),
      stopAfter: { stage: 'candidates', tasks: 0 },
    });
    t.is(stopped.outcome, null);
    const never = new Readable({ read: () => t.fail('standard input was read') });
    const again = await attempt({ run, work, resume: true, stdin: never });
    t.is(again.tasks.sketch ?? 0, 0);
    t.deepEqual(evidence(again.outcome!), evidence(whole.outcome!));
    t.deepEqual(again.faults, whole.faults);
  }
});

test('of standard input that was kept the same records are read, and the same left out', async (t) => {
  const work = join(temporaryFolder(t, {}), 'work');
  const long = `{"text":"${'x'.repeat(9_000_000)}"}\n`;
  const pieces = [LINES.slice(0, 9).join(''), long, LINES.slice(9).join('')].map((piece) =>
    Buffer.from(piece),
  );
  const run = { paths: ['-'], maxDocument: 100_000, verify: 'none' as const };
  const first = await attempt({ run, work, stdin: Readable.from(pieces) });
  const again = await attempt({ run, work, resume: true, stdin: Readable.from([]) });
  for (const { faults, outcome } of [first, again]) {
    t.deepEqual(
      faults.map(({ line, code }) => [line, code]),
      [[9, 'TOO_LARGE']],
    );
    t.is(outcome!.classes.first.length, LINES.length);
  }
});

test('standard input that did not end was not kept', async (t) => {
  const work = join(temporaryFolder(t, {}), 'work');
  const run = { paths: ['-'], verify: 'signature' as const };
  const endless = new Readable({ read() {} });
  for (let i = 0; i < 20; i++) endless.push(Buffer.from(LINES.join('').repeat(10)));
  const stopped = await attempt({ run, work, stdin: endless, stopAfter: { stage: 'sketch', tasks: 0 } });
  endless.destroy();
  t.is(stopped.outcome, null);
  t.is(damageOfPiped(join(work, 'spool')), 'it is not there');
  // It is read anew then, and what came first does not count.
  const stdin = Readable.from([Buffer.from(LINES.join(''))]);
  const whole = await attempt({ run, work, resume: true, stdin });
  t.is(whole.outcome!.classes.first.length, LINES.length);
  t.is(damageOfPiped(join(work, 'spool')), null);
});
