/** Decisions against a drop list: their file, what they make of a result, and what of them is refused. */
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { applyResult } from '../../src/coordinator/apply/apply.js';
import { MinHashError } from '../../src/errors.js';
import {
  decidedDrops,
  decisionsFile,
  readDecisions,
  TextsLost,
  writeDecisions,
} from '../../src/output/decisions.js';
import { readManifest } from '../../src/output/readManifest.js';
import { type PairRow, tableIn } from '../../src/output/readResult.js';
import { idIn, indexResult, NONE, pairOf, type ResultIndex } from '../../src/output/resultIndex.js';
import type { DecisionKind, DecisionRow } from '../../src/sketch/params.js';
import { interruptAt, takeUp } from '../coordinator/resume/takenUp.js';
import { optionsIn, RECORDS, resultIn, VIEWED } from '../view/viewedResult.js';

const opened = async (out: string): Promise<ResultIndex> => indexResult(out, readManifest(out));
const row = (kind: DecisionKind, document: string, other = ''): DecisionRow => ({ kind, document, other });

/** What is kept, and that every dropped document has an accepted pair with the kept one that replaces it, or is its copy. */
function keptIds(
  index: ResultIndex,
  decisions: readonly DecisionRow[],
  apart: readonly string[] = [],
): string[] {
  const { keeper } = decidedDrops(index, decisions);
  const kept: string[] = [];
  for (let d = 0; d < index.documents; d++) {
    const own = keeper.at(d)!;
    if (own === NONE) kept.push(idIn(index, d));
    else if (keeper.at(own) !== NONE) throw new Error(`${idIn(index, d)} is replaced by a dropped one`);
    else if (pairOf(index, d, own) < 0 && !apart.includes(idIn(index, d)))
      throw new Error(`${idIn(index, d)} resembles nothing that is kept`);
  }
  return kept;
}

test.serial('without a decision nothing changes, whatever the order of survivors was', async (t) => {
  const runs = [
    {},
    { keep: 'last' },
    { keep: 'longest' },
    { protect: ['in.jsonl'] },
    { cluster: 'greedy' },
  ] as const;
  for (const [i, options] of runs.entries()) {
    const index = await opened(await resultIn(`plain-${i}`, options));
    // What is kept is decided to be: every cluster is made anew, and comes out as it was.
    const same: DecisionRow[] = [];
    for (let d = 0; d < index.clustered; d++)
      if (index.keeper.at(d)! < index.documents)
        same.push(row('keep', idIn(index, index.keeper.at(d)!), idIn(index, d)));
    // Two alike that both stay are told apart, which changes nothing either.
    const { a, b, count } = index.pairs;
    for (let i = 0; i < count; i++) {
      const [x, y] = [a.at(i)!, b.at(i)!];
      const areKept = index.keeper.at(x) === NONE && index.keeper.at(y) === NONE;
      if (areKept) same.push(row('both', idIn(index, x), idIn(index, y)));
    }
    t.true(same.length > 40);
    for (const decisions of [[], same]) {
      const { keeper, dropped, kept } = decidedDrops(index, decisions);
      const all = Array.from({ length: index.documents }, (_, d) => d);
      t.deepEqual(
        all.map((d) => keeper.at(d)),
        all.map((d) => index.keeper.at(d)),
        JSON.stringify(options),
      );
      t.deepEqual([dropped, kept], [0, 0]);
    }
  }
});

test.serial(
  'keep this, keep both and drop change what they name, and nothing is dropped without its like',
  async (t) => {
    const index = await opened(await resultIn('changed'));
    const before = keptIds(index, []);
    t.true(before.includes('news/f05-0') && !before.includes('mail/f05-1'));
    const instead = keptIds(index, [row('keep', 'mail/f05-1', 'news/f05-0')]);
    t.deepEqual(
      instead.filter((id) => id.includes('f05')),
      ['mail/f05-1'],
    );
    const both = keptIds(index, [row('both', 'mail/f05-1', 'news/f05-0')]);
    t.deepEqual(
      both.filter((id) => id.includes('f05')),
      ['news/f05-0', 'mail/f05-1'],
    );
    t.deepEqual(
      keptIds(index, [row('drop', 'news/f05-0')]).filter((id) => id.includes('f05')),
      ['mail/f05-1'],
    );
    // Copies of one text: the pair of two of them is no ground any more.
    const copies = RECORDS.filter(
      ({ text }) => RECORDS.some((other) => other.text === text && other.id !== '') && text !== '',
    );
    t.true(copies.length > 0);
    const other = keptIds(index, [row('both', 'news/f00-0', 'mail/f00-1')]);
    t.deepEqual(
      other.filter((id) => id.includes('f00')),
      ['news/f00-0', 'mail/f00-1'],
    );
    const outside = (kept: readonly string[]): string[] => kept.filter((id) => !/f0[05]/.test(id));
    for (const kept of [instead, both, other]) t.deepEqual(outside(kept), outside(before));
  },
);

