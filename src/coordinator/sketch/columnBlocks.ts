/**
 * Where column blocks come from: the planned sources of the input files, or documents in memory.
 *
 * Files, byte ranges and elements of an array are read by the workers. A stream (gzipped lines, standard input, lines in another encoding) can
 * only be read from its beginning, so it is read here and cut into chunks; each is a column block.
 */

import { addAbortSignal, type Readable } from 'node:stream';
import { type Block, decodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import { type ErrorCode, MinHashError } from '../../errors.js';
import { type LineChunk, streamChunks } from '../../readers/bytes/chunks.js';
import { headOfLines, type LinesHead } from '../../readers/firstRecords.js';
import { cutsBlock, type ElementsSource, elementSources } from '../../readers/formats/arrayCuts.js';
import { type FileTable, fileListBlock, fileListOf } from '../../readers/list/fileTable.js';
import type { TaskSource } from '../../readers/source.js';
import {
  type ArrayPlan,
  type FilesPlan,
  plannedBytes,
  type RangeSource,
  type SourcePlan,
  type StreamSource,
} from '../../readers/split.js';
import type { Run } from '../context.js';
import type { FileSource, TextSource } from '../verify/reread.js';
import type { SkipList } from './corpus.js';
import { type ColumnBlock, type SketchedBlock, textBlock } from './sketching.js';
import { recalledSpool, type SpooledChunk, StdinSpool, spoolName } from './stdinSpool.js';

/*
 * Large files that are one JSON array: a task looks at all of one and says where it is to be cut, before its first column
 * block is read.
 *
 *      file --cuts--> cuts/i     kept with the column blocks, for a run that is taken up and for another first reading
 */

/** What its column blocks are; none: it is to be read as a whole, which says what it is. */
export async function elementsOfArray(run: Run, plan: ArrayPlan): Promise<ElementsSource[]> {
  const name = NAMES.cuts(plan.index);
  const { store } = run.engine;
  if (!store.has(name)) await look(run, plan, name);
  return [...elementSources(plan, decodeBlock(store.get(name), 'cuts', name))];
}

async function look(run: Run, { file, index, step }: ArrayPlan, name: string): Promise<void> {
  const params = { name, index, step, file: { ...file } };
  try {
    await run.task({ kind: 'cuts', label: file.id, params, inputs: [], keep: { cuts: 'durable' } });
  } catch (error) {
    if (!(error instanceof MinHashError) || !['TASK_FAILED', 'WORKER_LOST'].includes(error.code)) throw error;
    // Whatever it is that no worker could look at: read as one file it is found out, or named.
    run.put(name, cutsBlock(null), 'durable');
  }
}

/** A stream ended before its end, or a line of it is too long. */
export interface StreamFault {
  readonly index: number;
  readonly line: number;
  readonly code: ErrorCode;
}

/** Column blocks of input files, for the first reading and again for the second. */
export class FileBlocks {
  readonly faults: StreamFault[] = [];
  /** The first lines of standard input; null: nothing came, or an earlier attempt read it. */
  piped: LinesHead | null = null;
  private readonly run: Run;
  private readonly files: FileTable;
  private readonly plan: readonly SourcePlan[];
  private readonly stdin: Readable | undefined;
  private readonly needsStdin: boolean;
  /** Lists of files put for the second reading so far. */
  private listsAgain = 0;

  /** `needsStdin`: an earlier attempt had begun to read standard input, which comes again; nothing at all is a mistake. */
  constructor(
    run: Run,
    files: FileTable,
    plan: readonly SourcePlan[],
    stdin: Readable | undefined,
    needsStdin = false,
  ) {
    this.needsStdin = needsStdin;
    this.run = run;
    this.files = files;
    this.plan = plan;
    this.stdin = stdin;
  }

  /** Adds the streams that ended before their end. */
  nameFaults(skipped: SkipList): void {
    for (const { index, line, code } of this.faults) {
      const id = this.files.id(index);
      // The line at which it happened; a stream that fails before its first record is named as a file.
      skipped.addBinary(code === 'TOO_LARGE' || line > 0 ? `${id}#${line + 1}` : id, code);
    }
  }

  /** All column blocks in order, numbered from 0. */
  async *first(): AsyncGenerator<ColumnBlock> {
    this.faults.length = 0;
    let block = 0;
    for (const source of this.plan) {
      for await (const next of this.blocksOf(block, source)) {
        yield next;
        block++;
      }
    }
  }

  /** The column blocks of a source, numbered from `block`. */
  private blocksOf(block: number, source: SourcePlan): Iterable<ColumnBlock> | AsyncIterable<ColumnBlock> {
    if (source.kind === 'array') return this.arrayBlocks(block, source);
    if (source.kind !== 'stream') return [this.fileBlock(block, source)];
    return source.file.stdin ? this.stdinBlocks(block, source) : this.chunks(block, source);
  }

  /** The blocks of what may be a large array; if it is none, one block as of any whole file. */
  private async *arrayBlocks(block: number, plan: ArrayPlan): AsyncGenerator<ColumnBlock> {
    const { file, index } = plan;
    const sources = await elementsOfArray(this.run, plan);
    if (sources.length === 0) yield this.fileBlock(block, { kind: 'files', files: Uint32Array.of(index) });
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i]!;
      // Together the blocks stand for all bytes of the file, with what is around the elements.
      const from = i === 0 ? 0 : source.from;
      const inputBytes = (sources[i + 1]?.from ?? file.bytes) - from;
      // From 0, as in the ids of those that name none.
      const label = `${file.id} elements ${source.first}..${source.first + source.count - 1}`;
      yield { block: block + i, source, text: null, inputBytes, label };
    }
  }

  /** The blocks of a stream, numbered from `block`. */
  private async *chunks(
    block: number,
    source: StreamSource,
    each: (block: ColumnBlock, chunk: SpooledChunk) => Promise<void> = async () => {},
  ): AsyncGenerator<ColumnBlock> {
    let ordinal = 0;
    for await (const chunk of this.untilStopped(source)) {
      if ('fault' in chunk) {
        this.faults.push({ index: source.index, line: chunk.line, code: chunk.fault });
        continue;
      }
      if (source.file.stdin) this.piped ??= headOfLines(chunk.bytes);
      const next = { ...this.chunkBlock(block + ordinal, source, chunk), ordinal };
      await each(next, { firstLine: chunk.firstLine, lines: chunk.lines });
      ordinal++;
      yield next;
    }
  }

  /** The chunks of a stream. A stop closes standard input, which is no fault of it. */
  private async *untilStopped(source: StreamSource): ReturnType<typeof streamChunks> {
    try {
      for await (const chunk of streamChunks(source.file, this.run.params, this.input(source))) {
        if ('fault' in chunk) this.run.checkStopped();
        yield chunk;
      }
    } catch (error) {
      this.run.checkStopped();
      throw error;
    }
  }

  /**
   * Standard input, from what an earlier attempt kept of it if that is all of it.
   *
   * @throws MinHashError RESUME_MISMATCH where it should come again and is empty
   */
  private async *stdinBlocks(block: number, source: StreamSource): AsyncGenerator<ColumnBlock> {
    const { store } = this.run.engine;
    const recalled = recalledSpool(store);
    if (recalled !== null) {
      const { index } = source;
      for (const { line, code } of recalled.faults) this.faults.push({ index, line, code });
      for (let ordinal = 0; ordinal < recalled.chunks.length; ordinal++) {
        yield this.spooled({ ...this.placeOf(block + ordinal, source, recalled.chunks[ordinal]!), ordinal });
      }
      return;
    }
    const { verify, sets } = this.run.params;
    // Exact verification reads texts a second time, but sets it has.
    const spool = new StdinSpool(store, verify === 'exact' && sets === undefined);
    yield* this.chunks(block, source, ({ text }, chunk) => spool.keep(store.get(text!), chunk));
    // What is closed by a stop may end as if that were all.
    this.run.checkStopped();
    for (const { index, line, code } of this.faults) if (index === source.index) spool.fault({ line, code });
    if (this.needsStdin && spool.isEmpty) {
      const detail = 'not all of standard input was read then, and nothing came on it now';
      throw new MinHashError({ code: 'RESUME_MISMATCH', detail });
    }
    spool.end();
  }

  /** The given blocks of no whole files, ascending, once more: streams are read from their start, standard input from the spool. */
  async *again(blocks: readonly SketchedBlock[]): AsyncGenerator<ColumnBlock> {
    const streams = new Set<number>();
    for (const block of blocks) {
      const { source } = block;
      if (source.kind !== 'chunk') yield block;
      else if (this.streamOf(source.index).file.stdin) yield this.spooled(block);
      else if (!streams.has(source.index)) {
        streams.add(source.index);
        const ofStream = blocks.filter(
          (one) => one.source.kind === 'chunk' && one.source.index === source.index,
        );
        yield* this.rereadStream(this.streamOf(source.index), block.block - block.ordinal!, ofStream);
      }
    }
  }

  private fileBlock(block: number, source: FilesPlan | RangeSource): ColumnBlock {
    const bytes = plannedBytes(this.files, source);
    const common = { block, label: this.labelOf(source), ...(bytes === null ? {} : { inputBytes: bytes }) };
    if (source.kind === 'range') return { ...common, source, text: null };
    return { ...common, source: { kind: 'files' }, text: this.putFiles(NAMES.text(block), source.files) };
  }

  /** A source of any of the whole files, by number, ascending. */
  ofFiles(indexes: Uint32Array): Pick<ColumnBlock, 'source' | 'text' | 'label'> {
    const text = this.putFiles(NAMES.text('again', this.listsAgain++), indexes);
    return { source: { kind: 'files' }, text, label: this.filesLabel(indexes) };
  }

  /** Puts a list of files into the store. */
  private putFiles(text: string, indexes: Uint32Array): string {
    this.run.put(text, fileListBlock(fileListOf(this.files, indexes)));
    return text;
  }

  private labelOf(source: FilesPlan | RangeSource): string {
    if (source.kind === 'range') return `${source.file.id} bytes ${source.from}..${source.to}`;
    return this.filesLabel(source.files);
  }

  private filesLabel(indexes: Uint32Array): string {
    const first = this.files.id(indexes[0]!);
    return indexes.length === 1 ? first : `${first} and ${indexes.length - 1} more files`;
  }

  /** Standard input, where the source is that; it may never say a word, so a stop closes it. */
  private input(source: StreamSource): Readable | undefined {
    if (!source.file.stdin) return undefined;
    const stdin = this.stdin ?? process.stdin;
    return this.run.signal === undefined ? stdin : addAbortSignal(this.run.signal, stdin);
  }

  private async *rereadStream(
    source: StreamSource,
    firstBlock: number,
    blocks: readonly SketchedBlock[],
  ): AsyncGenerator<ColumnBlock> {
    const wanted = new Set(blocks.map(({ block }) => block));
    const last = blocks.at(-1)!.block;
    let number = firstBlock;
    for await (const chunk of streamChunks(source.file, this.run.params)) {
      if ('fault' in chunk) continue;
      if (wanted.has(number)) yield this.chunkBlock(number, source, chunk);
      // What follows is not needed; and where the stream has grown, its numbers belong to other sources.
      if (number++ === last) return;
    }
  }

  private streamOf(index: number): StreamSource {
    const found = this.plan.find((source) => source.kind === 'stream' && source.index === index);
    return found as StreamSource;
  }

  private chunkBlock(block: number, stream: StreamSource, chunk: LineChunk): ColumnBlock {
    const text = NAMES.text(block);
    this.run.put(text, textBlock(chunk.bytes, true));
    return { ...this.placeOf(block, stream, chunk), text };
  }

  private placeOf(block: number, { index, file }: StreamSource, { firstLine, lines }: SpooledChunk) {
    const source: TaskSource = { kind: 'chunk', index, id: file.id, firstLine };
    return { block, source, label: `${file.id} lines ${firstLine + 1}..${firstLine + lines}` };
  }

  /** The block with its text from the spool, which stays there. */
  private spooled<T extends Pick<ColumnBlock, 'block' | 'source' | 'label' | 'ordinal'>>(block: T) {
    return { ...block, text: spoolName(block.ordinal!), keepText: true };
  }
}

