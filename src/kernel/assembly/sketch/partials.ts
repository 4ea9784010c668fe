/**
 * Scattered rows -> partial signatures -> signatures; src/sketch/rowChunks.ts is the reference.
 *
 * Two structs of u32 are passed:
 *
 *      sketch   scheme, slots, stride, constants, working signature
 *      step     rows, runColumns, runEnds, runs, columns, forms, order, starts, slots of partials, gathered, its hashes
 *
 * The slots of the working signature up to the next multiple of four are 0 before the first call (see
 * fssUpdate).
 */
import { classicUpdate } from './classic';
import { fssUpdate } from './fss';

const FSS: u32 = 0;

function clear(sketch: usize): void {
  memory.fill(<usize>load<u32>(sketch, 16), 0xff, (<usize>load<u32>(sketch, 4)) << 2);
}

/** Lowers the working signature. */
function lower(sketch: usize, hashes: usize, count: u32): void {
  const scheme = load<u32>(sketch);
  const slots = load<u32>(sketch, 4);
  const constants = <usize>load<u32>(sketch, 12);
  const working = <usize>load<u32>(sketch, 16);
  if (scheme === FSS) fssUpdate(working, slots, hashes, count, constants);
  else classicUpdate(working, load<u32>(sketch, 8), hashes, count, constants);
}

/**
 * Lowers the working signature to a raw signature; slots up to the next multiple of four are padding in both.
 */
function merge(sketch: usize, from: usize): void {
  const slots = load<u32>(sketch, 4);
  const working = <usize>load<u32>(sketch, 16);
  for (let slot: usize = 0; slot < (<usize>slots) << 2; slot += 16) {
    v128.store(working + slot, i32x4.min_u(v128.load(working + slot), v128.load(from + slot)));
  }
}

/** Copies the working signature to `out`; its padding is empty slots. */
function copyOut(sketch: usize, out: usize): void {
  const width = (<usize>load<u32>(sketch, 4)) << 2;
  memory.copy(out, <usize>load<u32>(sketch, 16), width);
  const padding = ((<usize>load<u32>(sketch, 8)) << 2) - width;
  if (padding > 0) memory.fill(out + width, 0xff, padding);
}

/** The first row of a run, in hashes. */
function firstRow(ends: usize, run: u32): u32 {
  return run === 0 ? 0 : load<u32>(ends + ((<usize>run) << 2) - 4);
}

/**
 * Sketches each run of more than `stride` / 2 rows whose column has a total above `limit`: writes the run's number to `found` and
 * its raw signature to `out`. Returns their number.
 */
export function partialRuns(
  sketch: usize,
  step: usize,
  totals: usize,
  limit: u32,
  found: usize,
  out: usize,
): u32 {
  const rows = <usize>load<u32>(step);
  const runColumns = <usize>load<u32>(step, 4);
  const runEnds = <usize>load<u32>(step, 8);
  const columns = load<u32>(step, 16);
  const stride = load<u32>(sketch, 8);
  let count: u32 = 0;
  for (let run: u32 = 0, runs = load<u32>(step, 12); run < runs; run++) {
    const column = load<u32>(runColumns + ((<usize>run) << 2));
    const from = firstRow(runEnds, run);
    const size = load<u32>(runEnds + ((<usize>run) << 2)) - from;
    if (size << 1 <= stride || column >= columns) continue;
    if (load<u32>(totals + ((<usize>column) << 2)) <= limit) continue;
    clear(sketch);
    lower(sketch, rows + ((<usize>from) << 3), size);
    copyOut(sketch, out);
    out += (<usize>stride) << 2;
    store<u32>(found + ((<usize>count) << 2), run);
    count++;
  }
  return count;
}

/**
 * Prepares a tile batch for `columnSignatures`: orders runs by column, and marks the `count` runs in `found`, which became
 * signatures.
 */
