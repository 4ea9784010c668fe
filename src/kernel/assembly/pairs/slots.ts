/**
 * 32-bit slots -> 16-bit slots -> 32-bit keys of bands; src/sketch/slots.ts is the reference. A row of 16-bit slots has room for a
 * multiple of 16 of them.
 */

/** Mixes `count` slots, a multiple of 16, to 16 bits each. */
function shrinkSlots(from: usize, count: u32, to: usize): void {
  const odd = i32x4.splat(0x9e3779b1);
  for (const end = from + ((<usize>count) << 2); from < end; from += 32, to += 16) {
    const low = i32x4.shr_u(i32x4.mul(v128.load(from), odd), 16);
    const high = i32x4.shr_u(i32x4.mul(v128.load(from, 16), odd), 16);
    v128.store(to, i16x8.narrow_i32x4_u(low, high));
  }
}

/** Mixes the slots of `count` signatures, `stride` slots each, to 16 bits; writes the keys of `bands` bands of `rows` slots, band after band. */
export function shrinkSignatures(
  from: usize,
  count: u32,
  stride: u32,
  bands: u32,
  rows: u32,
  slots: usize,
  keys: usize,
): void {
  shrinkSlots(from, count * stride, slots);
  for (let band: u32 = 0; band < bands; band++) {
    slotKeys(slots + ((<usize>(band * rows)) << 1), count, stride << 1, rows, band, keys);
    keys += (<usize>count) << 2;
  }
}

/** Writes the keys of a band of `rows` slots for `count` signatures of `width` bytes. `at`: the first slot of the band in the first one. */
export function slotKeys(at: usize, count: u32, width: u32, rows: u32, band: u32, out: usize): void {
  const start = (band + 1) * 0x9e3779b1;
  for (const end = out + ((<usize>count) << 2); out < end; out += 4, at += <usize>width) {
    let key = start;
    for (let slot = at, last = at + ((<usize>rows) << 1); slot < last; slot += 2) {
      key = (key ^ <u32>load<u16>(slot)) * 0x85ebca6b;
      key ^= key >> 15;
    }
    key *= 0xc2b2ae35;
    store<u32>(out, key ^ (key >> 16));
  }
}
