/**
 * Removes hashes of a document before it is sketched; src/sketch/thinning.ts is the reference.
 *
 * The parameters are a struct that the glue (src/kernel/text/wasmDocuments.ts) writes once:
 *
 *       0 sample u32      4 whether hash 0 is eliminated      8 constant of the sample u64
 *      16 address of the table of eliminated hashes, 0: none  20 its number of places less one
 *
 * The table is open-addressing, one u64 per place; 0 is a free place.
 */
import { mixedHigh } from './mixing';

const ZERO: usize = 4;
const CONSTANT: usize = 8;
const TABLE: usize = 16;
const MASK: usize = 20;

/** Whether a table with `mask` + 1 places, at least one free, has a hash other than 0. */
function isInTable(table: usize, mask: u32, hash: u64): bool {
  let place = <u32>hash & mask;
  let found = load<u64>(table + ((<usize>place) << 3));
  while (found !== 0 && found !== hash) {
    place = (place + 1) & mask;
    found = load<u64>(table + ((<usize>place) << 3));
  }
  return found !== 0;
}

/** Moves the kept hashes to the front, in their order; returns their number. */
export function thinHashes(hashes: usize, count: u32, thinning: usize): u32 {
  const sample = load<u32>(thinning);
  const constant = load<u64>(thinning, CONSTANT);
  const table = <usize>load<u32>(thinning, TABLE);
  const mask = load<u32>(thinning, MASK);
  const isZeroOut = load<u32>(thinning, ZERO) !== 0;
  const end = hashes + ((<usize>count) << 3);
  let to = hashes;
  for (let at = hashes; at < end; at += 8) {
    const hash = load<u64>(at);
    if (sample > 1 && mixedHigh(hash ^ constant) % sample !== 0) continue;
    if (table !== 0 && (hash === 0 ? isZeroOut : isInTable(table, mask, hash))) continue;
    store<u64>(to, hash);
    to += 8;
  }
  return <u32>((to - hashes) >> 3);
}
