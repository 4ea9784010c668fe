/** Rules beside the usual ones: what goes together, and what is written down of them. */
import test from 'ava';
import type { RunOptions } from '../../src/options/check.js';
import { effectiveOptions } from '../../src/options/configFile.js';
import { problemsOf, resolveOptions } from './resolveOptions.js';

/** The options a config file would hold resolve to the same parameters. */
function comesAgain(options: RunOptions): boolean {
  const given = { paths: ['texts'], ...options };
  const resolved = resolveOptions(given);
  const again = resolveOptions(effectiveOptions(given, resolved));
  return JSON.stringify(again) === JSON.stringify(resolved);
}

const LECTURE: RunOptions = { sketch: 'classic', hashes: 100, verify: 'signature', agree: 90 };

test('--agree 90 of 100 is a threshold of 0.9, and the bands are chosen for it', (t) => {
  const { params } = resolveOptions({ paths: ['texts'], ...LECTURE });
  t.is(params.agree, 90);
  t.is(params.threshold, 0.9);
  const same = resolveOptions({ paths: ['texts'], sketch: 'classic', hashes: 100, threshold: 0.9 });
  t.deepEqual(params.banding, same.params.banding);
  t.true(comesAgain(LECTURE));
  t.true(comesAgain({ ...LECTURE, bands: 20, rows: 5 }));
});

test('every m of every n accepts m equal slots and no fewer', async (t) => {
  const { leastAccepted } = await import('../../src/sketch/probability.js');
  for (let hashes = 16; hashes <= 1024; hashes += 7) {
    for (let agree = 1; agree <= hashes; agree++) {
      if (leastAccepted(agree / hashes, hashes) !== agree) t.fail(`${agree} of ${hashes}`);
    }
  }
  t.pass();
});

test('--agree reports conflicting options, and why', (t) => {
  t.deepEqual(problemsOf({ agree: 90 }), [
    '--agree 90: expected together with --verify signature, for it counts slots that agree; ' +
      'the default --verify exact decides by the shingle sets',
  ]);
  t.deepEqual(problemsOf({ agree: 90, verify: 'none' }), [
    '--agree 90: expected together with --verify signature, for it counts slots that agree; ' +
      '--verify none accepts nothing',
  ]);
  t.deepEqual(problemsOf({ agree: 129, verify: 'signature' }), [
    '--agree 129: expected at most the 128 of --hashes',
  ]);
  t.deepEqual(problemsOf({ ...LECTURE, threshold: 0.9 }), [
    '--agree 90 --threshold 0.9: expected only one of these',
  ]);
  t.deepEqual(problemsOf({ ...LECTURE, agree: 0 }), ['--agree 0: expected an integer from 1 to 1024']);
  t.regex(
    problemsOf({ ...LECTURE, agree: 1 })[0]!,
    /^--recall|^--hashes 100: the default --recall 0\.95 is not reachable with --agree 1; the best is /,
  );
});

test('--exact-duplicates has no sketch, and rejects every option without effect', (t) => {
  const { params } = resolveOptions({ paths: ['texts'], exactDuplicates: true, shingle: 'bytes:1' });
  t.deepEqual(
    [params.exactDuplicates, params.verify, params.threshold, params.recall],
    [true, 'none', 1, null],
  );
  t.deepEqual(params.banding, { bands: 0, rows: 0 });
  t.true(comesAgain({ exactDuplicates: true }));
  t.true(comesAgain({ exactDuplicates: true, seed: 3, shards: 4 }));
  t.deepEqual(problemsOf({ exactDuplicates: true, threshold: 0.5, verify: 'exact', bag: true, hashes: 64 }), [
    ...['--bag', '--threshold 0.5', '--hashes 64', '--verify exact'].map(
      (flag) =>
        `${flag} --exact-duplicates: expected only one of these: only documents with the same tokens are looked for`,
    ),
  ]);
  t.deepEqual(problemsOf({ exactDuplicates: false, threshold: 0.5, bag: true }), []);
  t.deepEqual(problemsOf({ exactDuplicates: true, bag: false }), []);
});
