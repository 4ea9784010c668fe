/** A disk that is full or fails, before and while the result is written. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { bytesAhead, checkRoom, withRoom } from '../../src/pipeline/diskSpace.js';
import { run } from '../../src/pipeline.js';
import { NODE_FILES } from '../../src/storage/fileDoor.js';
import { idTableOf } from '../../src/storage/results/idTable.js';
import { temporaryFolder } from '../storage/temporaryFolder.js';
import { finished, prepared } from './finished.js';
import { manifestIn } from './resultFiles.js';
import { edited, randomFrom, wordsFrom } from './seededTexts.js';
import { failEveryWrite, RECORDS, WRITE_FAULTS, type WriteFault } from './writeFaults.js';

const TRUE_DOOR = { ...NODE_FILES };
test.afterEach.always(() => {
  Object.assign(NODE_FILES, TRUE_DOOR);
});

test.serial('whichever write, fsync or rename fails, the run fails and nothing looks finished', async (t) => {
  const systems = Object.keys(WRITE_FAULTS) as WriteFault[];
  const place = temporaryFolder(t);
  const wish = { input: RECORDS, systems, one: true, step: 2, againEvery: 10, resume: false };
  const { injected, wrong } = await failEveryWrite(place, wish);
  t.deepEqual(wrong, []);
  // Lock, marker, spool, nine files of the result: each opened, written, synced, closed and named. Every second call,
  // and so of every kind some; all of them with every fault: npm run test:faults.
  t.true(injected > 30, String(injected));
});

test.serial('after whichever write failed, --resume gives the bytes of an undisturbed run', async (t) => {
  const systems = Object.keys(WRITE_FAULTS) as WriteFault[];
  const { folder, options } = prepared(t, copies());
  const input = { options: { ...options, threads: 0, threshold: 0.5 } };
  const wish = { input, systems, one: true, step: 6, againEvery: 1, resume: true };
  const { injected, wrong } = await failEveryWrite(folder, wish);
  t.deepEqual(wrong, []);
  // All of them: npm run test:faults.
  t.true(injected > 10, String(injected));
});

function copies(): Record<string, string> {
  const random = randomFrom(4);
  const page = wordsFrom(random, 100);
  return Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`${i}`, edited(random, page, 1).join(' ')]),
  );
}

test.serial('a result that has no chance to fit is refused before a row is written', async (t) => {
  const { options } = prepared(t, copies());
  NODE_FILES.free = () => 5000;
  const error = await t.throwsAsync(run({ ...options, threads: 0 }), { instanceOf: MinHashError });
  t.is((error as MinHashError).code, 'DISK_FULL');
  t.regex(error!.message, /out; needed: about \d+ bytes for the rows, 5000 bytes free \(make room there/);
  t.deepEqual(readdirSync(join(options.out, 'candidates')), []);
  t.false(existsSync(join(options.out, '_SUCCESS')));
});

test.serial('a disk that fills up is told with file, needed and free', async (t) => {
  const { options } = prepared(t, copies());
  NODE_FILES.write = (descriptor, bytes, offset) => {
    if (bytes.length > 5000) throw Object.assign(new Error('words of the platform'), { code: 'ENOSPC' });
    return TRUE_DOOR.write(descriptor, bytes, offset);
  };
  const error = await t.throwsAsync(run({ ...options, threads: 0 }), { instanceOf: MinHashError });
  t.regex(
    error!.message,
    /(candidates|pairs)\/part-00000\.tsv: no space is left on the device; needed: about \d+ bytes for the rows, [\d.]+ [GM]?B free/,
  );
});

test.serial('the estimate is no more than what is written, and no less than half', async (t) => {
  const { out, candidates, pairs, clusters, dropped } = await finished(t, copies());
  const ids = idTableOf(Object.keys(copies()));
  const rows = { candidates, pairs, clusters, duplicates: dropped };
  const counts = Object.fromEntries(Object.entries(rows).map(([table, { length }]) => [table, length]));
  const estimate = bytesAhead(counts, ids);
  const manifest = manifestIn(out);
  const written = Object.values(manifest.files).reduce((sum, { bytes }) => sum + bytes, 0);
  t.true(estimate <= written && estimate > written / 2, `${estimate} of ${written}`);
});

test('no rows and no documents need no room, and where the system does not tell all is tried', (t) => {
  t.is(bytesAhead({}, idTableOf([])), 0);
  t.is(bytesAhead({ pairs: 0, clusters: 0 }, idTableOf([])), 0);
  t.notThrows(() => checkRoom('out', 1e12, null));
  t.notThrows(() => checkRoom('out', 1000, 800));
  t.throws(() => checkRoom('out', 1000, 799), { code: 'DISK_FULL' });
  const defect = new RangeError('defect');
  t.is(withRoom(defect, 1, 1), defect);
});
