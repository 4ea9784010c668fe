/**
 * The compiled kernel on its way from the main thread, which needs no more of it, to the workers.
 */
import { readFileSync } from 'node:fs';
import { Wasm, type WasmModule } from '../kernel/wasmMemory.js';
import { KERNEL_FILE } from '../store/packageFiles.js';

/** Name under which a module stands in every worker's scratch. */
export const KERNEL_MODULE = 'kernelModule';

/**
 * The compiled kernel that ships with the package: compiled once on the main thread and sent to the workers.
 *
 * Null where it is missing, or where this platform lacks what it needs (SIMD): then the reference runs, which gives the
 * same bytes.
 */
export async function loadKernelModule(): Promise<WasmModule | null> {
  try {
    return await Wasm.compile(readFileSync(KERNEL_FILE));
  } catch {
    return null;
  }
}
