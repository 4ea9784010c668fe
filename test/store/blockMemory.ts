/** The memory of blocks of a store in tests. */
import type { StoreOptions } from '../../src/store/store.js';

/** So many bytes, of which blocks that stay are never too many. */
export function blockMemory(bytes: number): NonNullable<StoreOptions['limit']> {
  return { roomOfBlocks: bytes, expectBlocks: () => {} };
}
