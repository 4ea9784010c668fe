import test from 'ava';
import { createOphSketcher } from '../../src/sketch/schemes/oph.js';
import { EMPTY_SLOT } from '../../src/sketch/signature.js';
import { randomHashes } from '../data/randomHashes.js';

function rawOf(count: number, slots: number, elements: number): Uint32Array {
  const sketcher = createOphSketcher(slots, 1);
  const signature = new Uint32Array(sketcher.stride).fill(EMPTY_SLOT);
  sketcher.update(signature, randomHashes(count, elements), count);
  return signature;
}

test('createOphSketcher: finish keeps full slots and fills each empty one from a full one', (t) => {
  for (const slots of [16, 100, 1024]) {
    for (const count of [1, 2, 7, 60, 500]) {
      const raw = rawOf(count, slots, count);
      const finished = raw.slice();
      createOphSketcher(slots, 1).finish(finished);
      const values = new Set(raw.subarray(0, slots));
      for (let slot = 0; slot < slots; slot++) {
        if (raw[slot] !== EMPTY_SLOT) t.is(finished[slot], raw[slot]);
        else t.true(finished[slot] !== EMPTY_SLOT && values.has(finished[slot]!));
      }
      const again = finished.slice();
      createOphSketcher(slots, 1).finish(again);
      t.deepEqual(again, finished);
    }
  }
});

test('createOphSketcher: the donor of an empty slot follows from which slots are full', (t) => {
  const sketcher = createOphSketcher(128, 1);
  const raw = rawOf(20, 128, 5);
  const other = raw.map((value, slot) => (value === EMPTY_SLOT ? value : slot));
  const donors = other.slice();
  sketcher.finish(donors);
  sketcher.finish(raw);
  for (let slot = 0; slot < 128; slot++) t.is(raw[slot], raw[donors[slot]!]);
});

test('createOphSketcher: empty slots borrow from all full slots alike, neighbours not from the same', (t) => {
  const slots = 1024;
  const full = 8;
  const sketcher = createOphSketcher(slots, 1);
  const signature = new Uint32Array(slots).fill(EMPTY_SLOT);
  for (let donor = 0; donor < full; donor++) signature[donor * 128] = donor;
  sketcher.finish(signature);
  const borrowed = new Float64Array(full);
  let same = 0;
  for (let slot = 0; slot < slots; slot++) {
    borrowed[signature[slot]!]!++;
    if (slot > 0 && signature[slot] === signature[slot - 1]) same++;
  }
  // Each count is 1 + Bin(1016, 1/8): mean 128, deviation 10.6. Equal neighbours: Bin(1023, 1/8): 127.9,
  // deviation 10.6.
  for (const count of borrowed) t.true(Math.abs(count - 128) < 53, `${count} slots`);
  t.true(Math.abs(same - 127.9) < 53, `${same} neighbours`);
});

test('createOphSketcher: the value 0xffffffff is told from an empty slot', (t) => {
  const sketcher = createOphSketcher(16, 1);
  const signature = new Uint32Array(16).fill(EMPTY_SLOT);
  sketcher.update(signature, Uint32Array.of(0xffffffff, 0), 1);
  t.is(signature[0], 0xfffffffe);
  sketcher.finish(signature);
  t.true(signature.every((slot) => slot === 0xfffffffe));
});
