/**
 * Pages from templates, like those of shops, forums and documentation: families that share a skeleton, in which each
 * page has 10 to 60 % words of its own. Family sizes follow a power law.
 */
import { between, type Random, randomOf } from './random.js';

/** The largest family has a tenth of the pages. */
const LARGEST = 1 / 10;
const POWER = 0.9;
const [LEAST_WORDS, MOST_WORDS] = [120, 320];

export interface TemplatePage {
  readonly id: string;
  readonly text: string;
}

function pageOf(skeleton: readonly string[], share: number, random: Random): string {
  const own = Math.floor(skeleton.length * share * (0.7 + 0.6 * random()));
  const words = skeleton.slice(0, Math.max(5, skeleton.length - own));
  for (let i = 0; i < own; i++) words.push(`own${between(random, 0, 1e9)}`);
  return words.join(' ');
}

/** A number of pages, family after family, the largest first. */
export function* templatePages(pages: number, seed = 1): Generator<TemplatePage> {
  const random = randomOf(seed);
  let made = 0;
  for (let family = 1; made < pages; family++) {
    const length = between(random, LEAST_WORDS, MOST_WORDS);
    const skeleton = Array.from({ length }, () => `w${family}x${between(random, 0, 5000)}`);
    const share = 0.1 + 0.5 * random();
    const size = Math.max(1, Math.floor((LARGEST * pages) / family ** POWER));
    for (let i = 0; i < size && made < pages; i++) {
      yield { id: `page${made++}`, text: pageOf(skeleton, share, random) };
    }
  }
}
