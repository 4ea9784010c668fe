/**
 * How likely two signatures share a bucket, given how many of their slots are equal.
 *
 * Floor 0. Pure. This is what a sample of a corpus is judged by: from the agreements of its pairs follow the candidates
 * of every setting, with less chance in it than in counting the buckets of one seed, and without guessing resemblances.
 */

/**
 * For every number c = 0..hashes of equal slots, the probability that `bands` bands of `rows` rows (bands x rows <=
 * hashes) hold one band of equal slots only, if all places of the c equal slots are equally likely: one minus the share
 * of placements with an unequal slot in every band.
 *
 * These placements are counted by the coefficients of ((1 + x)^r - x^r)^b (1 + x)^(n - br), all positive, so nothing
 * cancels; each factor (1 + x) is halved to keep them in range. The mean over c ~ Bin(n, s) is the S-curve at s.
 */
export function candidateShares(hashes: number, bands: number, rows: number): Float64Array {
  const all = coefficients(hashes, 0, 1);
  const without = coefficients(hashes, bands, rows);
  const shares = new Float64Array(hashes + 1);
  for (let c = rows; c <= hashes; c++) shares[c] = Math.min(1, Math.max(0, 1 - without[c]! / all[c]!));
  return shares;
}

/** Of ((1 + x)^rows - x^rows)^bands (1 + x)^(hashes - bands rows) / 2^hashes, by multiplying factor after factor. */
function coefficients(hashes: number, bands: number, rows: number): Float64Array {
  const pairUp = Float64Array.of(0.5, 0.5);
  let band: Float64Array = Float64Array.of(1);
  for (let row = 0; row < rows; row++) band = product(band, pairUp);
  band[rows] = 0;
  let result: Float64Array = Float64Array.of(1);
  for (let i = 0; i < bands; i++) result = product(result, band);
  for (let slot = bands * rows; slot < hashes; slot++) result = product(result, pairUp);
  return result;
}

function product(a: Float64Array, b: Float64Array): Float64Array {
  const result = new Float64Array(a.length + b.length - 1);
  for (let i = 0; i < a.length; i++) {
    if (a[i] === 0) continue;
    for (let j = 0; j < b.length; j++) result[i + j] = result[i + j]! + a[i]! * b[j]!;
  }
  return result;
}
