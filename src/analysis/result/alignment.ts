/**
 * Finds tokens in the same order in two texts, to show the texts side by side.
 *
 * Anchors are positions of equal runs. The longest chain of them that ascends in both texts is kept (patience sorting)
 * and extended in both directions. Time n log n: a stretch between anchors is searched fully only if it is short.
 */
import { Uint32Column } from '../../arrays/growable.js';

/** A gap of more cells (tokens of one times tokens of the other) is not searched fully. */
const MOST_CELLS = 1 << 16;

/** Positions of equal items of two texts: item i is at `a[i]` in one text and at `b[i]` in the other; `a` ascends. */
export interface Anchors {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
}

/** The longest subsequence of `anchors` whose positions ascend in both texts. */
function longestChain({ a, b }: Anchors): Anchors {
  // The smallest end of a chain of each length, and the anchor before each anchor in its chain.
  const ends = new Uint32Column();
  const before = new Int32Array(b.length);
  for (let i = 0; i < b.length; i++) {
    let low = 0;
    let high = ends.length;
    const positions = ends.view;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (b[positions[middle]!]! < b[i]!) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : positions[low - 1]!;
    if (low === positions.length) ends.push(i);
    else positions[low] = i;
  }
  const chain = new Uint32Array(ends.length);
  let at = chain.length;
  for (let i = ends.view.at(-1) ?? -1; i >= 0; i = before[i]!) chain[--at] = i;
  return { a: chain.map((i) => a[i]!), b: chain.map((i) => b[i]!) };
}

/** Two texts as numbers of tokens, and the matches so far. */
class Matching {
  /** By token of a: its partner in b, or -1. */
  readonly partners: Int32Array;
  private readonly a: Uint32Array;
  private readonly b: Uint32Array;

  constructor(a: Uint32Array, b: Uint32Array) {
    this.a = a;
    this.b = b;
    this.partners = new Int32Array(a.length).fill(-1);
  }

  /** Matches a[fromA .. toA) and b[fromB .. toB) by anchors in them, and calls `deeper` for the gaps between the matches. */
  by(anchors: Anchors, [fromA, toA, fromB, toB]: Gap, deeper: (gap: Gap) => void): void {
    const { a, b, partners } = this;
    let [nextA, nextB] = [fromA, fromB];
    const chain = longestChain(anchors);
    for (let n = 0; n <= chain.a.length; n++) {
      const isEnd = n === chain.a.length;
      let i = isEnd ? toA : chain.a[n]!;
      let j = isEnd ? toB : chain.b[n]!;
      // The extension of an earlier anchor covers this one, or goes past it in one of the texts.
      if (i < nextA || j < nextB) continue;
      while (i > nextA && j > nextB && a[i - 1] === b[j - 1]) partners[--i] = --j;
      while (i > nextA && j > nextB && a[nextA] === b[nextB]) partners[nextA++] = nextB++;
      deeper([nextA, i, nextB, j]);
      if (isEnd) return;
      [i, j] = [chain.a[n]!, chain.b[n]!];
      while (i < toA && j < toB && a[i] === b[j]) partners[i++] = j++;
      [nextA, nextB] = [i, j];
    }
  }

  /**
   * Matches the longest common subsequence of a short gap; in a long gap, if `deeply`, the tokens that occur once on
   * each side.
   */
  fill(gap: Gap, deeply: boolean): void {
    const [fromA, toA, fromB, toB] = gap;
    const cells = (toA - fromA) * (toB - fromB);
    if (cells === 0) return;
    if (cells <= MOST_CELLS) this.search(gap);
    else if (deeply) this.by(this.singles(gap), gap, (inner) => this.fill(inner, false));
  }

  private singles([fromA, toA, fromB, toB]: Gap): Anchors {
    const { a, b } = this;
    // By token: its position in b; -1: it has more than one.
    const positions = new Map<number, number>();
    for (let j = fromB; j < toB; j++) positions.set(b[j]!, positions.has(b[j]!) ? -1 : j);
    const counts = new Map<number, number>();
    for (let i = fromA; i < toA; i++) counts.set(a[i]!, (counts.get(a[i]!) ?? 0) + 1);
    const anchorsOfGap = { a: new Uint32Column(), b: new Uint32Column() };
    for (let i = fromA; i < toA; i++) {
      const position = positions.get(a[i]!) ?? -1;
      if (position < 0 || counts.get(a[i]!) !== 1) continue;
      anchorsOfGap.a.push(i);
      anchorsOfGap.b.push(position);
    }
    return { a: anchorsOfGap.a.view, b: anchorsOfGap.b.view };
  }

  /** Matches the longest common subsequence of a gap, by the table of lengths. */
  private search([fromA, toA, fromB, toB]: Gap): void {
    const { a, b, partners } = this;
    const width = toB - fromB + 1;
    const lengths = new Uint16Array((toA - fromA + 1) * width);
    for (let i = toA - 1; i >= fromA; i--) {
      const row = (i - fromA) * width;
      for (let j = toB - 1; j >= fromB; j--) {
        const at = row + j - fromB;
        lengths[at] =
          a[i] === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
      }
    }
    for (let i = fromA, j = fromB; i < toA && j < toB; ) {
      const at = (i - fromA) * width + j - fromB;
      if (a[i] === b[j]) partners[i++] = j++;
      else if (lengths[at + width]! >= lengths[at + 1]!) i++;
      else j++;
    }
  }
}

/** `a[from .. to)` and `b[from .. to)`. */
type Gap = readonly [fromA: number, toA: number, fromB: number, toB: number];

/**
 * For each token of `a` its partner in `b`, or -1. Partners are equal and ascend.
 *
 * @param a numbers of tokens, equal for equal tokens of both texts
 * @param anchors positions of equal tokens, each position at most once
 */
export function aligned(a: Uint32Array, b: Uint32Array, anchors: Anchors): Int32Array {
  const matching = new Matching(a, b);
  matching.by(anchors, [0, a.length, 0, b.length], (gap) => matching.fill(gap, true));
  return matching.partners;
}
