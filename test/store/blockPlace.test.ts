import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { checksumOf, readPlace } from '../../src/store/blockPlace.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

test('readPlace reads into the memory it is given where that has room, and elsewhere checks just the same', (t) => {
  const path = join(temporaryFolder(t), 'log');
  const bytes = Uint8Array.from({ length: 300 }, (_, i) => (7 * i) & 255);
  writeFileSync(path, bytes);
  const place = { path, offset: 100, length: 150, checksum: checksumOf(bytes.subarray(100, 250)) };
  for (const [room, same] of [
    [0, false],
    [149, false],
    [150, true],
    [1000, true],
  ] as const) {
    const into = new ArrayBuffer(room);
    const found = readPlace(place, into);
    t.is(found === into, same);
    t.deepEqual([...new Uint8Array(found, 0, 150)], [...bytes.subarray(100, 250)]);
    t.true(new Uint8Array(found, 150).every((byte) => byte === 0));
    const error = t.throws(() => readPlace({ ...place, offset: 99 }, into), { instanceOf: MinHashError });
    t.is(error.code, 'BLOCK_CHECKSUM');
  }
});
