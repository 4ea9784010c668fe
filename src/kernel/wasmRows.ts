/**
 * Rows scattered by row chunk in the kernel: one call a list of hashes, and one a step.
 *
 * Floor 1. The same steps as src/sketch/rowScatter.ts gives.
 */
import { type RowScatter, type ScatteredRows, stepFits } from '../sketch/rowScatter.js';
import { placedHashes } from './wasmHashes.js';
import type { KernelMemory } from './wasmMemory.js';
import type { StepArenas } from './wasmSteps.js';

class WasmScatter implements RowScatter {
  private readonly memory: KernelMemory;
  private readonly arenas: StepArenas;
  private readonly rowChunks: number;
  private rowCount = 0;
  private runCount = 0;
  private markedRows = 0;
  private markedRuns = 0;

  constructor(memory: KernelMemory, arenas: StepArenas, rowChunks: number) {
    this.memory = memory;
    this.arenas = arenas;
    this.rowChunks = rowChunks;
    this.rewind();
  }

  fits(count: number): boolean {
    return stepFits(this.rowCount, this.runCount, count, this.rowChunks);
  }

  append(column: number, hashes: Uint32Array, count: number): void {
    const { memory, rowChunks, rowCount } = this;
    const { staged, runOfRow, current, runs } = this.arenas;
    const to = staged + 8 * rowCount;
    // A list from outside is copied to its place, from where the kernel takes it.
    const from = placedHashes(memory, hashes, 0, count, to);
    const lists = [from, count, to, runOfRow + 4 * rowCount] as const;
    this.runCount = memory.call.appendRows!(...lists, rowChunks, column, current, runs, this.runCount);
    this.rowCount += count;
  }

  mark(): void {
    this.markedRows = this.rowCount;
    this.markedRuns = this.runCount;
  }

  rewind(): void {
    this.rowCount = this.markedRows;
    this.runCount = this.markedRuns;
    const { current } = this.arenas;
    this.memory.words.fill(0, current / 4, current / 4 + this.rowChunks);
  }

  take(): ScatteredRows {
    const { memory, rowChunks, rowCount, runCount } = this;
    const { staged, runOfRow, runs, current, chunkEnds, rows, runColumns, runEnds } = this.arenas;
    const lists = [staged, rowCount, runOfRow, runs, runCount] as const;
    memory.call.scatterRows!(...lists, rowChunks, current, chunkEnds, rows, runColumns, runEnds);
    this.markedRows = 0;
    this.markedRuns = 0;
    this.rewind();
    const { words } = memory;
    const view = (address: number, length: number): Uint32Array =>
      words.subarray(address / 4, address / 4 + length);
    return {
      chunkEnds: view(chunkEnds, rowChunks),
      runColumns: view(runColumns, runCount),
      runEnds: view(runEnds, runCount),
      rows: view(rows, 2 * rowCount),
    };
  }
}

/** `rowScatter` in this memory. */
export function createWasmRowScatters(
  memory: KernelMemory,
  arenas: () => StepArenas,
): (rowChunks: number) => RowScatter {
  return (rowChunks) => new WasmScatter(memory, arenas(), rowChunks);
}
