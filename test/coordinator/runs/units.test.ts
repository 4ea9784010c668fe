/** Runs that compare paragraphs or lines: boilerplate is found wherever it stands, and its first copy stays. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openResult } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, finished } from './finished.js';

const NOTICE =
  'This page belongs to the archive of the town and may be\nread by all who come to the reading room.';
const NEAR = `${NOTICE.replace('town', 'city')}`;
const TEXTS = 24;

/** Eleven paragraphs of its own, and the notice as the 12th; short ones between. */
function page(random: () => number): string {
  const own = Array.from({ length: 11 }, () => wordsFrom(random, 12).join(' '));
  return `${own.join('\n\n')}\n \n\n${NOTICE}\n\nshort one\n`;
}

/** Thirty documents of every kind with the same notice. */
function corpus(): Files {
  const random = randomFrom(17);
  const files: Record<string, string | Uint8Array> = {};
  for (let i = 0; i < TEXTS; i++) files[`a/${String(i).padStart(2, '0')}.txt`] = page(random);
  const record = (id: string | undefined, text: string): string => `${JSON.stringify({ id, text })}\n`;
  const own = (): string => wordsFrom(random, 12).join(' ');
  const inCrlf = NOTICE.replaceAll('\n', '\r\n');
  files['b.jsonl'] = [
    record('x', `${own()}\r\n\r\n${inCrlf}`),
    '{"id":"broken","text"\n',
    record('x', `${own()}\n\n${NOTICE}`),
    record(undefined, `${own()}\n\n${NOTICE}\n`),
  ].join('');
  files['c.csv'] = `id,text\nc1,"${own()}\n\n${NOTICE}"\n`;
  files['d.txt.gz'] = gzipSync(`${own()}\n\n${NOTICE}`);
  // What is seen of a page has no blank lines.
  files['e.html'] = `<title>e</title><body><p>${NOTICE.replace('\n', '<br>')}</p>`;
  files['f.txt'] = '\n \n';
  files['g.txt'] = '';
  return files;
}

const PARAGRAPHS = [
  ...Array.from({ length: TEXTS - 1 }, (_, i) => `a/${String(i + 1).padStart(2, '0')}.txt#p12`),
  'b.jsonl#3#p2',
  'b.jsonl#1#p2',
  'b.jsonl#4#p2',
  'c.csv#1#p2',
  'd.txt.gz#p2',
  'e.html#p1',
];

test('a notice in thirty documents of every kind is found, and kept in the first', async (t) => {
  const result = await finished(t, corpus(), { unit: 'paragraph' });
  t.deepEqual(result.dropped.map(({ place }) => place).sort(), [...PARAGRAPHS].sort());
  t.true(result.dropped.every(({ kept }) => kept === 'a/00.txt#p12'));
  const byPlace = new Map(result.dropped.map(({ place, document }) => [place, document]));
  t.is(byPlace.get('b.jsonl#1#p2'), 'x#p2');
  t.is(byPlace.get('b.jsonl#3#p2'), 'x#p2');
  t.is(byPlace.get('c.csv#1#p2'), 'c1#p2');
  const { counts } = result.manifest;
  t.is(counts.documents_cut, TEXTS + 3 + 5);
  t.is(counts.left_alone, TEXTS);
  t.is(counts.read, 12 * TEXTS + 2 * 5 + 1);
  t.is(counts.ids_repeated, 2);
  t.is(counts.empty, 0);
  // A record that cannot be read is named once.
  t.deepEqual(
    result.skipped.map(({ document }) => document),
    ['b.jsonl#2'],
  );
  t.regex(result.summary, /^ +299 {2}of them were compared$/m);
  t.regex(result.summary, /^ +24 {2}were skipped, with fewer tokens than --min-tokens$/m);
  t.regex(result.summary, /^ +32 {2}whole texts were divided into these$/m);
  t.regex(result.summary, /^ +29 {2}can be dropped/m);
});

test('lines have the numbers of an editor; the first line kept is the first of its document', async (t) => {
  const near = `${NEAR}\n`.repeat(1);
  const files = { 'a.txt': `one\n\n${NOTICE}\n`, 'b!.txt': `\ufeff${near}${'\n'.repeat(9)}${NOTICE}` };
  const result = await finished(t, files, { unit: 'line', threshold: 0.5, shingle: 'words:2' });
  t.deepEqual(
    result.dropped.map(({ document, kept }) => [document, kept]),
    [
      ['b!.txt#l1', 'a.txt#l3'],
      ['b!.txt#l2', 'a.txt#l4'],
      ['b!.txt#l12', 'a.txt#l3'],
      ['b!.txt#l13', 'a.txt#l4'],
    ],
  );
  // As bytes `#l10` comes before `#l9`.
  const lines = Array.from({ length: 12 }, (_, i) => (i < 8 ? `only in line ${i}` : NOTICE.split('\n')[0]));
  const many = await finished(t, { 'z.txt': lines.join('\n') }, { unit: 'line', shingle: 'words:2' });
  t.deepEqual(
    many.dropped.map(({ document, kept }) => [document, kept]),
    ['10', '11', '12'].map((line) => [`z.txt#l${line}`, 'z.txt#l9']),
  );
});

