/**
 * The WebAssembly kernel: the same bytes as the reference, several times as fast.
 *
 * Floor 1. The module is compiled by others and given; each kernel is an instance with a memory of its own.
 */
import { rowChunkOf } from '../sketch/rowChunks.js';
import { createShingleStream } from '../sketch/shingles.js';
import { branchlessAgreement } from './branchlessAgreement.js';
import type { Kernel } from './kernel.js';
import { createWasmBandKeys } from './wasmBands.js';
import { KernelMemory } from './wasmMemory.js';
import { createWasmRowGrouping } from './wasmRows.js';
import { SetArena } from './wasmSetArena.js';
import { createWasmSetCollector } from './wasmSetCollector.js';
import { createWasmSetComparer } from './wasmSetComparer.js';
import { createWasmIntersectionSize } from './wasmSets.js';
import { createWasmSketchers } from './wasmSketch.js';
import { createWasmSorts } from './wasmSort.js';
import { createWasmShingleStreams } from './wasmText.js';
import type { WasmModule } from './webAssembly.js';

/** A kernel on an instance of this module (dist/src/kernel/kernel.wasm, compiled). */
export function createWasmKernel(module: WasmModule): Kernel {
  const memory = new KernelMemory(module);
  const streams = createWasmShingleStreams(memory);
  const arena = new SetArena(memory);
  const setCollector = createWasmSetCollector(memory, arena);
  const setComparer = createWasmSetComparer(memory, arena);
  return {
    name: 'wasm',
    // Lines stay with the reference: few shingles, and each a long one.
    shingleStream: (params, sink) => streams(params, sink) ?? createShingleStream(params, sink),
    sketcher: createWasmSketchers(memory),
    bandKeys: createWasmBandKeys(memory),
    agreement: branchlessAgreement,
    intersectionSize: createWasmIntersectionSize(memory),
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    // A call into the kernel costs more than the two products.
    rowChunkOf,
    groupByRowChunk: createWasmRowGrouping(memory),
    ...createWasmSorts(memory),
  };
}
