import test from 'ava';
import { problemsOf, resolveOptions } from './resolveOptions.js';

test('bands and rows must fit the signature', (t) => {
  t.deepEqual(problemsOf({ bands: 20, rows: 7 }), [
    '--bands 20 --rows 7: B x R is 140, expected at most the 128 of --hashes',
  ]);
  t.deepEqual(problemsOf({ bands: 200 }), ['--bands 200: expected at most the 128 of --hashes']);
  t.deepEqual(problemsOf({ rows: 200 }), ['--rows 200: expected at most the 128 of --hashes']);
  t.deepEqual(resolveOptions({ paths: ['x'], bands: 16, rows: 8 }).params.banding, { bands: 16, rows: 8 });
});

test('given bands and rows are taken as they are, and no recall is promised', (t) => {
  const { params } = resolveOptions({ paths: ['x'], bands: 2, rows: 60, recall: 0.99 });
  t.deepEqual(params.banding, { bands: 2, rows: 60 });
  t.is(params.recall, null);
});

test('only bands or only rows: the other follows, and the recall is kept', (t) => {
  t.deepEqual(resolveOptions({ paths: ['x'], rows: 5 }).params.banding, { bands: 25, rows: 5 });
  const { params } = resolveOptions({ paths: ['x'], bands: 20 });
  t.is(params.banding!.bands, 20);
  t.is(params.recall, 0.95);
  // 6 rows: 1 - (1 - 0.8^6)^20 = 0.9977, which is the largest that fits 128 slots.
  t.is(params.banding!.rows, 6);
});

test('a recall that cannot be reached names the best that can, and that one is then accepted', (t) => {
  for (const wish of [{ threshold: 0.05, hashes: 16 }, { rows: 12 }, { bands: 1, recall: 0.9 }]) {
    const [problem] = problemsOf(wish);
    t.regex(
      problem!,
      /not reachable with .*; the best is 0\.\d{4} with --bands \d+ --rows \d+; lower --recall, /,
    );
    const best = Number(/best is (0\.\d{4})/.exec(problem!)![1]);
    t.deepEqual(problemsOf({ ...wish, recall: best }), []);
  }
});

test('a recall that cannot be reached is reported for an option that was set', (t) => {
  t.deepEqual(problemsOf({ threshold: 0.01 }), [
    '--threshold 0.01: the default --recall 0.95 is not reachable with the default --hashes 128; ' +
      'the best is 0.7237 with --bands 128 --rows 1; ' +
      'lower --recall, raise --hashes, or give both --bands and --rows',
  ]);
  t.regex(
    problemsOf({ rows: 12 })[0]!,
    /^--rows 12: the default --recall .*, lower --rows, raise --hashes, or/,
  );
  t.regex(problemsOf({ bands: 1 })[0]!, /^--bands 1: the default --recall .*, raise --bands, or give both/);
  t.regex(
    problemsOf({ threshold: 0.01, recall: 0.99, hashes: 16 })[0]!,
    /^--recall 0\.99: not reachable with --threshold 0\.01 and --hashes 16; /,
  );
  t.notRegex(problemsOf({ threshold: 0.001, hashes: 1024 })[0]!, /raise --hashes/);
});
