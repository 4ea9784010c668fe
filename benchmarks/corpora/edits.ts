/** Edited copies: what a corpus is told to hold that is alike. */
import { between, type Random } from './random.js';

/**
 * A text with a share of its words changed: most replaced by a word from elsewhere, some dropped, some doubled by one.
 * With a share e of words touched about (1-e)^5 of the 5-word shingles stay.
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
  /** An earlier text; undefined while there are few. */
  readonly take: () => string | undefined;
}

const LEAST = 100;

/** Earlier texts of which each had the same chance to be remembered (a reservoir); one may be taken again and again. */
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

/** The latest texts, each taken at most `uses` times: what is alike grows with the corpus, not with its square. */
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
