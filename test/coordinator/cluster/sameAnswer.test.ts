/** The whole recipe on an engine that sorts gives the result of threads, byte for byte. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { randomFrom } from '../../data/seededTexts.js';
import { cutAtWords, sameAnswer, withDecisions } from './randomCases.js';
import { copiedLines, smallColumns, smallLines, smallTexts } from './smallCorpora.js';

test('lines with ids, sets compared', async (t) => {
  t.is(await sameAnswer(t, smallLines(1, 120, true), { idField: 'id' }), null);
});

test('sets that are split into ranges, of lines, texts and units', async (t) => {
  const files = { ...smallLines(5, 60, true), ...smallTexts(6, 40), 'same.txt': 'so '.repeat(300) };
  const again = { ...files, 'same too.txt': 'so '.repeat(290) };
  t.is(await sameAnswer(t, again, { idField: 'id', shingle: 'words:2' }, { rangeHashes: 5 }), null);
  const units = { unit: 'line', shingle: 'words:1', groupBy: 'path:1' } as const;
  t.is(await sameAnswer(t, cutAtWords(files), units, { rangeHashes: 2, givesRows: true }), null);
});

test('lines by place, signatures compared', async (t) => {
  const options = { verify: 'signature' } as const;
  t.is(await sameAnswer(t, smallLines(3, 100, false), options, { byStars: true }), null);
});

test('slots that are to agree, by their number', async (t) => {
  const options = { verify: 'signature', agree: 41, hashes: 64 } as const;
  t.is(await sameAnswer(t, smallLines(14, 90, false), options), null);
});

test('sketches of one shingle in so many, or of rare ones, and of some documents none', async (t) => {
  for (const [sample, verify] of [
    [2, 'exact'],
    [30, 'signature'],
  ] as const) {
    const files = { ...smallLines(8, 80, true), ...copiedLines(20) };
    t.is(await sameAnswer(t, files, { sample, verify, shingle: 'words:3', hotBucket: 8 }), null);
    const rare = { maxShingleDocuments: 12, verify, shingle: 'words:3' } as const;
    t.is(await sameAnswer(t, files, rare, { splitLines: 2 }), null);
  }
});

test('texts, all pairs of classes', async (t) => {
  const options = { expandIdentical: true } as const;
  t.is(await sameAnswer(t, smallTexts(4, 100), options, { reducers: 1 }), null);
});

test('rows of Parquet, of which some have no text, no id, or that of another', async (t) => {
  const options = { idField: 'num', textField: 'parts,text' } as const;
  const files = { ...smallColumns(5, 90), 'z.txt': 'a text beside them' };
  for (const givesRows of [false, true]) t.is(await sameAnswer(t, files, options, { givesRows }), null);
});

test('few of the documents are in pairs', async (t) => {
  const far = Array.from(
    { length: 90 },
    (_, i) => `{"text":"${`${i} `.repeat(3)}${i % 30 === 0 ? 'a b c d' : i * 7} e f"}`,
  );
  t.is(
    await sameAnswer(t, { 'a.jsonl': `${[...far, far[5], far[8]].join('\n')}\n` }, { threshold: 0.6 }),
    null,
  );
});

test('documents of few tokens are left out, or all of them', async (t) => {
  const files = { ...smallTexts(7, 40), ...smallLines(9, 60, true) };
  t.is(await sameAnswer(t, files, { minTokens: 12, verify: 'signature' }), null);
  t.is(await sameAnswer(t, { 'a.txt': 'a b c', 'b.jsonl': '{"text":"d e"}\n' }, { minTokens: 9 }), null);
});

test('units: of records with ids that repeat, of texts in parts, with hot buckets and in another order', async (t) => {
  const texts = smallTexts(4, 60);
  const long = Object.values(texts).filter((text) => typeof text === 'string');
  const files = cutAtWords({ ...texts, ...smallLines(1, 80, true), 'long.txt': long.join(' an end and\n') });
  const options = { shingle: 'words:2', idField: 'id', hotBucket: 4 } as const;
  const asked = { ...options, unit: 'line', keep: 'longest' } as const;
  t.is(await sameAnswer(t, files, asked, { splitLines: 2 }), null);
  const paragraphs = { ...options, unit: 'paragraph', verify: 'signature', groupBy: 'path:1' } as const;
  t.is(await sameAnswer(t, files, paragraphs, { givesRows: true }), null);
  const ofPlace = {
    'a.jsonl': '{"text":"a b c"}\n{"text":"a line"}',
    'b.jsonl': '{"id":"a.jsonl#2","text":"d e"}',
  };
  t.is(await sameAnswer(t, ofPlace, { unit: 'line', idField: 'id', shingle: 'words:1' }), null);
  const none = { unit: 'line', minTokens: 900 } as const;
  t.is(await sameAnswer(t, files, none), null);
  t.is(await sameAnswer(t, { 'a.jsonl': 'no JSON' }, none), 'NOTHING_READ');
});

test('hot buckets, in rounds', async (t) => {
  const files = { ...smallLines(2, 60, false), ...copiedLines(90) };
  t.is(await sameAnswer(t, files, { hotBucket: 4, bands: 3, rows: 4 }), null);
});

test('large buckets, beside hot ones and where documents have groups', async (t) => {
  const files = { ...smallLines(2, 60, false), ...copiedLines(160) };
  const bands = { hotBucket: 60, bands: 16, rows: 3 } as const;
  t.is(await sameAnswer(t, files, bands), null);
  t.is(await sameAnswer(t, files, { ...bands, verify: 'signature', threshold: 0.95 }), null);
  t.is(await sameAnswer(t, files, { threshold: 0.95, candidates: 'all' }), null);
  const copies = String(copiedLines(160)['copies.jsonl']).split('\n');
  const halves = { 'c.jsonl': copies.slice(0, 60).join('\n'), 'deep/d.jsonl': copies.slice(60).join('\n') };
  t.is(await sameAnswer(t, { ...files, ...halves }, { ...bands, groupBy: 'path:1' }), null);
});

test('nothing is read', async (t) => {
  const broken = { 'a.jsonl': 'no JSON', 'b.jsonl': '{"text": "longer than allowed"}' };
  t.is(await sameAnswer(t, broken, { maxDocument: 9 }), 'NOTHING_READ');
  // A text is read, and of records none has the field: the first hundred lines do not tell.
  const lines = `${'no JSON\n'.repeat(100)}{"txt": "a b"}\n`;
  t.is(await sameAnswer(t, { 'a.txt': 'a b c', 'b.jsonl': lines }), 'TEXT_FIELD_MISSING');
});

test('several PATHs, in an order that ids do not have', async (t) => {
  const files = { ...smallLines(6, 60, true), 'z.txt': 'a text beside them' };
  t.is(await sameAnswer(t, files, { idField: 'id' }, {}, 'files'), null);
});

test('another order of survivors: by fields, protected files, and hot buckets in rounds', async (t) => {
  const files = { ...smallLines(2, 40, true), ...copiedLines(40) };
  const rounds = { idField: 'id', hotBucket: 4, bands: 3, rows: 4 } as const;
  const order = { keep: ['field:id', 'longest'], protect: ['b.jsonl'] };
  t.is(await sameAnswer(t, files, { ...rounds, ...order }), null);
  t.is(await sameAnswer(t, files, { ...rounds, keep: 'last', prefer: ['copies.jsonl'] }), null);
  const signed = { verify: 'signature', keep: 'field:id:n7,n14', protect: ['**'] } as const;
  t.is(await sameAnswer(t, smallLines(8, 80, true), { idField: 'id', ...signed }), null);
});

test('decisions: pairs told apart, documents that are to stay or go, with hot buckets in rounds', async (t) => {
  const files = { ...smallLines(2, 60, true), ...copiedLines(40) };
  const rounds = { idField: 'id', hotBucket: 4, bands: 3, rows: 4, protect: ['b.jsonl'] } as const;
  for (const options of [rounds, { ...rounds, keep: 'last', verify: 'signature' } as const]) {
    const decided = await withDecisions(t, randomFrom(3), files, options);
    t.is(await sameAnswer(t, files, decided), null);
  }
  const fates = await withDecisions(t, randomFrom(5), files, { exactDuplicates: true });
  t.is(await sameAnswer(t, files, fates, { givesRows: true }), null);
});

test('lines of sets: compared, of equal ones alone, of weights, with hot buckets; fields that no file has', async (t) => {
  const lines = (from: number): string =>
    Array.from({ length: 900 }, (_, i) => {
      const set = (i * 7 + from) % 60;
      return `s${set}\te${(set % 4) * 100 + ((i * 13) % 30)}\t${i % 3}`;
    }).join('\n');
  const files = { 'a.tsv': lines(0), 'b.tsv': `${lines(3)}\n\nalone\nno weight\tx\ty\nempty\tx\t0\n` };
  const asked = { input: 'sets', threshold: 0.5 } as const;
  for (const options of [
    {},
    { bag: true, verify: 'signature' },
    { hotBucket: 2, sample: 2, maxDocument: 200 },
  ] as const)
    for (const givesRows of [false, true])
      t.is(await sameAnswer(t, files, { ...asked, ...options }, { splitLines: 50, givesRows }), null);
  t.is(await sameAnswer(t, files, { input: 'sets', exactDuplicates: true }), null);
  const packed = { 'a.tsv.gz': gzipSync('u\ti\n1\t2\n') };
  t.is(await sameAnswer(t, packed, { ...asked, columns: 'user,item' }), 'COLUMNS_UNKNOWN');
});

test('a field that no record has, another order by it', async (t) => {
  t.is(
    await sameAnswer(t, { 'a.jsonl': '{"id":"", "text":"a b"}\n' }, { keep: 'field:id' }),
    'FIELD_MISSING',
  );
});

test('documents with the same tokens alone', async (t) => {
  const files = { ...smallLines(12, 90, true), ...smallTexts(13, 40) };
  t.is(await sameAnswer(t, files, { exactDuplicates: true }), null);
  const others = { keep: 'longest', protect: ['a.jsonl'], expandIdentical: true, idField: 'id' } as const;
  t.is(await sameAnswer(t, files, { exactDuplicates: true, ...others }, { byStars: true }), null);
});

test('pairs of two groups: of folders, with hot buckets in rounds, and every row of identical documents', async (t) => {
  const copies = String(copiedLines(90)['copies.jsonl']).split('\n');
  const halves = { 'c.jsonl': copies.slice(0, 40).join('\n'), 'deep/d.jsonl': copies.slice(40).join('\n') };
  const files = { ...smallLines(2, 90, false), ...halves };
  const rounds = { hotBucket: 4, bands: 3, rows: 4 } as const;
  t.is(await sameAnswer(t, files, { ...rounds, groupBy: 'path:1' }), null);
  const order = { keep: 'longest', protect: ['c.jsonl'], expandIdentical: true } as const;
  t.is(await sameAnswer(t, files, { ...rounds, ...order, groupBy: 'path:2', verify: 'signature' }), null);
  t.is(await sameAnswer(t, files, { exactDuplicates: true, groupBy: 'path:1' }, { byStars: true }), null);
});

test('pairs of two groups that a field says, by numbers, texts, or nothing', async (t) => {
  const values = ['7', '"7"', '""', '"a\\u0000b"'];
  const lines = String(smallLines(15, 120, true)['a.jsonl']).split('\n');
  const valued = lines.map((line, i) => line.replace('{', i % 5 === 0 ? '{' : `{"of": ${values[i % 4]}, `));
  const files = { 'a.jsonl': valued.join('\n'), ...copiedLines(30), 'z.txt': 'a text beside them' };
  t.is(await sameAnswer(t, files, { groupField: 'of', hotBucket: 4 }), null);
});

test('what is new against a reference, of which something is read, or of both not', async (t) => {
  const files = { ...smallTexts(7, 60), ...smallLines(9, 90, true) };
  t.is(await sameAnswer(t, files, { threshold: 0.6 }, {}, 'against'), null);
  const others = { prefer: ['**/b.jsonl'], protect: ['**/a.jsonl'], keep: 'id', hotBucket: 2 } as const;
  t.is(await sameAnswer(t, files, { ...others, verify: 'signature' }, {}, 'against'), null);
  const broken = { 'a.jsonl': 'no JSON', 'b.jsonl': '{"text": "some text"}' };
  t.is(await sameAnswer(t, broken, {}, {}, 'against'), 'NOTHING_READ');
  const long = { 'a.jsonl': '{"text": "some text"}', 'b.jsonl': '{"text": "longer than allowed"}' };
  t.is(await sameAnswer(t, long, { maxDocument: 9 }, {}, 'against'), 'NOTHING_READ');
});
