/**
 * The second reading: documents of candidate pairs are read again and become shingle sets in the store.
 *
 * Floor 4. Column blocks without a wanted document are not touched; of files that hold one document each only the wanted
 * ones are opened, those of several column blocks by one task. Streams are read again from their start, or from the spool
 * where they cannot be (standard input).
 */
import type { PairEvidence } from '../../reducers/exactPairs.js';
import { type Block, decodeBlock, encodeBlock } from '../blocks/block.js';
import { WHOLE_FILE } from '../blocks/documents.js';
import type { Pairs } from '../sketch/pairs.js';
import { FILES_A_SOURCE } from '../storage/inputsPlan.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { ColumnBlock, SketchedBlock } from './sketching.js';
import { runReading } from './unprocessable.js';

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

/** What the sets of some documents say of their pairs. */
export interface ReadPairs {
  readonly documents: Uint32Array;
  /** 1: the content key is the one of the first reading. */
  readonly unchanged: Uint8Array;
  /** Pair by pair, as given; nothing where a document is gone, nothing to be believed where one changed. */
  readonly evidence: PairEvidence;
  /** Bytes of text read. */
  readonly bytes: number;
}

/** Texts of blocks that have to be fetched anew for the second reading, in order of the blocks. */
export type TextSource = (blocks: readonly SketchedBlock[]) => AsyncIterable<ColumnBlock>;

/** A source of any files that are documents or hold some, by their numbers, ascending. */
export type FileSource = (files: Uint32Array) => Pick<ColumnBlock, 'source' | 'text' | 'label'>;

/** What one task reads: some documents, in reading order. */
interface Portion extends Pick<ColumnBlock, 'source' | 'text' | 'keepText' | 'label'> {
  readonly documents: Uint32Array;
}

export class SetReader {
  /** By document: hashes in its shingle set, at most: repeated shingles count. */
  readonly setHashes: Float64Array;
  /**
   * By document, 1: reading it costs its own text and no more, because it is a file of its own, or a text in memory. Lines
   * and records of larger files cost all of the file between them, however few are wanted.
   */
  readonly isAlone: Uint8Array;
  /** Documents that no worker could read again; the others that are withdrawn changed. */
  private readonly lost = new Set<number>();
  /** By document, 1: it is a file of its own. */
  readonly isFile: Uint8Array;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly blocks: readonly SketchedBlock[];
  private readonly texts: TextSource;
  private readonly sourceOf: FileSource;
  /** By block: the numbers of the files its columns are in. */
  private readonly files: readonly Uint32Array[];
  /** Number of the first column of each block, counted over all blocks. */
  private readonly bases: Uint32Array;
  /** By column over all blocks: which document it is. */
  private readonly documentAt: Uint32Array;
  /** By document: its position in the list of the call of `readPairs` in hand. */
  private readonly positions: Uint32Array;
  private calls = 0;

  constructor(
    run: Run,
    corpus: Corpus,
    blocks: readonly SketchedBlock[],
    texts: TextSource,
    sourceOf: FileSource,
  ) {
    this.run = run;
    this.corpus = corpus;
    this.blocks = blocks;
    this.texts = texts;
    this.sourceOf = sourceOf;
    const { tables, blockOf, columnOf } = corpus;
    this.bases = new Uint32Array(tables.length + 1);
    for (let k = 0; k < tables.length; k++) {
      this.bases[k + 1] = this.bases[k]! + tables[k]!.columns.file!.length;
    }
    // Where nothing is read again, nothing is needed.
    const documents = run.params.verify === 'exact' ? corpus.documents : 0;
    this.documentAt = new Uint32Array(documents === 0 ? 0 : this.bases[tables.length]!);
    this.setHashes = new Float64Array(documents);
    this.isAlone = new Uint8Array(documents);
    this.isFile = new Uint8Array(documents);
    this.positions = new Uint32Array(documents);
    this.files = tables.map((table) => table.columns.file as Uint32Array);
    const records = tables.map((table) => table.columns.record as Float64Array);
    const occurrences = tables.map((table) => table.columns.occurrences as Float64Array);
    const kinds = blocks.map((block) => block.source.kind);
    for (let d = 0; d < documents; d++) {
      const k = blockOf[d]!;
      const column = columnOf[d]!;
      const isWhole = kinds[k] === 'files' && records[k]![column] === WHOLE_FILE;
      this.documentAt[this.bases[k]! + column] = d;
      this.setHashes[d] = occurrences[k]![column]!;
      this.isFile[d] = isWhole ? 1 : 0;
      this.isAlone[d] = isWhole || kinds[k] === 'memory' ? 1 : 0;
    }
  }

