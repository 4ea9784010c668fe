/** idOrder: the byte order of ids with any common prefixes. IdIndex: the position of an id. */
import test from 'ava';
import fc from 'fast-check';
import { compareIds, IdIndex, type IdTable, idOrder } from '../../src/blocks/ids.js';

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

test('the order of no ids is empty, and that of one id has one entry', (t) => {
  t.is(idOrder(tableOf([])).length, 0);
  t.deepEqual(Array.from(idOrder(tableOf([new Uint8Array(0)]))), [0]);
});

test('IdIndex finds the first of equal ids by their bytes, and nothing else', (t) => {
  const id = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\xff'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), id, (ids, other) => {
      const table = tableOf(ids.map((one) => Buffer.from(one, 'latin1')));
      const index = IdIndex.of(table);
      for (const one of [...ids, other]) t.is(index.find(Buffer.from(one, 'latin1')), ids.indexOf(one));
    }),
    { seed: 5, numRuns: 300 },
  );
});

test('IdIndex changes its hash function if ids are chosen to collide', (t) => {
  // The second word takes back what the first one made of the hash.
  const ids = Array.from({ length: 20_000 }, (_, i) => {
    const first = Math.imul(8 ^ i, 0x9e3779b1);
    const word = Buffer.alloc(8);
    word.writeInt32LE(i, 0);
    word.writeInt32LE(first ^ (first >>> 15) ^ 0x5bd1e995, 4);
    return word;
  });
  const index = IdIndex.of(tableOf(ids));
  t.true(ids.every((id, i) => index.find(id) === i));
});
