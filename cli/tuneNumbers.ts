/**
 * Probabilities, resemblances and estimates as people read them.
 *
 * Floor 5. Pure.
 */
import type { Extrapolation } from '../src/index.js';
import { grouped } from './amounts.js';

/** `0.80`, `0.8125`: two decimals, or up to four where two would not be true. */
export function shareText(share: number): string {
  return share.toFixed(4).replace(/0{1,2}$/, '');
}

/** `1.4 %`, `32 %`, `99.93 %`, `0.0031 %`: two digits of it or of what is missing to 100 %. */
export function percentText(probability: number): string {
  if (probability <= 0) return '0 %';
  if (probability >= 1) return '100 %';
  const percent = 100 * probability;
  if (percent < 1e-4) return 'less than 0.0001 %';
  if (percent < 9.95) return `${plain(percent)} %`;
  if (percent <= 90) return `${percent.toFixed(0)} %`;
  const missing = 100 - percent;
  if (missing < 1e-4) return 'more than 99.9999 %';
  const decimals = missing < 9.95 ? decimalsOf(missing) : 0;
  return `${percent.toFixed(decimals)} %`;
}

/** Two significant digits without an exponent. */
function plain(value: number): string {
  return value.toFixed(decimalsOf(value));
}

function decimalsOf(value: number): number {
  return Math.max(0, 1 - Math.floor(Math.log10(value)));
}

/** Six decimals; where these would all be zero, two digits and a power of ten. */
export function probabilityText(probability: number): string {
  return probability === 0 || probability >= 1e-5 ? probability.toFixed(6) : probability.toExponential(1);
}

/** `about 12,000 (3,400 to 55,000)`, bounds of 95 %; where all was counted only the number. */
export function estimateText({ value, lower, upper }: Extrapolation): string {
  if (upper - lower < 0.5) return grouped(Math.round(value));
  return `about ${rounded(value)} (${rounded(lower)} to ${rounded(upper)})`;
}

/** Two significant digits, which is more than a sample knows. */
function rounded(value: number): string {
  if (value < 99.5) return String(Math.round(value));
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return grouped(Math.round(value / unit) * unit);
}
