/** Texts from a seed: words, and edits that make near copies. */

/** mulberry32: small, seeded, and the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** `count` words over a vocabulary of 5,000. */
export function wordsFrom(random: () => number, count: number): string[] {
  return Array.from({ length: count }, () => `w${Math.floor(random() * 5000)}`);
}

/** A copy with `edits` words replaced, inserted or removed. */
export function edited(random: () => number, words: readonly string[], edits: number): string[] {
  const copy = [...words];
  for (let edit = 0; edit < edits; edit++) {
    const at = Math.floor(random() * copy.length);
    const kind = Math.floor(random() * 3);
    if (kind === 0) copy[at] = `e${Math.floor(random() * 5000)}`;
    else if (kind === 1) copy.splice(at, 0, `i${Math.floor(random() * 5000)}`);
    else copy.splice(at, 1);
  }
  return copy;
}
