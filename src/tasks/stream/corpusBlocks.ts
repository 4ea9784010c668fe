/**
 * Rows of the corpus -> blocks of lines of one split, or whole files, which the readers of worker threads read: what a document
 * is, is the same everywhere.
 */
import type { DocumentSink } from '../../blocks/documents.js';
import type { Kernel } from '../../kernel/kernel.js';
import { pieceBytesOf, type ReadParams } from '../../readers/documentSink.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { SplitReader } from '../../readers/reader.js';
import { chunkSplit, linesBlock } from '../../readers/split.js';
import type { ResultParams } from '../../sketch/params.js';
import type { CorpusFiles } from './corpusFiles.js';
import type { CorpusSource } from './records.js';

/** Lines that follow one another in a split; or the content of a file. */
export interface CorpusBlock {
  /** Number of the file. */
  readonly file: number;
  /** Of the split. */
  readonly start: number;
  /** Ordinal of the first line. */
  readonly first: number;
  readonly isWhole: boolean;
  /** Lines; of a file 0. */
  readonly lines: number;
  /** Each line with its LF. Good until the next block is asked for. */
  readonly bytes: Uint8Array;
}

const LINE_FEED = 0x0a;

/** The lines of a block that is gathered. */
class GatheredLines {
  file = -1;
  start = 0;
  lines = 0;
  length = 0;
  private first = 0;
  private bytes: Uint8Array;

  constructor(room: number) {
    this.bytes = new Uint8Array(room);
  }

  isOf(file: number, start: number): boolean {
    return this.file === file && this.start === start;
  }

  open(file: number, start: number): void {
    Object.assign(this, { file, start, first: 0, lines: 0, length: 0 });
  }

  add(line: Uint8Array): void {
    const end = this.length + line.length + 1;
    if (end > this.bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.ceil(1.5 * this.bytes.length)));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(line, this.length);
    this.bytes[end - 1] = LINE_FEED;
    this.length = end;
    this.lines++;
  }

  /** The block, which the next line of the split comes after. */
  take(): CorpusBlock {
    const { file, start, first, lines } = this;
    const bytes = this.bytes.subarray(0, this.length);
    this.first += lines;
    this.lines = this.length = 0;
    return { file, start, first, isWhole: false, lines, bytes };
  }
}

/**
 * The rows of a task as blocks, of the size of a column block; a line that is larger is alone. Rows of files that are none of the
 * inputs are left out: `leftOut` is told of each.
 */
export function* corpusBlocks(
  input: CorpusSource,
  files: CorpusFiles,
  params: ResultParams,
  leftOut: () => void,
): Generator<CorpusBlock> {
  const most = pieceBytesOf(params);
  const gathered = new GatheredLines(most);
  let uri: string | null = null;
  let file = -1;
  while (input.next()) {
    const { row } = input;
    if (row.file !== uri) {
      uri = row.file;
      file = files.numberOf(uri);
    }
    if (file < 0) {
      leftOut();
      continue;
    }
    const { start, bytes } = row;
    const isNext = gathered.isOf(file, start);
    if (gathered.lines > 0 && (!isNext || gathered.length + bytes.length >= most)) yield gathered.take();
    if (files.isWhole(file)) {
      yield { file, start: 0, first: 0, isWhole: true, lines: 0, bytes };
      continue;
    }
    if (!isNext) gathered.open(file, start);
    gathered.add(bytes);
  }
  if (gathered.lines > 0) yield gathered.take();
}

/** Reads blocks with the readers of worker threads. */
export class BlockReader {
  private readonly reader: SplitReader;
  private readonly files: CorpusFiles;
  private readonly params: ReadParams;
  private current: { readonly number: number; readonly file: InputFile } | null = null;

  constructor(kernel: Kernel, files: CorpusFiles, params: ResultParams) {
    this.reader = new SplitReader(kernel);
    this.files = files;
    this.params = params;
  }

  /**
   * Gives the documents of a block, whose lines are numbered from 0.
   *
   * @throws Error where readers find another number of lines: a row that is more than one
   */
  read(block: CorpusBlock, sink: DocumentSink): void {
    const { file: index, start, first, bytes } = block;
    const file = this.fileOf(index);
    if (block.isWhole) {
      this.reader.text({ index, packing: file.packing }, bytes, this.params, sink);
      return;
    }
    // Only the first line of a file may have a mark before it.
    const firstLine = start === 0 && first === 0 ? 0 : 1;
    const split = chunkSplit(file, index, { firstLine });
    const lines = this.reader.read(split, linesBlock(bytes, false), this.params, sink);
    if (lines !== block.lines)
      throw new Error(`${file.id}, split at ${start}: ${block.lines} rows are ${lines} lines`);
  }

  private fileOf(number: number): InputFile {
    if (this.current?.number !== number) this.current = { number, file: this.files.file(number) };
    return this.current.file;
  }
}
