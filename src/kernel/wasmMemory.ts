/**
 * The memory of one kernel instance: a bump allocator over WebAssembly memory, and views that survive its growth.
 *
 * Floor 1. Nothing is ever freed: a kernel allocates its arenas when its objects are made, and enlarges one by allocating
 * a larger one. Growing detaches every view, so views are asked for anew after anything that may allocate.
 */
import { Wasm, type WasmMemory, type WasmModule } from './webAssembly.js';

const PAGE = 65536;
const ALIGN = 64;
/** SIMD loads read up to this far past the end of what they were given. */
export const PADDING = 128;

/** Functions that the AssemblyScript sources export, by name; numbers only. */
export type KernelExports = Record<string, (...values: (number | bigint)[]) => number>;

export class KernelMemory {
  readonly call: KernelExports;
  private readonly memory: WasmMemory;
  private next: number;
  private bytesView: Uint8Array;
  private wordsView: Uint32Array;

  constructor(module: WasmModule) {
    const { exports } = new Wasm.Instance(module, {
      env: {
        abort: () => {
          throw new Error('the kernel aborted');
        },
      },
    });
    this.call = exports as unknown as KernelExports;
    this.memory = exports.memory as WasmMemory;
    this.next = Math.ceil(this.call.heapBase!() / ALIGN) * ALIGN;
    this.bytesView = new Uint8Array(this.memory.buffer);
    this.wordsView = new Uint32Array(this.memory.buffer);
  }

  /** Reserves `bytes` (plus padding), zeroed, aligned to 64; returns the address. */
  allocate(bytes: number): number {
    const at = this.next;
    this.next = Math.ceil((at + bytes + PADDING) / ALIGN) * ALIGN;
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE));
      this.bytesView = new Uint8Array(this.memory.buffer);
      this.wordsView = new Uint32Array(this.memory.buffer);
    }
    return at;
  }

  // Asking the memory for its buffer costs more than many a call into the kernel, so views are made where it grows.

  /** All memory as bytes; valid until the next allocation. */
  get bytes(): Uint8Array {
    return this.bytesView;
  }

  /** All memory as uint32; index = address / 4. Valid until the next allocation. */
  get words(): Uint32Array {
    return this.wordsView;
  }

  /** Whether an array is a view of this memory: then its byteOffset is an address and nothing need be copied. */
  holds(array: Uint8Array | Uint32Array): boolean {
    return array.buffer === this.bytesView.buffer;
  }
}