  /** Reads documents, each given once; every one of them is in exactly one of the results. */
  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    if (documents.length === 0) return;
    const wanted = this.byBlock(documents);
    const call = this.calls++;
    let portions = 0;
    yield* inOrder(this.portions(wanted), 2 * this.run.engine.parallelism, (portion) =>
      this.readPortion(portion, `${call}/${portions++}`, 'sets'),
    );
    // A stream that became shorter has no such block any more.
    for (const lost of wanted.values()) {
      const nothing = new Uint32Array(lost.length);
      yield {
        name: null,
        documents: lost,
        unchanged: new Uint8Array(lost.length),
        indexes: nothing,
        bytes: 0,
      };
    }
  }

  /** Why a document that was asked for is not among the unchanged ones. */
  reasonOf(document: number): 'CHANGED' | 'UNPROCESSABLE' {
    return this.lost.has(document) ? 'UNPROCESSABLE' : 'CHANGED';
  }

  /**
   * Reads documents that are files of their own and compares the given rows of `pairs`, between them alone, at once: no
   * set is kept.
   */
  async readPairs(documents: Uint32Array, pairs: Pairs, rows: Uint32Array): Promise<ReadPairs> {
    const ordered = this.inReadingOrder(documents);
    const files = ordered.map((d) => this.files[this.corpus.blockOf[d]!]![this.corpus.columnOf[d]!]!);
    for (let i = 0; i < ordered.length; i++) this.positions[ordered[i]!] = i;
    const number = `pairs/${this.calls++}`;
    const list = `asked/${number}`;
    const columns = {
      a: rows.map((row) => this.positions[pairs.a[row]!]!),
      b: rows.map((row) => this.positions[pairs.b[row]!]!),
    };
    this.run.put(list, encodeBlock('pairs', {}, columns));
    const portion = { ...this.sourceOf(files), documents: ordered };
    const { found, unchanged, bytes, name } = await this.readPortion(portion, number, 'fused', list);
    this.run.engine.store.delete(list);
    this.run.engine.store.delete(name);
    return { documents: ordered, unchanged, evidence: found as unknown as PairEvidence, bytes };
  }

  private inReadingOrder(documents: Uint32Array): Uint32Array {
    const { blockOf, columnOf } = this.corpus;
    const columns = new Uint32Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      columns[i] = this.bases[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
    }
    return columns.sort().map((column) => this.documentAt[column]!);
  }

  /** The documents in reading order, by block; blocks ascending. */
  private byBlock(documents: Uint32Array): Map<number, Uint32Array> {
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

  /** Cuts the documents into tasks; a block leaves `wanted` when its text is at hand. */
  private async *portions(wanted: Map<number, Uint32Array>): AsyncGenerator<Portion> {
    yield* this.ofFiles(wanted);
    const blocks = [...wanted.keys()].map((block) => this.blocks[block]!);
    for await (const block of this.texts(blocks)) {
      const documents = wanted.get(block.block)!;
      wanted.delete(block.block);
      yield { ...block, documents };
    }
  }

  /** The documents of whole files: the wanted files of many column blocks make one task. */
  private *ofFiles(wanted: Map<number, Uint32Array>): Generator<Portion> {
    let files: number[] = [];
    let documents: number[] = [];
    let bytes = 0;
    const close = (): Portion => {
      const portion = { ...this.sourceOf(Uint32Array.from(files)), documents: Uint32Array.from(documents) };
      files = [];
      documents = [];
      bytes = 0;
      return portion;
    };
    for (const [block, ofBlock] of wanted) {
      if (this.blocks[block]!.source.kind !== 'files') continue;
      wanted.delete(block);
      for (const document of ofBlock) {
        const file = this.files[block]![this.corpus.columnOf[document]!]!;
        const isNew = files.at(-1) !== file;
        // Records of one file stay together: it is read once.
        if (isNew && (bytes >= BYTES_PER_TASK || files.length === FILES_A_SOURCE)) yield close();
        if (isNew) files.push(file);
        documents.push(document);
        bytes += 8 * this.setHashes[document]!;
      }
    }
    if (documents.length > 0) yield close();
  }

  /** One task of stage `sets`, or of `fused` with the pairs in block `pairs`. */
  private async readPortion(
    portion: Portion,
    number: string,
    stage: 'sets' | 'fused',
    pairs?: string,
  ): Promise<ReadSets & { readonly name: string; readonly found: Block['columns'] }> {
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
    const name = `${stage}/${number}`;
    const source = portion.source as unknown as Record<string, never>;
    this.run.put(wanted, encodeBlock('documents', {}, { file, record }));
    const { result, isLost } = await runReading(this.run, {
      stage,
      label,
      params: { name, source, text, wanted, ...(pairs === undefined ? {} : { pairs }) },
      inputs: [wanted, text, pairs].filter((input) => typeof input === 'string'),
    });
    store.delete(wanted);
    if (text !== null && portion.keepText !== true) store.delete(text);
    const kind = stage === 'sets' ? 'shingleSets' : 'pairs';
    const found = decodeBlock(store.get(name), kind, name).columns;
    const { unchanged, indexes } = this.compare(found, documents, file, record, isLost);
    return { name, documents, unchanged, indexes, found, bytes: (result.report as { bytes: number }).bytes };
  }

  /** Joins what was found with the documents asked for, by (file, record), and compares the content keys. */
  private compare(
    found: Block['columns'],
    documents: Uint32Array,
    file: Uint32Array,
    record: Float64Array,
    isLost: (file: number) => boolean,
  ): Pick<ReadSets, 'unchanged' | 'indexes'> {
    const unchanged = new Uint8Array(documents.length);
    const indexes = new Uint32Array(documents.length);
    let next = 0;
    for (let i = 0; i < documents.length; i++) {
      if (found.file![next] !== file[i] || found.record![next] !== record[i]) {
        if (isLost(file[i]!)) this.lost.add(documents[i]!);
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
