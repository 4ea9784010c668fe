/** What `inspect` answers about clusters, one document and a threshold, on a result whose answers are known. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openResult, run } from '../../../src/index.js';
import { sharedFolder } from '../../data/temporaryFolder.js';
import { programHere } from '../programHere.js';

const WORDS = Array.from({ length: 60 }, (_, i) => `w${i}`);
/** The page with the first words changed: each changed one takes five shingles of 56. */
const page = (changed: number, mark: string): string =>
  WORDS.map((word, i) => (i < changed ? `${mark}${i}` : word)).join(' ');

const TEXTS: Readonly<Record<string, string>> = {
  'a.txt': page(0, ''),
  'b.txt': page(1, 'b'),
  'c.txt': page(2, 'c'),
  'copy.txt': page(1, 'b').toUpperCase(),
  'far.txt': page(9, 'f'),
  'more/one.txt': `Other ${WORDS.map((word) => `${word}x`).join(' ')}`,
  'more/two.txt': `Other ${WORDS.map((word) => `${word}x`).join(' ')}\n`,
  'alone.txt': 'nothing like it',
  'none.txt': '...',
};
const folder = sharedFolder(TEXTS);

test.before(async () => {
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/x.bin'), '\0\0\0');
  writeFileSync(join(folder, 'mail.jsonl'), `${JSON.stringify({ id: 'm\t1', text: page(1, 'm') })}\n`);
  await run({
    paths: [folder],
    include: ['*.txt', '*.bin', '*.jsonl'],
    out: join(folder, 'out'),
    threads: 0,
  });
});

test.serial('--document of a unit shows its original text', async (t) => {
  const [first, second] = [page(0, ''), page(1, 'b')];
  const lines = Array.from({ length: 25 }, (_, i) => `Line ${i}\u001b`).join('\n');
  mkdirSync(join(folder, 'units'));
  writeFileSync(join(folder, 'units/x.txt'), `${first}\n\n${second}\n\n${lines}\n`);
  await run({ paths: [join(folder, 'units')], unit: 'paragraph', out: join(folder, 'cut'), threads: 0 });
  const ask = async (...words: string[]): Promise<string> =>
    (await programHere(folder, ['inspect', 'cut', '--document', ...words])).stdout;
  t.true((await ask('x.txt#p2')).includes(`\nits text:\n  ${second.slice(0, 190)}`));
  t.regex(await ask('x.txt#p3'), /its text:\n {2}Line 0\\x1b\n[\s\S]*Line 19\\x1b\n {2}… 5 more lines/);
  t.is(JSON.parse(await ask('x.txt#p2', '--json')).passage, second);
  t.false((await inspected('--document', 'b.txt')).includes('its text'));
});

async function inspected(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await programHere(folder, ['inspect', 'out', ...words]);
  return code === 0 ? stdout : `${code} ${stderr}`;
}

async function json(...words: string[]) {
  return JSON.parse(await inspected(...words, '--json'));
}

test.serial(
  '--document of a dropped document prints the kept one, the reason and similar documents',
  async (t) => {
    const text = await inspected('--document', 'b.txt');
    t.regex(
      text,
      /^b\.txt\ndropped: a\.txt is kept in its place\nwhy: Jaccard similarity 0\.\d+ \(threshold 0\.8\)\n/,
    );
    t.regex(text, /\ncluster 1 \(5 documents\), similarity 0\.\d+ to its representative a\.txt\n/);
    t.regex(text, /\nthe same tokens:\n {2}same-tokens {2}copy\.txt\n/);
    t.regex(text, /\nit resembles, the most similar first:\n {2}0\.\d+ {2}a\.txt\n/);
    const data = await json('--document', 'b.txt', '--top', '1');
    t.like(data, { id: 'b.txt', state: 'dropped', threshold: 0.8, estimated: false });
    t.is(data.drop.kept, 'a.txt');
    t.is(data.drop_pair.jaccard, data.drop.jaccard);
    t.is(data.resembling.rows.length, 1);
    t.true(data.resembling.total > 1);
  },
);

test.serial('--document of a copy is compared as the first of its duplicate group', async (t) => {
  const data = await json('--document', 'copy.txt');
  t.like(data, { state: 'dropped', stands_for: 'b.txt' });
  const own = await json('--document', 'b.txt');
  t.deepEqual(data.resembling, own.resembling);
  t.regex(
    await inspected('--document', 'copy.txt'),
    /\nit resembles \(compared as b\.txt, the first document with the same tokens\)/,
  );
});

test.serial('--document of a kept document lists those dropped for it, the most similar first', async (t) => {
  const data = await json('--document', 'a.txt');
  t.is(data.state, 'kept');
  const rows = readFileSync(join(folder, 'out/duplicates.tsv'), 'utf8').trim().split('\n').slice(1);
  const forIt = rows.map((row) => row.split('\t')).filter((cells) => cells[1] === 'a.txt');
  t.is(data.dropped_for_it.total, forIt.length);
  const values = data.dropped_for_it.rows.map(({ jaccard }: { jaccard: number }) => jaccard);
  t.deepEqual(
    values,
    [...values].sort((x, y) => y - x),
  );
  t.regex(await inspected('--document', 'a.txt'), /^a\.txt\nkept: \d documents can be dropped for it\n/);
});

