/** Copies runs of bytes and writes decimal numbers, one after the other. */

/**
 * Copies `length` bytes and returns where they end. Works in steps of 16: it reads and writes up to 15 bytes
 * past the end, which the next write overwrites.
 */
export function copyBytes(to: usize, from: usize, length: usize): usize {
  v128.store(to, v128.load(from));
  for (let at: usize = 16; at < length; at += 16) v128.store(to + at, v128.load(from + at));
  return to + length;
}

/** Two digits of 0..99, the first in the low byte. */
function twoDigits(value: u32): u32 {
  const tens = value / 10;
  return 0x3030 + tens + ((value - tens * 10) << 8);
}

export function writeInteger(to: usize, value: u32): usize {
  let digits: usize = 1;
  for (let rest = value; rest >= 10; rest /= 10) digits++;
  const end = to + digits;
  for (let at = end - 1; at >= to; at--) {
    const rest = value / 10;
    store<u8>(at, <u8>(0x30 + value - rest * 10));
    value = rest;
  }
  return end;
}

/**
 * `millionths` / 10^6 with six decimals. Most values are below 10: then the integer digit and the decimals
 * are one store.
 */
export function writeMillionths(to: usize, millionths: u32): usize {
  const whole = millionths / 1000000;
  const rest = millionths - whole * 1000000;
  const first = rest / 10000;
  const four = rest - first * 10000;
  const second = four / 100;
  let digit = whole;
  if (whole >= 10) {
    const tens = whole / 10;
    to = writeInteger(to, tens);
    digit = whole - tens * 10;
  }
  const head = 0x2e30 + digit + (twoDigits(first) << 16);
  const tail = twoDigits(second) + (twoDigits(four - second * 100) << 16);
  store<u64>(to, <u64>head | ((<u64>tail) << 32));
  return to + 8;
}

/**
 * The nearest whole number of millionths, halves upward; NaN for NaN. A double times 10^6 is rounded itself,
 * so at a tie the error of the product decides (src/output/tables/escaping.ts).
 */
export function millionthsOf(value: f64): f64 {
  const product = value * 1e6;
  const below = Math.floor(product);
  const overHalf = product - below - 0.5;
  if (overHalf !== 0) return overHalf > 0 ? below + 1 : below;
  const wide = value * 134217729;
  const high = wide - (wide - value);
  const error = high * 1e6 - product + (value - high) * 1e6;
  return error >= 0 ? below + 1 : below;
}
