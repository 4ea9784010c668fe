/**
 * A signature: `hashes` uint32 slots, each a minimum over the elements of a set, and the operations
 * that hold for every scheme: the empty signature and the element-wise minimum.
 */

/** A slot that no element has lowered. */
export const EMPTY_SLOT = 0xffffffff;

/**
 * Turns sets of shingle hashes into signatures. Slots are uint32; the empty signature has 0xffffffff in every slot.
 */
export interface Sketcher {
  /** Number of slots of a signature. */
  readonly hashes: number;
  /**
   * Number of slots in memory: `hashes` padded to a multiple of 16; padding slots are 0xffffffff.
   */
  readonly stride: number;
  clear(signature: Uint32Array): void;
  /**
   * Lowers the slots by `count` shingle hashes. Order and repetition do not matter, and any partition of a
   * set gives, after `merge`, the same slots as the whole set at once.
   */
  update(signature: Uint32Array, hashes: Uint32Array, count: number): void;
  /** Element-wise minimum of signatures into `into`. */
  merge(into: Uint32Array, from: Uint32Array): void;
}

/**
 * Slots in memory for a signature of `hashes` slots: the next multiple of 16 (one cache line, four SIMD vectors).
 */
export function strideOf(hashes: number): number {
  return Math.ceil(hashes / 16) * 16;
}

/**
 * Lowers the first `hashes` slots of `into` to those of `from` if these are smaller: the Reduce function
 * for a characteristic matrix chunked by rows (Mining of Massive Datasets, exercise 3.3.7). Associative,
 * commutative and idempotent; the empty signature is neutral.
 */
function mergeSignatures(into: Uint32Array, from: Uint32Array, hashes: number): void {
  for (let slot = 0; slot < hashes; slot++) {
    const value = from[slot]!;
    if (value < into[slot]!) into[slot] = value;
  }
}

/** The sketcher of a scheme: the operations that all schemes share, and the scheme's own `update`. */
export function sketcherOf(hashes: number, update: Sketcher['update']): Sketcher {
  const stride = strideOf(hashes);
  return {
    hashes,
    stride,
    clear: (signature) => {
      signature.fill(EMPTY_SLOT, 0, stride);
    },
    update,
    merge: (into, from) => mergeSignatures(into, from, hashes),
  };
}
