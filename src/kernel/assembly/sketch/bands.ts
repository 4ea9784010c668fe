/** Signatures -> bucket keys, alone or in rows; src/sketch/banding.ts is the reference. */
import { C1, C2, C3 } from '../text/mixing';

/**
 * Writes the 64-bit bucket key of every band of a signature to `out`, `step` bytes from band to band. `start`: the start
 * value that follows from the seed. The bands are independent, so the processor works on several chains of products at once.
 */
function keysOf(signature: usize, bands: u32, rows: u32, start: u64, out: usize, step: usize): void {
  const width = (<usize>rows) << 2;
  for (const end = out + <usize>bands * step; out < end; out += step) {
    start += C1;
    let key = start;
    for (const bandEnd = signature + width; signature < bandEnd; signature += 4) {
      key = (key ^ <u64>load<u32>(signature)) * C2;
      key ^= key >> 32;
    }
    key *= C3;
    store<u64>(out, key ^ (key >> 29));
  }
}

/**
 * Writes the keys of `bands` bands, from band `first` on, of `columns` signatures that lie `stride` slots apart: those of a band in
 * order, `step` bytes from band to band. `seedAt`: address of the start value (u64).
 */
export function bandColumns(
  signatures: usize,
  columns: u32,
  stride: u32,
  first: u32,
  bands: u32,
  rows: u32,
  seedAt: usize,
  out: usize,
  step: usize,
): void {
  const start = load<u64>(seedAt) + C1 * <u64>first;
  signatures += (<usize>(first * rows)) << 2;
  for (let column: u32 = 0; column < columns; column++, signatures += (<usize>stride) << 2, out += 8) {
    keysOf(signatures, bands, rows, start, out, step);
  }
}

/**
 * Writes rows, those of band 0 first: the number of the band u16, the bucket key u64, and `tail` bytes (a multiple of 4) of u64 that
 * stand in `tails`, column after column, the last one as u32 where no more bytes are left. All are big-endian, so that the order of
 * bytes is that of the numbers.
 */
export function bandRows(
  signatures: usize,
  columns: u32,
  stride: u32,
  bands: u32,
  rows: u32,
  seedAt: usize,
  tails: usize,
  tail: u32,
  out: usize,
): void {
  const start = load<u64>(seedAt);
  const width = <usize>tail + 10;
  const step = <usize>columns * width;
  for (let column: u32 = 0; column < columns; column++, signatures += (<usize>stride) << 2, out += width) {
    keysOf(signatures, bands, rows, start, out + 2, step);
    let row = out;
    for (let band: u32 = 0; band < bands; band++, row += step) {
      store<u16>(row, bswap<u16>(<u16>band));
      store<u64>(row, bswap<u64>(load<u64>(row, 2)), 2);
      let at: usize = 0;
      for (; at + 8 <= <usize>tail; at += 8) store<u64>(row + at, bswap<u64>(load<u64>(tails + at)), 10);
      if (at < <usize>tail) store<u32>(row + at, bswap<u32>(load<u32>(tails + at)), 10);
    }
    tails += (<usize>tail + 7) & ~7;
  }
}