/** Larger than two pieces, so that it is read in parts. */
function largeText(): string {
  const random = randomFrom(3);
  const page = wordsFrom(random, 400);
  const lines: string[] = [];
  for (let i = 0; i < 130; i++) {
    lines.push(edited(random, page, 2).join(' '), wordsFrom(random, 8).join(' '));
    if (i % 3 === 0) lines.push('', NOTICE.split('\n')[i % 2]!);
  }
  return `${lines.join('\n')}\n`.repeat(4);
}

/** Signatures of so many slots make pieces of 256 KiB. */
const PARTS = { hashes: 1024, bands: 40, rows: 5 } as const;

test('a large text that is read in parts has the same result as one read whole', async (t) => {
  const text = largeText();
  const options: RunOptions = { unit: 'line', ...PARTS };
  const plain = await finished(t, { 'a.txt': text }, options);
  const packed = await finished(t, { 'a.txt.gz': gzipSync(text) }, options);
  const named = (rows: Finished['dropped']) => rows.map((row) => Object.values(row).join(' '));
  t.deepEqual(
    named(plain.dropped),
    named(packed.dropped).map((row) => row.replaceAll('.txt.gz', '.txt')),
  );
  t.true(plain.dropped.length > 500);
  const { documents_cut, read } = plain.manifest.counts;
  t.deepEqual([documents_cut, read], [1, packed.manifest.counts.read]);
  t.true(plain.report.stages.find(({ stage }) => stage === 'sketch')!.tasks > 2);
});

test('a large table among texts is reported once as a text', async (t) => {
  const files = { 'a.txt': NOTICE, 'table.csv': `one\n${largeText()}` };
  const { noted, manifest } = await finished(t, files, { unit: 'line', verify: 'none', ...PARTS });
  t.deepEqual(
    noted.filter(({ kind }) => kind === 'as text').map(({ document }) => document),
    ['table.csv#l2'],
  );
  t.is(manifest.counts.records_as_text, 1);
});

type Finished = Awaited<ReturnType<typeof finished>>;

test('texts of units are found by their locations, or by ids that do not repeat', async (t) => {
  const { out } = await finished(t, corpus(), { unit: 'paragraph' });
  const result = await openResult(out);
  const words = NOTICE.toLowerCase()
    .split(/\W+/)
    .filter((word) => word !== '');
  for (const [a, b] of [
    ['a/00.txt#p12', 'b.jsonl#1#p2'],
    ['b.jsonl#3#p2', 'c1#p2'],
  ] as const) {
    t.like(await result.texts(a, b), { state: 'found', a: words, b: words });
  }
  const error = await t.throwsAsync(result.findPair('a/00.txt#p12', 'a/00.txt#p99'));
  t.regex(error!.message, /a\/00\.txt#p99/);
});

test('short documents are counted, and are not compared or dropped', async (t) => {
  const files = { a: 'one two three', b: 'one two three', c: NOTICE, d: NOTICE, e: '' };
  const result = await finished(t, files, { minTokens: 4 });
  t.deepEqual(
    result.dropped.map(({ document }) => document),
    ['d'],
  );
  const { left_alone, read, documents, empty, documents_cut } = result.manifest.counts;
  t.deepEqual({ left_alone, read, documents, empty }, { left_alone: 2, read: 3, documents: 5, empty: 1 });
  t.is(documents_cut, undefined);
  t.regex(result.summary, /^ +3 {2}of them were compared\n +2 {2}were skipped, with fewer/m);
  const none = await finished(t, { a: 'one two', b: 'one two' }, { unit: 'line' });
  t.regex(none.summary, /^ +0 {2}of them were compared\n +2 {2}were skipped/m);
});

test('a skipped document has no units', async (t) => {
  // Its text in UTF-8 is longer than its bytes: its first lines were cut before that was known.
  const files = {
    'a.txt': Buffer.from(`${NOTICE}\n`.repeat(3) + 'é'.repeat(200), 'latin1'),
    'b.txt': NOTICE,
  };
  const result = await finished(t, files, { unit: 'line', encoding: 'latin1', maxDocument: 600 });
  t.deepEqual(
    result.skipped.map(({ document }) => document),
    ['a.txt'],
  );
  t.is(result.manifest.counts.read, 2);
  t.is(result.manifest.counts.documents_cut, 1);
});

test('a paragraph is in one field, or one string of an array, in any form of the record', async (t) => {
  const random = randomFrom(29);
  const own = (): string => wordsFrom(random, 12).join(' ');
  const title = own();
  const record = (body: string): string => JSON.stringify({ title, body });
  const columnData = [
    { name: 'title', data: [title, title], type: 'STRING' as const },
    { name: 'body', data: [own(), own()], type: 'STRING' as const },
  ];
  const files = {
    'a.jsonl': record(own()),
    'b.json': `[${record(own())}, ${JSON.stringify({ title: [title, own()] })}]`,
    'c.csv': `title,body\n${title},"${own()} ""x"""\n`,
    'e.parquet': new Uint8Array(parquetWriteBuffer({ columnData })),
  };
  const fields = { textField: 'title,body', unit: 'paragraph' } as const;
  const { dropped, manifest } = await finished(t, files, fields);
  const places = ['b.json#1', 'b.json#2', 'c.csv#1', 'e.parquet#1', 'e.parquet#2'];
  t.deepEqual(
    dropped.map(({ place }) => place).sort(),
    places.map((place) => `${place}#p1`),
  );
  t.is(manifest.counts.read, 12);
});
