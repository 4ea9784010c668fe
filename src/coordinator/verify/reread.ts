/**
 * The second reading: documents of candidate pairs are read again and become shingle sets in the store.
 *
 * Column blocks without a wanted document are not touched; of files that hold one document each only the wanted
 * ones are opened, those of several column blocks by one task. Streams are read again from their start, or from the spool
 * where they cannot be (standard input).
 */

import { evidenceOf, type PairEvidence } from '../../../reducers/exactPairs.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { type Block, decodeBlock, encodeBlock } from '../../blocks/block.js';
import { WHOLE_FILE } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import type { Pairs } from '../../blocks/pairs.js';
import { FILES_A_SPLIT } from '../../readers/pieces.js';
import type { LostRecord } from '../../readers/sinks/placedSinks.js';
import { isOfFiles } from '../../readers/split.js';
import type { Run } from '../context.js';
import { runReading } from '../sketch/badRecords.js';
import type { Corpus } from '../sketch/corpus.js';
import { type StandingColumns, standingOf } from '../sketch/places.js';
import type { ColumnBlock, SketchedBlock } from '../sketch/sketching.js';
import type { Source } from '../sketch/source.js';

/*
 * Where the documents of a corpus stand and how large their sets are, read from the document tables, which are
 * in memory anyway: no further entry a document.
 */

export class DocumentPlaces {
  protected readonly corpus: Corpus;
  protected readonly blocks: readonly Pick<SketchedBlock, 'split'>[];

  /** @param blocks the column blocks of files; none: no document is a file */
  constructor(corpus: Corpus, blocks: readonly Pick<SketchedBlock, 'split'>[]) {
    this.corpus = corpus;
    this.blocks = blocks;
  }

  get documents(): number {
    return this.corpus.documents;
  }

  /** Hashes in the shingle set of a document, at most: repeated shingles count. */
  hashesOf(document: number): number {
    return this.tableOf(document).occurrences[this.corpus.columnOf[document]!]!;
  }

  /** Whether the document is a file of its own. */
  isFile(document: number): boolean {
    const block = this.blocks[this.corpus.blockOf[document]!];
    const { unit, record } = this.tableOf(document);
    if (block === undefined || unit !== null || !isOfFiles(block.split)) return false;
    return record[this.corpus.columnOf[document]!] === WHOLE_FILE;
  }

  fileOf(document: number): number {
    return this.tableOf(document).file[this.corpus.columnOf[document]!]!;
  }

  private tableOf(document: number): Corpus['tables'][number]['columns'] {
    return this.corpus.tables[this.corpus.blockOf[document]!]!.columns;
  }

  /** The documents in the order in which they are read. */
  inReadingOrder(documents: Uint32Array): Uint32Array {
    const { blockOf, columnOf } = this.corpus;
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
    const { blockOf } = this.corpus;
    const ordered = this.inReadingOrder(documents);
    const lists = new Map<number, Uint32Array>();
    for (let from = 0, to = 0; from < ordered.length; from = to) {
      const block = blockOf[ordered[from]!]!;
      while (to < ordered.length && blockOf[ordered[to]!] === block) to++;
      lists.set(block, ordered.subarray(from, to));
    }
    return lists;
  }

  /** Cuts a list after each `most` bytes of sets. */
  protected *cut(documents: Uint32Array, most: number): Generator<Uint32Array> {
    let from = 0;
    let bytes = 0;
    for (let i = 0; i < documents.length; i++) {
      bytes += 8 * this.hashesOf(documents[i]!);
      if (bytes < most && i + 1 < documents.length) continue;
      yield documents.subarray(from, i + 1);
      from = i + 1;
      bytes = 0;
    }
  }
}

/**
 * Bytes of sets that a task makes: large enough that a round trip does not count, small enough that two workers end at
 * about the same time, and that a block of sets is soon read again from disk.
 */
export const BYTES_PER_TASK = 4 << 20;

/** The outcome of reading some documents again: which of them have not changed. */
interface ReadAgain {
  readonly documents: Uint32Array;
  /** 1: the content key is the one of the first reading. */
  readonly unchanged: Uint8Array;
  /** Bytes of text read. */
  readonly bytes: number;
}

/** Shingle sets of one task, and which documents they are. */
export interface ReadSets extends ReadAgain {
  /** Name of the block of kind `shingleSets`; null where the source ended before it: all its documents changed. */
  readonly name: string | null;
  /** The number of the set of each unchanged document. */
  readonly indexes: Uint32Array;
}

/** The evidence that some documents give for their pairs. */
export interface ReadPairs extends ReadAgain {
  /** Pair by pair, as given; NaN where a document is missing, undefined where one changed. */
  readonly evidence: PairEvidence;
}

/** The documents that one task reads, in reading order. */
interface Portion extends Pick<ColumnBlock, 'split' | 'text' | 'keepText' | 'label'> {
  readonly documents: Uint32Array;
  /** Portions of the same text that are not read yet. */
  readonly uses: { left: number };
}

