/** Warnings about inputs that are read in another way than their owner may expect, with what to type. */
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { RunOptions } from '../../../src/options/check.js';
import { type Files, finished, pairNames } from './finished.js';

async function warnings(
  t: ExecutionContext,
  files: Files,
  options: Partial<RunOptions> = {},
): Promise<readonly string[]> {
  return (await finished(t, files, options)).report.warnings;
}

const LINES = '{"id":"1","text":"a b c d e"}\n{"id":"2","text":"a b c d f"}\n';

test('JSON lines are read by their usual endings, and reported under others', async (t) => {
  for (const name of ['a.jl', 'a.geojsonl', 'a'])
    t.deepEqual((await finished(t, { [name]: LINES })).report.counts.read, 2, name);
  for (const name of ['a.log', 'a.txt', 'a.jsonl.bak']) {
    const [warning, ...others] = await warnings(t, { [name]: LINES, 'text.txt': 'a text\n' });
    t.true(warning!.startsWith(`"${name}" holds JSON lines`), name);
    t.regex(warning!, /--input jsonl/);
    t.deepEqual(others, []);
  }
  t.deepEqual(await warnings(t, { 'a.txt': '{"one": 1}', 'b.txt': '{ a\n{ b\n' }), []);
});

test('a mailbox without an ending is read as one', async (t) => {
  const mail = (id: number): string =>
    `From a@example.org Mon Jan  1 00:00:0${id} 2024\nMessage-ID: <${id}@x>\n\nwords ${id}\n\n`;
  t.is((await finished(t, { mails: mail(1) + mail(2) })).report.counts.read, 2);
});

test('lines that are whole baskets are reported with the separator of the file', async (t) => {
  const baskets: Files = {
    'longer.tsv': 'a\tb\tc\td\na\tb\n',
    'numbers.csv': '1,2,3\n1,3,2\n2,3,5\n5,1,2\n',
    'single.csv': '1,2,3\n4\n1,2\n',
    'commas.txt': 'a,b,c,d\na,b\n',
  };
  for (const [name, lines] of Object.entries(baskets)) {
    const found = (await warnings(t, { [name]: lines, 'rows.tsv': 'a\tb\n' }, { input: 'sets' })).join();
    t.regex(found, name.endsWith('.tsv') ? /awk -F'\\t' .*longer\.tsv/ : /awk -F, /, name);
  }
  const sets: Files = {
    'pairs.csv': 'u1,i1\nu1,i2\nu2,i1\nu2,i2\n',
    'weights.csv': 'u1,i1,2\nu1,i2,1\nu2,i1,3\nu2,i2,1\n',
    'some.tsv': 'u1\ti1\t2\nu1\ti2\nu2\ti1\nu2\ti2\n',
    'numbers.csv': '1,1193,5\n1,661,3\n1,914,3\n2,1193,4\n2,661,4\n',
  };
  for (const [name, lines] of Object.entries(sets))
    t.deepEqual(await warnings(t, { [name]: lines }, { input: 'sets' }), [], name);
});

test('a line of names above lines of numbers is reported with --columns', async (t) => {
  const files = { 'r.csv': 'userId,movieId,rating,time\n1,10,4,9\n1,11,4,9\n2,10,5,9\n2,12,5,9\n' };
  const [warning] = await warnings(t, files, { input: 'sets' });
  t.regex(warning!, /is read as the set "userId": .* --columns userId,movieId,rating\.$/);
  t.deepEqual(await warnings(t, files, { input: 'sets', columns: ['userId', 'movieId'] }), []);
});

test('objects beside strings in a text field are reported with the field of their texts', async (t) => {
  const part = { type: 'text', text: 'd e' };
  const chats = [
    { m: [{ content: 'f g' }] },
    { m: [{ content: 'a b c' }, { content: [part, { type: 'image', url: 'x'.repeat(99) }] }] },
  ];
  const files = { 'a.jsonl': chats.map((chat) => JSON.stringify(chat)).join('\n') };
  const [warning] = await warnings(t, files, { textField: 'm.content' });
  t.regex(warning!, /--text-field m\.content,m\.content\.text reads their texts, too\.$/);
  t.deepEqual(await warnings(t, files, { textField: 'm.content,m.content.text' }), []);
});

