/**
 * Task `drops`: the near pairs of components -> which documents are kept, at the threshold of the run and at higher ones.
 *
 * Rows `root, b, a, level` arrive sorted by component, then by the later document b of the pair (in keep order), with its earlier
 * partner a. A pair of level k reaches thresholds 0 to k. A document is dropped at a threshold if it has a pair that reaches the
 * threshold with an earlier kept document. For each b one row `root, b, kept` is emitted; bit k of `kept` is set if b is kept at
 * threshold k.
 */
import { Float64Column, Uint32Column } from '../../../arrays/growable.js';
import { firstWhere } from '../../../arrays/search.js';
import type { EmitRow } from './lines.js';

/** @param thresholds number of thresholds, at most 31 */
export function decideDrops(rows: Iterable<readonly string[]>, emit: EmitRow, thresholds: number): void {
  const keptAtAll = 2 ** thresholds - 1;
  // The documents of the component that are dropped at any threshold, ascending, with their bits.
  let documents = new Float64Column();
  let bits = new Uint32Column();
  const keptBits = (a: number): number => {
    const column = documents.view;
    const at = firstWhere(0, column.length, (i) => column[i]! >= a);
    return column[at] === a ? bits.view[at]! : keptAtAll;
  };
  let [root, b, kept] = ['', '', keptAtAll];
  const decide = (): void => {
    if (b === '') return;
    emit(root, b, kept);
    if (kept === keptAtAll) return;
    documents.push(Number(b));
    bits.push(kept);
  };
  for (const [nextRoot, nextB, a, level] of rows) {
    if (nextRoot !== root || nextB !== b) {
      decide();
      if (nextRoot !== root) [documents, bits] = [new Float64Column(), new Uint32Column()];
      [root, b, kept] = [nextRoot!, nextB!, keptAtAll];
    }
    const reached = 2 ** (Number(level) + 1) - 1;
    kept &= ~(keptBits(Number(a)) & reached);
  }
  decide();
}
