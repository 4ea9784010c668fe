/** Tables of ids for tests. */
import type { IdTable } from '../../src/blocks/ids.js';

/** The table of ids (binary strings), in their order. */
export function idTableOf(ids: readonly string[]): IdTable {
  const offsets = new Uint32Array(ids.length + 1);
  for (let i = 0; i < ids.length; i++) offsets[i + 1] = offsets[i]! + ids[i]!.length;
  const bytes = new Uint8Array(offsets[ids.length]!);
  for (let i = 0; i < ids.length; i++) bytes.set(Buffer.from(ids[i]!, 'latin1'), offsets[i]!);
  return { offsets, bytes };
}
