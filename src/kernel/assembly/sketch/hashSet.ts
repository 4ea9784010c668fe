/**
 * A set of hashes, which the glue (src/kernel/text/wasmState.ts) writes once: open addressing, one u64 per place, 0 if it is free. After
 * the `mask` + 1 places follows a u64 that is not 0 if the hash 0 is in the set.
 */

/** Whether the set, which must have a free place, has a hash. */
export function isInSet(set: usize, mask: u32, hash: u64): bool {
  if (hash === 0) return load<u64>(set + ((<usize>mask + 1) << 3)) !== 0;
  let place = <u32>hash & mask;
  let found = load<u64>(set + ((<usize>place) << 3));
  while (found !== 0 && found !== hash) {
    place = (place + 1) & mask;
    found = load<u64>(set + ((<usize>place) << 3));
  }
  return found !== 0;
}
