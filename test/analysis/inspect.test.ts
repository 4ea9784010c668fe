/** openResult: a finished result, opened for looking. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findDuplicates, MinHashError, openResult, run } from '../../src/index.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const WORDS = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';

async function resultOf(t: ExecutionContext): Promise<{ texts: string; out: string }> {
  const folder = temporaryFolder(t);
  const texts = join(folder, 'texts.jsonl');
  const records = [
    { id: 'a', text: WORDS },
    { id: 'b', text: `${WORDS} sixteen` },
    { id: 'c', text: WORDS.toUpperCase() },
  ];
  writeFileSync(texts, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const out = join(folder, 'out');
  await run({ paths: [texts], out, threads: 0 });
  return { texts, out };
}

test('a result has pairs, clusters and texts', async (t) => {
  const { out } = await resultOf(t);
  const result = await openResult(out);
  t.deepEqual(
    (await result.topPairs(5)).map(({ a, b, kind }) => [a, b, kind]),
    [['a', 'b', 'near']],
  );
  t.is((await result.findPair('c', 'a')).pair?.kind, 'same-tokens');
  t.is((await result.findPair('c', 'b')).pair, null);
  t.deepEqual([...(await result.firstsOf(['c', 'b', 'a']))], [['c', { id: 'a', place: 'texts.jsonl#1' }]]);
  t.is((await result.findCluster('b')).length, 3);
  const texts = await result.texts('a', 'b');
  t.is(texts.state, 'found');
  t.is(texts.state === 'found' ? texts.b.length : 0, 16);
});

test('texts whose similarity differs from the result are reported as changed, near or identical', async (t) => {
  const { texts, out } = await resultOf(t);
  writeFileSync(texts, readFileSync(texts, 'utf8').replaceAll('fourteen', 'other'));
  const result = await openResult(out);
  t.is((await result.texts('a', 'c')).state, 'changed');
  t.is((await result.texts('a', 'b')).state, 'found');
  writeFileSync(texts, readFileSync(texts, 'utf8').replace('three', 'another'));
  t.is((await result.texts('a', 'b')).state, 'changed');
  rmSync(texts);
  t.is((await result.texts('a', 'b')).state, 'gone');
});

test('a result file that differs from the manifest is rejected by name', async (t) => {
  const { out } = await resultOf(t);
  const part = join(out, 'pairs/part-00000.tsv');
  const before = readFileSync(part, 'utf8');
  const damages: (() => void)[] = [
    () => writeFileSync(part, before.replace('near', 'neat')),
    () => appendFileSync(part, 'x'),
    () => rmSync(part),
  ];
  for (const damage of damages) {
    writeFileSync(part, before);
    damage();
    const result = await openResult(out);
    const error = await t.throwsAsync(() => result.topPairs(1), { instanceOf: MinHashError });
    t.is((error as MinHashError).code, 'RESULT_DAMAGED');
    t.regex(error!.message, /pairs\/part-00000\.tsv/);
  }
});

test('a damaged file is reported before its consequences', async (t) => {
  const { out } = await resultOf(t);
  const part = join(out, 'pairs/part-00000.tsv');
  writeFileSync(part, readFileSync(part, 'utf8').replace(/^a\tb.*\n/m, ''));
  const result = await openResult(out);
  const error = await t.throwsAsync(() => result.texts('a', 'b'), { instanceOf: MinHashError });
  t.is((error as MinHashError).code, 'RESULT_DAMAGED');
});

/** Ids that look otherwise in the files of some format. */
const IDS = ['a"q"', 'a,b', 'a\\tb', 'back\\slash', 'tab\tin', 'é.txt', 'ü\u0308', '日本.txt', '😀'];
const PAGE = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');

/** A result of near and identical pairs, a dropped record and one that was skipped. */
async function resultWith(t: ExecutionContext): Promise<string> {
  const folder = temporaryFolder(t);
  const records = IDS.map((id, i) => ({ id, text: i % 3 === 0 ? PAGE : `${PAGE} more${i}` }));
  const lines = [...records.map((record) => JSON.stringify(record)), '{"id":"broken"'];
  writeFileSync(join(folder, 'x.jsonl'), lines.join('\n'));
  const out = join(folder, 'out');
  await run({ paths: [join(folder, 'x.jsonl')], out, threads: 0 });
  return out;
}

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

