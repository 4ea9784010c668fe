/**
 * The second reading: documents of candidate pairs are read again and become shingle sets in the store.
 *
 * Floor 4. Column blocks without a wanted document are not touched; of files that hold one document each only the wanted
 * ones are opened. Streams are read again from their start, or from the spool where they cannot be (standard input).
 */
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import type { TaskSource } from '../storage/taskSource.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { ColumnBlock, SketchedBlock } from './sketching.js';

/** Shingle sets of one block, and which documents they are. */
export interface ReadSets {
  /** Name of the block of kind `shingleSets`; null where the source ended before it: all of it changed. */
  readonly name: string | null;
  readonly documents: Uint32Array;
  /** 1: the content key is the one of the first reading, and `indexes` says which set it is. */
  readonly unchanged: Uint8Array;
  readonly indexes: Uint32Array;
}

/** Texts of blocks that have to be fetched anew for the second reading, in order of the blocks. */
export type TextSource = (blocks: readonly SketchedBlock[]) => AsyncIterable<ColumnBlock>;

interface WantedBlock {
  readonly block: SketchedBlock;
  /** Ascending columns of the block, and the documents they are. */
  readonly columns: Uint32Array;
  readonly documents: Uint32Array;
}

export class SetReader {
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly blocks: readonly SketchedBlock[];
  private readonly texts: TextSource;
  private calls = 0;

  constructor(run: Run, corpus: Corpus, blocks: readonly SketchedBlock[], texts: TextSource) {
    this.run = run;
    this.corpus = corpus;
    this.blocks = blocks;
    this.texts = texts;
  }

  /** Reads the documents flagged in `wanted`; every one of them is in exactly one of the results. */
  async *read(wanted: Uint8Array): AsyncGenerator<ReadSets> {
    const groups = this.group(wanted);
    if (groups.size === 0) return;
    const call = this.calls++;
    let done = 0;
    const blocks = [...groups.values()].map((group) => group.block);
    const results = inOrder(this.texts(blocks), 2 * this.run.engine.parallelism, (block) =>
      this.readBlock(block, groups.get(block.block)!, call),
    );
    for await (const { sets, bytes, block } of results) {
      groups.delete(block);
      this.run.progress(++done, blocks.length, 'blocks', bytes);
      yield sets;
    }
    // A stream that became shorter has no such block any more.
    for (const { documents } of groups.values()) {
      const nothing = new Uint32Array(documents.length);
      yield { name: null, documents, unchanged: new Uint8Array(documents.length), indexes: nothing };
    }
  }

  private group(wanted: Uint8Array): Map<number, WantedBlock> {
    const counts = new Uint32Array(this.blocks.length);
    for (let d = 0; d < wanted.length; d++) if (wanted[d] === 1) counts[this.corpus.blockOf[d]!]!++;
    const lists = new Map<number, Uint32Array>();
    counts.forEach((count, k) => {
      if (count > 0) lists.set(k, new Uint32Array(count));
    });
    const filled = new Uint32Array(this.blocks.length);
    for (let d = 0; d < wanted.length; d++) {
      if (wanted[d] === 0) continue;
      const k = this.corpus.blockOf[d]!;
      lists.get(k)![filled[k]!++] = d;
    }
    const groups = new Map<number, WantedBlock>();
    for (const [k, documents] of lists) {
      // A block is read in the order of its columns, which need not be the order of its ids.
      documents.sort((d, e) => this.corpus.columnOf[d]! - this.corpus.columnOf[e]!);
      const columns = documents.map((d) => this.corpus.columnOf[d]!);
      groups.set(k, { block: this.blocks[k]!, columns, documents });
    }
    return groups;
  }

  private async readBlock(
    block: ColumnBlock,
    group: WantedBlock,
    call: number,
  ): Promise<{ sets: ReadSets; bytes: number; block: number }> {
    const { store } = this.run.engine;
    const table = this.corpus.tables[block.block]!.columns;
    const file = Uint32Array.from(group.columns, (column) => table.file![column]!);
    const record = Float64Array.from(group.columns, (column) => table.record![column]!);
    const wanted = `wanted/${call}/${block.block}`;
    const name = `sets/${call}/${block.block}`;
    this.run.put(wanted, encodeBlock('documents', {}, { file, record }));
    const source = onlyFiles(block.source, file);
    const { report } = await this.run.task({
      stage: 'sets',
      label: block.label,
      params: { name, source: source as unknown as Record<string, never>, text: block.text, wanted },
      inputs: block.text === null ? [wanted] : [wanted, block.text],
    });
    store.delete(wanted);
    if (block.text !== null && block.keepText !== true) store.delete(block.text);
    const { bytes } = report as { bytes: number };
    return { sets: this.compare(name, group, file, record), bytes, block: block.block };
  }

  /** Joins the sets with the documents asked for, by (file, record), and compares the content keys. */
  private compare(name: string, group: WantedBlock, file: Uint32Array, record: Float64Array): ReadSets {
    const found = decodeBlock(this.run.engine.store.get(name), 'shingleSets', name).columns;
    const { documents } = group;
    const unchanged = new Uint8Array(documents.length);
    const indexes = new Uint32Array(documents.length);
    let next = 0;
    for (let i = 0; i < documents.length; i++) {
      if (found.file![next] !== file[i] || found.record![next] !== record[i]) continue;
      let same = 1;
      for (let word = 0; word < 4; word++) {
        if (found.contentKey![4 * next + word] !== this.corpus.contentKeys[4 * documents[i]! + word])
          same = 0;
      }
      unchanged[i] = same;
      indexes[i] = next++;
    }
    return { name, documents, unchanged, indexes };
  }
}

/** The source without the files that hold no wanted document; `wanted`: their numbers, ascending, also repeated. */
function onlyFiles(source: TaskSource, wanted: Uint32Array): TaskSource {
  if (source.kind !== 'files') return source;
  return { ...source, only: [...new Set(wanted)] };
}
