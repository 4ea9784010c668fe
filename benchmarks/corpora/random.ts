/** Seeded random numbers, the same on every machine (SplitMix32: a Weyl sequence and the finaliser of MurmurHash3). */
export type Random = () => number;

/** Numbers from 0 to below 1, 32 bits each. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 0x632be5ab);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to below `end`. */
export function between(random: Random, least: number, end: number): number {
  return least + Math.floor(random() * (end - least));
}
