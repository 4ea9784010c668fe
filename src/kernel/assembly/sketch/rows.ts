/** Scatters rows by row chunk of the characteristic matrix; src/sketch/rowChunks.ts is the reference. */
import { binOf } from './mixing';

/** As in src/sketch/rowChunks.ts. */
const ROW_CHUNK: u64 = ((<u64>0x9e6c63d0) << 32) | 0x876a9a99;

function rowChunkOf(hash: u64, rowChunks: u64): u32 {
  return binOf((hash * ROW_CHUNK) >> 32, rowChunks);
}

/**
 * Copies `count` hashes of `column` to `rows`, from row `rowCount` on, in runs: those of one row chunk, in their order. Writes chunk,
 * column and end of each run behind the `runCount` runs that there are; returns how many there are then.
 *
 * Each run is collected in a bucket of `stride` bytes, and then copied: to count first, and look up the row chunk of each hash again, takes
 * nearly twice the time. `current`: a u32 per chunk, where its bucket ends; 0 before and after.
 */
export function appendRows(
  hashes: usize,
  count: u32,
  rows: usize,
  rowCount: u32,
  rowChunks: u32,
  column: u32,
  current: usize,
  buckets: usize,
  stride: u32,
  runChunks: usize,
  runColumns: usize,
  runEnds: usize,
  runCount: u32,
): u32 {
  let run = (<usize>runCount) << 2;
  let after = run;
  let free = buckets;
  const bins = <u64>rowChunks;
  for (const end = hashes + ((<usize>count) << 3); hashes < end; hashes += 8) {
    const hash = load<u64>(hashes);
    const chunk = rowChunkOf(hash, bins);
    const next = current + ((<usize>chunk) << 2);
    let to = <usize>load<u32>(next);
    if (to === 0) {
      store<u32>(runChunks + after, chunk);
      after += 4;
      to = free;
      free += stride;
    }
    store<u64>(to, hash);
    store<u32>(next, <u32>(to + 8));
  }
  let place = rows + ((<usize>rowCount) << 3);
  for (let bucket = buckets; run < after; run += 4) {
    const next = current + ((<usize>load<u32>(runChunks + run)) << 2);
    const size = <usize>load<u32>(next) - bucket;
    store<u32>(next, 0);
    copyHashes(place, bucket, size);
    place += size;
    bucket += stride;
    store<u32>(runColumns + run, column);
    store<u32>(runEnds + run, <u32>((place - rows) >> 3));
  }
  return <u32>(after >> 2);
}

/** Copies hashes, two at a time: up to eight bytes after the last are written. */
function copyHashes(to: usize, from: usize, bytes: usize): void {
  for (const end = from + bytes; from < end; from += 16) {
    v128.store(to, v128.load(from));
    to += 16;
  }
}
