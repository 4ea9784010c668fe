/**
 * Sketchers in the kernel: signatures, scattered rows and bucket keys.
 *
 * Updates run in the kernel; clearing and merging use the reference, because taking the
 * minimum of N slots costs less than copying them in and out. Signatures are outside kernel memory and are
 * copied in and out at every update: the kernel keeps no state between two updates, so any number of signatures may be
 * in use.
 */
import { seededConstants } from '../arrays/hashing.js';
import { createSketcher } from '../sketch/family.js';
import type { SketchName, SketchParams } from '../sketch/params.js';
import {
  APPENDED_ROWS,
  appendedRows,
  LIST_LIMIT,
  MOST_BUCKETED,
  MOST_BUCKETS,
  type Partials,
  type RowScatter,
  type ScatteredRows,
  type ScatteredSketcher,
  STEP_COLUMNS,
  STEP_ROWS,
  STEP_RUNS,
  type StepColumns,
  stepFits,
} from '../sketch/rowChunks.js';
import type { Sketcher } from '../sketch/signature.js';
import type { Kernel } from './kernel.js';
import {
  type KernelMemory,
  KernelRooms,
  LastingView,
  once,
  oncePer,
  placedHashes,
  roomFor,
} from './wasmMemory.js';

/**
 * Number of hashes copied in per call, from lists outside kernel memory: 128 KB, which hold most documents whole and are well
 * within the second cache.
 */
const CHUNK = 16384;

/** A sketcher whose constants other functions of the kernel use, too. */
export interface PlacedSketcher extends Sketcher {
  /** Address of the constants of `fssUpdate` or `classicUpdate`. */
  readonly constants: number;
}

/** The words of a scheme in structs of the kernel: number, slots, stride, constants. */
export type PlacedScheme = readonly [number, number, number, number];

/** A scheme in the kernel. */
interface Compiled {
  readonly number: number;
  /** The function that lowers a signature: of so many slots, as `slots` says, at an address, by some hashes at another, with constants. */
  readonly update: 'fssUpdate' | 'classicUpdate';
  readonly slots: 'hashes' | 'stride';
  /** Writes the constants; returns their address. */
  place(memory: KernelMemory, params: SketchParams, stride: number): number;
}

const COMPILED: Readonly<Record<SketchName, Compiled>> = {
  fss: { number: 0, update: 'fssUpdate', slots: 'hashes', place: placeFss },
  classic: { number: 1, update: 'classicUpdate', slots: 'stride', place: placeClassic },
};

export function placedScheme(sketch: SketchName, sketcher: PlacedSketcher): PlacedScheme {
  const { hashes, stride, constants } = sketcher;
  return [COMPILED[sketch].number, hashes, stride, constants];
}

function placeFss(memory: KernelMemory, { seed }: SketchParams): number {
  const constants = memory.allocate(127 * 8);
  memory.words.set(seededConstants(seed, 'fss', 127, true), constants / 4);
  return constants;
}

function placeClassic(memory: KernelMemory, { hashes: slots, seed }: SketchParams, stride: number): number {
  const multipliers = memory.allocate(4 * stride);
  const constants = seededConstants(seed, 'classic', slots, true);
  for (let k = 0; k < slots; k++) memory.words[multipliers / 4 + k] = constants[2 * k]!;
  return multipliers;
}

function wasmSketcher(memory: KernelMemory, params: SketchParams, room: number): PlacedSketcher {
  const reference = createSketcher(params);
  const { hashes, stride, clear, merge } = reference;
  const scheme = COMPILED[params.sketch];
  const constants = scheme.place(memory, params, stride);
  const lower = memory.call[scheme.update]!;
  const slots = reference[scheme.slots];
  // Its padding slots are always zero, which `fssUpdate` relies on.
  const working = new LastingView(memory, memory.allocate(4 * stride), hashes);
  return {
    hashes,
    stride,
    clear,
    merge,
    constants,
    update(signature, list, count) {
      if (count === 0) return;
      working.words.set(signature.length === hashes ? signature : signature.subarray(0, hashes));
      const step = memory.holds(list) ? count : CHUNK;
      for (let from = 0; from < count; from += step) {
        const taken = Math.min(step, count - from);
        lower(working.address, slots, placedHashes(memory, list, from, taken, room), taken, constants);
      }
      signature.set(working.words);
    },
  };
}

/** Creates sketchers in this memory, one for each set of parameters: a worker needs a sketcher in every task. */
export function createWasmSketchers(memory: KernelMemory): (params: SketchParams) => PlacedSketcher {
  const room = memory.allocate(roomFor(CHUNK));
  return oncePer((params: SketchParams) => wasmSketcher(memory, params, room));
}

