/**
 * The sets of candidate pairs, for exact verification, from the tiles of the run: nothing is read a second time, so
 * nothing can have changed.
 *
 * Floor 4. Sets of one column block are gathered by one task or more.
 */
import { encodeBlock } from '../blocks/block.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { ReadPairs, ReadSets, SetReader } from './secondReading.js';

/** What exact verification asks: where the sets of documents come from. */
export type SetSource = Pick<
  SetReader,
  'setHashes' | 'isAlone' | 'isFile' | 'read' | 'readPairs' | 'reasonOf'
>;

/** Bytes of sets that a task gathers. */
const BYTES_PER_TASK = 4 << 20;

/** Sets of one column block. */
interface Portion {
  readonly block: number;
  readonly documents: Uint32Array;
}

export class TileSets implements SetSource {
  readonly setHashes: Float64Array;
  readonly isAlone: Uint8Array;
  readonly isFile: Uint8Array;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly rowChunksOf: readonly (readonly number[])[];
  private calls = 0;

  /** @param rowChunksOf by column block: the row chunks that have a tile of it, which stay in the store */
  constructor(run: Run, corpus: Corpus, rowChunksOf: readonly (readonly number[])[]) {
    this.run = run;
    this.corpus = corpus;
    this.rowChunksOf = rowChunksOf;
    const documents = run.params.verify === 'exact' ? corpus.documents : 0;
    this.setHashes = new Float64Array(documents);
    this.isAlone = new Uint8Array(documents).fill(1);
    this.isFile = new Uint8Array(documents);
    for (let d = 0; d < documents; d++) {
      const { occurrences } = corpus.tables[corpus.blockOf[d]!]!.columns;
      this.setHashes[d] = occurrences![corpus.columnOf[d]!]!;
    }
  }

  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    const call = this.calls++;
    let portions = 0;
    yield* inOrder(this.portions(documents), 2 * this.run.engine.parallelism, (portion) =>
      this.gather(portion, `${call}/${portions++}`),
    );
  }

  /** No set is a file of its own. */
  readPairs(): Promise<ReadPairs> {
    throw new Error('sets are in no file of their own');
  }

  reasonOf(): 'CHANGED' {
    return 'CHANGED';
  }

  /** Documents by column block, ascending; both follow from the number of a document. */
  private *portions(documents: Uint32Array): Generator<Portion> {
    const { blockOf } = this.corpus;
    const ordered = documents.slice().sort();
    for (let from = 0, to = 0; from < ordered.length; from = to) {
      const block = blockOf[ordered[from]!]!;
      for (let bytes = 0; to < ordered.length && blockOf[ordered[to]!] === block; to++) {
        if (bytes >= BYTES_PER_TASK) break;
        bytes += 8 * this.setHashes[ordered[to]!]!;
      }
      yield { block, documents: ordered.subarray(from, to) };
    }
  }

  private async gather({ block, documents }: Portion, number: string): Promise<ReadSets> {
    const { corpus, run } = this;
    const rowChunks = this.rowChunksOf[block]!;
    const wanted = `wanted/${number}`;
    const name = `sets/${number}`;
    run.put(wanted, encodeBlock('documents', {}, { columns: documents.map((d) => corpus.columnOf[d]!) }));
    await run.task({
      stage: 'gathered',
      label: `${documents.length} sets of column block ${block}`,
      params: { name, wanted, block, rowChunks },
      inputs: [wanted, ...rowChunks.map((r) => `setTiles/${r}/${block}`)],
    });
    run.engine.store.delete(wanted);
    return {
      name,
      documents,
      unchanged: new Uint8Array(documents.length).fill(1),
      indexes: Uint32Array.from(documents, (_, i) => i),
      bytes: 0,
    };
  }
}
