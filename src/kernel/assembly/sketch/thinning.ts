/**
 * Removes hashes of a document before it is sketched; src/sketch/thinning.ts is the reference.
 *
 * The parameters are a struct that the glue (src/kernel/text/wasmDocuments.ts) writes once:
 *
 *       0 sample u32      4 mask of the set of eliminated hashes u32      8 constant of the sample u64
 *      16 address of that set u32, 0: there is none
 */
import { isInSet } from './hashSet';
import { mixedHigh } from './mixing';

const MASK: usize = 4;
const CONSTANT: usize = 8;
const SET: usize = 16;

/** Moves the kept hashes to the front, in their order; returns their number. */
export function thinHashes(hashes: usize, count: u32, thinning: usize): u32 {
  const sample = load<u32>(thinning);
  const constant = load<u64>(thinning, CONSTANT);
  const set = <usize>load<u32>(thinning, SET);
  const mask = load<u32>(thinning, MASK);
  const end = hashes + ((<usize>count) << 3);
  let to = hashes;
  for (let at = hashes; at < end; at += 8) {
    const hash = load<u64>(at);
    if (sample > 1 && mixedHigh(hash ^ constant) % sample !== 0) continue;
    if (set !== 0 && isInSet(set, mask, hash)) continue;
    store<u64>(to, hash);
    to += 8;
  }
  return <u32>((to - hashes) >> 3);
}