test.serial('contradictions, strangers and losses are refused, all at once', async (t) => {
  const index = await opened(await resultIn('refused'));
  const refused = (decisions: readonly DecisionRow[]): string[] => {
    const error = t.throws(() => decidedDrops(index, decisions), { instanceOf: MinHashError });
    return (error as MinHashError).faults.map(({ code, detail }) => `${code} ${detail}`);
  };
  t.deepEqual(refused([row('drop', 'nobody'), row('both', 'news/f01-0', 'news/f02-0')]), [
    'DOCUMENT_UNKNOWN nobody (in the decisions)',
    'OPTION_INVALID decision both news/f01-0 news/f02-0: they are no accepted pair of the result',
  ]);
  t.regex(refused([row('keep', 'news/f01-0', 'news/f02-0')])[0]!, /they are in no cluster together/);
  t.regex(
    refused([row('keep', 'mail/f05-1', 'news/f05-0'), row('drop', 'mail/f05-1')])[0]!,
    /another line says that the same document is kept, or dropped/,
  );
  const lost = refused([row('drop', 'mail/f05-1'), row('drop', 'news/f05-0')]);
  t.is(lost.length, 2);
  t.regex(lost[0]!, /no kept document resembles .*, so its text would be lost/);
});

test('a file of decisions is read as it was written, and by hand', (t) => {
  const file = decisionsFile(join(VIEWED, 'any/'));
  t.is(file, join(VIEWED, 'any-decisions.tsv'));
  const decisions = [
    row('keep', 'tab\there', 'line\nend'),
    row('both', '\xff\xfe', 'back\\slash'),
    row('drop', '#1'),
  ];
  writeDecisions(file, decisions);
  t.deepEqual(readDecisions(file), decisions);
  writeFileSync(file, '# why\r\nkeep\ta\tb\r\n\ndrop\tc\n');
  t.deepEqual(readDecisions(file), [row('keep', 'a', 'b'), row('drop', 'c')]);
  writeFileSync(file, 'keep\ta\nboth\ta\tb\tc\ndrop\ta\tb\ndrop\tok\nwhat\n');
  const error = t.throws(() => readDecisions(file), { instanceOf: MinHashError }) as MinHashError;
  t.deepEqual(
    error.faults.map(({ detail }) => /line \d/.exec(detail)![0]),
    ['line 1', 'line 2', 'line 3', 'line 5'],
  );
  t.deepEqual(readDecisions(join(VIEWED, 'nowhere.tsv')), []);
  t.throws(() => readDecisions(join(VIEWED, 'nowhere.tsv'), true), { message: /there is no such file/ });
  t.throws(() => readDecisions('/dev/zero', true), { message: /a device, expected a file or a pipe/ });
  // What lies beside a result is its maker's.
  const link = join(VIEWED, 'link.tsv');
  symlinkSync('/dev/zero', link);
  t.throws(() => readDecisions(link), { message: /expected a regular file: a link/ });
  const pipe = join(VIEWED, 'pipe.tsv');
  t.is(spawnSync('mkfifo', [pipe]).status, 0);
  t.throws(() => readDecisions(pipe), { message: /expected a regular file: no regular file/ });
});

