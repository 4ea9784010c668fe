/**
 * Access of tasks to blocks, to the parameters of the run, and to the kernel and reader of the worker.
 */

import { FingerprintTable } from '../arrays/hashTable.js';
import { roomOf, type WasmModule } from '../arrays/ownPages.js';
import { type Block, type BlockKind, decodeBlock, typedColumns } from '../blocks/block.js';
import type { DocumentFeed, TableEnd } from '../blocks/documents.js';
import { ONE } from '../blocks/names.js';
import type { RowFeed } from '../blocks/sets.js';
import { kernelIgnoring } from '../kernel/ignoring.js';
import type { Kernel } from '../kernel/kernel.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { OpenedFiles } from '../readers/bytes/wholeFiles.js';
import type { ReadParams } from '../readers/documentSink.js';
import type { SetFields } from '../readers/formats/setLines.js';
import { SetLineReader, SplitReader } from '../readers/reader.js';
import { leastTokensOf, ofUnits } from '../readers/sinks/unitSink.js';
import type { LinesSplit, Split } from '../readers/split.js';
import { fieldsRead, type ResultParams, rowRuleOf } from '../sketch/params.js';
import { KERNEL_MODULE } from './kernelModule.js';
import type { RunSetup, Workplace } from './task.js';

export function block(here: Workplace, name: string, kind?: BlockKind): Block {
  return decodeBlock(here.input(name), kind, name);
}

export function put(here: Workplace, name: string, value: Block): void {
  here.output(name, value.buffer);
}

export function setupOf(here: Workplace): RunSetup {
  return here.setup as RunSetup;
}

/** The parameters of the reader: those of the run, and the memory for a record. */
export function readParamsOf(here: Workplace): ResultParams & Pick<ReadParams, 'room'> {
  const { params, room } = setupOf(here);
  return room === undefined ? params : { ...params, room };
}

/** The value with this name in the scratch of the worker, created on first use. */
export function scratchValue<T>({ scratch }: Workplace, name: string, make: () => T): T {
  if (!scratch.has(name)) scratch.set(name, make());
  return scratch.get(name) as T;
}

/**
 * A reused buffer of the worker for data that are written to a file or read from one. New buffers would wait for the garbage
 * collector.
 */
export function fileBuffer(here: Workplace): (bytes: number) => ArrayBuffer {
  const room = scratchValue(here, 'fileBuffer', () => ({ buffer: new ArrayBuffer(0) }));
  return (bytes) => {
    if (room.buffer.byteLength < bytes) {
      room.buffer = new ArrayBuffer(0);
      room.buffer = roomOf(Math.ceil(1.25 * bytes));
    }
    return room.buffer;
  };
}

/** The kernel of the worker. */
export function kernelOf(here: Workplace): Kernel {
  return scratchValue(here, 'kernel', () => createWasmKernel(here.scratch.get(KERNEL_MODULE) as WasmModule));
}

/** The kernel for the shingles that are compared: without those of --ignore. */
export function comparingKernel(here: Workplace): Kernel {
  if (setupOf(here).params.ignore === undefined) return kernelOf(here);
  return scratchValue(here, 'ignoring', () => {
    const { hashes } = typedColumns(block(here, ONE.ignored, 'fingerprints'), { hashes: 'u32' });
    return kernelIgnoring(kernelOf(here), FingerprintTable.of(hashes));
  });
}

/** The reader of the worker. */
export function readerOf(here: Workplace): SplitReader {
  return scratchValue(here, 'reader', () => new SplitReader(kernelOf(here)));
}

export interface Reading {
  readonly feed: DocumentFeed;
  /** Completes the table of the documents that were read; call it after the feed ran. */
  table(end: TableEnd): Block;
}

export interface ReadingTask {
  readonly split: Split;
  /** Name of the block `text` for the split: bytes, or which files; null for ranges and elements. */
  readonly text: string | null;
}

/**
 * The documents of a source in the first reading: with the fields that the run uses. Records size and time of whole files when they
 * are opened.
 */
export function firstReading(here: Workplace, task: ReadingTask): Reading {
  return reading(here, task, new OpenedFiles(), fieldsRead(setupOf(here).params));
}

/**
 * The documents of a source, or their units. `opened` records whole files when they are opened; null in the second reading. `fields`:
 * names of further fields to read.
 */
export function reading(
  here: Workplace,
  { split, text }: ReadingTask,
  opened: OpenedFiles | null = null,
  fields: readonly string[] = [],
): Reading {
  const params = { ...readParamsOf(here), fields };
  let lines = 0;
  const { unit } = params;
  const feed: DocumentFeed = (target) => {
    const beside = text === null ? null : block(here, text, 'text');
    // Not in the second reading, which must find every document of the first one.
    if (opened !== null) target.leaveAlone?.(leastTokensOf(params));
    lines = readerOf(here).read(split, beside, params, ofUnits(target, unit), opened);
  };
  return { feed, table: (end) => end(lines, opened?.columns) };
}

/** The lines of sets of a task. */
interface LinesOfSets {
  readonly split: LinesSplit;
  readonly beside: Block | null;
  readonly fields: SetFields;
}

/** The rows of a split, in the order of their lines. */
export function rowFeed(here: Workplace, { split, beside, fields }: LinesOfSets): RowFeed {
  const params = readParamsOf(here);
  return (sink) => {
    // One per worker, because it holds buffers.
    const reader = scratchValue(here, 'setLines', () => new SetLineReader(kernelOf(here)));
    return reader.read(split, beside, params, fields, rowRuleOf(params), sink, params.seed);
  };
}
