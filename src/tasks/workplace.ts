/**
 * What every stage needs of its task: blocks by name, the run's parameters, and the kernel and reader of its worker.
 */

import { readFile } from 'node:fs/promises';
import { type Block, type BlockKind, decodeBlock } from '../blocks/block.js';
import { type DocumentFeed, type DocumentSink, WHOLE_FILE } from '../blocks/documents.js';
import { ONE } from '../blocks/names.js';
import type { ErrorCode } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { createReferenceKernel } from '../kernel/reference.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { Wasm, type WasmModule } from '../kernel/wasmMemory.js';
import type { ReadParams } from '../readers/documentSink.js';
import { memoryPlace } from '../readers/formats/memoryDocuments.js';
import { fileListIn } from '../readers/list/fileList.js';
import { SplitReader } from '../readers/reader.js';
import type { Split } from '../readers/split.js';
import type { Thinning } from '../sketch/thinning.js';
import { KERNEL_FILE } from '../store/packageFiles.js';
import type { RunSetup, Workplace } from './task.js';

/** Name under which a module stands in every worker's scratch. */
export const KERNEL_MODULE = 'kernelModule';

/**
 * The module, or null where it is missing or this platform lacks what it needs (SIMD): then the reference runs.
 *
 * The compiled kernel that ships with the package.
 *
 * Compiled once on the main thread and sent to the workers; whoever cannot run it uses the reference, which
 * gives the same bytes.
 */
export async function loadKernelModule(): Promise<WasmModule | null> {
  try {
    const bytes = await readFile(KERNEL_FILE);
    return Wasm.validate(bytes) ? await Wasm.compile(bytes) : null;
  } catch {
    return null;
  }
}

/*
 * Reading a source part by part: what a task does while the coordinator looks for the document that it dies of, and
 * afterwards, without that document.
 *
 *      files      parts are ranges of positions in the list of files
 *      range      ranges of bytes of the file; a part has the lines that start in it
 *      chunk      ranges of bytes of the chunk, cut at the starts of lines
 *      elements   ranges of positions among the elements of the block
 *      memory     ranges of positions among the documents of the block
 *
 * A task is told its parts, never why.
 */

/**
 * [from, to) of a source, and 0 where it is read. 1: it is left out, and is one file, one line, one element or one document in
 * memory.
 * 2: left out, and is all of a range or block of elements, because the file cannot even be opened.
 */
export type SourcePart = readonly [from: number, to: number, lost: 0 | 1 | 2];

/** Why a part is left out. */
const LOST: ErrorCode = 'UNPROCESSABLE';

/** Says of everything that passes that the task gets on, and moves the numbers of lines. */
class CountedSink implements DocumentSink {
  /** Lines of the source before the part that is read. */
  lines = 0;
  private readonly sink: DocumentSink;
  private readonly progress: () => void;

  constructor(sink: DocumentSink, progress: () => void) {
    this.sink = sink;
    this.progress = progress;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.progress();
    return this.sink.begin(file, this.moved(record), id);
  }

  text(bytes: Uint8Array): void {
    this.progress();
    this.sink.text(bytes);
  }

