/**
 * The WebAssembly kernel: the same bytes as the reference, several times as fast.
 *
 * Floor 1. The module is compiled by others and given; each kernel is an instance with a memory of its own.
 */
import { createShingleStream } from '../sketch/shingles.js';
import { branchlessAgreement } from './branchlessAgreement.js';
import type { Kernel } from './kernel.js';
import { createWasmAgreeingPairs } from './wasmAgreement.js';
import { createWasmBandColumns } from './wasmBands.js';
import { createWasmDocuments } from './wasmDocuments.js';
import { createWasmRowFormatting } from './wasmFormat.js';
import { createWasmJsonLines } from './wasmJson.js';
import { KernelMemory } from './wasmMemory.js';
import { createWasmBucketPairs, createWasmDistinctPairs } from './wasmPairs.js';
import { createWasmScatteredSketchers } from './wasmPartials.js';
import { KernelRooms } from './wasmRooms.js';
import { createWasmRowScatters } from './wasmRows.js';
import { SetArena } from './wasmSetArena.js';
import { createWasmSetCollector } from './wasmSetCollector.js';
import { createWasmSetComparer } from './wasmSetComparer.js';
import { createWasmSketchers } from './wasmSketch.js';
import { createWasmSorts } from './wasmSort.js';
import { createStepMemory } from './wasmSteps.js';
import { createWasmShingleStreams } from './wasmText.js';
import { createWasmTextHashes } from './wasmTextKey.js';
import { textArenasOnce } from './wasmTextPlan.js';
import { tablesOnce } from './wasmTextTables.js';
import { createWasmThinnings } from './wasmThinning.js';
import { createWasmWholeTexts } from './wasmWholeTexts.js';
import type { WasmModule } from './webAssembly.js';

/** A kernel on an instance of this module (dist/src/kernel/kernel.wasm, compiled). */
export function createWasmKernel(module: WasmModule): Kernel {
  const memory = new KernelMemory(module);
  const steps = createStepMemory(memory);
  const tables = tablesOnce(memory);
  const arenas = textArenasOnce(memory);
  const textHash = createWasmTextHashes(memory);
  const streams = createWasmShingleStreams(memory, tables);
  // Lines stay with the reference, but for the key of the text: few shingles, and each a long one.
  const general: Kernel['shingleStream'] = (params, sink) => {
    return streams(params, sink) ?? createShingleStream(params, sink, textHash(params.seed));
  };
  const sketcher = createWasmSketchers(memory);
  const rooms = new KernelRooms(memory);
  const sets = new SetArena(memory);
  const setCollector = createWasmSetCollector(memory, sets);
  const setComparer = createWasmSetComparer(memory, sets);
  return {
    name: 'wasm',
    shingleStream: createWasmWholeTexts(memory, arenas, tables, general),
    sketcher,
    documentSketches: createWasmDocuments(memory, { shingleStream: general, sketcher, tables, arenas }),
    bandColumns: createWasmBandColumns(memory),
    agreement: branchlessAgreement,
    setCollector: () => setCollector,
    setComparer: () => setComparer,
    thinning: createWasmThinnings(memory),
    rowScatter: createWasmRowScatters(memory, steps),
    scatteredSketcher: createWasmScatteredSketchers(memory, steps, sketcher),
    jsonLines: createWasmJsonLines(memory),
    ...createWasmSorts(memory),
    formatRows: createWasmRowFormatting(memory),
    pairing: {
      bucketPairs: createWasmBucketPairs(memory, rooms),
      distinctPairs: createWasmDistinctPairs(memory, rooms),
      agreeingPairs: createWasmAgreeingPairs(memory, rooms),
    },
  };
}