test('pairs, candidates, clusters, drops and skipped are iterated in file order', async (t) => {
  const out = await resultWith(t);
  const result = await openResult(out);
  const found = await findDuplicates(
    IDS.map((id, i) => ({ id, text: i % 3 === 0 ? PAGE : `${PAGE} more${i}` })),
  );
  const pairs = await all(result.pairs());
  t.deepEqual(
    pairs.map(({ a, b, kind }) => ({ a, b, kind })),
    found.pairs.map(({ a, b, kind }) => ({ a, b, kind })),
  );
  t.is(pairs.length, (result.counts.verified_pairs as number) + (result.counts.identical_pairs as number));
  for (const { containmentAInB, containmentBInA } of pairs) {
    t.true(containmentAInB! > 0.8 && containmentBInA! > 0.8);
  }
  t.is((await all(result.candidates())).length, result.counts.candidate_pairs as number);
  const drops = await all(result.drops());
  t.deepEqual(
    drops.map(({ document, kept, containment }) => ({ document, kept, containment })),
    found.dropped.map(({ document, kept }) => ({ document, kept, containment: null })),
  );
  const clusters = await all(result.clusters());
  t.deepEqual(
    clusters.filter(({ role }) => role === 'member').map(({ document }) => document),
    found.clusters[0]!.members.map(({ document }) => document),
  );
  const broken = (await all(result.skipped())).filter(({ code }) => code === 'JSON_BROKEN');
  t.is(broken.length, 1);
  t.true(broken[0]!.document.endsWith('#10'));
  t.true(broken[0]!.reason.startsWith('JSON_BROKEN: '));
});

test('a pair is found by its ids in either order', async (t) => {
  const result = await openResult(await resultWith(t));
  const pairs = await all(result.pairs());
  t.true(pairs.length > 10);
  for (const row of pairs) {
    t.deepEqual((await result.findPair(row.b, row.a)).pair, row);
    t.true((await result.findCluster(row.a)).some(({ document }) => document === row.a));
  }
  t.is((await result.findPair('é.txt', 'a,b')).pair?.kind, 'near');
  const texts = await result.texts('é.txt', '日本.txt');
  t.is(texts.state, 'found');
  t.is((await result.firstsOf(['back\\slash'])).get('back\\slash')?.id, 'a"q"');
  const unknown = await t.throwsAsync(result.findPair('é.txt', 'absent'), { instanceOf: MinHashError });
  t.deepEqual(unknown?.problems, [{ code: 'DOCUMENT_UNKNOWN', detail: 'absent' }]);
});

test('an iterator may be left at any row, and the next call starts at the first', async (t) => {
  const result = await openResult(await resultWith(t));
  const firsts: string[] = [];
  for (let i = 0; i < 3; i++) {
    for await (const { a, b } of result.pairs()) {
      firsts.push(`${a} ${b}`);
      break;
    }
  }
  t.is(new Set(firsts).size, 1);
});

test('columns are found by name: more columns and another order are accepted', async (t) => {
  const out = await resultWith(t);
  const before = await openResult(out);
  const [drops, clusters] = [await all(before.drops()), await all(before.clusters())];
  t.deepEqual(
    drops.map(({ place }) => place),
    drops.map((_, i) => `x.jsonl#${i + 2}`),
  );
  // A column that nobody knows, in front and at the end.
  rewrite(out, 'duplicates.tsv', (line, i) => `${i === 0 ? 'note' : `x#${i}`}\t${line}`);
  rewrite(out, 'clusters/part-00000.tsv', (line, i) => `${line}\t${i === 0 ? 'note' : `x#${i}`}`);
  const after = await openResult(out);
  t.deepEqual(await all(after.drops()), drops);
  t.deepEqual(await all(after.clusters()), clusters);
  rewrite(out, 'duplicates.tsv', (line) => line.replace('document', 'x'));
  const error = await t.throwsAsync(async () => all((await openResult(out)).drops()));
  t.regex(error!.message, /lacks the column document/);
});

/** Changes a file of a result line by line, and the manifest with it. */
function rewrite(out: string, name: string, change: (line: string, i: number) => string): void {
  const lines = readFileSync(join(out, name), 'utf8').trimEnd().split('\n');
  const text = `${lines.map(change).join('\n')}\n`;
  writeFileSync(join(out, name), text);
  const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  manifest.files[name].bytes = Buffer.byteLength(text);
  manifest.files[name].sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(out, 'manifest.json'), JSON.stringify(manifest));
}

test('file names that are not UTF-8 are distinct, and are found by their bytes or as shown', async (t) => {
  const folder = temporaryFolder(t);
  const names = ['a.txt', 'caf\xe9.txt', 'caf\xff.txt', 'z.txt'];
  mkdirSync(join(folder, 'in'));
  for (const name of names) writeFileSync(Buffer.from(`${folder}/in/${name}`, 'latin1'), PAGE);
  const out = join(folder, 'out');
  await run({ paths: [join(folder, 'in')], out, threads: 0 });
  const result = await openResult(out);
  const members = (await all(result.clusters())).map(({ document }) => document);
  t.deepEqual(members, ['a.txt', 'caf\udce9.txt', 'caf\udcff.txt', 'z.txt']);
  const [first, ...others] = members;
  for (const other of others) {
    const { pair } = await result.findPair(other, first!);
    t.deepEqual([pair?.a, pair?.b], [first, other]);
  }
  t.is((await result.findPair('caf\udce9.txt', 'caf\udcff.txt')).pair, null);
  t.is((await result.texts('caf\udcff.txt', 'z.txt')).state, 'found');
  t.is(result.idOf('caf\\xe9.txt'), 'caf\udce9.txt');
  // What a terminal or a file in UTF-8 makes of it.
  t.not((await result.findPair('caf\ufffd.txt', 'a.txt')).pair, null);
  t.is((await result.findCluster('caf\ufffd.txt')).length, 4);
});
