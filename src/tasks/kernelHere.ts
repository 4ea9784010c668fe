/** A kernel for this thread, where work is done without workers. Apart from kernelModule.ts, which every run loads. */
import { readFileSync } from 'node:fs';
import type { Kernel } from '../kernel/kernel.js';
import { createReferenceKernel } from '../kernel/reference.js';
import { createWasmKernel } from '../kernel/wasm.js';
import { Wasm, type WasmModule } from '../kernel/wasmMemory.js';
import { KERNEL_FILE } from '../store/packageFiles.js';
import { loadKernelModule } from './kernelModule.js';

export async function kernelHere(): Promise<Kernel> {
  const module = await loadKernelModule();
  return module === null ? createReferenceKernel() : createWasmKernel(module);
}

/** The same without waiting for another thread. */
export function kernelAtOnce(): Kernel {
  const module = moduleAtOnce();
  return module === null ? createReferenceKernel() : createWasmKernel(module);
}

function moduleAtOnce(): WasmModule | null {
  try {
    return new Wasm.Module(readFileSync(KERNEL_FILE));
  } catch {
    return null;
  }
}
