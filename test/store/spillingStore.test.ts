/** Blocks beyond a bound go to disk and come back whole; durable ones are found again by a later run, damaged ones named. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { MinHashError } from '../../src/errors.js';
import { checksumOf, isPlace, readPlace } from '../../src/store/blockPlace.js';
import { TableMemory, UNBOUNDED } from '../../src/store/budget.js';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { type EarlierRun, Store, type StoreOptions } from '../../src/store/store.js';
import { blockMemory } from './blockMemory.js';

const FINGERPRINT = 'version 1, parameters 2, inputs 3';

async function withFolder(work: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function opened(folder: string, more: Partial<StoreOptions & EarlierRun> = {}): Store {
  const store = new Store({ limit: blockMemory(1000), ...more });
  store.open({ folder, fingerprint: FINGERPRINT, resume: false, ...more });
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

/** Names of the blocks that a later run finds. */
function foundLater(folder: string): string[] {
  return opened(folder, { resume: true }).recalled('');
}

test('durable blocks wait until checkpoints begin, and the run is noted before the first of them', async (t) => {
  for (const after of [10, 0]) {
    await withFolder(async (folder) => {
      const work = join(folder, 'work');
      const noted: string[][] = [];
      const begin = (): void => void noted.push(readdirSync(folder));
      const store = opened(work, { limit: blockMemory(1e9), checkpoints: { after, begin } });
      store.put('early', filled(10, 1), 'durable', { n: 1 });
      store.put('gone', filled(10, 2), 'durable');
      store.delete('gone');
      store.put('counted', filled(10, 3), 'counted');
      t.is(store.hasCheckpoints, after === 0);
      while (!store.hasCheckpoints) await nextTurn();
      store.put('late', filled(10, 4), 'durable', null, checksumOf(bytesOf(filled(10, 4))));
      store.put('last', filled(10, 5), 'durable');
      store.delete('last');
      await store.flush();
      t.is(store.bytes, 30, 'what is on disk alone is no longer in memory');
      t.deepEqual(noted, [[]]);
      await store.close();
      // What this run had let go before is nobody's; what it lets go later may be needed by another.
      t.deepEqual(
        foundLater(work),
        after === 0 ? ['early', 'gone', 'late', 'last'] : ['early', 'late', 'last'],
      );
    });
  }
});

test('a run that ends before checkpoints begin leaves nothing', async (t) => {
  await withFolder(async (folder) => {
    const begin = (): void => t.fail();
    const store = opened(join(folder, 'work'), {
      limit: blockMemory(1e9),
      checkpoints: { after: 1e6, begin },
    });
    store.put('a', filled(10, 1), 'durable');
    await store.room();
    await store.flush();
    await store.close();
    t.deepEqual(readdirSync(folder), []);
  });
});

test('where memory is short durable blocks are written before checkpoints begin', async (t) => {
  await withFolder(async (folder) => {
    const work = join(folder, 'work');
    let notes = 0;
    const checkpoints = { after: 1e6, begin: () => void notes++ };
    const store = opened(work, { limit: blockMemory(100), checkpoints });
    for (let i = 0; i < 5; i++) store.put(`d${i}`, filled(50, i), 'durable');
    await store.room();
    t.is(notes, 1);
    t.true(store.bytes <= 100);
    await store.flush();
    await store.close();
    const found = foundLater(work);
    t.true(found.includes('d0') && !found.includes('d4'));
  });
});

test('a time beyond that of any timer is never reached', async (t) => {
  await withFolder(async (folder) => {
    const begin = (): void => t.fail();
    const store = opened(join(folder, 'work'), {
      limit: blockMemory(1e9),
      checkpoints: { after: 1e12, begin },
    });
    store.put('a', filled(10, 1), 'durable');
    // A timer of too long a time ends in the next millisecond, and those of one list in the order of their ends.
    await new Promise((resolve) => setTimeout(resolve, 2));
    await store.close();
    t.deepEqual(readdirSync(folder), []);
  });
});

