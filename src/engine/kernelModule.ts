/**
 * The compiled kernel that ships with the package.
 *
 * Floor 3. Compiled once on the main thread and sent to the workers; whoever cannot run it uses the reference, which
 * gives the same bytes.
 */
import { readFile } from 'node:fs/promises';
import { Wasm, type WasmModule } from '../kernel/webAssembly.js';

/** Name under which a module stands in every worker's scratch. */
export const KERNEL_MODULE = 'kernelModule';

/** The module, or null where it is missing or this platform lacks what it needs (SIMD): then the reference runs. */
export async function loadKernelModule(): Promise<WasmModule | null> {
  try {
    const bytes = await readFile(new URL('../kernel/kernel.wasm', import.meta.url));
    return Wasm.validate(bytes) ? await Wasm.compile(bytes) : null;
  } catch {
    return null;
  }
}
