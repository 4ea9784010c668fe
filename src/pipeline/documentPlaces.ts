/**
 * Where the documents of a corpus stand and how large their sets are, as the document tables say it: they are held
 * anyway, so nothing is kept a document.
 *
 * Floor 4.
 */
import { WHOLE_FILE } from '../blocks/documents.js';
import { sortByKey64 } from '../sketch/radixSort.js';
import type { Corpus } from './corpus.js';
import type { SketchedBlock } from './sketching.js';

/** Which document it is within its source, as the columns of a block: what a reading task is told. */
export interface WantedColumns {
  readonly file: Uint32Array;
  readonly record: Float64Array;
}

export class DocumentPlaces {
  readonly documents: number;
  private readonly blockOf: Uint32Array;
  private readonly columnOf: Uint32Array;
  /** By column block. */
  private readonly kinds: readonly SketchedBlock['source']['kind'][];
  private readonly files: readonly Uint32Array[];
  private readonly records: readonly Float64Array[];
  private readonly occurrences: readonly Float64Array[];

  constructor(corpus: Corpus, blocks: readonly SketchedBlock[]) {
    this.documents = corpus.documents;
    this.blockOf = corpus.blockOf;
    this.columnOf = corpus.columnOf;
    this.kinds = blocks.map((block) => block.source.kind);
    const columns = corpus.tables.map((table) => table.columns);
    this.files = columns.map(({ file }) => file as Uint32Array);
    this.records = columns.map(({ record }) => record as Float64Array);
    this.occurrences = columns.map(({ occurrences }) => occurrences as Float64Array);
  }

  /** Hashes in the shingle set of a document, at most: repeated shingles count. */
  hashesOf(document: number): number {
    return this.occurrences[this.blockOf[document]!]![this.columnOf[document]!]!;
  }

  /** Whether it is a file of its own. */
  isFile(document: number): boolean {
    const block = this.blockOf[document]!;
    return this.kinds[block] === 'files' && this.records[block]![this.columnOf[document]!] === WHOLE_FILE;
  }

  /**
   * Whether reading it costs its own text and no more, because it is a file of its own, or a text in memory. Lines and
   * records of larger files cost all of the file between them, however few are wanted.
   */
  isAlone(document: number): boolean {
    return this.kinds[this.blockOf[document]!] === 'memory' || this.isFile(document);
  }

  fileOf(document: number): number {
    return this.files[this.blockOf[document]!]![this.columnOf[document]!]!;
  }

  wanted(documents: Uint32Array): WantedColumns {
    const file = new Uint32Array(documents.length);
    const record = new Float64Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      file[i] = this.fileOf(documents[i]!);
      record[i] = this.records[this.blockOf[documents[i]!]!]![this.columnOf[documents[i]!]!]!;
    }
    return { file, record };
  }

  /** The documents in the order in which they are read. */
  inReadingOrder(documents: Uint32Array): Uint32Array {
    const { blockOf, columnOf } = this;
    const count = documents.length;
    const keys = new Uint32Array(2 * count);
    let isOrdered = true;
    for (let i = 0; i < count; i++) {
      const [column, block] = [columnOf[documents[i]!]!, blockOf[documents[i]!]!];
      keys[2 * i] = column;
      keys[2 * i + 1] = block;
      if (i > 0 && (block < keys[2 * i - 1]! || (block === keys[2 * i - 1] && column < keys[2 * i - 2]!))) {
        isOrdered = false;
      }
    }
    const ordered = documents.slice();
    if (!isOrdered) sortByKey64(keys, ordered, count);
    return ordered;
  }

  /** The documents in reading order, by block; blocks ascending. */
  byBlock(documents: Uint32Array): Map<number, Uint32Array> {
    const ordered = this.inReadingOrder(documents);
    const lists = new Map<number, Uint32Array>();
    for (let from = 0, to = 0; from < ordered.length; from = to) {
      const block = this.blockOf[ordered[from]!]!;
      while (to < ordered.length && this.blockOf[ordered[to]!] === block) to++;
      lists.set(block, ordered.subarray(from, to));
    }
    return lists;
  }
}
