/** Runs that are killed with SIGKILL and taken up; npm run test:faults does it at many more moments. */
import { join } from 'node:path';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';
import { killedRun } from './killedRun.js';
import { mixedCorpus, takeUp } from './takenUp.js';

/** An early and a late one of some 126 calls, and of some 27 moments of progress. */
for (const [kind, threads, moments] of [
  ['call', 0, [32, 95]],
  ['progress', 2, [9, 21]],
] as const) {
  test.serial(`killed at a ${kind} and taken up: the bytes of an undisturbed run`, async (t) => {
    const { folder, options: places } = prepared(t, mixedCorpus());
    const options = { ...places, threshold: 0.5, threads };
    await run({ ...options, out: join(folder, 'whole'), threads: 0 });
    const whole = resultBytes(join(folder, 'whole'));
    for (const moment of moments) {
      const out = join(folder, `out${moment}`);
      const killed = await killedRun({ ...options, out }, kind, moment);
      t.is(killed.code, null, killed.said);
      // Workers or none: the attempts need not agree.
      const { tasks, found } = await takeUp({
        ...options,
        out,
        threads: moment === moments[1] ? threads : 0,
      });
      t.deepEqual(resultBytes(out), whole, killed.said);
      if (found.kind === 'taken up') t.is(tasks.sketch! + found.columnBlocks, 9, killed.said);
    }
  });
}

test.serial(
  'sketched in 16 row chunks and killed while verifying: taken up in 7, and no signature that is on the disk is made again',
  async (t) => {
    const { folder, options: places } = prepared(t, mixedCorpus());
    const options = { ...places, threshold: 0.5, threads: 2 };
    await run({ ...options, out: join(folder, 'whole'), threads: 0 });
    const killed = await killedRun({ ...options, shards: 16 }, 'verify', 1);
    t.deepEqual(killed, { code: null, said: 'verify' });
    const { tasks, found } = await takeUp({ ...options, shards: 7, threads: 1 });
    // Blocks go to the disk beside the work, so the last of them may not be there yet when the process is killed.
    const kept = found.kind === 'taken up' ? found.columnBlocks : 0;
    t.is(tasks.sketch === 0, kept === 9);
    t.deepEqual(resultBytes(options.out), resultBytes(join(folder, 'whole')));
  },
);
