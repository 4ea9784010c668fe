import test from 'ava';
import { inspectCommand } from '../../../cli/commands/inspect.js';
import { sharedRuns } from '../../../src/analysis/result/sharedRuns.js';
import type { ClusterRow, OpenedResult, PairRow, PairTexts } from '../../../src/index.js';
import { REPORTED } from '../../result/resultSample.js';
import { type CaptureOptions, capturedTerminal } from '../capturedTerminal.js';

const ROW: PairRow = {
  a: 'a.txt',
  b: 'b\udcff\x1b.txt',
  aLocation: 'a.txt',
  bLocation: 'b.jsonl#7',
  jaccard: 0.9,
  agreement: 0.890625,
  containmentAInB: 1,
  containmentBInA: 0.9,
  kind: 'near',
};

const CLUSTER: readonly ClusterRow[] = [
  { cluster: 1, document: 'a.txt', role: 'representative', similarity: 1, basis: 'exact', place: 'a.txt' },
  { cluster: 1, document: ROW.b, role: 'member', similarity: 0.9, basis: 'estimate', place: 'b.jsonl#7' },
];

/** Two texts as the result gives them; of shingles of two words. */
function foundTexts(a: string, b: string): PairTexts {
  const params = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 1 } as const;
  const [bytesA, bytesB] = [a, b].map((text) => new TextEncoder().encode(text));
  return { state: 'found', a: a.split(/\s+/), b: b.split(/\s+/), runs: sharedRuns(bytesA!, bytesB!, params) };
}

const FOUND = foundTexts('This is\nthe old text, here.\n', 'This is\nthe new text, HERE.\n');

async function* noRows(): AsyncGenerator<never> {}

const NONE = { documents: 0, tokens: 0 };

function readerOf(changes: Partial<OpenedResult> = {}): OpenedResult {
  return {
    counts: { documents: 1200, skipped: { BINARY: 2, UNREADABLE: 1 }, candidate_pairs: 7 },
    numbers: {
      ...REPORTED,
      kept: NONE,
      dropped: NONE,
      reasons: { identical: NONE, same_tokens: NONE, near: NONE },
    },
    estimated: false,
    byContainment: false,
    ofSets: false,
    unit: 'document',
    threshold: 0.8,
    verified: true,
    idOf: (written) => written.replace('\\xff\\x1b', '\udcff\x1b'),
    topPairs: async (count) => [ROW, { ...ROW, jaccard: 0.85, b: 'c.txt' }].slice(0, count),
    named: async (name) => ({ id: name, place: name === ROW.b ? ROW.bLocation : name }),
    findPair: async (...places) => ({
      pair: places.includes(ROW.aLocation) && places.includes(ROW.bLocation) ? ROW : null,
      candidate: null,
    }),
    findCluster: async (name) => (CLUSTER.some((row) => row.place === name) ? CLUSTER : []),
    firstsOf: async () => new Map(),
    texts: async () => FOUND,
    largestClusters: async () => ({ total: 0, rows: [] }),
    cluster: async () => null,
    document: async () => {
      throw new Error('not asked');
    },
    around: async (threshold) => ({ threshold, above: [], below: [] }),
    ...{ pairs: noRows, candidates: noRows, clusters: noRows, drops: noRows, skipped: noRows },
    ...changes,
  };
}

async function outcomeOf(
  flags: Record<string, unknown>,
  reader: OpenedResult = readerOf(),
  capture: CaptureOptions = {},
) {
  const { terminal, stdout, stderr } = capturedTerminal(capture);
  const code = await inspectCommand(['result'], flags, { terminal, open: async () => reader });
  return { code, stdout: stdout(), stderr: stderr() };
}

test('inspect shows the counts and the top pairs', async (t) => {
  const { code, stdout } = await outcomeOf({});
  t.is(code, 0);
  t.is(
    stdout,
    [
      'Documents',
      '  1,200  documents and locations found',
      '      3  were skipped',
      '           2 BINARY: a binary file: it has a NUL byte in its first 8 KB, or begins as a format that is not text',
      '           1 UNREADABLE: the file or folder cannot be opened or read',
      '     50  shingles in the median document',
      '     54  tokens in the median document',
      '',
      'Nearly the same',
      '      7  candidate pairs',
      '',
      '2 near pairs, the most similar first:',
      'jaccard   a  b',
      '0.900000  a.txt  b\\xff\\x1b.txt',
      '0.850000  a.txt  c.txt',
      '',
    ].join('\n'),
  );
});

test('inspect --top limits the list, 0 omits it, and estimates are marked', async (t) => {
  t.regex((await outcomeOf({ top: '1' })).stdout, /\n1 near pair, .*\n.*\n0\.900000 [^\n]*\n$/);
  t.notRegex((await outcomeOf({ top: '0' })).stdout, /near pair/);
  t.regex((await outcomeOf({}, readerOf({ estimated: true }))).stdout, /\nestimate {2}a {2}b\n/);
  t.regex((await outcomeOf({}, readerOf({ topPairs: async () => [] }))).stdout, /\nno near pairs\n$/);
});

