/** A kernel for this thread, where work is done without workers. Apart from kernelModule.ts, which every run loads. */
import type { Kernel } from '../kernel/kernel.js';
import { createReferenceKernel } from '../kernel/reference.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { loadKernelModule } from './kernelModule.js';

export async function kernelHere(): Promise<Kernel> {
  const module = await loadKernelModule();
  return module === null ? createReferenceKernel() : createWasmKernel(module);
}
