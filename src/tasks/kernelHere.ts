/** A kernel for this thread, where work is done without workers. Apart from kernelModule.ts, which every run loads. */
import type { Kernel } from '../kernel/kernel.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { kernelModuleAtOnce, loadKernelModule } from './kernelModule.js';

export async function kernelHere(): Promise<Kernel> {
  return createWasmKernel(await loadKernelModule());
}

/** The same without waiting for another thread. */
export function kernelAtOnce(): Kernel {
  return createWasmKernel(kernelModuleAtOnce());
}