test('inspect --pair shows all values, the clusters and the texts side by side', async (t) => {
  const { code, stdout } = await outcomeOf({ pair: ['a.txt', 'b\\xff\\x1b.txt'] });
  t.is(code, 0);
  t.is(
    stdout,
    [
      'a  a.txt',
      'b  b\\xff\\x1b.txt',
      'kind                near',
      'jaccard             0.900000',
      'agreement           0.890625',
      'containment a in b  1.000000',
      'containment b in a  0.900000',
      'a is in cluster 1 (2 documents), its representative',
      'b is in cluster 1 (2 documents), similarity 0.900000 (an estimate) to its representative a.txt',
      '',
      'shared: runs of 2 words that both have, 3 of the 5 in a and 5 in b: 3 / 7 = 0.428571',
      'marks:  [-in a alone-]  {+in b alone+}  (~written differently~)',
      '',
      `1 = This is${' '.repeat(27)} | 1 = This is`,
      `2 - the [-old-] text, (~here~).${' '.repeat(7)} | 2 + the {+new+} text, (~HERE~).`,
      '',
    ].join('\n'),
  );
});

test('inspect --pair shows two documents in the order of the command', async (t) => {
  const asked: string[] = [];
  const texts = async (a: string, b: string): Promise<PairTexts> => {
    asked.push(a, b);
    return FOUND;
  };
  await outcomeOf({ pair: ['z', 'a.txt'] }, readerOf({ texts }));
  t.deepEqual(asked, ['z', 'a.txt']);
  const turned = await outcomeOf({ pair: ['b\\xff\\x1b.txt', 'a.txt'] });
  t.regex(turned.stdout, /^a {2}b\\xff\\x1b\.txt\nb {2}a\.txt\n/);
  t.regex(turned.stdout, /\ncontainment a in b {2}0\.900000\ncontainment b in a {2}1\.000000\na is .* 0\.9/);
});