export function orderRuns(step: usize, found: usize, count: u32): void {
  const runColumns = <usize>load<u32>(step, 4);
  const runs = load<u32>(step, 12);
  const columns = load<u32>(step, 16);
  const forms = <usize>load<u32>(step, 20);
  const order = <usize>load<u32>(step, 24);
  const starts = <usize>load<u32>(step, 28);
  memory.fill(forms, 0, (<usize>runs) << 2);
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(forms + ((<usize>load<u32>(found + ((<usize>i) << 2))) << 2), i + 1);
  }
  memory.fill(starts, 0, (<usize>columns + 1) << 2);
  for (let run: u32 = 0; run < runs; run++) {
    const column = load<u32>(runColumns + ((<usize>run) << 2));
    if (column >= columns) continue;
    const at = starts + ((<usize>column) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let place: u32 = 0;
  for (let column: u32 = 0; column <= columns; column++) {
    const at = starts + ((<usize>column) << 2);
    const size = load<u32>(at);
    store<u32>(at, place);
    place += size;
  }
  for (let run: u32 = 0; run < runs; run++) {
    const column = load<u32>(runColumns + ((<usize>run) << 2));
    if (column >= columns) continue;
    const at = starts + ((<usize>column) << 2);
    const to = load<u32>(at);
    store<u32>(at, to + 1);
    store<u32>(order + ((<usize>to) << 2), run);
  }
}

/** Copies `count` hashes, two at a time: up to eight bytes after the last are written. */
function copyHashes(to: usize, from: usize, count: u32): void {
  for (const end = from + ((<usize>count) << 3); from < end; from += 16) {
    v128.store(to, v128.load(from));
    to += 16;
  }
}

/** Lowers the working signature by all runs of a column, [first, last) in order. */
function lowerByRuns(sketch: usize, step: usize, first: u32, last: u32): void {
  const rows = <usize>load<u32>(step);
  const runEnds = <usize>load<u32>(step, 8);
  const forms = <usize>load<u32>(step, 20);
  const order = <usize>load<u32>(step, 24);
  const gathered = <usize>load<u32>(step, 36);
  const room = load<u32>(step, 40);
  let waiting: u32 = 0;
  for (let i = first; i < last; i++) {
    const run = load<u32>(order + ((<usize>i) << 2));
    const form = load<u32>(forms + ((<usize>run) << 2));
    if (form > 0) {
      const width = (<usize>load<u32>(sketch, 8)) << 2;
      merge(sketch, <usize>load<u32>(step, 32) + <usize>(form - 1) * width);
      continue;
    }
    const from = firstRow(runEnds, run);
    const size = load<u32>(runEnds + ((<usize>run) << 2)) - from;
    if (waiting + size > room) {
      lower(sketch, gathered, waiting);
      waiting = 0;
    }
    const list = rows + ((<usize>from) << 3);
    // A long list, or the only list of the column, is sketched in place.
    if (size > room || last - first === 1) lower(sketch, list, size);
    else {
      copyHashes(gathered + ((<usize>waiting) << 3), list, size);
      waiting += size;
    }
  }
  lower(sketch, gathered, waiting);
}

/**
 * Writes the finished signatures of columns [from, to) to `out`. `continues`: the working signature has the earlier rows of
 * column `from`. `open`: the last column stays in the working signature, unfinished.
 */
export function columnSignatures(
  sketch: usize,
  step: usize,
  from: u32,
  to: u32,
  continues: u32,
  open: u32,
  out: usize,
): void {
  // After orderRuns the start of a column is the end of its runs.
  const starts = <usize>load<u32>(step, 28);
  const width = (<usize>load<u32>(sketch, 8)) << 2;
  for (let column = from; column < to; column++) {
    if (column !== from || continues === 0) clear(sketch);
    lowerByRuns(sketch, step, firstRow(starts, column), load<u32>(starts + ((<usize>column) << 2)));
    if (open !== 0 && column === to - 1) return;
    copyOut(sketch, out);
    out += width;
  }
}
