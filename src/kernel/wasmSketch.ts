/**
 * Sketchers whose update and densification run in the kernel; clearing and merging stay with the reference,
 * because taking a minimum of N slots costs less than copying them in and out.
 *
 * Floor 1. Signatures live outside and are copied in and out at every update: nothing is remembered between
 * two, so any number of signatures may be in hand.
 */
import { seededConstants } from '../sketch/hashing.js';
import type { SketchName, SketchParams } from '../sketch/params.js';
import type { Sketcher } from '../sketch/signature.js';
import { createSketcher } from '../sketch/sketcher.js';
import { placedHashes, roomFor } from './wasmHashes.js';
import type { KernelMemory } from './wasmMemory.js';

/**
 * Hashes copied in at a time, from lists outside: 128 KB, most documents at once and well within the second
 * cache.
 */
const CHUNK = 16384;

/** Lowers the signature at an address by `count` hashes at an address. */
type UpdateAt = (signature: number, hashes: number, count: number) => void;

/** What a scheme does with a signature at an address, and where it has its constants and room to work. */
interface SchemeAt {
  readonly update: UpdateAt;
  readonly finish: ((signature: number) => void) | undefined;
  readonly constants: number;
  readonly raw: number;
}

/** A sketcher whose constants other functions of the kernel use too. */
export interface PlacedSketcher extends Sketcher {
  /** Address of what `fssUpdate`, `classicUpdate` or `ophDensify` needs. */
  readonly constants: number;
  /** Address of room for a signature, for `ophDensify`; 0 for the other schemes. */
  readonly raw: number;
}

/** A scheme as structs of the kernel have it: number, slots, stride, constants, raw. */
export type PlacedScheme = readonly [number, number, number, number, number];

/** Numbers of the schemes in the kernel. */
const SCHEMES: readonly SketchName[] = ['fss', 'classic', 'oph'];

export function placedScheme(sketch: SketchName, sketcher: PlacedSketcher): PlacedScheme {
  const { hashes, stride, constants, raw } = sketcher;
  return [SCHEMES.indexOf(sketch), hashes, stride, constants, raw];
}

/**
 * Room for one signature in kernel memory; its padding slots are zero for ever, which `fssUpdate` relies on.
 */
class WorkingSignature {
  readonly address: number;
  private readonly memory: KernelMemory;
  private readonly slots: number;
  private slotsView: Uint32Array;

  constructor(memory: KernelMemory, slots: number, stride: number) {
    this.memory = memory;
    this.slots = slots;
    this.address = memory.allocate(4 * stride);
    this.slotsView = this.attached();
  }

  copyIn(signature: Uint32Array): void {
    this.view().set(signature.length === this.slots ? signature : signature.subarray(0, this.slots));
  }

  copyOut(signature: Uint32Array): void {
    signature.set(this.view());
  }

  private attached(): Uint32Array {
    return this.memory.words.subarray(this.address / 4, this.address / 4 + this.slots);
  }

  private view(): Uint32Array {
    // Growing the memory detaches views of it; a detached view has no length.
    if (this.slotsView.length === 0) this.slotsView = this.attached();
    return this.slotsView;
  }
}

function fssAt(memory: KernelMemory, { hashes: slots, seed }: SketchParams): SchemeAt {
  const constants = memory.allocate(127 * 8);
  memory.words.set(seededConstants(seed, 'fss', 127, true), constants / 4);
  const run = memory.call.fssUpdate!;
  return {
    update: (signature, hashes, count) => run(signature, slots, hashes, count, constants),
    finish: undefined,
    constants,
    raw: 0,
  };
}

function classicAt(memory: KernelMemory, { hashes: slots, seed }: SketchParams, stride: number): SchemeAt {
  const multipliers = memory.allocate(4 * stride);
  const constants = seededConstants(seed, 'classic', slots, true);
  for (let k = 0; k < slots; k++) memory.words[multipliers / 4 + k] = constants[2 * k]!;
  const run = memory.call.classicUpdate!;
  return {
    update: (signature, hashes, count) => run(signature, stride, hashes, count, multipliers),
    finish: undefined,
    constants: multipliers,
    raw: 0,
  };
}

function ophAt(memory: KernelMemory, { hashes: slots, seed }: SketchParams): SchemeAt {
  const donors = memory.allocate(8 * slots);
  const raw = memory.allocate(4 * slots);
  memory.words.set(seededConstants(seed, 'oph', slots, true), donors / 4);
  const run = memory.call.ophUpdate!;
  const densify = memory.call.ophDensify!;
  return {
    update: (signature, hashes, count) => run(signature, slots, hashes, count),
    finish: (signature) => densify(signature, slots, donors, raw),
    constants: donors,
    raw,
  };
}

function schemeAt(memory: KernelMemory, params: SketchParams, stride: number): SchemeAt {
  switch (params.sketch) {
    case 'fss':
      return fssAt(memory, params);
    case 'classic':
      return classicAt(memory, params, stride);
    case 'oph':
      return ophAt(memory, params);
  }
}

function wasmSketcher(memory: KernelMemory, params: SketchParams, room: number): PlacedSketcher {
  const reference = createSketcher(params);
  const { hashes, stride, clear, merge } = reference;
  const scheme = schemeAt(memory, params, stride);
  const working = new WorkingSignature(memory, hashes, stride);
  return {
    hashes,
    stride,
    clear,
    merge,
    constants: scheme.constants,
    raw: scheme.raw,
    update(signature, list, count) {
      if (count === 0) return;
      working.copyIn(signature);
      const step = memory.holds(list) ? count : CHUNK;
      for (let from = 0; from < count; from += step) {
        const taken = Math.min(step, count - from);
        scheme.update(working.address, placedHashes(memory, list, from, taken, room), taken);
      }
      working.copyOut(signature);
    },
    finish(signature) {
      if (scheme.finish === undefined) return;
      working.copyIn(signature);
      scheme.finish(working.address);
      working.copyOut(signature);
    },
  };
}

/**
 * Makes sketchers in this memory. One is made for each set of parameters and then given again: memory is
 * never freed, and a worker asks at every task.
 */
export function createWasmSketchers(memory: KernelMemory): (params: SketchParams) => PlacedSketcher {
  const room = memory.allocate(roomFor(CHUNK));
  const made = new Map<string, PlacedSketcher>();
  return (params) => {
    const key = `${params.sketch} ${params.hashes} ${params.seed}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const sketcher = wasmSketcher(memory, params, room);
    made.set(key, sketcher);
    return sketcher;
  };
}
