import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { DiskRoom, LAST_BYTES, sizeText } from '../../src/store/disk.js';
import { NODE_FILES } from '../../src/store/fileDoor.js';

/** A disk of so many free bytes, and how often somebody looked. */
function diskOf(free: number | null) {
  const disk = { free, looks: 0 };
  const door = {
    ...NODE_FILES,
    free: () => {
      disk.looks++;
      return disk.free;
    },
  };
  return { disk, door, room: new DiskRoom('out', door) };
}

test('take refuses before the bytes for the marks are touched, and not a byte earlier', (t) => {
  const { room } = diskOf(LAST_BYTES + 1000);
  t.throws(() => room.take(1001), { code: 'DISK_FULL' });
  t.notThrows(() => room.take(1000));
  // They are on their way: the system counts them as free still.
  t.throws(() => room.take(1), { code: 'DISK_FULL' });
  room.written(1000);
  t.notThrows(() => room.take(1));
});

test('what is surely written later counts', (t) => {
  const { room } = diskOf(LAST_BYTES + 1000);
  room.expect(600);
  t.notThrows(() => room.look());
  t.notThrows(() => room.take(300));
  t.throws(() => room.take(101), { code: 'DISK_FULL' });
  t.notThrows(() => room.take(100));
  room.expect(700);
  const error = t.throws(() => room.look(), { instanceOf: MinHashError });
  t.is(
    error.faults[0]!.detail,
    `out: at least ${400 + 700 + LAST_BYTES} bytes are still to be written (${LAST_BYTES} bytes of them for the marks of the next attempt), ${LAST_BYTES + 1000} bytes free; ended before the disk is full`,
  );
});

test('what is needed and what is free are told apart also where rounded they would be equal', (t) => {
  const { room } = diskOf(3_400_000);
  room.expect(3_400_000);
  const error = t.throws(() => room.look(), { instanceOf: MinHashError });
  t.regex(error.message, /at least 3406144 bytes are still to be written .*, 3400000 bytes free/);
});

test('the more is free the fewer looks, and a disk that others fill is noticed', (t) => {
  const { disk, room } = diskOf(1e12);
  for (let i = 0; i < 1000; i++) {
    room.take(1e6);
    room.written(1e6);
  }
  t.true(disk.looks <= 1000 / 16 + 1, `${disk.looks} looks`);
  disk.free = 10e6;
  const before = disk.looks;
  for (let i = 0; i < 40; i++) {
    room.take(1e6);
    room.written(1e6);
  }
  t.true(disk.looks > before + 10);
  disk.free = LAST_BYTES;
  t.throws(
    () => {
      for (let i = 0; i < 3; i++) room.take(1e6);
    },
    { code: 'DISK_FULL' },
  );
});

test('where the system does not tell, everything is tried', (t) => {
  const { room } = diskOf(null);
  room.expect(1e15);
  t.notThrows(() => room.look());
  t.notThrows(() => room.take(1e15));
});

test('sizeText says bytes, MB and GB', (t) => {
  t.deepEqual([0, 99_999, 100_000, 1.25e9].map(sizeText), ['0 bytes', '99999 bytes', '0.1 MB', '1.3 GB']);
});
