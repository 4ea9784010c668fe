/** A disk that is full or fails, before and while the result is written. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { RunHooks } from '../../../src/coordinator/recipe.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { idTableOf } from '../../../src/output/tables/escaping.js';
import {
  bytesAhead,
  checkRoom,
  DiskRoom,
  DiskWatch,
  LAST_BYTES,
  type LowDisk,
  withRoom,
} from '../../../src/store/disk.js';
import { NODE_FILES } from '../../../src/store/fileDoor.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { finished, prepared } from '../runs/finished.js';
import { manifestIn, resultBytes } from '../runs/resultFiles.js';
import { mixedCorpus, STAGES, takeUp } from './takenUp.js';
import { failEveryWrite, RECORDS, WRITE_FAULTS, type WriteFault } from './writeFaults.js';

const TRUE_DOOR = { ...NODE_FILES };
test.afterEach.always(() => {
  Object.assign(NODE_FILES, TRUE_DOOR);
});

test.serial('whichever write, fsync or rename fails, the run fails and nothing looks finished', async (t) => {
  const systems = Object.keys(WRITE_FAULTS) as WriteFault[];
  const place = temporaryFolder(t);
  const wish = { input: RECORDS, systems, one: true, step: 5, againEvery: 7, resume: false };
  const { injected, wrong } = await failEveryWrite(place, wish);
  t.deepEqual(wrong, []);
  // Lock, marker, spool, nine files of the result, and their way into the place of the old one: each opened, written, synced, closed and named. Every fifth call,
  // and so of every kind some; all of them with every fault: npm run test:faults.
  t.true(injected > 18, String(injected));
});

test.serial('after whichever write failed, --resume gives the bytes of an undisturbed run', async (t) => {
  const systems = Object.keys(WRITE_FAULTS) as WriteFault[];
  const { folder, options } = prepared(t, copies());
  const input = { options: { ...options, threads: 0, threshold: 0.5 } };
  const wish = { input, systems, one: true, step: 14, againEvery: 1, resume: true };
  const { injected, wrong } = await failEveryWrite(folder, wish);
  t.deepEqual(wrong, []);
  // All of them: npm run test:faults.
  t.true(injected > 6, String(injected));
});

function copies(): Record<string, string> {
  const random = randomFrom(4);
  const page = wordsFrom(random, 100);
  return Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`${i}`, edited(random, page, 1).join(' ')]),
  );
}

/** Sets what is free when a stage tells of its progress for the first time. */
function freeFrom(stage: string, bytes: number): RunHooks {
  return {
    onProgress: (progress) => {
      if (progress.stage === stage) NODE_FILES.free = () => bytes;
    },
  };
}

test.serial('a result that has no chance to fit ends the run before its pairs are verified', async (t) => {
  const { options } = prepared(t, copies());
  // 1,225 candidates of some 25 bytes each.
  const hooks = freeFrom('bands', 25_000);
  let verified = 0;
  const onProgress: RunHooks['onProgress'] = (progress) => {
    hooks.onProgress?.(progress);
    if (progress.stage === 'verify' && progress.unit === 'documents') verified++;
  };
  const kept = { ...options, threads: 0, threshold: 0.5, checkpointAfter: 0 };
  const error = await t.throwsAsync(run(kept, { onProgress }), { code: 'DISK_FULL' });
  t.regex(
    error!.message,
    /out: at least \d+ bytes are still to be written \(6144 bytes of them for [a-z ]+\), 25000 bytes free; ended before the disk/,
  );
  t.is(verified, 0);
  t.deepEqual(readdirSync(join(options.out, 'candidates')), []);
  t.false(existsSync(join(options.out, '_SUCCESS')));
  t.false(existsSync(join(options.out, '.mr-minhash.lock')));
  Object.assign(NODE_FILES, TRUE_DOOR);
  const { report } = await takeUp(kept);
  t.is(report.resumed === undefined || report.resumed === 'finished' ? 0 : report.resumed.columnBlocks, 1);
});

test.serial(
  'whenever the disk gets short the run ends before it is full, and goes on to the same bytes',
  async (t) => {
    const { folder, options: places } = prepared(t, mixedCorpus());
    const options = { ...places, threshold: 0.5 };
    await run({ ...options, out: join(folder, 'whole'), threads: 0 });
    const whole = resultBytes(join(folder, 'whole'));
    for (const threads of [0, 2]) {
      for (const stage of STAGES) {
        // It is this thread that looks, but for the last stage: workers look for themselves, at the true disk.
        if (threads === 2 && stage !== 'sketch' && stage !== 'verify') continue;
        const left = LAST_BYTES - 1;
        const error = await t.throwsAsync(
          run({ ...options, threads, force: true }, freeFrom(stage, left)),
          { instanceOf: MinHashError },
          stage,
        );
        t.is((error as MinHashError).code, 'DISK_FULL', stage);
        t.regex(error!.message, /ended before the disk is full|needed: about/, stage);
        Object.assign(NODE_FILES, TRUE_DOOR);
        await takeUp({ ...options, threads: 0 });
        t.deepEqual(resultBytes(options.out), whole, stage);
      }
    }
  },
);

test.serial('a disk that will probably be too small is told once, and the run goes on', async (t) => {
  const { options } = prepared(t, { 'a.jsonl': records() });
  const told: LowDisk[] = [];
  // The lines are taken for more documents than they are: an estimate does not end a run.
  NODE_FILES.free = () => 60_000;
  const report = await run({ ...options, threads: 0 }, { onLowDisk: (found) => told.push(found) });
  t.is(report.counts.read, 3);
  t.is(told.length, 1);
  t.is(told[0]!.place, options.out);
  t.is(told[0]!.free, 60_000);
  t.true(told[0]!.needed > 60_000);
});

test('what was read tells what the rest will take, and says so once', (t) => {
  const told: LowDisk[] = [];
  const store = { diskBytes: 10_000 };
  const room = new DiskRoom('out', { ...NODE_FILES, free: () => 50_000 });
  const watch = new DiskWatch(room, store, (found) => told.push(found));
  // Too little was read to tell, and then enough is free.
  watch.forecast(1, 100);
  watch.forecast(25, 100);
  t.deepEqual(told, []);
  watch.forecast(10, 100);
  watch.forecast(5, 100);
  t.deepEqual(told, [{ place: 'out', needed: 90_000, free: 50_000 }]);
});

/** Three records of 100 KB: taken for 150. */
function records(): string {
  const random = randomFrom(9);
  return [0, 1, 2]
    .map((id) => `${JSON.stringify({ id, text: wordsFrom(random, 17_000).join(' ') })}\n`)
    .join('');
}

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