const MOST_CHUNKS = 65536;
/** Bytes between the buckets of a call, so that they begin in different sets of a cache. */
const APART = 320;
/** Bytes of all buckets of a call; pages that are never written take no memory of the system. */
const BUCKETS = 8 * MOST_BUCKETED + APART * MOST_BUCKETS;
/** Bytes of signatures that are sketched at a time. */
const SLAB = 1 << 22;

/** Addresses of the memory of one tile batch. A task either scatters or sketches, so both uses share the memory. */
interface StepArenas {
  readonly rows: number;
  readonly runChunks: number;
  readonly runColumns: number;
  readonly runEnds: number;
  /** By row chunk, where its bucket ends: all 0 between two calls. */
  readonly current: number;
  /** Of one call: its hashes by row chunk; hashes that are not in this memory. */
  readonly buckets: number;
  readonly outside: number;
  /** Partial signatures, which are never longer than the rows they replace; finished ones. */
  readonly partials: number;
  readonly signatures: number;
  /** By column, its total. */
  readonly totals: number;
}

/**
 * The arenas of a kernel, allocated on the first call, with room for any tile batch;
 * pages that are never written take no memory of the system.
 */
export function createStepMemory(memory: KernelMemory): () => StepArenas {
  return once(() => ({
    rows: memory.allocate(8 * STEP_ROWS),
    runChunks: memory.allocate(4 * STEP_RUNS),
    runColumns: memory.allocate(4 * STEP_RUNS),
    runEnds: memory.allocate(4 * STEP_RUNS),
    current: memory.allocate(4 * MOST_CHUNKS),
    buckets: memory.allocate(BUCKETS),
    outside: memory.allocate(roomFor(APPENDED_ROWS)),
    partials: memory.allocate(8 * STEP_ROWS),
    signatures: memory.allocate(SLAB),
    totals: memory.allocate(4 * STEP_COLUMNS),
  }));
}

const NOTHING: Partials = { runs: new Uint32Array(0), slots: new Uint32Array(0) };

/** Writes the struct `sketch` of assembly/sketch/partials.ts into kernel memory, with a working signature. */
function placeSketch(memory: KernelMemory, { sketch }: SketchParams, sketcher: PlacedSketcher): number {
  const working = memory.allocate(4 * sketcher.stride);
  const struct = memory.allocate(20);
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
    this.step = memory.allocate(40);
  }

  partials(step: ScatteredRows, totals: Uint32Array, columns: number): Partials {
    // Most tile batches have no partial signature: then nothing is copied.
    if (!totals.some((total) => total > LIST_LIMIT)) return NOTHING;
    const { memory, stride, sketch } = this;
    const { partials: made } = this.arenas;
    const found = this.place(step, columns, 0);
    memory.words.set(totals, this.arenas.totals / 4);
    const count = memory.call.partialRuns!(sketch, this.step, this.arenas.totals, LIST_LIMIT, found, made);
    return { runs: memory.wordsAt(found, count), slots: memory.wordsAt(made, count * stride) };
  }

  signatures(step: ScatteredRows, partials: Partials, which: StepColumns, out: Uint32Array): void {
    const { memory, stride, sketch } = this;
    const { words } = memory;
    const { partials: made, signatures } = this.arenas;
    const { columns, continues, open } = which;
    const found = this.place(step, columns, partials.runs.length);
    words.set(partials.slots, made / 4);
    words.set(partials.runs, found / 4);
    const slab = Math.floor(SLAB / (4 * stride));
    for (let from = 0; from < columns; from += slab) {
      const to = Math.min(from + slab, columns);
      const goesOn = open && to === columns;
      const begun = continues && from === 0;
      memory.call.columnSignatures!(sketch, this.step, from, to, Number(begun), Number(goesOn), signatures);
      const finished = (to - from - Number(goesOn)) * stride;
      out.set(memory.wordsAt(signatures, finished), from * stride);
    }
  }

  /**
   * Copies a tile batch in, and writes the struct `step` of assembly/sketch/partials.ts; returns the address of the numbers of runs that
   * became signatures. It is the room of row chunks, which no sketch asks for.
   */
  private place(step: ScatteredRows, columns: number, signed: number): number {
    const { words } = this.memory;
    const { rows, runColumns, runEnds, runChunks: found, partials } = this.arenas;
    words.set(step.rows, rows / 4);
    words.set(step.runColumns, runColumns / 4);
    words.set(step.runEnds, runEnds / 4);
    const runs = step.runColumns.length;
    words.set([rows, runColumns, runEnds, runs, columns, found, signed, partials, 0, 0], this.step / 4);
    return found;
  }
}

