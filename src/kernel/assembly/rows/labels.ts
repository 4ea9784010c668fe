/**
 * Elements with their multiplicities -> labelled elements; src/text/labels.ts has the formula. Addresses: `elements` u64, `copies` u32
 * each, at least 1; `odd` the constant of the seed, u64; `out` u64: the labels 1 .. n of each element in order.
 */
import { textFmix64 } from '../text/mixing';

export function labelElements(elements: usize, copies: usize, count: u32, odd: usize, out: usize): void {
  const step = load<u64>(odd);
  for (const end = elements + ((<usize>count) << 3); elements < end; elements += 8) {
    let sum = load<u64>(elements);
    store<u64>(out, sum);
    sum += step;
    for (const last = out + ((<usize>load<u32>(copies) - 1) << 3); out < last; ) {
      out += 8;
      sum += step;
      store<u64>(out, textFmix64(sum));
    }
    out += 8;
    copies += 4;
  }
}
