/**
 * The sets of candidate pairs, for exact verification, from the tiles of the run: nothing is read a second time, so no
 * set can have changed.
 *
 * Sets of one column block are gathered by one task or more.
 */

import { encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { ReadPairs, ReadSets, SetReader } from './reread.js';

/** The source of the sets of documents, as exact verification uses it. */
export type SetSource = Pick<
  SetReader,
  'documents' | 'hashesOf' | 'isFile' | 'read' | 'readPairs' | 'reasonOf' | 'forget'
>;

/** Bytes of sets that a task gathers. */
const BYTES_PER_TASK = 4 << 20;

interface Portion {
  readonly block: number;
  readonly documents: Uint32Array;
}

export class TileSets implements SetSource {
  readonly documents: number;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly rowChunksOf: readonly (readonly number[])[];
  private calls = 0;

  /** @param rowChunksOf by column block: the row chunks that have a tile of it, which stay in the store */
  constructor(run: Run, corpus: Corpus, rowChunksOf: readonly (readonly number[])[]) {
    this.run = run;
    this.corpus = corpus;
    this.documents = corpus.documents;
    this.rowChunksOf = rowChunksOf;
  }

  hashesOf(document: number): number {
    const { tables, blockOf, columnOf } = this.corpus;
    return tables[blockOf[document]!]!.columns.occurrences[columnOf[document]!]!;
  }

  isFile(): boolean {
    return false;
  }

  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    const call = this.calls++;
    let portions = 0;
    const most = Math.min(BYTES_PER_TASK, this.run.budget.task / 2);
    yield* this.run.each(this.portions(documents, most), async (portion) => {
      const name = NAMES.sets(call, portions++);
      await this.gather(portion, name);
      const indexes = Uint32Array.from(portion.documents, (_, i) => i);
      return { ...unchangedOf(portion), name, indexes };
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

  /** Documents by column block, ascending; both follow from the number of a document. */
  private *portions(documents: Uint32Array, most: number): Generator<Portion> {
    const { blockOf } = this.corpus;
    const ordered = documents.slice().sort();
    for (let from = 0, to = 0; from < ordered.length; from = to) {
      const block = blockOf[ordered[from]!]!;
      let bytes = 0;
      do bytes += 8 * this.hashesOf(ordered[to++]!);
      while (bytes < most && to < ordered.length && blockOf[ordered[to]!] === block);
      yield { block, documents: ordered.subarray(from, to) };
    }
  }

  private async gather({ block, documents }: Portion, name: string): Promise<void> {
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

/** Sets never change, and no text is read for them. */
function unchangedOf({ documents }: Portion) {
  return { documents, unchanged: new Uint8Array(documents.length).fill(1), bytes: 0 };
}
