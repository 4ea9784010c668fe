/**
 * Sketchers in the kernel.
 *
 * Updates run in the kernel; clearing and merging use the reference, because the minima of N slots take less time than copying them
 * in and out. Signatures are outside kernel memory and are copied at every update, so any number of signatures may be in use.
 */
import { seededConstants } from '../arrays/hashing.js';
import { createSketcher } from '../sketch/family.js';
import type { SketchName, SketchParams } from '../sketch/params.js';
import type { Sketcher } from '../sketch/signature.js';
import { type KernelMemory, LastingView, oncePer, placedHashes, roomFor } from './wasmMemory.js';

/**
 * Number of hashes copied in per call: 128 KB, which is enough for most documents and fits into the L2 cache.
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
  /** The function that lowers a signature. Parameters: its address and slots, address and number of hashes, constants. */
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

/** Creates sketchers in this memory, one per set of parameters, because every task needs one. */
export function createWasmSketchers(memory: KernelMemory): (params: SketchParams) => PlacedSketcher {
  const room = memory.allocate(roomFor(CHUNK));
  return oncePer((params: SketchParams) => wasmSketcher(memory, params, room));
}
