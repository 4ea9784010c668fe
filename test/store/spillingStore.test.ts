/** Blocks beyond a bound go to disk and come back whole; a store without room ends the run. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { isPlace, readPlace } from '../../src/store/blockPlace.js';
import { TableMemory, UNBOUNDED } from '../../src/store/budget.js';
import { NODE_FILES } from '../../src/store/fileDoor.js';
import { Store, type StoreOptions } from '../../src/store/store.js';
import { blockMemory } from './blockMemory.js';

async function withFolder(work: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function opened(folder: string, more: Partial<StoreOptions> = {}): Store {
  const store = new Store({ limit: blockMemory(1000), ...more });
  store.open(folder);
  return store;
}

/** A buffer of `length` bytes that are all `value`, shared or not. */
function filled(length: number, value: number): ArrayBuffer | SharedArrayBuffer {
  const buffer = value % 2 === 0 ? new ArrayBuffer(length) : new SharedArrayBuffer(length);
  new Uint8Array(buffer).fill(value);
  return buffer;
}

const bytesOf = (buffer: ArrayBuffer | SharedArrayBuffer): Uint8Array =>
  Uint8Array.from(new Uint8Array(buffer));

test('durable blocks beyond the bound leave memory, the oldest first, and come back whole', async (t) => {
  await withFolder(async (folder) => {
    const store = opened(folder);
    for (let i = 0; i < 20; i++) {
      store.put(`durable/${i}`, filled(100 + i, i), 'durable');
      store.put(`memory/${i}`, filled(50, i));
      await store.room();
    }
    t.true(store.bytes <= 1000 + 20 * 50);
    t.true(isPlace(store.locate('durable/0')));
    t.false(isPlace(store.locate('durable/19')));
    t.false(isPlace(store.locate('memory/0')), 'what stays in memory never leaves');
    for (let i = 0; i < 20; i++) {
      t.deepEqual(bytesOf(store.get(`durable/${i}`)), bytesOf(filled(100 + i, i)));
      const place = store.locate(`durable/${i}`);
      if (isPlace(place)) t.deepEqual(bytesOf(readPlace(place)), bytesOf(filled(100 + i, i)));
    }
    await store.close();
  });
});

test('counted blocks make durable ones leave, and where they have no room themselves the run is refused', async (t) => {
  await withFolder(async (folder) => {
    const budget = { ...UNBOUNDED, total: 2000, tables: 500, blocks: 500 };
    const store = opened(folder, { limit: new TableMemory(budget) });
    store.put('durable', filled(300, 1), 'durable');
    store.put('counted', filled(700, 2), 'counted');
    await store.room();
    t.false(isPlace(store.locate('durable')));
    store.put('more', filled(200, 3), 'counted');
    await store.room();
    t.true(isPlace(store.locate('durable')) && !isPlace(store.locate('counted')));
    store.put('most', filled(200, 3), 'counted');
    const detail = /1100 bytes, of which 1000 bytes are left; memory \d+MB has room/;
    await t.throwsAsync(store.room(), { code: 'MEMORY_BUDGET', message: detail });
    store.delete('most');
    await t.notThrowsAsync(store.room());
    await store.close();
  });
});

test('nothing is written while everything fits', async (t) => {
  await withFolder(async (folder) => {
    const store = opened(join(folder, 'work'));
    store.put('a', filled(1000, 1), 'counted');
    await store.room();
    await store.flush();
    t.deepEqual(readdirSync(folder), []);
    await store.close();
  });
});

test('a block that is damaged after it left memory is named and never handed on', async (t) => {
  await withFolder(async (folder) => {
    const store = opened(folder, { limit: blockMemory(0) });
    store.put('a', filled(500, 2), 'durable');
    await store.room();
    const place = store.locate('a');
    if (!isPlace(place)) return t.fail('it is in memory');
    const bytes = readFileSync(place.path);
    bytes[place.offset + 250]! ^= 1;
    writeFileSync(place.path, bytes);
    const flipped = t.throws(() => store.get('a'), { instanceOf: MinHashError });
    t.is(flipped.code, 'BLOCK_CHECKSUM');
    t.regex(flipped.message, /offset \d+: expected [0-9a-f]+, found [0-9a-f]+/);
    truncateSync(place.path, place.offset + 10);
    const cut = t.throws(() => store.get('a'), { instanceOf: MinHashError });
    t.is(cut.code, 'BLOCK_TRUNCATED');
    t.regex(cut.message, /expected 500 bytes, found 10/);
    rmSync(place.path);
    t.is(t.throws(() => store.get('a'), { instanceOf: MinHashError }).code, 'BLOCK_TRUNCATED');
    await store.close();
  });
});

test('a write that fails is told by the next call, with the file and without loss of what is in memory', async (t) => {
  await withFolder(async (folder) => {
    for (const [system, code] of [
      ['ENOSPC', 'DISK_FULL'],
      ['EDQUOT', 'DISK_FULL'],
      ['EIO', 'WRITE_FAILED'],
    ] as const) {
      const door = {
        ...NODE_FILES,
        writeAt: () => Promise.reject(Object.assign(new Error('words of the platform'), { code: system })),
      };
      const store = opened(join(folder, system), { limit: blockMemory(0), door });
      store.put('a', filled(500, 2), 'durable');
      const error = await t.throwsAsync(store.room(), { instanceOf: MinHashError });
      t.is(error.code, code);
      t.regex(error.message, /blocks-0\.log/);
      t.is(store.get('a').byteLength, 500);
      t.throws(() => store.put('b', filled(1, 1)), { instanceOf: MinHashError });
      await store.close();
    }
  });
});
