// Shingle hashes grouped by row chunk of the characteristic matrix; src/sketch/rowChunks.ts is the reference.
import { binOf, mixedHigh } from './sketchMixing';

/** As in rowChunks.ts. */
const ROW_CHUNK: u64 = ((<u64>0x27d4eb2f) << 32) | 0x85ebca77;

function rowChunkOf(hash: u64, rowChunks: u64): u32 {
  return binOf(<u64>mixedHigh(hash ^ ROW_CHUNK), rowChunks);
}

/**
 * Groups `count` hashes by row chunk into `out`, in their order within a chunk. `chunks`: room for a u32 a
 * hash. `ends`: room for `rowChunks` u32; gets where each chunk ends in `out`, in hashes. `rowChunks`
 * 1..65536.
 *
 * The chunk is mixed once and remembered, because reading it again is cheaper than two products.
 */
export function groupByRowChunk(
  hashes: usize,
  count: u32,
  rowChunks: u32,
  chunks: usize,
  out: usize,
  ends: usize,
): void {
  memory.fill(ends, 0, (<usize>rowChunks) << 2);
  const bins = <u64>rowChunks;
  for (let i: usize = 0; i < <usize>count; i++) {
    const chunk = rowChunkOf(load<u64>(hashes + (i << 3)), bins);
    store<u32>(chunks + (i << 2), chunk);
    const at = ends + ((<usize>chunk) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let place: u32 = 0;
  for (let at = ends, end = ends + ((<usize>rowChunks) << 2); at < end; at += 4) {
    const size = load<u32>(at);
    store<u32>(at, place);
    place += size;
  }
  for (let i: usize = 0; i < <usize>count; i++) {
    const at = ends + ((<usize>load<u32>(chunks + (i << 2))) << 2);
    const to = load<u32>(at);
    store<u32>(at, to + 1);
    store<u64>(out + ((<usize>to) << 3), load<u64>(hashes + (i << 3)));
  }
}
