/** The bytes that were unpacked last, to which packed data refer. */
import { expectSound } from './packedInput.js';

const LEAST_BYTES = 1 << 16;
/** From here on a call is cheaper than a loop. */
const LONG = 48;

/**
 * Bytes behind each other, of which the last `window` may be referred to. More are held, so that they are seldom moved:
 * a quarter of the window, or what is added at a time.
 */
export class History {
  bytes: Uint8Array = new Uint8Array(LEAST_BYTES);
  /** Behind the last byte. */
  end = 0;
  /** The first byte that may be referred to, where the data began anew. */
  start = 0;
  /** Bytes since the data began anew that are not held any more. */
  #left = 0;
  readonly window: number;

  constructor(window: number) {
    this.window = window;
  }

  /** Makes room for so many bytes more. */
  reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const kept = Math.min(this.end - this.start, this.window);
    const most = this.window + Math.max(more, this.window >> 2, LEAST_BYTES);
    const length = Math.min(most, 2 * (kept + more));
    const from = this.end - kept;
    if (length > this.bytes.length) {
      const bytes = new Uint8Array(length);
      bytes.set(this.bytes.subarray(from, this.end));
      this.bytes = bytes;
    } else this.bytes.copyWithin(0, from, this.end);
    this.#left += Math.max(0, from - this.start);
    this.start = Math.max(0, this.start - from);
    this.end = kept;
  }

  /** What went before is forgotten. */
  restart(): void {
    this.start = this.end;
    this.#left = 0;
  }

  /** Bytes since the data began anew. */
  get position(): number {
    return this.#left + this.end - this.start;
  }

  add(piece: Uint8Array): void {
    this.bytes.set(piece, this.end);
    this.end += piece.length;
  }

  /** Adds bytes from a place on; there is room for them. */
  addFrom(from: Uint8Array, at: number, length: number): void {
    const { bytes, end } = this;
    if (length > LONG) bytes.set(from.subarray(at, at + length), end);
    else for (let i = 0; i < length; i++) bytes[end + i] = from[at + i]!;
    this.end = end + length;
  }

  /** Repeats what stands `distance` bytes before the end; there is room for it. */
  repeat(distance: number, length: number): void {
    const { bytes, end } = this;
    expectSound(distance <= end - this.start && distance <= this.window && distance > 0);
    const from = end - distance;
    if (distance >= length && length > LONG) bytes.copyWithin(end, from, from + length);
    else if (distance === 1) bytes.fill(bytes[from]!, end, end + length);
    else for (let i = 0; i < length; i++) bytes[end + i] = bytes[from + i]!;
    this.end = end + length;
  }
}
