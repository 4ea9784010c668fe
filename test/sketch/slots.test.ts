/** 16-bit slots and band keys: equal where those of 32 bits are. */
import test from 'ava';
import fc from 'fast-check';
import { narrowSlot, writeBandKeys, writeNarrowSlots } from '../../src/sketch/slots.js';

const SHAPE = { stride: 16, banding: { bands: 3, rows: 3 } };

function narrow(wide: Uint32Array): { slots: Uint16Array; keys: Uint32Array; count: number } {
  const { stride, banding } = SHAPE;
  const count = wide.length / stride;
  const slots = new Uint16Array(wide.length);
  writeNarrowSlots(wide, slots, 0);
  const keys = new Uint32Array(count * banding.bands);
  writeBandKeys(slots, stride, banding, keys);
  return { slots, keys, count };
}

test('rows that agree in a band have its key in common', (t) => {
  const wide = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(fc.array(wide, { minLength: 1, maxLength: 8 }), (rows) => {
      const { slots, keys, count } = narrow(Uint32Array.from(rows.flat()));
      t.is(count, rows.length);
      rows.forEach((row, i) => {
        for (let slot = 0; slot < 16; slot++) t.is(slots[16 * i + slot], narrowSlot(row[slot]!));
        for (let other = 0; other < i; other++) {
          for (let band = 0; band < 3; band++) {
            const isEqual = [0, 1, 2].every((r) => row[3 * band + r] === rows[other]![3 * band + r]);
            t.is(keys[band * count + i] === keys[band * count + other], isEqual);
          }
        }
      });
    }),
    { numRuns: 50 },
  );
});

test('the same slots in two bands have different keys', (t) => {
  const { keys } = narrow(new Uint32Array(16).fill(7));
  t.is(new Set(keys).size, 3);
});