type ReadStage = 'sets' | 'fused';

interface Found extends ReadAgain {
  readonly name: string;
  readonly indexes: Uint32Array;
  readonly found: Block;
}

export class SetReader extends DocumentPlaces {
  /** Documents that no worker could read again; all other withdrawn documents changed. */
  private readonly lost = new Set<number>();
  declare protected readonly blocks: readonly SketchedBlock[];
  private readonly run: Run;
  private readonly source: Pick<Source, 'again' | 'input'>;
  /** By document: its position in the list of the running call of `readPairs`. */
  private positions = new Uint32Array(0);
  private calls = 0;

  constructor(
    run: Run,
    corpus: Corpus,
    blocks: readonly SketchedBlock[],
    source: Pick<Source, 'again' | 'input'>,
  ) {
    super(corpus, blocks);
    this.run = run;
    this.source = source;
  }

  /**
   * Reads documents, each given once; every document is in exactly one of the results. One task a portion; documents beyond the end
   * of a stream that became shorter come last, as changed.
   */
  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    if (documents.length === 0) return;
    const most = Math.min(BYTES_PER_TASK, this.run.budget.task / 2);
    const wanted = this.byBlock(documents);
    const call = this.calls++;
    let portions = 0;
    yield* this.run.each(this.portions(wanted, most), (portion) =>
      this.readPortion(portion, NAMES.sets(call, portions++), 'sets'),
    );
    for (const lost of wanted.values()) {
      const [unchanged, indexes] = [new Uint8Array(lost.length), new Uint32Array(0)];
      yield { name: null, documents: lost, unchanged, indexes, bytes: 0 };
    }
  }

  /** Texts stay where they are. */
  forget(): void {}

  /** Why a document is not among the unchanged ones. */
  reasonOf(document: number): 'CHANGED' | 'UNPROCESSABLE' {
    return this.lost.has(document) ? 'UNPROCESSABLE' : 'CHANGED';
  }

  /**
   * Reads documents that are files of their own and compares the given rows of `pairs`, whose documents are all among them: no
   * set is kept.
   */
  async readPairs(documents: Uint32Array, pairs: Pairs, rows: Uint32Array): Promise<ReadPairs> {
    const { store } = this.run.engine;
    const ordered = this.inReadingOrder(documents);
    const number = this.calls++;
    const list = NAMES.readPairs(number);
    this.run.put(list, encodeBlock('pairs', {}, this.positionsOf(ordered, pairs, rows)));
    const split = this.source.input!.splitOf(ordered.map((document) => this.fileOf(document)));
    const portion = { ...split, documents: ordered, uses: { left: 1 } };
    const found = await this.readPortion(portion, NAMES.fused(number), 'fused', { pairs: list });
    store.delete(list);
    store.delete(found.name);
    const { unchanged, bytes } = found;
    return { documents: ordered, unchanged, evidence: evidenceOf(found.found), bytes };
  }

  /** Rows with the positions of their documents in the list. */
  private positionsOf(
    documents: Uint32Array,
    { a, b }: Pairs,
    rows: Uint32Array,
  ): Record<'a' | 'b', Uint32Array> {
    if (this.positions.length === 0) this.positions = new Uint32Array(this.documents);
    for (let i = 0; i < documents.length; i++) this.positions[documents[i]!] = i;
    return {
      a: rows.map((row) => this.positions[a[row]!]!),
      b: rows.map((row) => this.positions[b[row]!]!),
    };
  }

  /**
   * Cuts the documents into tasks that make sets of about `most` bytes; a block is removed from `wanted` when
   * its text is being read.
   */
  private async *portions(wanted: Map<number, Uint32Array>, most: number): AsyncGenerator<Portion> {
    yield* this.ofFiles(wanted, most);
    const blocks = [...wanted.keys()].map((block) => this.blocks[block]!);
    for await (const block of this.source.again(blocks)) {
      const lists = [...this.cut(wanted.get(block.block)!, most)];
      wanted.delete(block.block);
      const uses = { left: lists.length };
      for (const documents of lists) yield { ...block, documents, uses };
    }
  }

  /** The documents of whole files: the wanted files of many column blocks make one task. */
  private *ofFiles(wanted: Map<number, Uint32Array>, most: number): Generator<Portion> {
    // Records of one file stay together, as long as there is memory for their sets: it is read once.
    const mostOfOne = Math.max(most, this.run.budget.task / 2);
    let files: number[] = [];
    let documents: number[] = [];
    let bytes = 0;
    const close = (): Portion => {
      const split = this.source.input!.splitOf(Uint32Array.from(files));
      const portion = { ...split, documents: Uint32Array.from(documents), uses: { left: 1 } };
      files = [];
      documents = [];
      bytes = 0;
      return portion;
    };
    for (const [block, ofBlock] of wanted) {
      if (!isOfFiles(this.blocks[block]!.split)) continue;
      wanted.delete(block);
      for (const document of ofBlock) {
        const file = this.fileOf(document);
        const isNew = files.at(-1) !== file;
        const isFull = isNew ? bytes >= most || files.length === FILES_A_SPLIT : bytes >= mostOfOne;
        if (files.length > 0 && isFull) yield close();
        // The portion after a cut begins with this file, whether it is new or not.
        if (files.at(-1) !== file) files.push(file);
        documents.push(document);
        bytes += 8 * this.hashesOf(document);
      }
    }
    if (documents.length > 0) yield close();
  }

  private async readPortion(
    portion: Portion,
    name: string,
    kind: ReadStage,
    more: Readonly<Record<string, string | number>> = {},
  ): Promise<Found> {
    const { store } = this.run.engine;
    const { documents, text, label, uses } = portion;
    const columns = standingOf(this.corpus, documents);
    const wanted = NAMES.wanted(name);
    const { split } = portion;
    this.run.put(wanted, encodeBlock('documents', {}, { ...columns }));
    const { bytes, lost } = await runReading(this.run, {
      kind,
      label,
      params: { name, split, text, wanted, ...more },
      inputs: [wanted, text, more.pairs].filter((input) => typeof input === 'string'),
      keep: { sets: 'counted' },
    });
    store.delete(wanted);
    uses.left--;
    if (text !== null && portion.keepText !== true && uses.left === 0) store.delete(text);
    const found = decodeBlock(store.get(name), KIND_OF[kind], name);
    return { name, documents, bytes, found, ...this.compare(found.columns, documents, columns, lost) };
  }

  /** Joins the documents that a task read with the wanted ones, by (file, record, unit), and compares the content keys. */
  private compare(
    found: Block['columns'],
    documents: Uint32Array,
    { file, record, unit }: StandingColumns,
    lost: readonly LostRecord[],
  ): Pick<ReadSets, 'unchanged' | 'indexes'> {
    const unchanged = new Uint8Array(documents.length);
    const indexes = new Uint32Array(documents.length);
    let next = 0;
    for (let i = 0; i < documents.length; i++) {
      const isThere = found.file![next] === file[i] && found.record![next] === record[i];
      if (!isThere || found.unit?.[next] !== unit?.[i]) {
        const isLost = lost.some(([f, r]) => f === file[i] && (r === WHOLE_FILE || r === record[i]));
        if (isLost) this.lost.add(documents[i]!);
        continue;
      }
      let same = 1;
      for (let word = 0; word < 4; word++) {
        if (found.contentKey![4 * next + word] !== this.corpus.contentKeys[4 * documents[i]! + word])
          same = 0;
      }
      unchanged[i] = same;
      indexes[i] = next++;
    }
    return { unchanged, indexes };
  }
}