  end(repaired: boolean): void {
    this.sink.end(repaired);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.progress();
    this.sink.whole(file, this.moved(record), id, text, repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.progress();
    this.sink.skip(file, this.moved(record), code, id);
  }

  private moved(record: number): number {
    return record === WHOLE_FILE ? record : record + this.lines;
  }
}

interface PartsTask {
  readonly split: Split;
  /** The block beside the source; null for a range and for elements. */
  readonly text: Block | null;
  /** Null: all of it. */
  readonly parts: readonly SourcePart[] | null;
}

/**
 * Gives the documents of the parts to the sink, in order, and for every part that is left out a skip; returns how many
 * lines start in the parts, for lines. `progress` hears the number of the part in work, from 1, and one more at the end.
 */
export function readParts(
  { split, text, parts }: PartsTask,
  reader: SplitReader,
  params: ReadParams,
  target: DocumentSink,
  progress: (place?: number) => void,
): number {
  const sink = new CountedSink(target, () => progress());
  const all = parts ?? [null];
  all.forEach((part, i) => {
    progress(i + 1);
    if (part !== null && part[2] !== 0) sink.lines += giveLost(split, text, part, target, sink.lines);
    else sink.lines += reader.read(split, text, params, sink, part);
  });
  progress(all.length + 1);
  return sink.lines;
}

/** Names a part that is left out; returns its lines. */
function giveLost(
  split: Split,
  text: Block | null,
  [from, , lost]: SourcePart,
  sink: DocumentSink,
  lines: number,
): number {
  switch (split.kind) {
    case 'files':
      sink.skip(fileListIn(text!).indexes[from]!, WHOLE_FILE, LOST, null);
      return 0;
    case 'memory': {
      const { record, id } = memoryPlace(text!, from);
      sink.skip(0, record, LOST, id);
      return 0;
    }
    default:
      if (lost === 2) {
        sink.skip(split.index, WHOLE_FILE, LOST, null);
        return 0;
      }
      if (split.kind === 'elements') {
        sink.skip(split.index, split.first + from, LOST, null);
        return 0;
      }
      sink.skip(split.index, lines, LOST, null);
      return 1;
  }
}

export function block(here: Workplace, name: string, kind?: BlockKind): Block {
  return decodeBlock(here.input(name), kind, name);
}

/** A block that is looked at until the next one is. */
export function glance(here: Workplace, name: string, kind: BlockKind): Block {
  return decodeBlock(here.glance(name), kind, name);
}

export function put(here: Workplace, name: string, value: Block): void {
  here.output(name, value.buffer);
}

export function setupOf(here: Workplace): RunSetup {
  return here.setup as RunSetup;
}

/** One kernel a worker: it holds tables and scratch memory. */
export function kernelOf(here: Workplace): Kernel {
  const known = here.scratch.get('kernel') as Kernel | undefined;
  if (known !== undefined) return known;
  const module = here.scratch.get(KERNEL_MODULE) as WasmModule | undefined;
  const kernel = module === undefined ? createReferenceKernel() : createWasmKernel(module);
  here.scratch.set('kernel', kernel);
  return kernel;
}

/** One reader a worker: it holds its buffers. */
export function readerOf(here: Workplace): SplitReader {
  const known = here.scratch.get('reader') as SplitReader | undefined;
  if (known !== undefined) return known;
  const reader = new SplitReader(kernelOf(here));
  here.scratch.set('reader', reader);
  return reader;
}

export interface Reading {
  readonly feed: DocumentFeed;
  /** Lines that start in the source; known after the feed ran. */
  lines(): number;
}

/** What the tasks that sketch do for a family of sketches, block by block. */
export interface Sketching {
  /** Map and Reduce of column block k in one task; returns the table of its documents, and the bytes of text. */
  sketch(here: Workplace, k: number, source: Reading): { readonly documents: Block; readonly bytes: number };
  /** Map: the tiles of a step become partial sketches. */
  partials(here: Workplace, place: string): void;
  /** Reduce: the tiles and partial sketches of all steps of column block k become its sketches. */
  minima(here: Workplace, k: number, places: readonly string[]): void;
}

/** What a task that reads is told of its source. */
export interface ReadingTask {
  readonly split: Split;
  /** Name of the block of text the coordinator sent for it: bytes, or which files; null for ranges and elements. */
  readonly text: string | null;
  /** What of the source is read, and what left out; absent: all of it is read. */
  readonly parts?: readonly SourcePart[];
}

/** The documents of a source. */
export function reading(here: Workplace, { split, text, parts }: ReadingTask): Reading {
  const { params } = setupOf(here);
  let lines = 0;
  const feed: DocumentFeed = (sink) => {
    const beside = text === null ? null : block(here, text, 'text');
    const task = { split, text: beside, parts: parts ?? null };
    lines = readParts(task, readerOf(here), params, sink, here.progress);
  };
  return { feed, lines: () => lines };
}

/** The thinning of a run; undefined where all shingles are sketched. Tasks that ask have the eliminated hashes as a block. */
export function thinningOf(here: Workplace): Thinning | undefined {
  const { sample, seed, maxShingleDocuments } = setupOf(here).params;
  if (sample === 1 && maxShingleDocuments === null) return undefined;
  const known = here.scratch.get('thinning') as Thinning | undefined;
  if (known !== undefined) return known;
  const eliminated =
    maxShingleDocuments === null
      ? new Uint32Array(0)
      : (block(here, ONE.eliminated, 'shingleCounts').columns.hashes as Uint32Array);
  const thinning = kernelOf(here).thinning({ sample, seed, eliminated });
  here.scratch.set('thinning', thinning);
  return thinning;
}
