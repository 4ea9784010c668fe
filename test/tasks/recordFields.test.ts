import test from 'ava';
import fc from 'fast-check';
import { endedAt, FieldWriter, f64At, u32At, u64At } from '../../src/tasks/stream/records.js';

const fields = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('u8' as const), value: fc.nat(255) }),
    fc.record({ kind: fc.constant('u32' as const), value: fc.integer({ min: 0, max: 2 ** 32 - 1 }) }),
    fc.record({ kind: fc.constant('u64' as const), value: fc.maxSafeNat() }),
    fc.record({ kind: fc.constant('f64' as const), value: fc.double({ noNaN: true }) }),
    fc.record({ kind: fc.constant('raw' as const), value: fc.uint8Array({ maxLength: 90 }) }),
    fc.record({ kind: fc.constant('ended' as const), value: fc.uint8Array({ maxLength: 20, max: 2 }) }),
  ),
  { maxLength: 40 },
);

test('fields of keys and values are read as they were written, wherever the writer outgrows its room', (t) => {
  fc.assert(
    fc.property(fields, (list) => {
      const writer = new FieldWriter();
      for (const field of list) {
        if (field.kind === 'raw' || field.kind === 'ended') writer[field.kind](field.value);
        else writer[field.kind](field.value);
      }
      const bytes = writer.view;
      let at = 0;
      for (const { kind, value } of list) {
        if (kind === 'raw') {
          t.deepEqual([...bytes.subarray(at, at + value.length)], [...value]);
          at += value.length;
        } else if (kind === 'ended') {
          const found = endedAt(bytes, at);
          t.deepEqual([...found.bytes], [...value]);
          at = found.next;
        } else if (kind === 'u8') t.is(bytes[at++], value);
        else if (kind === 'u32') {
          t.is(u32At(bytes, at), value);
          at += 4;
        } else {
          t.is(kind === 'f64' ? f64At(bytes, at) : u64At(bytes, at), value);
          at += 8;
        }
      }
      t.is(at, bytes.length);
    }),
    { seed: 1, numRuns: 200 },
  );
});
