/** idOrder: the byte order of ids, whatever prefixes they share. */
import test from 'ava';
import fc from 'fast-check';
import { compareIds, type IdTable, idOrder } from '../../src/blocks/ids.js';

function tableOf(ids: readonly Uint8Array[]): IdTable {
  const offsets = new Uint32Array(ids.length + 1);
  ids.forEach((id, i) => {
    offsets[i + 1] = offsets[i]! + id.length;
  });
  const bytes = new Uint8Array(offsets[ids.length]!);
  ids.forEach((id, i) => {
    bytes.set(id, offsets[i]!);
  });
  return { offsets, bytes };
}

function expectedOrder(table: IdTable): number[] {
  return Array.from({ length: table.offsets.length - 1 }, (_, i) => i).sort(
    (i, j) => compareIds(table, i, j) || i - j,
  );
}

test('random ids with few different bytes, zero bytes and long common prefixes are in byte order', (t) => {
  const id = fc
    .tuple(fc.nat(3), fc.uint8Array({ max: 2, maxLength: 20 }))
    .map(([prefix, tail]) => Uint8Array.from([...new Uint8Array(7 * prefix).fill(97), ...tail]));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 300 }), (ids) => {
      const table = tableOf(ids);
      t.deepEqual(Array.from(idOrder(table)), expectedOrder(table));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('many ids that differ late, and many equal ones, keep the order of their numbers when equal', (t) => {
  const encoder = new TextEncoder();
  const ids = Array.from({ length: 3000 }, (_, i) =>
    encoder.encode(i % 3 === 0 ? 'corpus/part.jsonl#same' : `corpus/part.jsonl#${(i * 7919) % 3000}`),
  );
  const table = tableOf(ids);
  t.deepEqual(Array.from(idOrder(table)), expectedOrder(table));
});

test('no ids have no order, and one is first', (t) => {
  t.is(idOrder(tableOf([])).length, 0);
  t.deepEqual(Array.from(idOrder(tableOf([new Uint8Array(0)]))), [0]);
});
