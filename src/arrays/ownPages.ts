/**
 * Allocates large arrays and buffers in separate memory pages if memory is scarce.
 *
 * These pages are returned to the system as soon as an array is freed. The normal allocator keeps freed memory per thread: about
 * 60 MB per worker, and 200 MB if one thread allocates and another frees. Each page costs a page fault, so runs with enough
 * memory use the allocator.
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

/** The declarations of WebAssembly used here; TypeScript has them only for browsers. */
interface WasmNamespace {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance;
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
}

export const Wasm = Reflect.get(globalThis, 'WebAssembly') as WasmNamespace;

/** Bytes per page of WebAssembly. */
export const PAGE = 65536;
/** Minimum size of a buffer with separate pages; smaller ones would waste the rest of a page. */
const PAGED = PAGE;
/** Minimum size of an array with separate pages: creating memory of WebAssembly takes longer. */
const PAGED_ARRAY = 2 * PAGE;

/** Called with the bytes of each array with separate pages; null: memory is not scarce. */
let onPaged: ((bytes: number) => void) | null = null;

/**
 * Sets whether large arrays and buffers of this thread get separate pages from now on.
 *
 * @param paged called with the bytes of an array before it is allocated; null: use the allocator
 */
export function giveLargePages(paged: ((bytes: number) => void) | null): void {
  onPaged = paged;
}

/** The constructors with an option of Node 20 that the library types of our target lack. */
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
 * A zeroed array for data that stay on this thread; its buffer may be longer, and cannot be transferred. Not a view of a
 * resizable buffer, whose elements take almost three times as long to read and write.
 */
export function newArray<T>(Type: ArrayType<T>, length: number): T {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  return onPaged === null || bytes < PAGED_ARRAY ? new Type(length) : new Type(roomOf(bytes), 0, length);
}

/** A zeroed buffer of at least this many bytes that stays on this thread. */
export function roomOf(bytes: number): ArrayBuffer {
  if (onPaged === null || bytes < PAGED_ARRAY) return new ArrayBuffer(bytes);
  onPaged(bytes);
  const pages = Math.ceil(bytes / PAGE);
  return new Wasm.Memory({ initial: pages, maximum: pages }).buffer;
}
