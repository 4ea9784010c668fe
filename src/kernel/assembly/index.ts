/**
 * The kernel: AssemblyScript to WebAssembly SIMD, no runtime, one instance a worker. Each file mirrors a part
 * of src/sketch, written apart from it; test/kernel/parity holds them to the same bytes.
 */
export { jsonElements, jsonLines } from './json/lines';
export * from './pairs/index';
export * from './sketch/index';
export * from './text/index';

/** The first address that no constant of the module lives at. */
export function heapBase(): usize {
  return __heap_base;
}
