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
  return shingleSets(feedOf(SOME_DOCUMENTS), createReferenceKernel(), SHINGLE, {
    file: new Uint32Array(records.length),
    record: Float64Array.from(records),
  }).columns;
}

test('the sets are those of the wanted documents, in reading order', (t) => {
  const wanted = [0, 1, 4, 5];
  const { record, offsets, hashes } = setsOf(wanted);
  t.deepEqual(Array.from(record!), wanted);
  wanted.forEach((number, i) => {
    const text = new TextEncoder().encode(SOME_DOCUMENTS[number] as string);
    const list = (hashes as Uint32Array).slice(2 * offsets![i]!, 2 * offsets![i + 1]!);
    const distinct = sortUnique64(list, list.length / 2);
    t.deepEqual(list.subarray(0, 2 * distinct), shingleSet(text, SHINGLE));
  });
});

test('a wanted document that can no longer be read is skipped', (t) => {
  const { record, offsets } = setsOf([2, 3, 7]);
  t.deepEqual(Array.from(record!), [2, 7]);
  t.is(offsets!.length, 3);
});

test('equal texts have equal content keys, and a missing record is not an error', (t) => {
  const { record, contentKey } = setsOf([0, 7, 99]);
  t.deepEqual(Array.from(record!), [0, 7]);
  t.deepEqual(contentKey!.slice(0, 4), contentKey!.slice(4, 8));
});
