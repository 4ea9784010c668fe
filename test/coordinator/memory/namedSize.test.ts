/** A refusal for lack of memory names a size, and a run with exactly that size is done. Of long records in other forms: test/readers/recordRoom.test.ts, and in streams chunks.test.ts beside it. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { MinHashError, run } from '../../../src/index.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { checkNamedSize, jsonLine, type Shape } from './namedSize.js';

const shortLine = (i: number): string => jsonLine({ id: `record ${i}`, text: `a${i} b${i % 7} c` });
const long = 'some words of a long text '.repeat(500_000);
const RECORDS = 160_000;
const around = (text: string): string => shortLine(1) + jsonLine({ id: 'long', text }) + shortLine(2);

const SHAPES: readonly Shape[] = [
  {
    name: 'short records',
    file: 'a.jsonl',
    content: () => Array.from({ length: RECORDS }, (_, i) => shortLine(i)).join(''),
    code: 'MEMORY_BUDGET',
    documents: RECORDS,
    options: { hashes: 16 },
    isForeseen: true,
  },
  {
    name: 'packed short records',
    file: 'a.jsonl.gz',
    content: () => gzipSync(Array.from({ length: RECORDS }, (_, i) => shortLine(i)).join(''), { level: 1 }),
    code: 'MEMORY_BUDGET',
    documents: RECORDS,
    options: { exactDuplicates: true },
    isForeseen: true,
  },
  {
    name: 'a long line',
    file: 'a.jsonl',
    content: () => around(long),
    code: 'MEMORY_RECORD',
    documents: 3,
    isForeseen: true,
  },
];

for (const shape of SHAPES)
  test.serial(`${shape.name}: the size that the refusal names is enough`, (t) => checkNamedSize(t, shape));

test('how many documents a size is enough for is told where it is known', async (t) => {
  const told = async (content: string): Promise<string> => {
    const top = temporaryFolder(t, { 'in/a.jsonl': content });
    const given = { paths: [join(top, 'in')], out: join(top, 'out'), threads: 1, memory: 1e6 };
    return (await t.throwsAsync(run(given), { instanceOf: MinHashError })).message;
  };
  t.regex(
    await told(shortLine(1)),
    /expected \d+MB, which is enough with 1 thread, for about 1 document, unless/,
  );
  t.regex(
    await told(shortLine(1) + shortLine(2)),
    /, for about 2 documents, unless very many of them are alike/,
  );
  const unmet = shortLine(1) + jsonLine({ id: 'long', text: long });
  t.regex(await told(unmet), /expected at least \d+MB with 1 thread, and more for many documents or pairs/);
});
