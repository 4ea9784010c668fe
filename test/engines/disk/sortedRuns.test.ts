/** Records that are sorted on disk: what is merged is all that was put, in the order of keys; damage is named. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SortingRoom } from '../../../src/engines/disk/keyOrder.js';
import { MergedRecords, MergedRows } from '../../../src/engines/disk/mergedRecords.js';
import { BlockRecords, blocksOf, RecordFile } from '../../../src/engines/disk/recordFile.js';
import { byHash, SortedRuns } from '../../../src/engines/disk/sortedRuns.js';
import { MinHashError } from '../../../src/errors.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { DiskRoom } from '../../../src/store/disk.js';
import { compareKeys } from '../../../src/tasks/stream/records.js';
import { randomFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { createReferenceKernel } from '../../kernel/referenceKernel.js';
import { kernelModule } from '../../kernel/sketchKernels.js';

type Put = readonly [key: Uint8Array, value: Uint8Array];

/** Keys that share their beginnings, that others begin with, that are equal; short values and some of several kilobytes. */
function hostileRecords(seed: number, count: number): Put[] {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: count }, (_, i): Put => {
    const length = below(20) === 0 ? 250 + below(20) : 1 + below(24);
    const key = Uint8Array.from({ length }, () => (below(9) === 0 ? below(256) : below(2) * 255));
    const value = new Uint8Array(below(200) === 0 ? 60_000 + below(20_000) : 4 + below(8));
    new DataView(value.buffer).setUint32(0, i);
    return [key, value];
  });
}

const PARTITIONS = 3;
const PREFIX = 2;
const partitionOf = byHash(PREFIX, PARTITIONS);
const TO = { partitions: PARTITIONS, prefix: PREFIX, partitionOf };
const kernel = createWasmKernel(kernelModule);
const textOf = ([key, value]: Put): string =>
  `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`;

function writtenRuns(path: string, records: readonly Put[], most: number, room?: SortingRoom): void {
  const file = new RecordFile(path, new DiskRoom(path));
  const runs = new SortedRuns(file, TO, most, kernel, room);
  for (const [key, value] of records) runs.put(key, value);
  runs.flush();
  file.finish();
}

/** As that of a worker, whose tasks are told to sort more or less at once. */
const ROOM = new SortingRoom();

for (const [seed, count, most] of [
  [4, 1, 500],
  [3, 300, 500],
  [2, 3000, 40_000],
  [1, 3000, 1e8],
  [5, 3000, 90_000],
] as const) {
  test(`${count} records, ${most} bytes at a time`, (t) => {
    const records = hostileRecords(seed, count);
    const path = join(temporaryFolder(t, {}), 'runs');
    writtenRuns(path, records, most, ROOM);
    const blocks = blocksOf(path);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const own = blocks.filter((block) => block.partition === partition);
      const runs = [...new Set(own.map(({ run }) => run))];
      const merged = new MergedRecords(
        runs.map((run) => new BlockRecords(own.filter((block) => block.run === run))),
      );
      const found: string[] = [];
      while (merged.next()) found.push(textOf([merged.key, merged.value]));
      const expected = records.filter(([key]) => partitionOf(key) === partition);
      // Of equal keys those that came first are first.
      expected.sort(([one], [other]) => compareKeys(one, other));
      t.deepEqual(found, expected.map(textOf));
      t.is(merged.count, expected.length);
    }
  });
}

for (const [count, most] of [
  [1, 60],
  [4000, 9000],
  [30_000, 1e8],
  [60_000, 2e6],
] as const) {
  test(`${count} rows and a record behind them, ${most} bytes at a time`, (t) => {
    const width = 11;
    const random = randomFrom(count);
    const byte = (): number => (random() < 0.1 ? Math.floor(256 * random()) : 255 * Math.floor(2 * random()));
    const rows = Uint8Array.from({ length: width * count }, byte);
    const path = join(temporaryFolder(t, {}), 'runs');
    const file = new RecordFile(path, new DiskRoom(path));
    const runs = new SortedRuns(file, TO, most, kernel, ROOM);
    const half = width * Math.ceil(count / 2);
    runs.rows(rows.subarray(0, half), width);
    runs.rows(rows.subarray(half), width);
    runs.put(Uint8Array.of(0, 7), Uint8Array.of(1));
    runs.flush();
    t.is(file.finish().records, count + 1);
    const blocks = blocksOf(path);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const own = blocks.filter((block) => block.partition === partition);
      const records = own.filter((block) => block.width === 0);
      t.is(records.length, partition === partitionOf(Uint8Array.of(0, 7)) ? 1 : 0);
      const packed = own.filter((block) => block.width === width);
      const numbers = [...new Set(packed.map(({ run }) => run))];
      const merged = new MergedRows(
        numbers.map((run) => packed.filter((block) => block.run === run)),
        kernel.rowSorter,
      );
      const found: string[] = [];
      for (let some = merged.next(); some !== null; some = merged.next())
        for (let at = 0; at < some.length; at += width)
          found.push(Buffer.from(some.subarray(at, at + width)).toString('hex'));
      const expected = Array.from({ length: count }, (_, row) =>
        Buffer.from(rows.subarray(width * row, width * (row + 1))),
      ).filter((row) => partitionOf(row) === partition);
      t.deepEqual(
        found,
        expected.sort((one, other) => Buffer.compare(one, other)).map((row) => row.toString('hex')),
      );
      t.is(merged.count, expected.length);
    }
  });
}

