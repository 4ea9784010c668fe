/**
 * The second reading: documents of candidate pairs are read again and become shingle sets in the store.
 *
 * Floor 4. Column blocks without a wanted document are not touched; of files that hold one document each only the wanted
 * ones are opened, those of several column blocks by one task. Streams are read again from their start, or from the spool
 * where they cannot be (standard input).
 */
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { WHOLE_FILE } from '../blocks/documents.js';
import { FILES_A_SOURCE, type IndexedFile } from '../storage/inputsPlan.js';
import type { TaskSource } from '../storage/taskSource.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { ColumnBlock, SketchedBlock } from './sketching.js';

/**
 * Bytes of sets that a task makes of files: large enough that a round trip does not count, small enough that two workers
 * end at about the same time.
 */
const BYTES_PER_TASK = 4 << 20;

/** Shingle sets of one task, and which documents they are. */
export interface ReadSets {
  /** Name of the block of kind `shingleSets`; null where the source ended before it: all of it changed. */
  readonly name: string | null;
  readonly documents: Uint32Array;
  /** 1: the content key is the one of the first reading, and `indexes` says which set it is. */
  readonly unchanged: Uint8Array;
  readonly indexes: Uint32Array;
  /** Bytes of text read. */
  readonly bytes: number;
}

/** Texts of blocks that have to be fetched anew for the second reading, in order of the blocks. */
export type TextSource = (blocks: readonly SketchedBlock[]) => AsyncIterable<ColumnBlock>;

/** What one task reads: some documents, in reading order. */
interface Portion {
  readonly source: TaskSource;
  readonly text: string | null;
  readonly keepText: boolean;
  readonly label: string;
  readonly documents: Uint32Array;
}

export class SetReader {
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly blocks: readonly SketchedBlock[];
  private readonly texts: TextSource;
  /** Number of the first column of each block, counted over all blocks. */
  private readonly bases: Uint32Array;
  /** By column over all blocks: which document it is. */
  private readonly documentAt: Uint32Array;
  private calls = 0;

  constructor(run: Run, corpus: Corpus, blocks: readonly SketchedBlock[], texts: TextSource) {
    this.run = run;
    this.corpus = corpus;
    this.blocks = blocks;
    this.texts = texts;
    const { tables, blockOf, columnOf } = corpus;
    this.bases = new Uint32Array(tables.length + 1);
    for (let k = 0; k < tables.length; k++) {
      this.bases[k + 1] = this.bases[k]! + tables[k]!.columns.file!.length;
    }
    const exact = run.params.verify === 'exact';
    this.documentAt = new Uint32Array(exact ? this.bases[tables.length]! : 0);
    for (let d = 0; d < corpus.documents && exact; d++) {
      this.documentAt[this.bases[blockOf[d]!]! + columnOf[d]!] = d;
    }
  }

  /** Bytes that the shingle set of a document takes, at most: repeated shingles count. */
  setBytes(document: number): number {
    return 8 * this.column(document, 'occurrences');
  }

  /**
   * Whether reading a document costs its own text and no more: a file of its own, or a text in memory. Lines and records
   * of larger files cost all of the file between them, however few are wanted.
   */
  isAlone(document: number): boolean {
    const { kind } = this.blocks[this.corpus.blockOf[document]!]!.source;
    return kind === 'memory' || (kind === 'files' && this.column(document, 'record') === WHOLE_FILE);
  }