const KIND_OF = { sets: 'shingleSets', fused: 'pairs' } as const;

/*
 * The documents that were read a second time, and those among them that have changed.
 *
 * A byte a document.
 */

const READ = 1;
const CHANGED = 2;

export class ReadNotes {
  /** Documents that were read a second time and have not changed, each counted once. */
  documentsReadAgain = 0;
  private readonly flags: Uint8Array;
  private changed: number[] = [];
  private hasChanged = false;

  constructor(documents: number) {
    this.flags = new Uint8Array(documents);
  }

  isChanged(document: number): boolean {
    return this.hasChanged && (this.flags[document]! & CHANGED) !== 0;
  }

  /** Notes documents that were read; `unchanged` 0: they have changed. */
  note({ documents, unchanged }: { readonly documents: Uint32Array; readonly unchanged: Uint8Array }): void {
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      if (unchanged[i] === 0) {
        if (!this.isChanged(document)) this.changed.push(document);
        this.hasChanged = true;
        this.flags[document]! |= CHANGED;
      } else if ((this.flags[document]! & READ) === 0) {
        this.flags[document]! |= READ;
        this.documentsReadAgain++;
      }
    }
  }

  /** The rows without a document that changed. */
  unchangedRows({ a, b }: Pairs, rows: Uint32Array): Uint32Array {
    if (!this.hasChanged) return rows;
    return rows.filter((row) => !this.isChanged(a[row]!) && !this.isChanged(b[row]!));
  }

  /** How many of the rows have no evidence because a document changed. */
  voidRows(pairs: Pairs & { readonly jaccard: Float64Array }, rows: Uint32Array): number {
    if (!this.hasChanged) return 0;
    let count = 0;
    for (const row of rows) {
      const isVoid = this.isChanged(pairs.a[row]!) || this.isChanged(pairs.b[row]!);
      if (isVoid && Number.isNaN(pairs.jaccard[row]!)) count++;
    }
    return count;
  }

  /** The documents that changed since the last call, ascending. */
  takeChanged(): Uint32Array {
    const changed = Uint32Array.from(this.changed).sort();
    this.changed = [];
    return changed;
  }
}
