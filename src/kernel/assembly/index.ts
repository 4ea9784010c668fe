/**
 * The kernel: AssemblyScript to WebAssembly SIMD, no runtime, one instance per worker. Each file is a separate
 * implementation of a reference in TypeScript; tests in test/kernel check that both give the same bytes.
 */
export { jsonLines } from './json/lines';
export * from './pairs/index';
export { labelElements } from './rows/labels';
export { rowLines } from './rows/rowLines';
export { setKeys } from './rows/setKeys';
export { numberRows, placeNames } from './rows/setNames';
export * from './sketch/index';
export * from './text/index';

/** The first address after the constants of the module. */
export function heapBase(): usize {
  return __heap_base;
}
