/**
 * Elements with their multiplicities -> their part of the content key of each set; src/kernel/kernel.ts has the formula. Addresses:
 * `constants` r, p, s, q u64; `hashes` u64; `copies` u16 each, 0: every element once; `ends` u32 each: the end of the elements of each
 * set; the sum of a set is added to its `keys`, two u64.
 */
import { textFmix64 } from '../text/mixing';

export function setKeys(
  constants: usize,
  hashes: usize,
  copies: usize,
  ends: usize,
  sets: usize,
  keys: usize,
): void {
  const r = load<u64>(constants);
  const p = load<u64>(constants, 8);
  const s = load<u64>(constants, 16);
  const q = load<u64>(constants, 24);
  let i: usize = 0;
  for (let set: usize = 0; set < sets; set++) {
    const end = <usize>load<u32>(ends + 4 * set);
    const key = keys + 16 * set;
    let first = load<u64>(key);
    let second = load<u64>(key, 8);
    for (; i < end; i++) {
      const hash = load<u64>(hashes + 8 * i);
      const n: u64 = copies === 0 ? 1 : <u64>load<u16>(copies + 2 * i);
      first += textFmix64((hash ^ r) + n * p);
      second += textFmix64((hash ^ s) + n * q);
    }
    store<u64>(key, first);
    store<u64>(key, second, 8);
  }
}
