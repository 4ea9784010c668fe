/** String correction as Wagner and Fischer write it: the whole table, and their Algorithm Y. What the bit vectors must equal. */

import type { Ends } from '../../../../src/analysis/methods/sswf/stringCorrection.js';

export interface PlainCorrection {
  readonly distance: number;
  /** Places of equal symbols that are kept, ascending, from 0. */
  readonly base: readonly number[];
  readonly document: readonly number[];
}

export function plainCorrection(base: Uint16Array, document: Uint16Array, ends: Ends): PlainCorrection {
  const [P, Q] = [base.length, document.length];
  const width = Q + 1;
  const D = new Uint32Array((P + 1) * width);
  for (let i = 1; i <= P; i++) D[i * width] = i;
  for (let j = 1; j <= Q; j++) D[j] = ends === 'whole' ? j : 0;
  for (let i = 1; i <= P; i++) {
    for (let j = 1; j <= Q; j++) {
      const at = i * width + j;
      const changed = D[at - width - 1]! + (base[i - 1] === document[j - 1] ? 0 : 1);
      D[at] = Math.min(changed, D[at - width]! + 1, D[at - 1]! + 1);
    }
  }
  const last = D.subarray(P * width);
  const end = ends === 'whole' ? Q : last.indexOf(last.reduce((a, b) => Math.min(a, b)));
  const kept: [number, number][] = [];
  for (let [i, j] = [P, end]; i > 0 && j > 0; ) {
    const here = D[i * width + j]!;
    if (here === D[(i - 1) * width + j]! + 1) i--;
    else if (here === D[i * width + j - 1]! + 1) j--;
    else {
      i--;
      j--;
      if (base[i] === document[j]) kept.push([i, j]);
    }
  }
  kept.reverse();
  return { distance: last[end]!, base: kept.map(([i]) => i), document: kept.map(([, j]) => j) };
}
