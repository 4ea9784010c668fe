/**
 * Large arrays and buffers with pages of their own, where memory is scarce.
 *
 * The system gets such pages back as soon as an array is freed. Other arrays are from the allocator, which keeps for each thread
 * what it freed, in pieces: some 60 MB a worker, and 200 MB where one thread allocates and another frees. Each page costs a
 * fault, so runs with enough memory do without.
 */

/** A compiled module: opaque, can be posted to worker threads. */
export interface WasmModule {
  readonly wasmModule?: never;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface WasmInstance {
  readonly exports: Record<string, unknown>;
}

/** The few declarations of WebAssembly that are needed: the compiler's library has them for browsers only. */
interface WasmNamespace {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
}

export const Wasm = Reflect.get(globalThis, 'WebAssembly') as WasmNamespace;

/** Bytes of a page of WebAssembly. */
export const PAGE = 65536;
/** The least buffer with pages of its own; smaller ones would waste the rest of a page. */
const PAGED = PAGE;
/** The least array: memory of WebAssembly takes longer to make. */
const PAGED_ARRAY = 2 * PAGE;

/** Hears of the bytes of each array with pages; null: memory is not scarce. */
let onPaged: ((bytes: number) => void) | null = null;

/**
 * Sets whether large arrays and buffers of this thread get pages of their own from now on.
 *
 * @param paged called with the bytes of an array before it is made; null: none gets pages
 */
export function giveLargePages(paged: ((bytes: number) => void) | null): void {
  onPaged = paged;
}

/** The constructors with the option that Node 20 has; the library types of our target lack it. */
type Resizable<Buffer> = new (bytes: number, options: { readonly maxByteLength: number }) => Buffer;

/** A zeroed buffer for a block, or for data that will become a block: it can be moved to another thread. */
export function newBuffer<Buffer extends ArrayBufferLike>(
  Made: new (bytes: number) => Buffer,
  bytes: number,
): Buffer {
  if (onPaged === null || bytes < PAGED) return new Made(bytes);
  // The platform allocates pages for resizable buffers.
  return new (Made as Resizable<Buffer>)(bytes, { maxByteLength: bytes });
}

export interface ArrayType<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): T;
  new (buffer: ArrayBuffer, offset: number, length: number): T;
}

/**
 * A zeroed array for data that stay on this thread; its buffer may be longer, and cannot be moved. Elements of a resizable buffer
 * take almost three times as long to read and write.
 */
export function newArray<T>(Type: ArrayType<T>, length: number): T {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  return onPaged === null || bytes < PAGED_ARRAY ? new Type(length) : new Type(roomOf(bytes), 0, length);
}

/** A zeroed buffer of at least so many bytes that stays on this thread. */
export function roomOf(bytes: number): ArrayBuffer {
  if (onPaged === null || bytes < PAGED_ARRAY) return new ArrayBuffer(bytes);
  onPaged(bytes);
  const pages = Math.ceil(bytes / PAGE);
  return new Wasm.Memory({ initial: pages, maximum: pages }).buffer;
}