/**
 * Creates sketchers of scattered rows in this memory, one for each set of parameters.
 * One call per tile batch makes its partial signatures, and one call per slab the signatures. The slots are those of
 * src/sketch/rowChunks.ts.
 */
export function createWasmScatteredSketchers(
  memory: KernelMemory,
  arenas: () => StepArenas,
  sketcherOf: (params: SketchParams) => PlacedSketcher,
): Kernel['scatteredSketcher'] {
  return oncePer(
    (params: SketchParams) => new WasmScatteredSketcher(memory, arenas(), params, sketcherOf(params)),
  );
}

/** Scatters rows by row chunk in the kernel, with one call per list of hashes. The batches are those of src/sketch/rowChunks.ts. */
class WasmScatter implements RowScatter {
  private readonly memory: KernelMemory;
  private readonly arenas: StepArenas;
  private readonly rowChunks: number;
  private readonly stride: number;
  private rowCount = 0;
  private runCount = 0;
  private markedRows = 0;
  private markedRuns = 0;

  constructor(memory: KernelMemory, arenas: StepArenas, rowChunks: number) {
    this.memory = memory;
    this.arenas = arenas;
    this.rowChunks = rowChunks;
    this.stride = 8 * appendedRows(rowChunks) + APART;
  }

  fits(count: number): boolean {
    return stepFits(this.rowCount, this.runCount, count, this.rowChunks);
  }

  append(column: number, hashes: Uint32Array, count: number): void {
    const { memory, rowChunks, stride, rowCount, runCount } = this;
    const { rows, current, buckets, runChunks, runColumns, runEnds, outside } = this.arenas;
    const from = placedHashes(memory, hashes, 0, count, outside);
    const lists = [from, count, rows, rowCount, rowChunks, column, current, buckets, stride] as const;
    this.runCount = memory.call.appendRows!(...lists, runChunks, runColumns, runEnds, runCount);
    this.rowCount += count;
  }

  mark(): void {
    this.markedRows = this.rowCount;
    this.markedRuns = this.runCount;
  }

  rewind(): void {
    this.rowCount = this.markedRows;
    this.runCount = this.markedRuns;
  }

  take(): ScatteredRows {
    const { memory, rowCount, runCount } = this;
    const { rows, runChunks, runColumns, runEnds } = this.arenas;
    this.markedRows = 0;
    this.markedRuns = 0;
    this.rewind();
    return {
      runChunks: memory.wordsAt(runChunks, runCount),
      runColumns: memory.wordsAt(runColumns, runCount),
      runEnds: memory.wordsAt(runEnds, runCount),
      rows: memory.wordsAt(rows, 2 * rowCount),
    };
  }
}

export function createWasmRowScatters(
  memory: KernelMemory,
  arenas: () => StepArenas,
): (rowChunks: number) => RowScatter {
  return (rowChunks) => new WasmScatter(memory, arenas(), rowChunks);
}

/** Bytes of signatures per call: they stay within the second cache. */
const BATCH = 1 << 19;

/** `bandColumns` in this memory, a batch of columns per call; equal to src/sketch/banding.ts for up to 1024 slots. */
export function createWasmBandColumns(memory: KernelMemory): Kernel['bandColumns'] {
  const start = memory.allocate(8);
  const run = memory.call.bandColumns!;
  const arena = memory.allocate(BATCH);
  const rooms = new KernelRooms(memory);
  return (blocks, { columns, stride }, { bands, rows }, seed, { from, to } = { from: 0, to: bands }) => {
    const step = 8 * columns;
    const keys = rooms.rooms(step * (to - from))[0];
    const { words } = memory;
    words.set(seededConstants(seed, 'band', 1), start / 4);
    // 1024 slots at most: at least 128 columns.
    const batch = Math.floor(BATCH / (4 * stride)) * stride;
    let out = keys;
    for (const slots of blocks) {
      for (let at = 0; at < slots.length; at += batch) {
        const some = slots.subarray(at, at + batch);
        words.set(some, arena / 4);
        const taken = some.length / stride;
        run(arena, taken, stride, from, to - from, rows, start, out, step);
        out += 8 * taken;
      }
    }
    return (band) => memory.wordsAt(keys + (band - from) * step, 2 * columns);
  };
}
