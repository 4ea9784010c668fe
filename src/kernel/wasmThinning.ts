/**
 * Thinning in the kernel: one call a list of hashes, in the place where it is.
 *
 * Floor 1. The same as src/sketch/thinning.ts. Set-up once a run: kernel memory is never freed.
 */
import { createThinning, sampleConstant, type Thinning, type ThinningParams } from '../sketch/thinning.js';
import type { KernelMemory } from './wasmMemory.js';

/** Words of the struct that assembly/sketchThinning.ts draws. */
const STRUCT = 6;

/** A thinning that other functions of the kernel can be told. */
export interface PlacedThinning extends Thinning {
  /** Address of its struct. */
  readonly address: number;
}

export function isPlaced(thinning: Thinning): thinning is PlacedThinning {
  return 'address' in thinning;
}

/** The eliminated hashes other than 0 as an open-addressing table of u64, at most half full. */
function placeTable(memory: KernelMemory, eliminated: Uint32Array): { address: number; mask: number } {
  if (eliminated.length === 0) return { address: 0, mask: 0 };
  let places = 16;
  while (places < eliminated.length) places *= 2;
  const address = memory.allocate(8 * places);
  const mask = places - 1;
  const table = memory.words.subarray(address / 4, address / 4 + 2 * places);
  for (let i = 0; i < eliminated.length; i += 2) {
    const low = eliminated[i]!;
    const high = eliminated[i + 1]!;
    if (low === 0 && high === 0) continue;
    let place = low & mask;
    while (table[2 * place] !== 0 || table[2 * place + 1] !== 0) place = (place + 1) & mask;
    table[2 * place] = low;
    table[2 * place + 1] = high;
  }
  return { address, mask };
}

function hasZero(eliminated: Uint32Array): boolean {
  for (let i = 0; i < eliminated.length; i += 2) {
    if (eliminated[i] === 0 && eliminated[i + 1] === 0) return true;
  }
  return false;
}

/** Makes thinnings in this memory. */
export function createWasmThinnings(memory: KernelMemory): (params: ThinningParams) => PlacedThinning {
  return (params) => {
    const { sample, seed, eliminated } = params;
    const table = placeTable(memory, eliminated);
    const address = memory.allocate(4 * STRUCT);
    const [low, high] = sampleConstant(seed) as unknown as [number, number];
    memory.words.set(
      [sample, hasZero(eliminated) ? 1 : 0, low, high, table.address, table.mask],
      address / 4,
    );
    let plain: Thinning | undefined;
    return {
      address,
      keep(elements, count) {
        if (memory.holds(elements)) return memory.call.thinHashes!(elements.byteOffset, count, address);
        // Lists from outside are those of the reference's own streams.
        plain ??= createThinning(params);
        return plain.keep(elements, count);
      },
    };
  };
}
