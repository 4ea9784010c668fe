/** A kernel for this thread, for work without workers. A module of its own, because every run loads kernelModule.ts. */
import type { Kernel } from '../kernel/kernel.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { loadKernelModule } from './kernelModule.js';

export async function kernelHere(): Promise<Kernel> {
  return createWasmKernel(await loadKernelModule());
}
