import test from 'ava';
import type { RunOptions } from '../../src/options/check.js';
import { effectiveOptions } from '../../src/options/configFile.js';
import { faultsOf, resolveOptions } from './resolveOptions.js';

const paramsOf = (options: RunOptions) => resolveOptions({ paths: ['x'], ...options }).params;

test('samples have parameters of their own, and no bands', (t) => {
  const min = paramsOf({ sketch: 'min-s' });
  t.deepEqual([min.sketch, min.banding], [{ sketch: 'min-s', hashes: 128, seed: 1 }, null]);
  t.deepEqual(paramsOf({ sketch: 'min-s', hashes: 64, seed: 7 }).sketch, {
    sketch: 'min-s',
    hashes: 64,
    seed: 7,
  });
  const mod = paramsOf({ sketch: 'mod-m' });
  t.deepEqual([mod.sketch, mod.recall], [{ sketch: 'mod-m', modulus: 8, wholeBelow: 89, seed: 1 }, 0.95]);
  t.deepEqual(paramsOf({ sketch: 'mod-m', modulus: 25 }).sketch, {
    sketch: 'mod-m',
    modulus: 25,
    wholeBelow: 289,
    seed: 1,
  });
});

test('containment is measured by mod-m unless told otherwise', (t) => {
  t.is(paramsOf({ measure: 'containment' }).sketch.sketch, 'mod-m');
  t.is(paramsOf({ measure: 'containment', sketch: 'mod-m', modulus: 1 }).sketch.sketch, 'mod-m');
  t.is(paramsOf({ measure: 'resemblance' }).sketch.sketch, 'fss');
});

test('what does not go with samples is said', (t) => {
  t.deepEqual(faultsOf({ sketch: 'min-s', bands: 3, rows: 2 }), [
    '--bands 3: expected with --sketch fss or classic only, min-s has no bands',
    '--rows 2: expected with --sketch fss or classic only, min-s has no bands',
  ]);
  t.deepEqual(faultsOf({ modulus: 8 }), ['--modulus 8: expected together with --sketch mod-m only']);
  t.deepEqual(faultsOf({ sketch: 'min-s', modulus: 8 }), [
    '--modulus 8: expected together with --sketch mod-m only',
  ]);
  t.deepEqual(faultsOf({ sketch: 'mod-m', hashes: 64 }), [
    '--hashes 64: expected with other sketches only (a sample of mod-m is as long as --modulus makes it)',
  ]);
  t.deepEqual(faultsOf({ measure: 'containment', sketch: 'fss' }), [
    '--sketch fss: expected mod-m with --measure containment',
  ]);
  t.deepEqual(faultsOf({ measure: 'containment', verify: 'signature' }), [
    '--verify signature: expected exact or none with --measure containment (containment is verified exactly)',
  ]);
});

test('rules over slots and thinned sketches do not go with samples', (t) => {
  const only = (sketch: string): string => `expected with --sketch fss or classic only, not ${sketch}`;
  t.deepEqual(faultsOf({ sketch: 'min-s', sample: 4 }), [`--sample 4: ${only('min-s')}`]);
  t.deepEqual(faultsOf({ measure: 'containment', maxShingleDocuments: 5, cluster: 'greedy' }), [
    '--max-shingle-documents 5: expected without --measure containment, which is found by samples (mod-m)',
    '--cluster greedy: expected without --measure containment, which is found by samples (mod-m)',
  ]);
  t.deepEqual(faultsOf({ sketch: 'mod-m', verify: 'signature', agree: 90 }), [
    `--agree 90: ${only('mod-m')}`,
  ]);
  t.deepEqual(faultsOf({ sketch: 'min-s', cluster: 'components', sample: 1 }), []);
  t.deepEqual(faultsOf({ exactDuplicates: true, measure: 'containment' }), [
    '--measure containment --exact-duplicates: expected one of the two: only documents with the same tokens are looked for',
  ]);
});

test('sequences of common words: no sketch, no bands, no recall; options of sketches are refused', (t) => {
  const { sketch, banding, recall, threshold } = paramsOf({ method: 'sswf', seed: 7, threshold: 0.6 });
  t.deepEqual([sketch, banding, recall, threshold], [{ sketch: 'sswf', seed: 7 }, null, null, 0.6]);
  t.deepEqual(paramsOf({ method: 'minhash' }), paramsOf({}));
  const beside =
    '--method sswf: expected one of the two: documents are compared by the order of common words, not by sketches';
  for (const [option, value] of [
    ['sketch', 'fss'],
    ['hashes', 128],
    ['modulus', 8],
    ['bands', 4],
    ['rows', 4],
    ['recall', 0.9],
    ['measure', 'containment'],
    ['sample', 2],
    ['cluster', 'greedy'],
  ] as const) {
    t.deepEqual(faultsOf({ method: 'sswf', [option]: value }), [`--${option} ${value} ${beside}`]);
  }
  t.deepEqual(faultsOf({ method: 'sswf', measure: 'resemblance', sample: 1, cluster: 'components' }), []);
  t.deepEqual(faultsOf({ method: 'sswf', verify: 'signature', bag: true, hotBucket: 9 }), []);
  t.deepEqual(faultsOf({ method: 'sswf', input: 'sets' }), [
    '--method sswf: expected with texts, got --input sets, which have no order',
  ]);
  t.deepEqual(faultsOf({ method: 'sswf', exactDuplicates: true }), [
    '--method sswf --exact-duplicates: expected one of the two: only documents with the same tokens are looked for',
  ]);
});

test('a recall that samples cannot reach is refused with what would bring it nearer', (t) => {
  t.regex(
    faultsOf({ sketch: 'min-s', threshold: 0.01 })[0]!,
    /^--threshold 0\.01: --recall 0\.95 is not reachable with --sketch min-s --hashes 128.* the best is 0\.7237; lower --recall/,
  );
  t.regex(
    faultsOf({ sketch: 'mod-m', threshold: 0.0005 })[0]!,
    /^--threshold 0\.0005: .* lower --recall or --modulus/,
  );
  t.deepEqual(faultsOf({ sketch: 'min-s', threshold: 0.01, recall: 0.7 }), []);
});

test('the effective options of samples give the same parameters again', (t) => {
  for (const options of [
    { measure: 'containment' },
    { sketch: 'mod-m', modulus: 3 },
    { sketch: 'min-s', hashes: 40 },
    { method: 'sswf', threshold: 0.7, verify: 'signature' },
    {},
  ] as const) {
    const given = { paths: ['x'], ...options };
    const resolved = resolveOptions(given);
    t.deepEqual(resolveOptions(effectiveOptions(given, resolved)).params, resolved.params);
  }
});
