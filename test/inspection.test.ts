/** openResult: a finished result, opened for looking. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MinHashError, openResult, run } from '../src/index.js';

const WORDS = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';

async function resultOf(t: ExecutionContext): Promise<{ texts: string; out: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-inspection-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
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

test('a result tells its pairs, clusters and texts', async (t) => {
  const { out } = await resultOf(t);
  const result = await openResult(out);
  t.deepEqual(
    (await result.topPairs(5)).map(({ a, b, kind }) => [a, b, kind]),
    [['a', 'b', 'near']],
  );
  t.is((await result.findPair('c', 'a')).pair?.kind, 'same-tokens');
  t.is((await result.findPair('c', 'b')).pair, null);
  t.deepEqual([...(await result.firstsOf(['c', 'b', 'a']))], [['c', 'a']]);
  t.is((await result.findCluster('b')).length, 3);
  const texts = await result.texts('a', 'b');
  t.is(texts.state, 'found');
  t.is(texts.state === 'found' ? texts.b.length : 0, 16);
});

test('texts that no longer give the result are said to have changed, near or identical', async (t) => {
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

test('a result file that is not the one of the manifest is named, not believed', async (t) => {
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
