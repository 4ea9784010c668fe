/**
 * Pairs whose sets are in the store: tasks compare them, and what is found goes to the rows and to disk.
 *
 * Floor 4.
 */
import type { PairEvidence } from '../../reducers/exactPairs.js';
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { EvidenceBlocks, FillablePairs } from './evidenceBlocks.js';
import type { HeldSets } from './heldSets.js';
import { inOrder } from './inOrder.js';
import { HASHES_PER_TASK, PairCutter, type PairTask, type SetPlaces } from './pairTasks.js';
import type { ReadNotes } from './readNotes.js';
import type { Run } from './run.js';

export class SetComparison {
  /** Rows that were filled in. */
  compared = 0;
  private readonly run: Run;
  private readonly notes: ReadNotes;
  private readonly blocks: EvidenceBlocks;
  private readonly hashesOf: (document: number) => number;
  private readonly cutter = new PairCutter();
  private calls = 0;

  constructor(run: Run, notes: ReadNotes, blocks: EvidenceBlocks, hashesOf: (document: number) => number) {
    this.run = run;
    this.notes = notes;
    this.blocks = blocks;
    this.hashesOf = hashesOf;
  }

  /**
   * Tasks over the rows without a document that changed; their sets are at `places`.
   *
   * @throws MinHashError COUNTS_UNBALANCED where one of their documents has no set
   */
  tasks(
    pairs: FillablePairs,
    rows: Uint32Array,
    held: HeldSets,
    places: SetPlaces = held,
  ): Generator<PairTask> {
    const unchanged = this.notes.unchangedRows(pairs, rows);
    let missing = 0;
    for (const row of unchanged) if (!held.has(pairs.a[row]!) || !held.has(pairs.b[row]!)) missing++;
    refuseMissing(missing);
    const most = Math.min(HASHES_PER_TASK, Math.ceil(this.run.budget.task / 8));
    return this.cutter.tasks(pairs, unchanged, places, this.hashesOf, most);
  }

  /** Runs the tasks; `tell` hears how many rows are done. */
  async compare(
    pairs: FillablePairs,
    tasks: Iterable<PairTask>,
    tell: (rows: number) => void,
  ): Promise<void> {
    const { store, parallelism } = this.run.engine;
    const call = this.calls++;
    let number = 0;
    const results = inOrder(tasks, 2 * parallelism, async ({ rows, columns, blocks }) => {
      const list = `exact/${call}/${number}`;
      const name = `verified/${call}/${number++}`;
      this.run.put(list, encodeBlock('pairs', {}, columns));
      await this.run.task({
        stage: 'verified',
        label: `${rows.length} pairs`,
        params: { name, pairs: list, blocks },
        inputs: [list, ...blocks],
      });
      store.delete(list);
      return { name, rows };
    });
    for await (const { name, rows } of results) {
      const found = decodeBlock(store.get(name), 'pairs', name).columns as unknown as PairEvidence;
      this.fillIn(pairs, rows, found);
      store.delete(name);
      tell(rows.length);
    }
  }

  /**
   * Evidence of a task goes to its rows, but for those with a document that changed.
   *
   * @throws MinHashError COUNTS_UNBALANCED where the task has none for one of the others
   */
  fillIn(pairs: FillablePairs, rows: Uint32Array, found: PairEvidence): void {
    let missing = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (this.notes.isChanged(pairs.a[row]!) || this.notes.isChanged(pairs.b[row]!)) continue;
      if (Number.isNaN(found.jaccard[i]!)) missing++;
      pairs.jaccard[row] = found.jaccard[i]!;
      pairs.containmentAB[row] = found.containmentAB[i]!;
      pairs.containmentBA[row] = found.containmentBA[i]!;
      pairs.accepted[row] = found.accepted[i]!;
      this.compared++;
    }
    refuseMissing(missing);
    this.blocks.leave(pairs, rows);
  }
}

/** Pairs would be lost in silence. @throws MinHashError COUNTS_UNBALANCED */
export function refuseMissing(missing: number): void {
  if (missing === 0) return;
  const detail = `${missing} pairs at or above the margin have no shingle set`;
  throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
}
