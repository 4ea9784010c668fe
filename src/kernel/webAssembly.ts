/**
 * The few declarations of WebAssembly that the kernel needs; the compiler's library has them for browsers only.
 *
 * Floor 1.
 */

/** A compiled module: opaque, can be posted to worker threads. */
export interface WasmModule {
  readonly wasmModule?: never;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmInstance {
  readonly exports: Record<string, unknown>;
}

interface WasmNamespace {
  validate(bytes: Uint8Array): boolean;
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
}

export const Wasm: WasmNamespace = (globalThis as unknown as { WebAssembly: WasmNamespace }).WebAssembly;
