/** Files of scattered hashes: what was written comes back or is named as damaged. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { RangeFile, RangeReader, removeRangeFile } from '../../src/store/rangeFile.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const pieces = fc.array(
  fc.record({
    range: fc.nat(5),
    hashes: fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: 1, maxLength: 9 }),
  }),
  { maxLength: 12 },
);

test('pieces of a range come back in their order, and no others', (t) => {
  const path = join(temporaryFolder(t), 'made', 'hashes.part');
  fc.assert(
    fc.property(pieces, fc.nat(5), fc.nat(6), (list, from, length) => {
      // The same path every time: what is left there is written anew.
      const file = new RangeFile(path);
      const scratch = new Uint32Array(40);
      for (const { range, hashes } of list) {
        const words = hashes.flatMap((hash) => [hash, range]);
        scratch.set(words);
        file.append(range, scratch.subarray(0, words.length));
      }
      const to = Math.min(6, from + length);
      const reader = new RangeReader(path, file.finish(), from, to);
      for (let range = from; range < to; range++) {
        t.deepEqual(
          [...reader.hashes(range)].map((words) => [...words]),
          list
            .filter((one) => one.range === range)
            .map(({ hashes }) => hashes.flatMap((hash) => [hash, range])),
        );
      }
      reader.close();
    }),
    { seed: 1, numRuns: 100 },
  );
  removeRangeFile(path);
  removeRangeFile(path);
  const { code } = t.throws(
    () => new RangeReader(path, new RangeFile(`${path}2`).finish(), 0, 1),
  ) as Error & {
    code: string;
  };
  t.is(code, 'BLOCK_TRUNCATED');
});

test('a flipped bit and a file that ends too early are named and not believed', (t) => {
  const path = join(temporaryFolder(t), 'hashes.part');
  const file = new RangeFile(path);
  file.append(0, Uint32Array.of(1, 2, 3, 4));
  file.append(1, Uint32Array.of(5, 6));
  const found = file.finish();
  const bytes = readFileSync(path);
  const readAll = (): void => {
    const reader = new RangeReader(path, found, 0, 2);
    try {
      for (const range of [0, 1]) for (const _ of reader.hashes(range));
    } finally {
      reader.close();
    }
  };
  t.notThrows(readAll);
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(path, damaged);
    const offset = bit < 128 ? 0 : 16;
    const message = new RegExp(`hashes\\.part, offset ${offset}: expected [0-9a-f]+, found [0-9a-f]+`);
    t.throws(readAll, { code: 'BLOCK_CHECKSUM', message });
  }
  for (let length = 0; length < bytes.length; length++) {
    writeFileSync(path, bytes);
    truncateSync(path, length);
    t.throws(readAll, { code: 'BLOCK_TRUNCATED', message: /expected (16|8) bytes, found \d+/ });
  }
});

test('whichever call to the file system fails, the error names the file', (t) => {
  const folder = temporaryFolder(t);
  for (const [call, system, code] of [
    ['open', 'EACCES', 'WRITE_FAILED'],
    ['write', 'ENOSPC', 'DISK_FULL'],
    ['close', 'EIO', 'WRITE_FAILED'],
    ['remove', 'EPERM', 'WRITE_FAILED'],
  ] as const) {
    const fail = (): never => {
      throw Object.assign(new Error('words of the platform'), { code: system });
    };
    const door: FileDoor = { ...NODE_FILES, [call]: fail };
    const path = join(folder, call);
    const error = t.throws(() => {
      const file = new RangeFile(path, door);
      try {
        file.append(0, Uint32Array.of(1, 2));
        file.finish();
      } catch (cause) {
        file.abandon();
        throw cause;
      }
      removeRangeFile(path, door);
    });
    t.is((error as Error & { code: string }).code, code, call);
    t.true(error!.message.includes(path), error!.message);
  }
});
