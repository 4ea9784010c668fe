/** Edited copies: the planted similarity of a corpus. */
import { between, type Random } from './random.js';

/**
 * A text with a share of its words changed: most are replaced by a word from elsewhere, some removed, some doubled. If
 * a share e of the words is changed, about (1-e)^5 of the 5-word shingles remain.
 */
export function edited(
  text: string,
  share: number,
  pool: { readonly word: () => string },
  random: Random,
): string {
  return text.replace(/[^ \n\t]+/g, (word) => {
    if (random() >= share) return word;
    const kind = random();
    if (kind < 0.6) return pool.word();
    return kind < 0.8 ? '' : `${word} ${pool.word()}`;
  });
}

export interface Originals {
  readonly add: (text: string) => void;
  /** An earlier text; undefined if there are few. */
  readonly take: () => string | undefined;
}

const LEAST = 100;

/** A reservoir: each earlier text has the same chance to be remembered, and may be taken repeatedly. */
export function anyEarlier(most: number, random: Random): Originals {
  const texts: string[] = [];
  let seen = 0;
  return {
    add: (text) => {
      seen++;
      if (texts.length < most) texts.push(text);
      else {
        const slot = between(random, 0, seen);
        if (slot < most) texts[slot] = text;
      }
    },
    take: () => (texts.length < LEAST ? undefined : texts[between(random, 0, texts.length)]),
  };
}

/**
 * The latest texts, each taken at most `uses` times, so that the number of similar pairs is linear in the size of the
 * corpus.
 */
export function latest(most: number, uses: number, random: Random): Originals {
  const texts: string[] = [];
  const taken: number[] = [];
  let next = 0;
  return {
    add: (text) => {
      texts[next] = text;
      taken[next] = 0;
      next = (next + 1) % most;
    },
    take: () => {
      if (texts.length < LEAST) return undefined;
      for (;;) {
        const slot = between(random, 0, texts.length);
        if (taken[slot]! < uses) {
          taken[slot]!++;
          return texts[slot];
        }
      }
    },
  };
}
