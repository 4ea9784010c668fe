/**
 * The compiled kernel, which the main thread compiles and sends to the workers.
 */
import { readFileSync } from 'node:fs';
import { Wasm, type WasmModule } from '../arrays/ownPages.js';
import { MinHashError } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { KERNEL_FILE } from '../store/packageFiles.js';

/** Name of the module in every worker's scratch. */
export const KERNEL_MODULE = 'kernelModule';

let module: Promise<WasmModule> | undefined;

/**
 * The kernel of the package, compiled once per process on the main thread, and sent to the workers.
 *
 * @throws MinHashError KERNEL_UNUSABLE if the file is missing, or if the platform lacks a feature it needs (SIMD)
 */
export async function loadKernelModule(): Promise<WasmModule> {
  try {
    module ??= Wasm.compile(readFileSync(KERNEL_FILE));
    return await module;
  } catch (error) {
    module = undefined;
    throw unusable(error);
  }
}

/** A kernel for this thread, for work without workers. Loaded here, because most runs have workers. */
export async function kernelHere(): Promise<Kernel> {
  const { createWasmKernel } = await import('../kernel/wasm.js');
  return createWasmKernel(await loadKernelModule());
}

function unusable(cause: unknown): MinHashError {
  return new MinHashError({ code: 'KERNEL_UNUSABLE', detail: 'kernel.wasm' }, { cause });
}