/** Column blocks of documents in memory, which come only once: where they are read again their texts stay in the store. */
export class MemoryBlocks {
  private readonly run: Run;
  private readonly packed: Iterable<Block> | AsyncIterable<Block>;
  private readonly keepText: boolean;
  /** What `first` gave, once it was asked to the end. */
  private given: readonly ColumnBlock[] | null = null;

  constructor(run: Run, packed: Iterable<Block> | AsyncIterable<Block>) {
    this.run = run;
    this.packed = packed;
    this.keepText = run.params.verify === 'exact' || run.params.maxShingleDocuments !== null;
  }

  async *first(): AsyncGenerator<ColumnBlock> {
    if (this.given !== null) {
      yield* this.given;
      return;
    }
    const given: ColumnBlock[] = [];
    for await (const packed of this.packed) {
      const block = given.length;
      const text = NAMES.text(block);
      this.run.put(text, packed);
      const label = `documents in memory, ${block}`;
      given.push({ block, source: { kind: 'memory' }, text, keepText: this.keepText, label });
      yield given[block]!;
    }
    this.given = given;
  }

  async *again(blocks: readonly SketchedBlock[]): AsyncGenerator<ColumnBlock> {
    yield* blocks;
  }
}

/*
 * Where the documents of a run come from, as often as they are read.
 *
 * Types only.
 */

/** Where the documents of a run come from. */
export interface Documents {
  /** Anew at every call. */
  first(): AsyncIterable<ColumnBlock>;
  readonly again: TextSource;
  /** The input files by number; null for documents in memory. */
  readonly files: FileTable | null;
  readonly filesAgain: FileSource;
  /** Bytes of input, for progress; null while unknown. */
  readonly totalBytes: number | null;
  /** Column blocks, for progress where the bytes are not known; null while unknown. */
  readonly totalBlocks: number | null;
  /** Adds what is skipped and known only when all is read: streams that ended before their end. */
  nameFaults(skipped: SkipList): void;
}