test.serial('apply takes decisions into the corpus, its counts and its lists', async (t) => {
  const out = await resultIn('applied');
  const file = join(VIEWED, 'mine.tsv');
  writeFileSync(file, 'keep\tmail/f05-1\tnews/f05-0\nboth\tnews/f10-0\tmail/f10-1\n');
  const to = join(VIEWED, 'clean');
  const report = await applyResult(out, { to, decisions: file });
  const kept = readFileSync(join(to, 'in.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id as string);
  t.deepEqual(
    kept.filter((id) => /f05|f10/.test(id)),
    ['mail/f05-1', 'news/f10-0', 'mail/f10-1'],
  );
  t.deepEqual(kept, keptInOrder(await opened(out), readDecisions(file)));
  t.is(report!.documents.kept, kept.length);
  t.is(report!.documents.dropped, RECORDS.length - kept.length);
  let listed = '';
  await applyResult(
    out,
    { list: 'dropped', decisions: file },
    {
      onList: (lines) => {
        listed += Buffer.from(lines).toString();
      },
    },
  );
  const number = (id: string): number => RECORDS.findIndex((record) => record.id === id) + 1;
  t.true(listed.includes(`in.jsonl#${number('news/f05-0')}\n`));
  t.false(listed.includes(`in.jsonl#${number('mail/f05-1')}\n`));
  // Other decisions make another corpus, which does not stand there already.
  writeFileSync(file, 'drop\tnews/f05-0\n');
  await t.throwsAsync(applyResult(out, { to, decisions: file }), { instanceOf: MinHashError });
});

/** Every record that is in no cluster, or kept. */
function keptInOrder(index: ResultIndex, decisions: readonly DecisionRow[]): string[] {
  const { keeper } = decidedDrops(index, decisions);
  return RECORDS.map(({ id }) => id).filter((id) => index.find(id) < 0 || keeper.at(index.find(id)) === NONE);
}

test.serial('a text may be lost where a line says so, and then replaces nothing', async (t) => {
  const index = await opened(await resultIn('lost'));
  const lost = [row('drop', 'mail/f05-1'), row('lose', 'news/f05-0')];
  t.deepEqual(
    keptIds(index, [row('lose', 'news/f05-0')]).filter((id) => id.includes('f05')),
    ['mail/f05-1'],
  );
  const error = t.throws(() => decidedDrops(index, lost), { instanceOf: TextsLost }) as TextsLost;
  t.deepEqual(error.documents, ['mail/f05-1']);
  const { keeper, dropped } = decidedDrops(index, [row('lose', 'mail/f05-1'), row('lose', 'news/f05-0')]);
  const [one, other] = [index.find('mail/f05-1'), index.find('news/f05-0')];
  t.deepEqual([keeper.at(one), keeper.at(other)], [one, other]);
  t.is(dropped, 1);
  const file = join(VIEWED, 'lost.tsv');
  writeFileSync(file, 'lose\tmail/f05-1\nlose\tnews/f05-0\n');
  const to = join(VIEWED, 'without');
  await applyResult(join(VIEWED, 'lost'), { to, decisions: file });
  t.notRegex(readFileSync(join(to, 'in.jsonl'), 'utf8'), /f05-/);
});

/** What a run keeps by the rule as it is written: one after the other, in the order of survivors. */
function keptByRule(
  pairs: readonly PairRow[],
  decisions: readonly DecisionRow[],
  isCopy: (one: string, other: string) => boolean,
): string[] {
  const ids = RECORDS.map(({ id }) => id);
  const to = (kinds: readonly string[], key: 'document' | 'other'): string[] =>
    decisions.filter(({ kind }) => kinds.includes(kind)).map((one) => one[key]);
  const first = new Set(to(['keep'], 'document'));
  const last = new Set([...to(['keep'], 'other'), ...to(['drop', 'lose'], 'document')]);
  const tier = (id: string): number => (first.has(id) ? 0 : last.has(id) ? 2 : 1);
  const same = (one: string, other: string): boolean => one === other || isCopy(one, other);
  const apart = decisions.filter(({ kind }) => kind === 'both');
  const alone = new Set(
    apart
      .filter(({ document, other }) => isCopy(document, other))
      .map(({ document, other }) => (ids.indexOf(document) > ids.indexOf(other) ? document : other)),
  );
  const areAlike = (one: string, other: string): boolean => {
    if (alone.has(one) || alone.has(other)) return false;
    if (isCopy(one, other)) return true;
    const isTold = apart.some(
      ({ document: x, other: y }) => (same(x, one) && same(y, other)) || (same(x, other) && same(y, one)),
    );
    return (
      !isTold &&
      pairs.some(({ a, b }) => (same(a, one) && same(b, other)) || (same(a, other) && same(b, one)))
    );
  };
  const kept: string[] = [];
  for (const wanted of [0, 1, 2])
    for (const id of ids.filter((one) => tier(one) === wanted))
      if (wanted === 0 || !kept.some((other) => areAlike(id, other))) kept.push(id);
  return kept.sort();
}

test.serial('a run takes decisions into its drop list, by the rule as it is written', async (t) => {
  const plain = await resultIn('undecided');
  const pairs: PairRow[] = [];
  for await (const pair of tableIn(plain, 'pairs').rows()) pairs.push(pair);
  const textOf = new Map(RECORDS.map(({ id, text }) => [id, text]));
  const isCopy = (one: string, other: string): boolean =>
    one !== other && textOf.get(one) === textOf.get(other);
  const near = pairs.filter(({ kind }) => kind === 'near');
  const file = join(VIEWED, 'taken.tsv');
  const decision = fc.record({
    kind: fc.constantFrom('keep', 'both', 'both', 'drop', 'lose'),
    pair: fc.nat(pairs.length - 1),
    turned: fc.boolean(),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(decision, { minLength: 1, maxLength: 12 }), async (chosen) => {
      const fates = new Map<string, boolean>();
      const decisions = chosen
        .map(({ kind, pair, turned }) => {
          const { a, b } = pairs[pair]!;
          const [document, other] = turned ? [b, a] : [a, b];
          return row(kind as DecisionKind, document, kind === 'keep' || kind === 'both' ? other : '');
        })
        .filter(({ kind, document, other }) => {
          if (kind === 'both') return true;
          const said: [string, boolean][] = [
            [document, kind === 'keep'],
            ...(other === '' ? [] : [[other, false] as [string, boolean]]),
          ];
          if (said.some(([id, stays]) => (fates.get(id) ?? stays) !== stays)) return false;
          for (const [id, stays] of said) fates.set(id, stays);
          return true;
        });
      writeDecisions(file, [...decisions, row('drop', 'nobody')]);
      const out = await resultIn(`taken-${round++ % 2}`, { decisions: file, force: true });
      const dropped = new Set<string>();
      for await (const { document } of tableIn(out, 'duplicates').rows()) dropped.add(document);
      const kept = RECORDS.map(({ id }) => id).filter((id) => !dropped.has(id));
      t.deepEqual(kept.sort(), keptByRule(near, decisions, isCopy));
      const { counts, parameters } = readManifest(out);
      t.is(counts.decisions_unknown, 1);
      t.is(parameters.decisions!.count, decisions.length + 1);
    }),
    { numRuns: 40, seed: 34 },
  );
});

test.serial(
  'told apart, two alike stay in every later run, and what contradicts itself is refused before it begins',
  async (t) => {
    const file = join(VIEWED, 'later.tsv');
    writeFileSync(file, 'both\tnews/f05-0\tmail/f05-1\n');
    const out = await resultIn('later', { decisions: file });
    const { counts } = readManifest(out);
    t.deepEqual([counts.pairs_told_apart, counts.decisions_unmet, counts.decisions_unknown], [1, 0, 0]);
    t.deepEqual(
      keptIds(await opened(out), []).filter((id) => id.includes('f05')),
      ['news/f05-0', 'mail/f05-1'],
    );
    writeFileSync(file, 'keep\ta\tb\ndrop\ta\nwhat\n');
    const faults = await t.throwsAsync(resultIn('never', { decisions: file }), { instanceOf: MinHashError });
    t.regex(faults!.message, /line 3: expected keep A B/);
    t.regex(faults!.message, /decision drop a: another line says/);
  },
);

test.serial(
  'a run with decisions is taken up after an interrupt; with other ones it is another run',
  async (t) => {
    const file = join(VIEWED, 'resumed.tsv');
    const decisions = 'both\tnews/f05-0\tmail/f05-1\nkeep\tmail/f10-1\tnews/f10-0\n';
    writeFileSync(file, decisions);
    const whole = await resultIn('undisturbed', { decisions: file });
    const options = optionsIn('taken-up', { decisions: file });
    for (const stage of ['sketch', 'verify', 'write'] as const) {
      await interruptAt(t, { ...options, force: true }, stage);
      const { found } = await takeUp(options);
      t.not(found.kind, 'nothing', stage);
      const { counts, parameters } = readManifest(options.out);
      t.deepEqual([counts.pairs_told_apart, parameters.decisions!.count], [1, 2]);
      for (const table of ['pairs/part-00000.tsv', 'duplicates.tsv'])
        t.deepEqual(
          readFileSync(join(options.out, table)),
          readFileSync(join(whole, table)),
          `${stage} ${table}`,
        );
    }
    // Whoever edits the file meanwhile gets no mixture of two.
    await interruptAt(t, { ...options, force: true }, 'verify');
    writeFileSync(file, `${decisions}drop\tnews/f01-0\n`);
    const error = await t.throwsAsync(takeUp(options), { instanceOf: MinHashError });
    t.regex(error!.message, /decisions/);
  },
);
