/** shingleSets: the second reading of wanted documents. */
import test from 'ava';
import { shingleSets } from '../../mappers/shingleSets.js';
import { sortUnique64 } from '../../src/arrays/sort.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { shingleSet } from '../../src/text/shingles.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { feedOf, SOME_DOCUMENTS } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };

function setsOf(records: readonly number[]) {
  const { counts, hashes, documents } = shingleSets(
    feedOf(SOME_DOCUMENTS),
    createReferenceKernel(),
    SHINGLE,
    {
      file: new Uint32Array(records.length),
      record: Float64Array.from(records),
    },
  );
  const { record, contentKey } = documents(0).columns;
  return { counts, hashes, record, contentKey };
}

test('the sets are those of the wanted documents, in reading order', (t) => {
  const wanted = [0, 1, 4, 5];
  const { record, counts, hashes } = setsOf(wanted);
  t.deepEqual(Array.from(record!), wanted);
  let from = 0;
  wanted.forEach((number, i) => {
    const text = new TextEncoder().encode(SOME_DOCUMENTS[number] as string);
    const list = hashes.slice(2 * from, 2 * (from + counts[i]!));
    from += counts[i]!;
    const distinct = sortUnique64(list, list.length / 2);
    t.deepEqual(list.subarray(0, 2 * distinct), shingleSet(text, SHINGLE));
  });
});

test('a wanted document that can no longer be read is skipped', (t) => {
  const { record, counts } = setsOf([2, 3, 7]);
  t.deepEqual(Array.from(record!), [2, 7]);
  t.is(counts.length, 2);
});

test('equal texts have equal content keys, and a missing record is not an error', (t) => {
  const { record, contentKey } = setsOf([0, 7, 99]);
  t.deepEqual(Array.from(record!), [0, 7]);
  t.deepEqual(contentKey!.slice(0, 4), contentKey!.slice(4, 8));
});
