/** Options that do not go together: all of it is told at once, and following it leaves nothing to tell. */

import test from 'ava';
import fc from 'fast-check';
import { flagName } from '../../src/errors.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { PIPED_KINDS } from '../../src/sketch/formatNames.js';

const faultsOf = (options: RunOptions) => checkOptions({ paths: ['texts'], ...options }).faults;
const blamed = (options: RunOptions) => faultsOf(options).map(({ detail }) => detail.split(':')[0]);

test('samples beside rules over slots, a limit on standard input and fields of sets are told at once', (t) => {
  const options: RunOptions = {
    paths: ['-'],
    sketch: 'min-s',
    modulus: 4,
    agree: 90,
    sample: 2,
    representative: 'popular',
    maxShingleDocuments: 5,
    columns: '1,2',
  };
  t.deepEqual(blamed(options), [
    '--max-shingle-documents 5',
    '--representative popular',
    '--agree 90',
    '--modulus 4',
    '--agree 90',
    '--sample 2',
    '--max-shingle-documents 5',
    '--representative popular',
    '--columns',
  ]);
  for (const { detail } of faultsOf(options)) t.regex(detail, /: expected /);
});

test('what cannot come on standard input is refused there, beside the other faults', (t) => {
  for (const input of ['text', 'html', 'json', 'parquet'] as const) {
    const found = faultsOf({ paths: ['a.txt', '-'], input, columns: '1,2' }).map(({ detail }) => detail);
    t.deepEqual(found, [
      `--input ${input}: expected jsonl, csv, tsv, warc or sets on standard input (-)`,
      '--columns: expected together with --input sets only',
    ]);
  }
  for (const input of [...PIPED_KINDS, 'auto' as const]) t.deepEqual(faultsOf({ paths: ['-'], input }), []);
});

test('a value that cannot be used hides no conflict, and makes none', (t) => {
  t.deepEqual(blamed({ sketch: 'min-s', modulus: 0, bands: 'x' as unknown as number }), [
    '--modulus 0',
    '--bands x',
    '--modulus 0',
    '--bands x',
  ]);
  // What was meant by these is not known.
  const odd = { measure: 'containmnt', modulus: 4 } as unknown as RunOptions;
  t.deepEqual(blamed(odd), ['--measure containmnt']);
  t.deepEqual(blamed({ input: 'set', columns: '1,2' } as unknown as RunOptions), ['--input set']);
  t.deepEqual(blamed({ cluster: 'x', representative: 'first' } as unknown as RunOptions), ['--cluster x']);
});

test('an option that is repeated is shown as it is typed', (t) => {
  t.deepEqual(blamed({ measure: 'containment', keep: ['id', 'longest'] }), [
    '--keep id --keep longest --measure containment',
  ]);
});

test('bands that are too many are told beside a conflict elsewhere, and so is a recall out of reach', (t) => {
  t.deepEqual(blamed({ modulus: 4, bands: 100, rows: 100 }), ['--modulus 4', '--bands 100 --rows 100']);
  t.deepEqual(blamed({ representative: 'first', threshold: 0.01, hashes: 16 }), [
    '--representative first',
    '--threshold 0.01',
  ]);
  t.deepEqual(blamed({ sketch: 'min-s', sample: 2, threshold: 0.01 }), ['--sample 2', '--threshold 0.01']);
});

test('without the options that were blamed nothing is left to tell', (t) => {
  const some = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const wishes = fc.record({
    measure: some('containment', 'resemblance', 'x'),
    sketch: some('fss', 'min-s', 'mod-m', 'x'),
    modulus: some(4, 0),
    threshold: some(0.9, 0.001, 2),
    hashes: some(64, 3),
    bands: some(3, 200),
    rows: some(2, 200),
    verify: some('signature', 'none', 'exact', 'x'),
    agree: some(90, 10, 0),
    sample: some(1, 4, 0),
    maxShingleDocuments: some(5, 1),
    cluster: some('greedy', 'components', 'x'),
    representative: some('popular', 'x'),
    exactDuplicates: some(true, false),
    input: some('sets', 'auto', 'x'),
    columns: some('1,2,3', '1'),
    textField: some('body', ''),
    bag: some(true),
    paths: fc.constantFrom(['-'], ['texts']),
  });
  const all = new Set<string>();
  fc.assert(
    fc.property(wishes, (wish) => {
      const options = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
      const first = checkOptions(options as RunOptions).faults;
      for (const { option, detail } of first) {
        all.add(String(option));
        if (!detail.startsWith(flagName(String(option)))) return false;
      }
      // A wrong value of these decides what the others have to be.
      const deciding = ['sketch', 'measure', 'input', 'cluster', 'verify'];
      if (first.some(({ option, detail }) => deciding.includes(option!) && / x: /.test(detail))) return true;
      const blamedKeys = new Set(first.map(({ option }) => option));
      // Of these two the other is to go.
      if (first.some(({ detail }) => detail.startsWith('--cluster greedy --verify none'))) {
        blamedKeys.add('verify');
        if (first.every(({ option, detail }) => option !== 'cluster' || detail.includes('--verify'))) {
          blamedKeys.delete('cluster');
        }
      }
      const left = Object.fromEntries(Object.entries(options).filter(([key]) => !blamedKeys.has(key)));
      return checkOptions(left as RunOptions).faults.every(({ option }) => {
        // Given up, these change what the rest is measured by: the recall is looked at anew.
        return ['threshold', 'bands', 'rows', 'hashes'].includes(option!) && blamedKeys.size > 0;
      });
    }),
    { seed: 1, numRuns: 500 },
  );
  t.true(all.size >= 17, [...all].join(' '));
});
