/**
 * The sets of candidate pairs, for exact verification, from the tiles of the run: no text is read a second time, so no
 * set can have changed.
 *
 * Sets of one column block are gathered by one task or more.
 */

import { numbersBelow } from '../../arrays/growable.js';
import { encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import { BYTES_PER_TASK, DocumentPlaces, type ReadPairs, type ReadSets, type SetReader } from './reread.js';

/** The source of the sets of documents, as exact verification uses it. */
export type SetSource = Pick<
  SetReader,
  'documents' | 'hashesOf' | 'isFile' | 'read' | 'readPairs' | 'reasonOf' | 'forget'
>;

export class TileSets extends DocumentPlaces implements SetSource {
  private readonly run: Run;
  private readonly rowChunksOf: readonly (readonly number[])[];
  private calls = 0;

  /** @param rowChunksOf by column block: the row chunks that have a tile of it, which stay in the store */
  constructor(run: Run, corpus: Corpus, rowChunksOf: readonly (readonly number[])[]) {
    super(corpus, []);
    this.run = run;
    this.rowChunksOf = rowChunksOf;
  }

  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    const call = this.calls++;
    const most = Math.min(BYTES_PER_TASK, this.run.budget.task / 2);
    const portions = [...this.byBlock(documents)].flatMap(([block, list]) =>
      Array.from(this.cut(list, most), (some) => ({ block, documents: some })),
    );
    yield* this.run.each(portions.entries(), async ([number, { block, documents }]) => {
      const name = NAMES.sets(call, number);
      await this.gather(block, documents, name);
      const [unchanged, indexes] = [new Uint8Array(documents.length).fill(1), numbersBelow(documents.length)];
      return { name, documents, unchanged, indexes, bytes: 0 };
    });
  }

  /** Takes the tiles out of the store. */
  forget(): void {
    this.rowChunksOf.forEach((list, block) => {
      for (const chunk of list) this.run.engine.store.delete(NAMES.setTiles(chunk, block));
    });
  }

  /** No set is a file. */
  readPairs(): Promise<ReadPairs> {
    throw new Error('sets are in no file of their own');
  }

  reasonOf(): 'CHANGED' {
    return 'CHANGED';
  }

  private async gather(block: number, documents: Uint32Array, name: string): Promise<void> {
    const { corpus, run } = this;
    const rowChunks = this.rowChunksOf[block]!;
    const wanted = NAMES.wanted(name);
    run.put(wanted, encodeBlock('documents', {}, { columns: documents.map((d) => corpus.columnOf[d]!) }));
    await run.task({
      kind: 'gathered',
      label: `${documents.length} sets of column block ${block}`,
      params: { name, wanted, block, rowChunks },
      inputs: [wanted, ...rowChunks.map((r) => NAMES.setTiles(r, block))],
      keep: { sets: 'counted' },
    });
    run.engine.store.delete(wanted);
  }
}
