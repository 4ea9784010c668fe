/**
 * What every stage needs of its task: blocks by name, the run's parameters, and the kernel and reader of its worker.
 *
 * Floor 3.
 */
import { type Block, type BlockKind, decodeBlock } from '../blocks/block.js';
import type { DocumentFeed } from '../blocks/documents.js';
import type { RunSetup } from '../blocks/shapes.js';
import type { Kernel } from '../kernel/kernel.js';
import { createReferenceKernel } from '../kernel/reference.js';
import { createWasmKernel } from '../kernel/wasm.js';
import type { WasmModule } from '../kernel/webAssembly.js';
import { SourceReader, type TaskSource } from '../storage/taskSource.js';
import { KERNEL_MODULE } from './kernelModule.js';
import type { TaskContext } from './protocol.js';
import { readParts, type SourcePart } from './sourceParts.js';

export function block(context: TaskContext, name: string, kind?: BlockKind): Block {
  return decodeBlock(context.input(name), kind, name);
}

/** A block that is looked at until the next one is. */
export function glance(context: TaskContext, name: string, kind: BlockKind): Block {
  return decodeBlock(context.glance(name), kind, name);
}

export function put(context: TaskContext, name: string, value: Block): void {
  context.output(name, value.buffer);
}

export function setupOf(context: TaskContext): RunSetup {
  return context.setup as unknown as RunSetup;
}

/** One kernel a worker: it holds tables and scratch memory. */
export function kernelOf(context: TaskContext): Kernel {
  const known = context.scratch.get('kernel') as Kernel | undefined;
  if (known !== undefined) return known;
  const module = context.scratch.get(KERNEL_MODULE) as WasmModule | undefined;
  const kernel = module === undefined ? createReferenceKernel() : createWasmKernel(module);
  context.scratch.set('kernel', kernel);
  return kernel;
}

/** One reader a worker: it holds its buffers. */
export function readerOf(context: TaskContext): SourceReader {
  const known = context.scratch.get('reader') as SourceReader | undefined;
  if (known !== undefined) return known;
  const reader = new SourceReader(kernelOf(context));
  context.scratch.set('reader', reader);
  return reader;
}

export interface Reading {
  readonly feed: DocumentFeed;
  /** Lines that start in the source; known after the feed ran. */
  lines(): number;
}

/** What a task that reads is told of its source. */
export interface ReadingTask {
  readonly source: TaskSource;
  /** Name of the block of text the coordinator sent for it: bytes, or which files; null for ranges and elements. */
  readonly text: string | null;
  /** What of the source is read, and what left out; absent: all of it is read. */
  readonly parts?: readonly SourcePart[];
}

/** The documents of a source. */
export function reading(context: TaskContext, { source, text, parts }: ReadingTask): Reading {
  const { params } = setupOf(context);
  let lines = 0;
  const feed: DocumentFeed = (sink) => {
    const beside = text === null ? null : block(context, text, 'text');
    const task = { source, text: beside, parts: parts ?? null };
    lines = readParts(task, readerOf(context), params, sink, context.progress);
  };
  return { feed, lines: () => lines };
}
