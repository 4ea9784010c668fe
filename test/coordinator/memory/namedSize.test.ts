/** A refusal for lack of memory names a size, and a run with exactly that size is done. Of long records in other forms: test/readers/recordRoom.test.ts, and in streams chunks.test.ts beside it. */
import { gzipSync } from 'node:zlib';
import test from 'ava';
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
  },
  {
    name: 'packed short records',
    file: 'a.jsonl.gz',
    content: () => gzipSync(Array.from({ length: RECORDS }, (_, i) => shortLine(i)).join(''), { level: 1 }),
    code: 'MEMORY_BUDGET',
    documents: RECORDS,
    options: { exactDuplicates: true },
  },
  {
    name: 'a long line',
    file: 'a.jsonl',
    content: () => around(long),
    code: 'MEMORY_RECORD',
    documents: 3,
  },
];

for (const shape of SHAPES)
  test.serial(`${shape.name}: the size that the refusal names is enough`, (t) => checkNamedSize(t, shape));
