/**
 * Gathers the rows of the corpus into blocks (lines of one split, consecutive rows of columns, or a whole file) and reads the
 * blocks with the readers of worker threads, so that every engine finds the same documents.
 */
import { newArray } from '../../arrays/ownPages.js';
import type { DocumentSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { pieceBytesOf, type ReadParams } from '../../readers/documentSink.js';
import { recordSink } from '../../readers/formats/reading.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { SplitReader } from '../../readers/reader.js';
import { ofUnits } from '../../readers/sinks/unitSink.js';
import { chunkSplit, linesBlock, numberingOf } from '../../readers/split.js';
import type { ResultParams } from '../../sketch/params.js';
import { putRow, ROW_LENGTH, readRows } from './columnValues.js';
import type { CorpusFiles } from './corpusFiles.js';
import type { CorpusForm } from './fileColumns.js';
import type { CorpusPart, CorpusSource } from './records.js';

/** Where a block stands in its file. */
interface NumberedBlock {
  /** Where the split begins, in bytes; for rows the number of the first of its consecutive rows. */
  readonly start: number;
  /** The ordinal (in the split, or after `start`) of the record that readers number 0. */
  readonly first: number;
}

/** A split that its reader opens and reads itself. */
export interface PartBlock extends NumberedBlock {
  readonly part: CorpusPart;
}

/** Consecutive lines of a split, consecutive rows, or the content of a whole file. */
export interface CorpusBlock extends NumberedBlock {
  /** Number of the file. */
  readonly file: number;
  readonly form: CorpusForm;
  /** How many lines or rows the block has; 0 for a whole file. */
  readonly lines: number;
  /** Each line with its LF, each row after its length. Valid until the next block is taken. */
  readonly bytes: Uint8Array;
  /** Why the file or the record could not be read; then the block has no content. */
  readonly fault?: ErrorCode | undefined;
}

const LINE_FEED = 0x0a;

/** The lines or rows of the block that is being gathered. */
class GatheredLines {
  private form: CorpusForm = 'lines';
  file = -1;
  start = 0;
  lines = 0;
  length = 0;
  private first = 0;
  private bytes: Uint8Array;

  constructor(room: number) {
    this.bytes = newArray(Uint8Array, room);
  }

  /** Whether a line of the split that begins at `start`, or the row of number `start`, follows the gathered ones. */
  isNext(file: number, start: number): boolean {
    const passed = this.form === 'rows' ? this.first + this.lines : 0;
    return this.file === file && this.start + passed === start;
  }

  open(form: CorpusForm, file: number, start: number): void {
    Object.assign(this, { form, file, start, first: 0, lines: 0, length: 0 });
  }

  add(line: Uint8Array): void {
    const end = this.length + line.length + ROW_LENGTH;
    if (end > this.bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.ceil(1.5 * this.bytes.length)));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    if (this.form === 'rows') this.length = putRow(line, this.bytes, this.length);
    else {
      this.bytes.set(line, this.length);
      this.length += line.length + 1;
      this.bytes[this.length - 1] = LINE_FEED;
    }
    this.lines++;
  }

  /** Returns the block; the next line of the split begins another. */
  take(): CorpusBlock {
    const { form, file, start, first, lines } = this;
    const bytes = this.bytes.subarray(0, this.length);
    this.first += lines;
    this.lines = this.length = 0;
    return { form, file, start, first, lines, bytes };
  }
}

/**
 * The rows of a task as blocks, each at most as large as a column block; a larger line has a block of its own. Rows of files
 * that are not inputs are left out: `leftOut` is called once for each.
 */
export function* corpusBlocks(
  input: CorpusSource,
  files: CorpusFiles,
  params: ResultParams,
  leftOut: () => void,
): Generator<CorpusBlock | PartBlock> {
  const most = pieceBytesOf(params);
  const gathered = new GatheredLines(most);
  let uri: string | null = null;
  let file = -1;
  let form: CorpusForm = 'lines';
  while (input.next()) {
    const { row } = input;
    const { part } = row;
    if (part !== undefined) {
      const { start, first } = numberingOf(part.split);
      yield { part, start, first: -first };
      continue;
    }
    if (row.file !== uri) {
      uri = row.file;
      file = files.numberOf(uri);
      if (file >= 0) form = files.formOf(file);
    }
    if (file < 0) {
      leftOut();
      continue;
    }
    const { start, bytes, fault } = row;
    const isNext = gathered.isNext(file, start);
    if (gathered.lines > 0 && (!isNext || gathered.length + bytes.length >= most)) yield gathered.take();
    if (form === 'whole' || fault !== undefined) {
      yield { form, file, start, first: 0, lines: 0, bytes, fault };
      continue;
    }
    if (!isNext) gathered.open(form, file, start);
    gathered.add(bytes);
  }
  if (gathered.lines > 0) yield gathered.take();
}

/** Reads blocks with the readers of worker threads. */
export class BlockReader {
  private readonly kernel: Kernel;
  private readonly files: CorpusFiles;
  private readonly params: ReadParams;
  private reader: SplitReader | null = null;
  private current: { readonly number: number; readonly file: InputFile } | null = null;

  constructor(kernel: Kernel, files: CorpusFiles, params: ReadParams) {
    this.kernel = kernel;
    this.files = files;
    this.params = params;
  }

  /**
   * Gives the documents of a block, or their units, to the sink; returns how many lines or rows the block has.
   *
   * @throws Error where readers find another number of lines: some row is several lines
   */
  read(block: CorpusBlock | PartBlock, target: DocumentSink): number {
    const sink = ofUnits(target, this.params.unit ?? 'document');
    if ('part' in block) return block.part.read(this.params, sink);
    const { file: index, start, first, bytes } = block;
    if (block.form === 'rows') {
      readRows(bytes, index, this.params, recordSink(sink, this.params));
      return block.lines;
    }
    const file = this.fileOf(index);
    this.reader ??= new SplitReader(this.kernel);
    const { reader } = this;
    if (block.form === 'whole') {
      reader.text({ index, file }, bytes, this.params, sink);
      return block.lines;
    }
    // Only the first line of a file may have a byte order mark before it.
    const firstLine = start === 0 && first === 0 ? 0 : 1;
    const split = chunkSplit(file, index, { firstLine });
    const lines = reader.read(split, linesBlock(bytes, false), this.params, sink);
    if (lines !== block.lines)
      throw new Error(`${file.id}, split at ${start}: ${block.lines} rows are ${lines} lines`);
    return lines;
  }

  private fileOf(number: number): InputFile {
    if (this.current?.number !== number) this.current = { number, file: this.files.file(number) };
    return this.current.file;
  }
}
