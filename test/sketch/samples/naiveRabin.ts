/** The definition of a Rabin fingerprint: one long division of BigInt polynomials, no tables, no steps. */
import { type RabinTables, remainderOf } from '../../../src/sketch/samples/rabin.js';

export function naiveFingerprint(tables: RabinTables, bytes: Uint8Array): bigint {
  let string = 0n;
  for (const byte of bytes) string = (string << 8n) | BigInt(byte);
  if (tables.leadingOne) string |= 1n << BigInt(8 * bytes.length);
  if (tables.appendedNulls) string <<= BigInt(tables.degree);
  return remainderOf(string, tables.polynomial);
}
