/**
 * The WebAssembly kernel, with the same results as the reference and several times its speed. The caller compiles the module; each
 * kernel is an instance with its own memory.
 */
import type { WasmModule } from '../arrays/ownPages.js';
import { createShingleStream, preparedShingles } from '../text/shingles.js';
import type { Kernel } from './kernel.js';
import { createWasmDocuments } from './text/wasmDocuments.js';
import { createWasmShingleStreams } from './text/wasmStream.js';
import { TextTables } from './text/wasmTables.js';
import { createWasmTextHashes } from './text/wasmTextKey.js';
import { createWasmJsonLines } from './wasmJson.js';
import { KernelMemory, once } from './wasmMemory.js';
import { createWasmNames } from './wasmNames.js';
import { createWasmRowLines, createWasmSetKeys, createWasmSetLabels } from './wasmRows.js';
import { createWasmSorts, WasmSetCollector, WasmSetComparer } from './wasmSets.js';
import { createWasmSketchers } from './wasmSketch.js';
import { createWasmSlotWriter } from './wasmSlots.js';

/** A kernel on a new instance of a module (the compiled dist/src/kernel/kernel.wasm). */
export function createWasmKernel(module: WasmModule): Kernel {
  const memory = new KernelMemory(module);
  const tables = once(() => new TextTables(memory));
  const textHash = createWasmTextHashes(memory, tables);
  const streams = createWasmShingleStreams(memory, tables);
  // Lines use the reference, except for the key of the text: they have few, long shingles.
  const general: Kernel['shingleStream'] = (params, sink) =>
    preparedShingles(
      params,
      textHash(params.seed),
      (plain) => streams(plain, sink) ?? createShingleStream(plain, sink, textHash(params.seed)),
    );
  const sketcher = createWasmSketchers(memory);
  const setCollector = new WasmSetCollector(memory);
  return {
    name: 'wasm',
    ...createWasmDocuments(memory, { general, sketcher, tables }),
    sketcher,
    setCollector: () => setCollector,
    setComparer: once(() => new WasmSetComparer(memory)),
    jsonLines: createWasmJsonLines(memory),
    rowLines: createWasmRowLines(memory),
    setNames: createWasmNames(memory),
    setKeys: createWasmSetKeys(memory),
    setLabels: createWasmSetLabels(memory),
    ...createWasmSorts(memory),
    slotWriter: createWasmSlotWriter(memory),
  };
}
