/** A kernel for this thread, for work without workers. Separate from kernelModule.ts, which every run loads. */
import type { Kernel } from '../kernel/kernel.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { loadKernelModule } from './kernelModule.js';

export async function kernelHere(): Promise<Kernel> {
  return createWasmKernel(await loadKernelModule());
}
