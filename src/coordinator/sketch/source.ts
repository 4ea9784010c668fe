/**
 * The source of the documents of a run, read as often as necessary: files and standard input, or documents in memory. A
 * run treats both alike.
 *
 * Workers read files, byte ranges and elements of an array. A stream (gzip-compressed lines, standard input, lines in
 * another encoding) can only be read from its beginning, so it is read here and cut into chunks; each chunk is a batch.
 */

import { closeSync, createReadStream, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { type Block, decodeBlock } from '../../blocks/block.js';
import type { TableCounts } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import { type ErrorCode, MinHashError } from '../../errors.js';
import { streamChunks } from '../../readers/bytes/chunks.js';
import { HEAD_BYTES } from '../../readers/firstRecords.js';
import { valuesInTime } from '../../readers/formats/givenDocuments.js';
import { fileListBlock } from '../../readers/list/fileList.js';
import { type FileTable, fileListOf } from '../../readers/list/fileTable.js';
import { type ArrayPiece, countPieces, type Piece, type StreamPiece } from '../../readers/pieces.js';
import { chunkSplit, cutsBlock, elementSplits, linesBlock, type Split } from '../../readers/split.js';
import { guardWrite, temporaryFolder } from '../../store/files.js';
import { makeWorkFolder } from '../../store/workFiles.js';
import type { Run } from '../context.js';
import type { SkipList } from '../skips.js';

/** The documents of one task. */
export interface SourceBatch {
  readonly block: number;
  readonly split: Split;
  /** Name of the block in the store that belongs to the split (src/readers/split.ts); null if there is none. */
  readonly text: string | null;
  /** Whether the text is kept in the store for the second reading. */
  readonly keepText?: boolean;
  /** Whether its documents are of the reference; such batches come first. Absent: they are not. */
  readonly isReference?: boolean;
  /** The chunk of a stream: the stream, and the number of the chunk within it, from 0. */
  readonly chunk?: { readonly stream: StreamPiece; readonly ordinal: number };
  readonly label: string;
}

/** A batch with complete table and signatures. */
export interface SketchedBatch extends SourceBatch {
  readonly report: TableCounts;
  /** Whether it was taken from the files of an earlier attempt. */
  readonly isResumed: boolean;
}

/** The parameters of every task over a batch. */
export function splitParams({ block, split, text }: SourceBatch) {
  return { block, split, text };
}

/** The blocks that a task over a batch reads: the one that belongs to its split, and others. */
export function inputsOf(
  { text }: Pick<SourceBatch, 'text'>,
  ...others: readonly (string | null)[]
): string[] {
  return [text, ...others].filter((name) => name !== null);
}

/** The source of the documents of a run. */
export interface Source {
  /** The batches in order, numbered from 0; each call starts over. */
  first(): AsyncIterable<SourceBatch>;
  /** Reads these blocks again, ascending; whole files are not among them. */
  again(blocks: readonly SourceBatch[]): AsyncIterable<SourceBatch>;
  /** Null: documents in memory. */
  readonly input: InputFiles | null;
  /** Batches, for progress; null while unknown. */
  readonly totalBlocks: number | null;
  /** Adds the skips that are known only after reading: streams that were cut off. */
  nameProblems(skipped: SkipList): void;
}

export interface InputFiles {
  readonly files: FileTable;
  /** The first lines of standard input; null: it was empty, or an earlier attempt read it. */
  readonly piped: Uint8Array | null;
  /** A split of any of the whole files, by number, ascending. */
  splitOf(indexes: Uint32Array): Pick<SourceBatch, 'split' | 'text' | 'label'>;
}

/** A stream was cut off, or one of its lines is too long. */
export interface StreamProblem {
  readonly index: number;
  readonly line: number;
  readonly code: ErrorCode;
}

/** Bytes per read from the copy of standard input. */
const STDIN_BYTES = 256 << 10;

export class FilesSource implements Source, InputFiles {
  readonly problems: StreamProblem[] = [];
  piped: Uint8Array | null = null;
  readonly files: FileTable;
  readonly input: InputFiles = this;
  readonly totalBlocks: number | null;
  private readonly run: Run;
  private readonly pieces: readonly Piece[];
  /** Default: process.stdin. */
  private readonly stdin: Readable | undefined;
  /** The copy of standard input, after its reading has begun; and its folder if the run has none. */
  private stdinCopy: string | null = null;
  private ownFolder: string | null = null;
  /** Number of file lists stored for the second reading. */
  private listsAgain = 0;

  constructor(
    run: Run,
    files: FileTable,
    pieces: readonly Piece[],
    { stdin }: { readonly stdin?: Readable | undefined } = {},
  ) {
    this.run = run;
    this.files = files;
    this.pieces = pieces;
    this.stdin = stdin;
    const { blocks, isExact } = countPieces(pieces);
    this.totalBlocks = isExact ? blocks : null;
  }

  nameProblems(skipped: SkipList): void {
    for (const { index, line, code } of this.problems) {
      const id = this.files.id(index);
      // The line of the problem. A stream that fails before its first record is listed as a file.
      skipped.addBinary(code === 'TOO_LARGE' || line > 0 ? `${id}#${line + 1}` : id, code);
    }
  }

  async *first(): AsyncGenerator<SourceBatch> {
    this.problems.length = 0;
    let block = 0;
    for (const piece of this.pieces) {
      const isReference =
        this.files.hasReference &&
        this.files.isReference(piece.kind === 'files' ? piece.files[0]! : piece.index);
      for await (const next of this.blocksOf(block, piece)) {
        yield isReference ? { ...next, isReference } : next;
        block++;
      }
    }
  }

  private blocksOf(block: number, piece: Piece): Iterable<SourceBatch> | AsyncIterable<SourceBatch> {
    if (piece.kind === 'files') return [{ block, ...this.put(NAMES.text(block), piece.files) }];
    if (piece.kind === 'array') return this.arrayBlocks(block, piece);
    if (piece.kind === 'stream') return this.chunks(block, piece);
    const { file, from, to } = piece;
    return [{ block, split: piece, text: null, label: `${file.id} bytes ${from}..${to}` }];
  }

  /**
   * The blocks of a large file that may be one JSON array. A task reads it first and finds where to cut it; the cuts are
   * kept for another first reading. Without cuts the file is one block, as any whole file.
   */
  private async *arrayBlocks(block: number, { file, index, step }: ArrayPiece): AsyncGenerator<SourceBatch> {
    const { run } = this;
    const { store } = run.engine;
    const name = NAMES.cuts(index);
    if (!store.has(name)) {
      const params = { name, index, step, file: { ...file } };
      await run.task({ kind: 'cuts', label: file.id, params, inputs: [] }).catch((error: unknown) => {
        if (!(error instanceof MinHashError) || !['TASK_FAILED', 'WORKER_LOST'].includes(error.code))
          throw error;
        // If no worker could scan the file, reading it as one file finds or reports the cause.
        run.put(name, cutsBlock([]));
      });
    }
    const splits = [...elementSplits({ file, index, step }, decodeBlock(store.get(name), 'cuts', name))];
    if (splits.length === 0) yield { block, ...this.put(NAMES.text(block), Uint32Array.of(index)) };
    for (const [i, split] of splits.entries()) {
      // From 0, as in the ids of elements without an id.
      const label = `${file.id} elements ${split.first}..${split.first + split.count - 1}`;
      yield { block: block + i, split, text: null, label };
    }
  }

  /**
   * The batches of a stream from its start, whose first has number `first`.
   *
   * @param wanted the batches of another reading, ascending; null: it is the first one
   */
  private async *chunks(
    first: number,
    stream: StreamPiece,
    wanted: readonly SourceBatch[] | null = null,
  ): AsyncGenerator<SourceBatch> {
    const { file, index } = stream;
    const numbers = wanted && new Set(wanted.map(({ block }) => block));
    let ordinal = 0;
    for await (const chunk of this.untilStopped(stream)) {
      if ('problem' in chunk) {
        if (wanted === null) this.problems.push({ index, line: chunk.line, code: chunk.problem });
        continue;
      }
      const { bytes, firstLine, lines } = chunk;
      const block = first + ordinal;
      if (numbers?.has(block) !== false) {
        if (file.stdin) this.piped ??= bytes.slice(0, HEAD_BYTES);
        if (wanted === null) await this.run.texts.room(bytes.length);
        const text = NAMES.text(block);
        this.run.put(text, linesBlock(bytes, true));
        if (wanted === null) this.run.texts.add(text, bytes.length);
        const label = `${file.id} lines ${firstLine + 1}..${firstLine + lines}`;
        yield { block, split: chunkSplit(file, index, chunk), text, label, chunk: { stream, ordinal } };
      }
      // Later chunks are not needed. If the stream has grown, their numbers belong to other pieces.
      if (block === wanted?.at(-1)?.block) return;
      ordinal++;
    }
    // Standard input that an interruption closes may seem complete.
    if (file.stdin) this.run.checkStopped();
  }

  /**
   * The chunks of a stream. An interruption closes standard input, which is not an input error, and does not wait for
   * servers.
   */
  private async *untilStopped(stream: StreamPiece): ReturnType<typeof streamChunks> {
    try {
      const chunks = streamChunks(
        stream.file,
        { ...this.run.params, room: this.run.budget },
        this.stdinOf(stream),
      );
      for await (const chunk of valuesInTime(chunks, null, this.run.signal)) {
        if ('problem' in chunk) this.run.checkStopped();
        yield chunk;
      }
    } catch (error) {
      this.run.checkStopped();
      throw error;
    }
  }

  /** Streams are read again from their start. */
  async *again(blocks: readonly SourceBatch[]): AsyncGenerator<SourceBatch> {
    const streams = new Set<StreamPiece>();
    for (const block of blocks) {
      if (block.chunk === undefined) {
        yield block;
        continue;
      }
      const { stream, ordinal } = block.chunk;
      if (streams.has(stream)) continue;
      streams.add(stream);
      const ofStream = blocks.filter(({ chunk }) => chunk?.stream === stream);
      yield* this.chunks(block.block - ordinal, stream, ofStream);
    }
  }

  splitOf(indexes: Uint32Array): Pick<SourceBatch, 'split' | 'text' | 'label'> {
    return this.put(NAMES.text('again', this.listsAgain++), indexes);
  }

  /** A split of whole files, whose list is stored as a block. */
  private put(text: string, indexes: Uint32Array) {
    this.run.put(text, fileListBlock(fileListOf(this.files, indexes)));
    const first = this.files.id(indexes[0]!);
    const label = indexes.length === 1 ? first : `${first} and ${indexes.length - 1} more files`;
    return { split: { kind: 'files' }, text, label } as const;
  }

  /** Standard input, if the stream is that. It may never send a byte, so an interruption closes it. */
  private stdinOf({ file }: StreamPiece): AsyncIterable<unknown> | undefined {
    if (!file.stdin) return undefined;
    if (this.stdinCopy !== null) return createReadStream(this.stdinCopy, { highWaterMark: STDIN_BYTES });
    const stdin = this.stdin ?? process.stdin;
    const comes = this.run.signal === undefined ? stdin : addAbortSignal(this.run.signal, stdin);
    const { verify, sets } = this.run.params;
    // Exact verification reads it again, except for sets.
    return verify === 'exact' && sets === undefined ? this.copied(comes) : comes;
  }

  /**
   * Passes standard input on and writes it to a file for later readings. @throws MinHashError WRITE_FAILED, DISK_FULL
   */
  private async *copied(stdin: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    const { storage } = this.run;
    if (storage.folder !== null) makeWorkFolder(storage.folder);
    else this.ownFolder = temporaryFolder('stdin');
    const path = join(storage.folder ?? this.ownFolder!, 'stdin');
    this.stdinCopy = path;
    const file = guardWrite(path, () => openSync(path, 'w', 0o600));
    try {
      for await (const value of stdin) {
        const bytes = typeof value === 'string' ? Buffer.from(value) : value;
        // The reader rejects other values.
        if (bytes instanceof Uint8Array) guardWrite(path, () => writeFileSync(file, bytes));
        yield bytes;
      }
    } finally {
      closeSync(file);
    }
  }

  /** Removes the copy of standard input if it is not in the folder of work files. */
  close(): void {
    if (this.ownFolder !== null) rmSync(this.ownFolder, { recursive: true, force: true });
  }
}

/** Documents in memory, which are iterated only once. If they are read again, the store keeps their texts. */
export class MemorySource implements Source {
  readonly input = null;
  readonly totalBlocks = null;
  private readonly run: Run;
  private readonly blocks: Iterable<Block> | AsyncIterable<Block>;
  private readonly keepText: boolean;
  /** The blocks of `first`, after it has ended. */
  private read: readonly SourceBatch[] | null = null;

  /** @param blocks those of documents (src/readers/formats/memoryDocuments.ts) */
  constructor(run: Run, blocks: Iterable<Block> | AsyncIterable<Block>) {
    this.run = run;
    this.blocks = blocks;
    this.keepText = run.params.verify === 'exact';
  }

  async *first(): AsyncGenerator<SourceBatch> {
    if (this.read !== null) {
      yield* this.read;
      return;
    }
    const yielded: SourceBatch[] = [];
    for await (const document of this.blocks) {
      const block = yielded.length;
      const text = NAMES.text(block);
      this.run.put(text, document);
      const label = `documents in memory, ${block}`;
      yielded.push({ block, split: { kind: 'memory' }, text, keepText: this.keepText, label });
      yield yielded[block]!;
    }
    this.read = yielded;
  }

  async *again(blocks: readonly SourceBatch[]): AsyncGenerator<SourceBatch> {
    yield* blocks;
  }

  /** Documents in memory are never cut off. */
  nameProblems(): void {}
}

/** Reports the progress of the first reading: in batches if their number is known, otherwise in bytes of text. */
export class ReadingProgress {
  private readonly run: Run;
  private readonly total: number | null;
  private textBytes = 0;
  private batches = 0;

  constructor(run: Run, { totalBlocks }: Pick<Source, 'totalBlocks'>) {
    this.run = run;
    this.total = totalBlocks;
  }

  /** Adds a batch with so many bytes of text. */
  add(textBytes: number): void {
    this.textBytes += textBytes;
    this.batches++;
    if (this.total !== null) this.run.progress(this.batches, this.total, 'batches', textBytes);
    else this.run.progress(this.textBytes, null, 'bytes', textBytes);
  }
}