test('a record with a text and an array of records is reported with --records', async (t) => {
  const file = JSON.stringify({ text: 'all of it', items: [{ text: 'a b c' }, { text: 'd e f' }] });
  const [warning] = await warnings(t, { 'a.json': file });
  t.regex(warning!, /compared as one document: .*--records items\.$/);
  t.deepEqual(await warnings(t, { 'a.json': file }, { records: 'items' }), []);
});

test('TSV in which all values of a column are in quotes is reported with --quote', async (t) => {
  const [warning] = await warnings(t, { 'a.tsv': 'id\ttext\n1\t"a b"\n2\t"c d"\n' });
  t.regex(warning!, /--quote '"'/);
  t.deepEqual(await warnings(t, { 'a.tsv': 'id\ttext\n1\t"a b" c\n2\t"c d"\n' }), []);
  await t.throwsAsync(finished(t, { 'a.tsv': '"id"\t"text"\n"1"\t"a b"\n' }), { message: /--quote '"'/ });
});

test('typed ids of MongoDB are the values inside', async (t) => {
  const ids = [
    ['{"$oid":"5f"}', '5f'],
    ['{"$date":"2020-01-01T00:00:00Z"}', '2020-01-01T00:00:00Z'],
    ['{"$date":{"$numberLong":"1577836800000"}}', '1577836800000'],
    ['{"$date":1577836800000}', '1577836800000'],
    ['{"$numberDecimal":"1.50"}', '1.50'],
    ['{"$binary":{"base64":"AAEC","subType":"04"}}', 'AAEC'],
    ['{"base64":"AAEC"}', '{"base64":"AAEC"}'],
  ] as const;
  const lines = ids.map(([id]) => `{"_id":${id},"text":"one two three"}\n`);
  const { pairs } = await finished(t, { 'a.jsonl': lines.join('') }, { idField: '_id' });
  t.deepEqual(
    pairNames(pairs),
    ids.slice(1).map(([, id]) => `5f ${id} identical`),
  );
  // The value of a field, too: a field without any value would be rejected.
  const dated = ['2', '1'].map((n) => `{"id":"${n}","n":{"$numberLong":"${n}"},"text":"one two three"}\n`);
  const kept = await finished(t, { 'a.jsonl': dated.join('') }, { keep: 'field:n:asc' });
  t.deepEqual(kept.pairs.length, 1);
});

test('the text before damage is a document, and the advice has the path of the file', async (t) => {
  const text = 'one two three four five six seven';
  const { report, skipped, pairs } = await finished(t, {
    'a.txt': text,
    'behind.txt.gz': Buffer.concat([gzipSync(text), Buffer.from('more bytes')]),
    'page.html.gz': gzipSync(`<p>${text}</p>`).subarray(0, -4),
  });
  t.deepEqual(pairNames(pairs), ['a.txt behind.txt.gz identical', 'a.txt page.html.gz identical']);
  t.deepEqual(
    skipped.map(({ document, reason }) => `${document} ${reason!.split(':')[0]}`),
    ['behind.txt.gz GZIP_BEHIND', 'page.html.gz GZIP_TRUNCATED'],
  );
  t.regex(report.warnings[0]!, /gzip -dc \/.*\/behind\.txt\.gz > \/.*\/behind\.txt.* delete or move/);
});

test('--preset records is recommended for 70 short records, and not for 20', async (t) => {
  const titles = (count: number): Files => ({
    'a.csv': `text\n${Array.from({ length: count }, (_, i) => `title ${i} of a thing`).join('\n')}\n`,
  });
  t.regex((await warnings(t, titles(70))).join(), /--preset records/);
  t.notRegex((await warnings(t, titles(20))).join(), /--preset records/);
});
