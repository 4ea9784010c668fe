/**
 * Elements with their multiplicities -> their part of the content key of the set; src/kernel/kernel.ts has the formula. Addresses:
 * `constants` r, p, s, q u64; `hashes` u64; `copies` u16 each, 0: every element once; the sum is added to `key`, two u64.
 */
import { textFmix64 } from '../text/mixing';

export function setKey(constants: usize, hashes: usize, copies: usize, count: usize, key: usize): void {
  const r = load<u64>(constants);
  const p = load<u64>(constants, 8);
  const s = load<u64>(constants, 16);
  const q = load<u64>(constants, 24);
  let first = load<u64>(key);
  let second = load<u64>(key, 8);
  for (let i: usize = 0; i < count; i++) {
    const hash = load<u64>(hashes + 8 * i);
    const n: u64 = copies === 0 ? 1 : <u64>load<u16>(copies + 2 * i);
    first += textFmix64((hash ^ r) + n * p);
    second += textFmix64((hash ^ s) + n * q);
  }
  store<u64>(key, first);
  store<u64>(key, second, 8);
}