test.serial(
  '--document takes a location or an escaped id, and reports unlisted, empty, skipped and unknown documents',
  async (t) => {
    t.is((await json('--document', 'mail.jsonl#1')).id, 'm\t1');
    t.is((await json('--document', 'm\\t1')).place, 'mail.jsonl#1');
    t.is(
      await inspected('--document', 'alone.txt'),
      'alone.txt\nkept: nothing is dropped for it\nin no cluster\n',
    );
    t.regex(
      await inspected('--document', 'none.txt'),
      /^none\.txt\nkept: nothing is dropped for it\nempty: /,
    );
    t.regex(await inspected('--document', 'bin/x.bin'), /^bin\/x\.bin\nskipped: BINARY: /);
    t.regex(await inspected('--document', 'nobody'), /^2 error: no such document in this result: nobody\n/);
  },
);

test.serial(
  '--document finds the id of a location in the inputs, and reports documents of the reference',
  async (t) => {
    const records = [
      '{"id":"n1","text":"nothing like it at all here"}',
      `{"id":"n2","text":"${page(1, 'n')}"}`,
    ];
    writeFileSync(join(folder, 'n.jsonl'), `${records.join('\n')}\n`);
    mkdirSync(join(folder, 'ref'));
    writeFileSync(join(folder, 'ref/r.jsonl'), `{"id":"r1","text":"${page(0, '')}"}\n`);
    const out = join(folder, 'across');
    const against = [join(folder, 'ref')];
    await run({ paths: [join(folder, 'n.jsonl')], against, out, threads: 0 });
    const ask = async (id: string) =>
      (await programHere(folder, ['inspect', 'across', '--document', id])).stdout;
    const alone = /^n1\nlocation: n\.jsonl#1\nkept: nothing is dropped for it\n/;
    t.regex(await ask('n.jsonl#1'), alone);
    t.regex(await ask('n1'), alone);
    t.regex(await ask('r1'), /^r1\nlocation: ref\/r\.jsonl#1\nkept: .*\nof the reference \(--against\)/);
  },
);

test.serial(
  '--clusters are pages by size, and --cluster lists each document as kept or dropped',
  async (t) => {
    const all = await json('--clusters');
    t.deepEqual(
      all.rows.map(({ size }: { size: number }) => size),
      [5, 2],
    );
    const second = await json('--clusters', '--top', '1', '--page', '2');
    t.deepEqual(second, { total: 2, rows: [all.rows[1]] });
    t.regex(
      await inspected('--clusters', '--top', '1'),
      /^clusters 1 to 1 of 2, the largest first:\n[\s\S]*\nthe next ones: --page 2\n$/,
    );
    t.is(await inspected('--clusters', '--page', '9'), '2 clusters, none on this page\n');
    const cluster = await json('--cluster', '1', '--top', '2', '--page', '2');
    t.like(cluster, { size: 5, dropped: 4, representative: 'a.txt' });
    t.deepEqual(
      cluster.members.map(({ document }: { document: string }) => document),
      ['c.txt', 'copy.txt'],
    );
    t.is(cluster.members[0].drop.kept, 'a.txt');
    t.regex(
      await inspected('--cluster', '1'),
      /^cluster 1: 5 documents, of which 1 is kept; .*\n[\s\S]*dropped for a\.txt\n/,
    );
    t.regex(await inspected('--cluster', '3'), /^2 error: --cluster 3: expected 1 to 2\n/);
  },
);

test.serial('--around lists the nearest candidates on each side', async (t) => {
  const result = await openResult(join(folder, 'out'));
  const values: number[] = [];
  for await (const { jaccard, agreement } of result.candidates()) values.push(jaccard ?? agreement!);
  values.sort((x, y) => x - y);
  for (const threshold of [0.5, 0.8, 0.9, 1]) {
    const { above, below } = await result.around(threshold, 2);
    t.deepEqual(
      above.map(({ value }) => value),
      values.filter((value) => value >= threshold).slice(0, 2),
    );
    t.deepEqual(
      below.map(({ value }) => value),
      values
        .filter((value) => value < threshold)
        .reverse()
        .slice(0, 2),
    );
  }
  t.regex(
    await inspected('--around', 'threshold'),
    /\n-------- 0\.8: \d pairs? at or above it, \d pairs? below it\n/,
  );
  t.is((await json('--around', '.9')).threshold, 0.9);
});

test.serial('all problems of a command line are reported at once', async (t) => {
  const words = [
    '--around',
    '2',
    '--clusters',
    '--cluster',
    '0',
    '--page',
    'x',
    '--document',
    '',
    '--tip',
    '3',
    '--pair',
    'a',
    'b',
  ];
  const { code, stdout, stderr } = await programHere(folder, [
    'inspect',
    'out',
    'more',
    ...words,
    '--top',
    '1',
  ]);
  t.is(code, 2);
  t.is(stdout, '');
  t.deepEqual(
    stderr.split('\n').filter((line) => line.startsWith('error: ')),
    [
      'error: --tip: no such option, did you mean --top?',
      'error: DIR out more: expected one, got 2',
      'error: --page x: expected an integer from 1 to 1000000000',
      'error: --document "": expected a name of at least one character',
      'error: --cluster 0: expected an integer from 1 to 9007199254740991',
      'error: --around "2": expected a number from 0 to 1, or the word threshold',
      'error: --pair --document --clusters --cluster --around: expected one of them, got 5',
      'error: --top --pair: expected only one of these',
      'error: the folder holds no finished result: more: no _SUCCESS',
    ],
  );
});
