/** CRC-32 against its published check value and a bit-by-bit reference. */
import test from 'ava';
import fc from 'fast-check';
import { crc32, hexOf } from '../../src/arrays/checksum.js';

/** The definition, one bit at a time. */
function plainCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test('crc32 gives the published check values', (t) => {
  t.is(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
  t.is(crc32(new Uint8Array(0)), 0);
  t.is(crc32(new Uint8Array(4)), 0x2144df1c);
});

test('crc32 equals the bit-by-bit reference at every length and offset', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(9), (bytes, from) => {
        const part = bytes.subarray(Math.min(from, bytes.length));
        return crc32(part) === plainCrc32(part);
      }),
      { seed: 1, numRuns: 500 },
    ),
  );
});

test('a number of 32 bits has eight hexadecimal digits, including leading zeros', (t) => {
  t.deepEqual([0, 0xff, 0x0123abcd, 0xffffffff].map(hexOf), ['00000000', '000000ff', '0123abcd', 'ffffffff']);
});
