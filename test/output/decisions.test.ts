/** Decisions against a drop list: their file, what they make of a result, and what of them is refused. */
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
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
import { idIn, indexResult, NONE, pairOf, type ResultIndex } from '../../src/output/resultIndex.js';
import type { DecisionKind, DecisionRow } from '../../src/sketch/params.js';
import { RECORDS, resultIn, VIEWED } from '../view/viewedResult.js';

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
  const runs = [{}, { keep: 'last' }, { keep: 'longest' }, { cluster: 'greedy' }] as const;
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
