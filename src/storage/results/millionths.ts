/**
 * Fractions rounded to six decimals, exactly: the same integer on every machine and Node version.
 *
 * Floor 2. Knows nothing of rows.
 */

/**
 * The whole number of millionths nearest to `value` (0 to 1 in our files; right up to 1000), halves upward:
 * the digits of `value.toFixed(6)`. NaN, the empty cell, is -1.
 *
 * `value * 1e6` alone rounds before we do: 0.0000035 is really a little less, and would come out as 0.000004.
 * So the product's error is taken along (Dekker 1971, "A floating-point technique for extending the available
 * precision"): with `value` split in halves of 26 bits both half products are exact, and only at a tie of the
 * rounded product does the error's sign decide.
 */
export function millionthsOf(value: number): number {
  if (Number.isNaN(value)) return -1;
  const product = value * 1e6;
  const floor = Math.floor(product);
  const overHalf = product - floor - 0.5;
  if (overHalf !== 0) return overHalf > 0 ? floor + 1 : floor;
  const wide = value * 134217729; // 2^27 + 1
  const high = wide - (wide - value);
  const error = high * 1e6 - product + (value - high) * 1e6;
  return error >= 0 ? floor + 1 : floor;
}

/** `value` rounded to six decimals, as a number: what a fraction in a JSON file is. */
export function roundedToMillionths(value: number): number {
  return millionthsOf(value) / 1e6;
}

/** Millionths of `count / hashes` for every count 0..hashes: agreements have few values. */
export function agreementMillionths(hashes: number): Uint32Array {
  return Uint32Array.from({ length: hashes + 1 }, (_, count) => millionthsOf(count / hashes));
}