for (const [count, most] of [
  [1, 60],
  [2000, 9000],
  [90_000, 1e6],
] as const) {
  test(`of ${count} rows those that recur, ${most} bytes at a time`, (t) => {
    const width = 12;
    const random = randomFrom(count);
    // The first eight bytes recur in some rows, and those of a quarter of all in very many.
    const rows = Buffer.alloc(width * count);
    for (let at = 0; at < rows.length; at += width) {
      rows.writeUInt32LE(
        random() < 0.25 ? 7 : Math.imul(Math.floor(2 * count * random()), 0x9e3779b1) >>> 0,
        at + 4,
      );
      rows.writeUInt32BE(at / width, at + 8);
    }
    const path = join(temporaryFolder(t, {}), 'runs');
    const file = new RecordFile(path, new DiskRoom(path));
    const runs = new SortedRuns(file, { partitions: 1, prefix: 8, partitionOf: () => 0 }, most, kernel, ROOM);
    runs.rows(rows, width);
    runs.flush();
    file.finish();
    const blocks = blocksOf(path);
    const all = [...new Set(blocks.map(({ run }) => run))].map((run) =>
      blocks.filter((block) => block.run === run),
    );
    const wordOf = (row: string): string => row.slice(8, 16);
    const expected = Array.from({ length: count }, (_, row) =>
      rows.toString('hex', width * row, width * (row + 1)),
    );
    const counts = new Map<string, number>();
    for (const row of expected) counts.set(wordOf(row), (counts.get(wordOf(row)) ?? 0) + 1);
    for (const sorter of [kernel.rowSorter, createReferenceKernel().rowSorter]) {
      const merged = new MergedRows(all, sorter, 8);
      const found: string[] = [];
      for (let some = merged.next(); some !== null; some = merged.next()) {
        t.true(some.length > 0);
        for (let at = 0; at < some.length; at += width)
          found.push(Buffer.from(some.subarray(at, at + width)).toString('hex'));
      }
      t.is(merged.count, count);
      t.true(found.length <= 1 + 0.9 * count);
      t.deepEqual(found, [...new Set(found)].sort());
      const recurring = expected.filter((row) => counts.get(wordOf(row))! > 1).sort();
      t.deepEqual(
        found.filter((row) => counts.get(wordOf(row))! > 1),
        recurring,
      );
    }
  });
}

test('many records of one key are sorted in linear time', (t) => {
  const path = join(temporaryFolder(t, {}), 'runs');
  const key = Uint8Array.of(1, 2, 3);
  const records = Array.from({ length: 200_000 }, (): Put => [key, key]);
  writtenRuns(path, records, 1e8);
  t.is(
    blocksOf(path).reduce((sum, block) => sum + block.records, 0),
    records.length,
  );
});

test('a file that is cut, or in which a byte differs, is named', (t) => {
  const folder = temporaryFolder(t, {});
  const path = join(folder, 'runs');
  writtenRuns(path, hostileRecords(5, 100), 1e8);
  const whole = readFileSync(path);
  const faultOf = (): string => {
    const fault = t.throws(
      () => {
        const records = new BlockRecords(blocksOf(path));
        while (records.next());
      },
      { instanceOf: MinHashError },
    );
    t.true(fault!.message.includes(path));
    return fault!.code;
  };
  truncateSync(path, whole.length - 1);
  t.is(faultOf(), 'BLOCK_TRUNCATED');
  truncateSync(path, 5);
  t.is(faultOf(), 'BLOCK_TRUNCATED');
  for (const at of [10, whole.length - 40]) {
    const other = Buffer.from(whole);
    other[at]! ^= 1;
    writeFileSync(path, other);
    t.is(faultOf(), 'BLOCK_CHECKSUM');
  }
});