  /** Reads documents, each given once; every one of them is in exactly one of the results. */
  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    if (documents.length === 0) return;
    const wanted = this.byBlock(documents);
    const call = this.calls++;
    let portions = 0;
    yield* inOrder(this.portions(wanted), 2 * this.run.engine.parallelism, (portion) =>
      this.readPortion(portion, `${call}/${portions++}`),
    );
    // A stream that became shorter has no such block any more.
    for (const lost of wanted.values()) {
      const nothing = new Uint32Array(lost.length);
      yield { name: null, documents: lost, unchanged: new Uint8Array(lost.length), indexes: nothing, bytes: 0 };
    }
  }

  private column(document: number, name: string): number {
    const { blockOf, columnOf, tables } = this.corpus;
    return tables[blockOf[document]!]!.columns[name]![columnOf[document]!]!;
  }

  /** The documents in reading order, by block; blocks ascending. */
  private byBlock(documents: Uint32Array): Map<number, Uint32Array> {
    const { blockOf, columnOf } = this.corpus;
    const columns = new Uint32Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      columns[i] = this.bases[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
    }
    columns.sort();
    const ordered = columns;
    for (let i = 0; i < ordered.length; i++) ordered[i] = this.documentAt[columns[i]!]!;
    const lists = new Map<number, Uint32Array>();
    for (let from = 0, to = 0; from < ordered.length; from = to) {
      const block = blockOf[ordered[from]!]!;
      while (to < ordered.length && blockOf[ordered[to]!] === block) to++;
      lists.set(block, ordered.subarray(from, to));
    }
    return lists;
  }

  /** Cuts the documents into tasks; a block leaves `wanted` when its text is at hand. */
  private async *portions(wanted: Map<number, Uint32Array>): AsyncGenerator<Portion> {
    const files = new FilesPortion();
    const blocks = [...wanted.keys()].map((block) => this.blocks[block]!);
    for await (const { block, source, text, keepText, label } of this.texts(blocks)) {
      const documents = wanted.get(block)!;
      wanted.delete(block);
      if (source.kind !== 'files') {
        yield { source, text, keepText: keepText === true, label, documents };
        continue;
      }
      const ofFile = new Map(source.files.map((file) => [file.index, file]));
      const { file } = this.corpus.tables[block]!.columns;
      for (const document of documents) {
        const index = file![this.corpus.columnOf[document]!]!;
        if (files.isFull(index)) yield files.close();
        files.take(ofFile.get(index)!, document, this.setBytes(document));
      }
    }
    if (files.count > 0) yield files.close();
  }

  private async readPortion(portion: Portion, number: string): Promise<ReadSets> {
    const { store } = this.run.engine;
    const { documents, text, label } = portion;
    const { blockOf, columnOf, tables } = this.corpus;
    const file = new Uint32Array(documents.length);
    const record = new Float64Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      const table = tables[blockOf[documents[i]!]!]!.columns;
      file[i] = table.file![columnOf[documents[i]!]!]!;
      record[i] = table.record![columnOf[documents[i]!]!]!;
    }
    const wanted = `wanted/${number}`;
    const name = `sets/${number}`;
    const source = portion.source as unknown as Record<string, never>;
    this.run.put(wanted, encodeBlock('documents', {}, { file, record }));
    const { report } = await this.run.task({
      stage: 'sets',
      label,
      params: { name, source, text, wanted },
      inputs: text === null ? [wanted] : [wanted, text],
    });
    store.delete(wanted);
    if (text !== null && !portion.keepText) store.delete(text);
    return this.compare(name, documents, file, record, (report as { bytes: number }).bytes);
  }

  /** Joins the sets with the documents asked for, by (file, record), and compares the content keys. */
  private compare(
    name: string,
    documents: Uint32Array,
    file: Uint32Array,
    record: Float64Array,
    bytes: number,
  ): ReadSets {
    const found = decodeBlock(this.run.engine.store.get(name), 'shingleSets', name).columns;
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
    return { name, documents, unchanged, indexes, bytes };
  }
}

/** Files of one task, gathered from any number of column blocks; a file of several records stays whole. */
class FilesPortion {
  private files: IndexedFile[] = [];
  private documents: number[] = [];
  private bytes = 0;

  get count(): number {
    return this.documents.length;
  }

  /** Whether the portion has enough, and a document of this file need not be in it. */
  isFull(file: number): boolean {
    const enough = this.bytes >= BYTES_PER_TASK || this.files.length >= FILES_A_SOURCE;
    return enough && this.files.at(-1)!.index !== file;
  }

  take(file: IndexedFile, document: number, bytes: number): void {
    if (this.files.at(-1)?.index !== file.index) this.files.push(file);
    this.documents.push(document);
    this.bytes += bytes;
  }

  close(): Portion {
    const { files } = this;
    const others = files.length === 1 ? '' : ` and ${files.length - 1} more files`;
    const portion: Portion = {
      source: { kind: 'files', files },
      text: null,
      keepText: false,
      label: `${files[0]!.id}${others}`,
      documents: Uint32Array.from(this.documents),
    };
    this.files = [];
    this.documents = [];
    this.bytes = 0;
    return portion;
  }
}
