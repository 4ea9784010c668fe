/**
 * Scatters rows by row chunk of the characteristic matrix; src/sketch/rowChunks.ts is the reference.
 *
 * A run, the rows of one column in one chunk of one call, is 16 bytes: chunk, column, number of rows, and the position of its
 * next row.
 */
import { binOf, mixedHigh } from './mixing';

/** As in src/sketch/rowChunks.ts. */
const ROW_CHUNK: u64 = ((<u64>0x27d4eb2f) << 32) | 0x85ebca77;

function rowChunkOf(hash: u64, rowChunks: u64): u32 {
  return binOf(<u64>mixedHigh(hash ^ ROW_CHUNK), rowChunks);
}

/**
 * Copies `count` hashes of `column` to `staged`, and the number of the run of each to `runOfRow`. `current`: a
 * u32 per chunk, its current run counted from 1. `runCount`: number of runs before the call; returns that after it.
 *
 * `runOfRow` keeps the run of each hash, because reading it again is cheaper than two products.
 */
export function appendRows(
  hashes: usize,
  count: u32,
  staged: usize,
  runOfRow: usize,
  rowChunks: u32,
  column: u32,
  current: usize,
  runs: usize,
  runCount: u32,
): u32 {
  const before = runCount;
  const bins = <u64>rowChunks;
  for (const end = hashes + ((<usize>count) << 3); hashes < end; hashes += 8) {
    const hash = load<u64>(hashes);
    store<u64>(staged, hash);
    const chunk = rowChunkOf(hash, bins);
    const at = current + ((<usize>chunk) << 2);
    let run = load<u32>(at);
    if (run <= before) {
      const made = runs + ((<usize>runCount) << 4);
      store<u32>(made, chunk);
      store<u32>(made, column, 4);
      store<u32>(made, 0, 8);
      run = ++runCount;
      store<u32>(at, run);
    }
    run -= 1;
    const size = runs + ((<usize>run) << 4);
    store<u32>(size, load<u32>(size, 8) + 1, 8);
    store<u32>(runOfRow, run);
    staged += 8;
    runOfRow += 4;
  }
  return runCount;
}

/** Turns sizes, u32 each, into start positions. */
function beginnings(sizes: usize, count: u32): void {
  let place: u32 = 0;
  for (const end = sizes + ((<usize>count) << 2); sizes < end; sizes += 4) {
    const size = load<u32>(sizes);
    store<u32>(sizes, place);
    place += size;
  }
}

/**
 * Sorts `runCount` runs by chunk, stably: their columns to `runColumns`, the ends of their rows to `runEnds`,
 * the ends of the runs of each chunk to `chunkEnds`, and the position of their first row to the runs
 * themselves. `rowsOf`: room for a u32 per chunk.
 */
function placeRuns(
  runs: usize,
  runCount: u32,
  rowChunks: u32,
  rowsOf: usize,
  chunkEnds: usize,
  rows: usize,
  runColumns: usize,
  runEnds: usize,
): void {
  memory.fill(rowsOf, 0, (<usize>rowChunks) << 2);
  memory.fill(chunkEnds, 0, (<usize>rowChunks) << 2);
  const end = runs + ((<usize>runCount) << 4);
  for (let run = runs; run < end; run += 16) {
    const offset = (<usize>load<u32>(run)) << 2;
    store<u32>(chunkEnds + offset, load<u32>(chunkEnds + offset) + 1);
    store<u32>(rowsOf + offset, load<u32>(rowsOf + offset) + load<u32>(run, 8));
  }
  beginnings(chunkEnds, rowChunks);
  beginnings(rowsOf, rowChunks);
  for (let run = runs; run < end; run += 16) {
    const offset = (<usize>load<u32>(run)) << 2;
    const place = load<u32>(chunkEnds + offset);
    store<u32>(chunkEnds + offset, place + 1);
    const from = load<u32>(rowsOf + offset);
    const to = from + load<u32>(run, 8);
    store<u32>(rowsOf + offset, to);
    store<u32>(run, <u32>(rows + ((<usize>from) << 3)), 12);
    store<u32>(runColumns + ((<usize>place) << 2), load<u32>(run, 4));
    store<u32>(runEnds + ((<usize>place) << 2), to);
  }
}

/** Scatters the appended rows: `count` staged hashes to `rows`, by row chunk, in their order within a run. */
export function scatterRows(
  staged: usize,
  count: u32,
  runOfRow: usize,
  runs: usize,
  runCount: u32,
  rowChunks: u32,
  current: usize,
  chunkEnds: usize,
  rows: usize,
  runColumns: usize,
  runEnds: usize,
): void {
  placeRuns(runs, runCount, rowChunks, current, chunkEnds, rows, runColumns, runEnds);
  for (const end = staged + ((<usize>count) << 3); staged < end; staged += 8) {
    const run = runs + ((<usize>load<u32>(runOfRow)) << 4);
    const to = <usize>load<u32>(run, 12);
    store<u64>(to, load<u64>(staged));
    store<u32>(run, <u32>(to + 8), 12);
    runOfRow += 4;
  }
}
