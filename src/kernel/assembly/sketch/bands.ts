/** Signatures -> bucket keys; src/sketch/banding.ts is the reference. */
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
 * Writes the keys of `bands` bands, from band `first` on, of `columns` signatures, `stride` slots apart: the keys of a band in order,
 * `step` bytes from band to band. `seedAt`: address of the start value (u64).
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
