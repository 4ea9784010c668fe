/**
 * Scattered rows -> partial signatures -> signatures; src/sketch/rowChunks.ts is the reference.
 *
 * Two structs of u32 are passed:
 *
 *      sketch   scheme, slots, stride, constants, working signature
 *      step     rows, runColumns, runEnds, runs, columns, numbers of the runs that became signatures, their number, their slots,
 *               and where `columnSignatures` goes on: run, and number of signature
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
 * Writes the finished signatures of columns [from, to) to `out`; the columns are asked for in order. `continues`: the working signature
 * has the earlier rows of column `from`. `open`: the last column stays in the working signature, unfinished.
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
  const rows = <usize>load<u32>(step);
  const runColumns = <usize>load<u32>(step, 4);
  const runEnds = <usize>load<u32>(step, 8);
  const runs = load<u32>(step, 12);
  const found = <usize>load<u32>(step, 20);
  const signed = load<u32>(step, 24);
  const slots = <usize>load<u32>(step, 28);
  const width = (<usize>load<u32>(sketch, 8)) << 2;
  let run = load<u32>(step, 32);
  let next = load<u32>(step, 36);
  for (let column = from; column < to; column++) {
    if (column !== from || continues === 0) clear(sketch);
    // The lists of neighbouring runs are one list.
    let first = firstRow(runEnds, run);
    let last = first;
    for (; run < runs && load<u32>(runColumns + ((<usize>run) << 2)) === column; run++) {
      const end = load<u32>(runEnds + ((<usize>run) << 2));
      if (next < signed && load<u32>(found + ((<usize>next) << 2)) === run) {
        lower(sketch, rows + ((<usize>first) << 3), last - first);
        merge(sketch, slots + <usize>next * width);
        next++;
        first = end;
      }
      last = end;
    }
    lower(sketch, rows + ((<usize>first) << 3), last - first);
    if (open !== 0 && column === to - 1) return;
    copyOut(sketch, out);
    out += width;
  }
  store<u32>(step, run, 32);
  store<u32>(step, next, 36);
}
