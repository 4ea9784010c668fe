/**
 * The m-of-n rule: two documents count as alike when at least m of n slots agree, without banding.
 *
 * Floor 4. Pure. Slots are taken as independent, as `classic` has them.
 */
import { binomialAtLeast } from '../sketch/binomial.js';

/** p(r) at a resemblance. */
export interface RulePoint {
  readonly similarity: number;
  /** P(Bin(n, r) >= m). */
  readonly probability: number;
}

/** A rule `agree` of `hashes`, 0 <= agree <= hashes. */
export interface AgreeRule {
  readonly agree: number;
  readonly hashes: number;
  /** At 0, 0.05, ..., 1 and at agree/hashes, ascending. */
  readonly points: readonly RulePoint[];
  /** Resemblances at which p is 0.01, 0.5 and 0.99; all 0 where agree is 0. */
  readonly hundredth: number;
  readonly half: number;
  readonly ninetyNinth: number;
}

/**
 * p(r) = P(Bin(hashes, r) >= agree): that two documents of resemblance r (0..1) pass the rule. 90 of 100: .0057 at .8,
 * .583 at .9, .9885 at .95.
 */
export function passesRule(similarity: number, agree: number, hashes: number): number {
  return binomialAtLeast(hashes, similarity, agree);
}

/** The resemblance at which p(r) passes `probability`, by bisection. */
function similarityOf(probability: number, agree: number, hashes: number): number {
  if (agree <= 0) return 0;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (passesRule(middle, agree, hashes) < probability) low = middle;
    else high = middle;
  }
  return high;
}

/** The rule as a table. */
export function agreeRule(agree: number, hashes: number): AgreeRule {
  const places = Array.from({ length: 21 }, (_, step) => step / 20);
  if (!places.includes(agree / hashes)) places.push(agree / hashes);
  return {
    agree,
    hashes,
    points: places
      .sort((a, b) => a - b)
      .map((similarity) => ({ similarity, probability: passesRule(similarity, agree, hashes) })),
    hundredth: similarityOf(0.01, agree, hashes),
    half: similarityOf(0.5, agree, hashes),
    ninetyNinth: similarityOf(0.99, agree, hashes),
  };
}