test('a run that cannot be noted ends', async (t) => {
  await withFolder(async (folder) => {
    const begin = (): void => {
      throw new MinHashError({ code: 'DISK_FULL', detail: 'run.json' });
    };
    const store = opened(folder, { limit: blockMemory(10), checkpoints: { after: 1e6, begin } });
    store.put('a', filled(50, 1), 'durable');
    await t.throwsAsync(store.room(), { code: 'DISK_FULL' });
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

test('durable blocks are found by a later run with the same fingerprint, in their order, with their reports', async (t) => {
  await withFolder(async (folder) => {
    const first = opened(folder, { limit: blockMemory(1e9) });
    first.put('d/0', filled(10, 3), 'durable', { documents: 5 });
    first.put('e/0', filled(0, 0), 'durable');
    first.put('d/1', filled(1000, 4), 'durable', { documents: 6 });
    first.put('s/0', filled(1000, 4), 'counted');
    first.delete('d/0');
    await first.flush();
    await first.close();

    const second = opened(folder, { resume: true });
    t.deepEqual(second.recalled('d/'), ['d/0', 'd/1']);
    t.deepEqual(second.recalled(''), ['d/0', 'e/0', 'd/1']);
    t.deepEqual(second.reportOf('d/1'), { documents: 6 });
    t.deepEqual(bytesOf(second.get('d/1')), bytesOf(filled(1000, 4)));
    t.is(second.get('e/0').byteLength, 0);
    t.deepEqual(second.left, { damage: [], cut: [] });
    t.is(second.bytes, 0);
    // Made again all the same: the new one counts.
    second.put('d/0', filled(12, 5), 'durable', { documents: 7 });
    await second.flush();
    await second.close();

    const third = opened(folder, { resume: true });
    t.deepEqual(third.recalled('d/'), ['d/1', 'd/0']);
    t.deepEqual(bytesOf(third.get('d/0')), bytesOf(filled(12, 5)));
    await third.close();
    const other = opened(folder, { resume: true, fingerprint: 'other' });
    t.deepEqual(other.recalled(''), []);
    t.is(other.left.damage.length, 2);
    await other.close();
    const fresh = opened(folder);
    t.deepEqual(fresh.recalled(''), []);
    t.deepEqual(readdirSync(folder), []);
    await fresh.close();
  });
});

test('durable blocks stay for a later run when all of them are deleted', async (t) => {
  await withFolder(async (folder) => {
    const store = opened(folder, { limit: blockMemory(0) });
    store.put('s', filled(10, 4), 'counted');
    for (const name of ['d/0', 'd/1']) store.put(name, filled(10, 3), 'durable');
    await store.room();
    await store.flush();
    for (const name of ['s', 'd/0', 'd/1']) store.delete(name);
    await store.flush();
    await store.close();
    t.deepEqual(opened(folder, { resume: true }).recalled(''), ['d/0', 'd/1']);
  });
});

test('flush makes durable blocks durable, and close waits for what is being written', async (t) => {
  await withFolder(async (folder) => {
    const calls: string[] = [];
    const door: FileDoor = {
      ...NODE_FILES,
      writeAt: async (...write) => {
        // Other steps have their turn first.
        await nextTurn();
        const written = await NODE_FILES.writeAt(...write);
        calls.push('written');
        return written;
      },
      syncLater: async (descriptor) => {
        await NODE_FILES.syncLater(descriptor);
        calls.push('synced');
      },
      close: (descriptor) => {
        NODE_FILES.close(descriptor);
        calls.push('closed');
      },
    };
    const store = opened(folder, { door });
    store.put('a', filled(10, 3), 'durable');
    await store.flush();
    // The mark beside the log is closed at once; a head, a record and a block are written.
    t.deepEqual(calls, ['closed', 'written', 'written', 'written', 'synced']);
    store.put('b', filled(10, 4), 'durable');
    await store.close();
    t.deepEqual(calls.slice(5), ['written', 'written', 'closed']);
    t.deepEqual(opened(folder, { resume: true }).recalled(''), ['a', 'b']);
  });
});

/** A folder with one log of ten durable blocks; returns its path. */
async function tenBlocks(folder: string): Promise<string> {
  const store = opened(folder, { limit: blockMemory(1e9) });
  for (let i = 0; i < 10; i++) store.put(`d/${i}`, filled(200 + i, i + 1), 'durable', { number: i });
  await store.flush();
  await store.close();
  return join(folder, readdirSync(folder)[0]!);
}

test('a flipped bit anywhere costs at most one block, and is named', async (t) => {
  await withFolder(async (folder) => {
    const path = await tenBlocks(folder);
    const bytes = readFileSync(path);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 1 << bit;
        writeFileSync(path, damaged);
        const store = opened(folder, { resume: true });
        const names = store.recalled('');
        // A bit of the padding behind a block says nothing and harms nothing.
        if (names.length === 10) t.deepEqual(store.left.damage, []);
        else {
          t.is(names.length, at < 64 ? 0 : 9);
          t.is(store.left.damage.length, 1);
          t.true(store.left.damage[0]!.offset <= at);
        }
        for (const name of names) {
          const i = Number(name.slice(2));
          if (!bytesOf(filled(200 + i, i + 1)).every((byte, j) => bytesOf(store.get(name))[j] === byte))
            return false;
        }
        return true;
      }),
      { seed: 1, numRuns: 120 },
    );
  });
});

/** Where the next record would begin behind a block. */
function endOf(store: Store, name: string): number {
  const place = store.locate(name);
  if (!isPlace(place)) throw new Error(`${name} is in memory`);
  return Math.ceil((place.offset + place.length) / 64) * 64;
}

test('a log that is gone is named until what was in it is written anew, and an empty one is told', async (t) => {
  await withFolder(async (folder) => {
    const path = await tenBlocks(folder);
    rmSync(path);
    const gone = { path, offset: 0, expected: 'a log of this run', found: 'no file' };
    for (let look = 0; look < 2; look++) t.deepEqual(opened(folder, { resume: true }).left.damage, [gone]);
    const again = opened(folder, { resume: true });
    again.put('d/0', filled(5, 2), 'durable');
    await again.flush();
    await again.close();
    t.deepEqual(readdirSync(folder), ['durable-000001.log', 'made-000001']);
    const after = opened(folder, { resume: true });
    t.deepEqual(after.left, { damage: [], cut: [] });
    t.deepEqual(after.recalled(''), ['d/0']);
    truncateSync(join(folder, 'durable-000001.log'), 0);
    const empty = opened(folder, { resume: true }).left;
    t.deepEqual(empty, { damage: [], cut: [{ path: join(folder, 'durable-000001.log'), bytes: 0 }] });
  });
});

test('of a log that breaks off the blocks before the break are found', async (t) => {
  await withFolder(async (folder) => {
    const path = await tenBlocks(folder);
    const whole = readFileSync(path);
    for (let length = whole.length - 1; length >= 0; length -= 97) {
      truncateSync(path, length);
      const store = opened(folder, { resume: true });
      const names = store.recalled('');
      t.deepEqual(
        names,
        ['d/0', 'd/1', 'd/2', 'd/3', 'd/4', 'd/5', 'd/6', 'd/7', 'd/8', 'd/9'].slice(0, names.length),
      );
      for (const name of names) t.is(store.get(name).byteLength, 200 + Number(name.slice(2)));
      // An end that is not there is no damage: a killed process leaves it.
      const { damage, cut } = store.left;
      t.deepEqual(damage, []);
      const kept = names.length === 0 ? Math.min(64, length) : endOf(store, names.at(-1)!);
      const bytes = length < 64 ? length : length - kept;
      // Within the padding of the last block nothing is missing.
      t.deepEqual(cut, length >= 64 && bytes <= 0 ? [] : [{ path, bytes }]);
      await store.close();
    }
  });
});

test('behind a damaged block the head of one that was cut off is found too', async (t) => {
  await withFolder(async (folder) => {
    const path = await tenBlocks(folder);
    const bytes = readFileSync(path);
    const heads: number[] = [];
    for (let at = 64; at < bytes.length; at += 64)
      if (bytes.toString('latin1', at, at + 4) === 'MRLR') heads.push(at);
    t.is(heads.length, 10);
    bytes[heads[4]!]! ^= 1;
    writeFileSync(path, bytes.subarray(0, heads[5]! + 64));
    const store = opened(folder, { resume: true });
    t.is(store.recalled('').length, 4);
    t.deepEqual(
      store.left.damage.map(({ offset }) => offset),
      [heads[4]],
    );
    t.deepEqual(store.left.cut, [{ path, bytes: 64 }]);
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
    t.regex(flipped.message, /offset 1\d\d: expected [0-9a-f]+, found [0-9a-f]+/);
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
      t.regex(error.message, /durable-000000\.log/);
      t.is(store.get('a').byteLength, 500);
      t.throws(() => store.put('b', filled(1, 1)), { instanceOf: MinHashError });
      await store.close();
    }
  });
});
