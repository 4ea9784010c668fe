/**
 * Pairs of rows of 16-bit slots -> equal slots, and bands in which they agree. A row has room for a multiple of 16 slots.
 */

/** A bit for each of 16 slots, from the lowest on: 1 if the slots are equal. */
function equal16(x: usize, y: usize): u64 {
  const low = i16x8.eq(v128.load(x), v128.load(y));
  const high = i16x8.eq(v128.load(x, 16), v128.load(y, 16));
  return <u64>(<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)));
}

/** Writes to `bits` a bit for each slot, 64 to a word; returns the number of equal slots. */
export function equalSlots(x: usize, y: usize, hashes: u32, bits: usize): u32 {
  let equal: u32 = 0;
  for (let left = <i32>hashes; left > 0; left -= 64, bits += 8, x += 128, y += 128) {
    let word = equal16(x, y);
    if (left > 16) word |= equal16(x + 32, y + 32) << 16;
    if (left > 32) word |= equal16(x + 64, y + 64) << 32;
    if (left > 48) word |= equal16(x + 96, y + 96) << 48;
    if (left < 64) word &= ((<u64>1) << (<u64>left)) - 1;
    store<u64>(bits, word);
    equal += <u32>popcnt<u64>(word);
  }
  return equal;
}

/**
 * Clears every bit that does not begin a run of `rows` set bits: the first bit of a band remains set if all of the band agrees. The
 * `words` words must be followed by `words` + 1 zeros.
 */
export function keepBands(bits: usize, words: u32, rows: u32): void {
  for (let length: u32 = 1; length < rows; ) {
    const by = min<u32>(length, rows - length);
    const shift = <u64>(by & 63);
    let next = bits + ((<usize>(by >> 6)) << 3);
    for (let at = bits, end = bits + ((<usize>words) << 3); at < end; at += 8, next += 8) {
      store<u64>(
        at,
        load<u64>(at) & ((load<u64>(next) >> shift) | ((load<u64>(next, 8) << 1) << (63 - shift))),
      );
    }
    length += by;
  }
}

/** Whether two lists of words have a common bit. */
export function haveCommon(x: usize, y: usize, words: u32): bool {
  let common: u64 = 0;
  for (const end = x + ((<usize>words) << 3); x < end; x += 8, y += 8) common |= load<u64>(x) & load<u64>(y);
  return common !== 0;
}

/** Adds 1 to the count (u32) of an agreement. */
export function tallyOne(tally: usize, equal: u32): void {
  const at = tally + ((<usize>equal) << 2);
  store<u32>(at, load<u32>(at) + 1);
}
