import test from 'ava';
import fc from 'fast-check';
import { NameTable } from '../../src/arrays/hashTable.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { kernelModule } from '../kernel/sketchKernels.js';

const inKernel = createWasmKernel(kernelModule).setNames;

for (const [which, tableOf] of [
  ['a NameTable', () => new NameTable()],
  ['the table of the kernel', inKernel],
] as const) {
  test(`${which} numbers names in the order in which they are first met, for any hashes`, (t) => {
    const few = fc.uint8Array({ minLength: 1, maxLength: 3 });
    // Names with a common beginning of 14 to 17 bytes.
    const long = fc
      .tuple(fc.integer({ min: 14, max: 17 }), few)
      .map(([n, end]) => Uint8Array.of(...new Uint8Array(n), ...end));
    const name = fc.oneof(few, long);
    // Few different hashes, and the same one for different names: places are contended.
    const names = fc.array(fc.tuple(name, fc.nat(3)), { maxLength: 3000 });
    fc.assert(
      fc.property(names, fc.boolean(), (given, collide) => {
        const table = tableOf();
        const expected = new Map<string, number>();
        for (const [bytes] of given) {
          const key = bytes.join(' ');
          const known = expected.get(key) ?? expected.size;
          expected.set(key, known);
          const padded = Uint8Array.of(1, ...bytes, 2);
          const low = collide ? bytes[0]! & 3 : (bytes[0]! * 0x9e3779b1) >>> 0;
          if (table.numberOf(padded, 1, 1 + bytes.length, low, 5) !== known) t.fail(key);
        }
        const { hashes } = table.columnsFrom(0);
        const { size } = expected;
        t.is(table.length, size);
        t.is(hashes.length, 2 * size);
        for (const first of [0, Math.floor(size / 2), size]) {
          const later = table.columnsFrom(first);
          t.deepEqual(
            [...expected.keys()].slice(first),
            Array.from({ length: size - first }, (_, i) =>
              later.bytes.subarray(later.offsets[i]!, later.offsets[i + 1]!).join(' '),
            ),
          );
          t.deepEqual(later.hashes, hashes.subarray(2 * first));
        }
      }),
      { seed: 4, numRuns: 30 },
    );
  });

  test(`${which} grows over many names`, (t) => {
    const table = tableOf();
    const encoder = new TextEncoder();
    const count = 20_000;
    for (const round of [0, 1]) {
      for (let i = 0; i < count; i++) {
        const bytes = encoder.encode(`name ${i}`.repeat(1 + (i % 3)));
        const low = Math.imul(i, 0x9e3779b1) >>> 0;
        if (table.numberOf(bytes, 0, bytes.length, low, i) !== i) t.fail(`${round} ${i}`);
      }
    }
    t.is(table.length, count);
  });
}
