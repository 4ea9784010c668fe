/** What a run will take: packed lines stand for more than their bytes. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { PACKED_RATIO } from '../../src/coordinator/planning/estimate.js';
import { plan } from '../../src/coordinator/planning/plan.js';
import { prepared } from './runs/finished.js';

test('packed lines are estimated as what they unpack to, a packed text is one document', async (t) => {
  const bytes = gzipSync(randomBytes(40_960), { level: 0 });
  const { inputs } = prepared(t, {
    'a.jsonl': Buffer.alloc(bytes.length, 'x'),
    'b.jsonl.gz': bytes,
    'c.txt.gz': bytes,
  });
  const workBytes = async (name: string): Promise<number> =>
    (await plan({ paths: [join(inputs, name)], out: join(inputs, '../out') })).workBytes;
  const [plain, packed, text] = [
    await workBytes('a.jsonl'),
    await workBytes('b.jsonl.gz'),
    await workBytes('c.txt.gz'),
  ];
  t.is(Math.round(packed / plain), PACKED_RATIO);
  t.true(text < plain / 10);
});