test('inspect --pair in a wide terminal uses its width and colours', async (t) => {
  const { stdout } = await outcomeOf({ pair: ['a.txt', 'z'] }, readerOf(), { tty: true, columns: 120 });
  t.regex(
    stdout,
    /the \x1b\[31mold\x1b\[0m text, \x1b\[4;33mhere\x1b\[0m\..* {35}\x1b\[2m \| \x1b\[0m\x1b\[2m2 \+ /,
  );
  t.notRegex(stdout, /\[-/);
});

test('inspect --pair reports missing and changed texts and shows the numbers', async (t) => {
  for (const [texts, words] of [
    [{ state: 'gone', place: ROW.bLocation }, 'the text of b.jsonl#7 is missing'],
    [{ state: 'changed' }, 'at least one of the two texts has changed since the run'],
  ] as const) {
    const reader = readerOf({ texts: async () => texts });
    const { code, stdout } = await outcomeOf({ pair: ['a.txt', 'b\\xff\\x1b.txt'] }, reader);
    t.is(code, 0);
    t.true(stdout.includes('jaccard             0.900000'));
    t.true(stdout.endsWith(`\n\n${words}, so only the numbers are shown\n`));
  }
});

test('inspect --pair shows the first 1,000 lines of texts that differ in more', async (t) => {
  const [a, b] = ['x', 'y'].map((letter) =>
    Array.from({ length: 60_000 }, (_, i) => `${letter}${i}`).join(' '),
  );
  const reader = readerOf({ texts: async () => foundTexts(a!, b!) });
  const { stdout } = await outcomeOf({ pair: ['a.txt', 'z'] }, reader);
  t.true(stdout.endsWith('\n… and more: only the first 1,000 lines are shown\n'));
  t.true(stdout.split('\n').length < 1_030);
});

test('inspect --pair distinguishes a rejected candidate from two unrelated documents', async (t) => {
  const candidate = {
    a: 'a.txt',
    b: 'z',
    aLocation: 'a.txt',
    bLocation: 'z',
    agreement: 0.5,
    jaccard: null,
    accepted: false,
  };
  const rejected = readerOf({ findPair: async () => ({ pair: null, candidate }) });
  const { stdout } = await outcomeOf({ pair: ['a.txt', 'z'] }, rejected);
  t.regex(stdout, /a candidate that was not accepted\njaccard {13}- *\nagreement {11}0\.500000\n/);
  t.regex(stdout, /\nb is in no cluster\n/);
  t.regex((await outcomeOf({ pair: ['a.txt', 'z'] })).stdout, /\nno row in pairs, and none in candidates\n/);
});

test('inspect --pair of a document with an identical copy in pairs names the copy', async (t) => {
  const reader = readerOf({ firstsOf: async () => new Map([['z.txt', { id: 'a.txt', place: 'a.txt' }]]) });
  const { stdout } = await outcomeOf({ pair: ['b\\xff\\x1b.txt', 'z.txt'] }, reader);
  t.true(
    stdout.includes(
      '\nb has the tokens of a.txt, which is compared in its place\nkind                near\n',
    ),
  );
  // The row says that a.txt is wholly in the other.
  t.true(stdout.includes('\ncontainment a in b  0.900000\ncontainment b in a  1.000000\n'));
  const json = JSON.parse(
    (await outcomeOf({ json: true, pair: ['b\\xff\\x1b.txt', 'z.txt'] }, reader)).stdout,
  );
  t.is(json.pair, null);
  t.like(json.through, { a: 'b\\xff\x1b.txt', b: 'a.txt', candidate: null });
  t.like(json.through.pair, { a: 'b\\xff\x1b.txt', b: 'a.txt', jaccard: 0.9, containment_a_in_b: 0.9 });
  const never = (await outcomeOf({ pair: ['c.txt', 'z.txt'] }, reader)).stdout;
  t.regex(
    never,
    /\nb has the tokens of a\.txt, .*\nno row in pairs for c\.txt and a\.txt, and none in candidates\n/,
  );
  const both = readerOf({
    firstsOf: async () =>
      new Map([
        ['y', { id: 'a.txt', place: 'a.txt' }],
        ['z', { id: 'a.txt', place: 'a.txt' }],
      ]),
  });
  t.regex(
    (await outcomeOf({ pair: ['y', 'z'] }, both)).stdout,
    /\nthe same tokens: both have those of a\.txt\n/,
  );
});

test('inspect --pair of equal texts prints their size only', async (t) => {
  const texts = async (): Promise<PairTexts> => foundTexts('x y', 'x y');
  t.regex(
    (await outcomeOf({ pair: ['a.txt', 'z'] }, readerOf({ texts }))).stdout,
    /\n\nthe same text, 2 words\n$/,
  );
  const sets = async (): Promise<PairTexts> => ({
    state: 'found',
    a: ['x', 'y'],
    b: ['x', 'y'],
    of: 'element',
  });
  const ofSets = readerOf({ texts: sets, ofSets: true });
  t.regex((await outcomeOf({ pair: ['a.txt', 'z'] }, ofSets)).stdout, /\n\nthe same 2 elements\n$/);
});

test('inspect --pair of two sets lists the common elements and those of each alone, the first thousand of each', async (t) => {
  const many = Array.from({ length: 1002 }, (_, i) => `n${i}`);
  const texts = async (): Promise<PairTexts> => ({
    state: 'found',
    a: ['x', 'y z', '\x1b'],
    b: ['x', '\x1b', ...many],
    of: 'element',
  });
  const ofSets = readerOf({ texts, ofSets: true });
  const { stdout } = await outcomeOf({ pair: ['a.txt', 'z'] }, ofSets, { tty: true, columns: 10_000 });
  const elements = many.slice(0, 1000).join(', ');
  t.true(
    stdout.endsWith(
      [
        '2 elements in both:\n  x, \\x1b\n1 element in a alone:\n\x1b[31m  y z\x1b[0m\n',
        `1,002 elements in b alone:\n\x1b[32m  ${elements}\x1b[0m\n  … and 2 more elements\n`,
      ].join(''),
    ),
    stdout.slice(-200),
  );
});

test('inspect --pair of an unknown id is a usage error', async (t) => {
  const reader = readerOf({ texts: async () => ({ state: 'gone', place: 'nobody' }) });
  const { code, stderr } = await outcomeOf({ pair: ['a.txt', 'nobody'] }, reader);
  t.is(code, 2);
  t.regex(stderr, /^error: no such document in this result: nobody\nhint: /);
});

test('inspect --json prints one object', async (t) => {
  const list = JSON.parse((await outcomeOf({ json: true, top: '1' })).stdout);
  t.deepEqual(list.counts.skipped, { BINARY: 2, UNREADABLE: 1 });
  t.is(list.top[0].b, 'b\\xff\x1b.txt');
  t.is(list.top[0].containment_a_in_b, 1);
  const pair = JSON.parse((await outcomeOf({ json: true, pair: ['a.txt', 'b\\xff\\x1b.txt'] })).stdout);
  t.is(pair.pair.jaccard, 0.9);
  t.is(pair.cluster_of_b.representative, 'a.txt');
  t.deepEqual(pair.texts, { state: 'found' });
});

test('inspect of paragraphs counts paragraphs', async (t) => {
  const { stdout } = await outcomeOf({ pair: ['a.txt', 'b\\xff\\x1b.txt'] }, readerOf({ unit: 'paragraph' }));
  t.regex(stdout, /\na is in cluster 1 .*2 paragraphs/);
});
