/**
 * Evidence that outlives the run: the evidence of a task is written to disk when the task ends, and a run that resumes
 * this one does not compare those pairs again.
 *
 *      evidence/mark/n   a, b  document numbers, ascending; jaccard, containmentAB, containmentBA
 *
 * Numbers of documents are those of their places; the mark of the corpus says that numbers and documents are the
 * same in both runs. Names count up and do not depend on how the work was divided.
 */
import { type ExactEvidence, firstNotBefore } from '../../../reducers/verifiedPairs.js';
import { type Block, decodeBlock, encodeBlock, heldColumns, must } from '../../blocks/block.js';
import type { Pairs } from '../../blocks/pairs.js';
import { measuredBy } from '../../sketch/similarity.js';
import type { Run } from '../context.js';

/** How the names of all evidence begin. */
export const EVIDENCE = 'evidence/';

/** Pairs sorted by (a, b), with evidence that is filled in; NaN: not known. */
export interface FillablePairs extends Pairs, ExactEvidence {
  readonly accepted: Uint8Array;
}

/** Rounding of three quotients of whole numbers. */
const ROUNDING = 1e-9;

/** Checks evidence that was read from a disk against its layout; returns the number of pairs. @throws MinHashError BLOCK_FOREIGN */
export function checkEvidence(block: Block): number {
  const pairs = block.columns.a?.length ?? 0;
  const { a, b, jaccard, containmentAB, containmentBA } = heldColumns(
    block,
    { a: 'u32', b: 'u32', jaccard: 'f64', containmentAB: 'f64', containmentBA: 'f64' },
    { b: pairs, jaccard: pairs, containmentAB: pairs, containmentBA: pairs },
  );
  for (let i = 0; i < pairs; i++) {
    const isNext = i === 0 || a[i - 1]! < a[i]! || (a[i - 1] === a[i] && b[i - 1]! < b[i]!);
    must(a[i]! < b[i]! && isNext, 'pairs in ascending order');
    const some = [jaccard[i]!, containmentAB[i]!, containmentBA[i]!];
    must(
      some.every((value) => value >= 0 && value <= 1),
      'similarities from 0 to 1',
    );
    // |A or B| = |A| + |B| - |A and B|, each divided by |A and B|.
    const [union, setA, setB] = some.map((value) => 1 / value) as [number, number, number];
    const isOne = Number.isFinite(union) && Math.abs(union - (setA + setB - 1)) <= ROUNDING * union;
    must(some.every((value) => value === 0) || isOne, 'similarities of the same sets');
  }
  return pairs;
}

function valuesAt<T extends Uint32Array | Float64Array>(column: T, rows: Uint32Array): T {
  const Type = column.constructor as new (length: number) => T;
  const values = new Type(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = column[rows[i]!]!;
  return values;
}

export class EvidenceBlocks {
  private readonly run: Run;
  private readonly prefix: string;
  /** Names of the blocks of the earlier run. */
  private readonly names: readonly string[];
  private next = 0;

  constructor(run: Run) {
    this.run = run;
    this.prefix = `${EVIDENCE}${run.corpusMark}/`;
    this.names = run.engine.store.recalled?.(this.prefix) ?? [];
    for (const name of this.names)
      this.next = Math.max(this.next, Number(name.slice(this.prefix.length)) + 1);
  }

  /**
   * Fills in the evidence of an earlier run for pairs whose evidence `isWanted` and of which no document changed since;
   * returns the number of these rows. One block at a time is in memory.
   */
  recall(pairs: FillablePairs, isWanted: (row: number) => boolean): number {
    const { store } = this.run.engine;
    const { threshold, measure } = this.run.params;
    let filled = 0;
    for (const name of this.names) {
      const { columns } = decodeBlock(store.get(name), 'pairs', name);
      const { a, b } = columns as Record<string, Uint32Array>;
      const { jaccard, containmentAB, containmentBA } = columns as Record<string, Float64Array>;
      for (let i = 0, from = 0; i < a!.length; i++) {
        const row = firstNotBefore(pairs, from, a![i]!, b![i]!);
        from = row;
        if (row === pairs.count || pairs.a[row] !== a![i] || pairs.b[row] !== b![i] || !isWanted(row))
          continue;
        pairs.jaccard[row] = jaccard![i]!;
        pairs.containmentAB[row] = containmentAB![i]!;
        pairs.containmentBA[row] = containmentBA![i]!;
        const measured = measuredBy(measure, jaccard![i]!, containmentAB![i]!, containmentBA![i]!);
        pairs.accepted[row] = measured >= threshold ? 1 : 0;
        filled++;
      }
    }
    return filled;
  }

  /** Keeps the evidence of the rows that have some; nothing before checkpoints begin, or where no run can resume this one. */
  leave(pairs: FillablePairs, rows: Uint32Array): void {
    const { store } = this.run.engine;
    if (store.recalled === undefined || store.hasCheckpoints !== true) return;
    const known = rows.filter((row) => !Number.isNaN(pairs.jaccard[row]!)).sort();
    if (known.length === 0) return;
    const name = `${this.prefix}${this.next++}`;
    const columns = {
      a: valuesAt(pairs.a, known),
      b: valuesAt(pairs.b, known),
      jaccard: valuesAt(pairs.jaccard, known),
      containmentAB: valuesAt(pairs.containmentAB, known),
      containmentBA: valuesAt(pairs.containmentBA, known),
    };
    store.put(name, encodeBlock('pairs', {}, columns).buffer, 'durable', { pairs: known.length });
    // On disk it stays; in memory it is in the table of pairs.
    store.delete(name);
  }
}
