/**
 * Sorting 64-bit hashes that lie as pairs (low, high) in a Uint32Array.
 *
 * Floor 0. Radix sort on the high halves, bytes from the lowest, then the few runs of equal high halves by
 * their low ones. Hashes are spread evenly, so such runs are short; a long one (hashes chosen to hurt) is
 * radix-sorted as well.
 */

/** Below this, counting 4 x 256 digits costs more than insertion. */
const FEW = 48;

/**
 * Sorts `hashes[0 .. 2*count)` in place as unsigned 64-bit numbers and drops repetitions; returns how many
 * are left. What lies after them is left over and means nothing.
 */
export function sortUniqueHashes(hashes: Uint32Array, count: number): number {
  if (count <= FEW) {
    insertionSort(hashes, 0, count);
  } else {
    const scratch = new Uint32Array(2 * count);
    radixSort(hashes, scratch, 0, count, 1);
    sortRuns(hashes, scratch, count);
  }
  return dropRepetitions(hashes, count);
}

function dropRepetitions(hashes: Uint32Array, count: number): number {
  if (count === 0) return 0;
  let last = 0;
  for (let i = 2; i < 2 * count; i += 2) {
    const low = hashes[i]!;
    const high = hashes[i + 1]!;
    if (low === hashes[last] && high === hashes[last + 1]) continue;
    last += 2;
    hashes[last] = low;
    hashes[last + 1] = high;
  }
  return last / 2 + 1;
}

/** Sorts hashes number `from` to `to` (exclusive) by both halves. */
function insertionSort(hashes: Uint32Array, from: number, to: number): void {
  for (let i = 2 * (from + 1); i < 2 * to; i += 2) {
    const low = hashes[i]!;
    const high = hashes[i + 1]!;
    let j = i - 2;
    while (j >= 2 * from && (hashes[j + 1]! > high || (hashes[j + 1] === high && hashes[j]! > low))) {
      hashes[j + 2] = hashes[j]!;
      hashes[j + 3] = hashes[j + 1]!;
      j -= 2;
    }
    hashes[j + 2] = low;
    hashes[j + 3] = high;
  }
}

/** Sorts every run of equal high halves by the low halves. */
function sortRuns(hashes: Uint32Array, scratch: Uint32Array, count: number): void {
  for (let from = 0, to = 0; from < count; from = to) {
    const high = hashes[2 * from + 1];
    to = from + 1;
    while (to < count && hashes[2 * to + 1] === high) to++;
    if (to - from > FEW) radixSort(hashes, scratch, from, to, 0);
    else if (to - from > 1) insertionSort(hashes, from, to);
  }
}

/** Sorts hashes number `from` to `to` (exclusive) by one half, stably: 0 the low one, 1 the high one. */
function radixSort(hashes: Uint32Array, scratch: Uint32Array, from: number, to: number, half: 0 | 1): void {
  const digits = digitCounts(hashes, from, to, half);
  let source = hashes;
  let target = scratch;
  for (let digit = 0; digit < 4; digit++) {
    const base = 256 * digit;
    const shift = 8 * digit;
    const first = (hashes[2 * from + half]! >>> shift) & 255;
    // All hashes have this byte alike: nothing to do.
    if (digits[base + first] === to - from) continue;
    for (let value = 0, place = from; value < 256; value++) {
      const size = digits[base + value]!;
      digits[base + value] = place;
      place += size;
    }
    for (let i = 2 * from; i < 2 * to; i += 2) {
      const place = 2 * digits[base + ((source[i + half]! >>> shift) & 255)]!++;
      target[place] = source[i]!;
      target[place + 1] = source[i + 1]!;
    }
    [source, target] = [target, source];
  }
  if (source !== hashes) hashes.set(scratch.subarray(2 * from, 2 * to), 2 * from);
}

/** How often each value of each of the four bytes occurs. */
function digitCounts(hashes: Uint32Array, from: number, to: number, half: 0 | 1): Uint32Array {
  const counts = new Uint32Array(4 * 256);
  for (let i = 2 * from + half; i < 2 * to; i += 2) {
    const word = hashes[i]!;
    counts[word & 255]!++;
    counts[256 + ((word >>> 8) & 255)]!++;
    counts[512 + ((word >>> 16) & 255)]!++;
    counts[768 + (word >>> 24)]!++;
  }
  return counts;
}
