/**
 * Scattered rows sketched in the kernel: one call a step for its partial signatures, and one a slab of its signatures.
 *
 * Floor 1. The same slots as src/sketch/scatteredSketches.ts gives. Steps come from outside, mostly from shared memory, and
 * are copied in whole.
 */
import type { SketchParams } from '../sketch/params.js';
import type { ScatteredRows } from '../sketch/rowScatter.js';
import {
  LIST_LIMIT,
  type Partials,
  type ScatteredSketcher,
  type StepColumns,
} from '../sketch/scatteredSketches.js';
import type { KernelMemory } from './wasmMemory.js';
import { type PlacedSketcher, placedScheme } from './wasmSketch.js';
import { GATHERED, SLAB, type StepArenas } from './wasmSteps.js';

const NOTHING: Partials = { runs: new Uint32Array(0), slots: new Uint32Array(0) };

/** Puts the struct `sketch` of assembly/sketchPartials.ts into kernel memory, with a working signature. */
function placeSketch(memory: KernelMemory, { sketch }: SketchParams, sketcher: PlacedSketcher): number {
  const working = memory.allocate(4 * sketcher.stride);
  const struct = memory.allocate(24);
  memory.words.set([...placedScheme(sketch, sketcher), working], struct / 4);
  return struct;
}

class WasmScatteredSketcher implements ScatteredSketcher {
  readonly stride: number;
  private readonly memory: KernelMemory;
  private readonly arenas: StepArenas;
  private readonly sketch: number;
  private readonly step: number;

  constructor(memory: KernelMemory, arenas: StepArenas, params: SketchParams, sketcher: PlacedSketcher) {
    this.memory = memory;
    this.arenas = arenas;
    this.stride = sketcher.stride;
    this.sketch = placeSketch(memory, params, sketcher);
    this.step = memory.allocate(44);
  }

  partials(step: ScatteredRows, totals: Uint32Array, columns: number): Partials {
    // Of most steps nothing becomes a signature: then nothing need be copied.
    if (!totals.some((total) => total > LIST_LIMIT)) return NOTHING;
    const { memory, stride, sketch } = this;
    const { staged, order } = this.arenas;
    this.place(step, columns);
    memory.words.set(totals, this.arenas.totals / 4);
    const lists = [this.arenas.totals, LIST_LIMIT, order, staged] as const;
    const count = memory.call.partialRuns!(sketch, this.step, ...lists);
    const { words } = memory;
    return {
      runs: words.subarray(order / 4, order / 4 + count),
      slots: words.subarray(staged / 4, staged / 4 + count * stride),
    };
  }

  signatures(step: ScatteredRows, partials: Partials, which: StepColumns, out: Uint32Array): void {
    const { memory, stride, sketch } = this;
    const { words } = memory;
    const { staged, totals, runs } = this.arenas;
    const { columns, continues, open } = which;
    this.place(step, columns);
    words.set(partials.slots, staged / 4);
    // Totals are not needed any more.
    words.set(partials.runs, totals / 4);
    memory.call.orderRuns!(this.step, totals, partials.runs.length);
    const slab = Math.floor(SLAB / (4 * stride));
    for (let from = 0; from < columns; from += slab) {
      const to = Math.min(from + slab, columns);
      const goesOn = open && to === columns;
      const begun = continues && from === 0;
      memory.call.columnSignatures!(sketch, this.step, from, to, Number(begun), Number(goesOn), runs);
      const finished = (to - from - Number(goesOn)) * stride;
      out.set(words.subarray(runs / 4, runs / 4 + finished), from * stride);
    }
  }

  /** Copies a step in, and the struct `step` of assembly/sketchPartials.ts. */
  private place(step: ScatteredRows, columns: number): void {
    const { words } = this.memory;
    const { rows, runColumns, runEnds, forms, order, starts, staged, gathered } = this.arenas;
    words.set(step.rows, rows / 4);
    words.set(step.runColumns, runColumns / 4);
    words.set(step.runEnds, runEnds / 4);
    const places = [rows, runColumns, runEnds, step.runColumns.length, columns, forms, order, starts];
    words.set([...places, staged, gathered, GATHERED], this.step / 4);
  }
}

/** Makes sketchers of scattered rows in this memory, one for each set of parameters: memory is never freed. */
export function createWasmScatteredSketchers(
  memory: KernelMemory,
  arenas: () => StepArenas,
  sketcherOf: (params: SketchParams) => PlacedSketcher,
): (params: SketchParams) => ScatteredSketcher {
  const made = new Map<string, ScatteredSketcher>();
  return (params) => {
    const key = `${params.sketch} ${params.hashes} ${params.seed}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const sketcher = new WasmScatteredSketcher(memory, arenas(), params, sketcherOf(params));
    made.set(key, sketcher);
    return sketcher;
  };
}
