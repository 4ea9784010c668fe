/** Unpacks LZMA2: chunks of at most 2 MB, each of known sizes, so that none is begun before it is there. */
import { History } from '../history.js';
import { expectSound, type PackedInput, type Waiting } from '../packedInput.js';
import { Lzma } from './lzma.js';

export class Lzma2 {
  /** Packed bytes that were taken. */
  packedBytes = 0;
  readonly #history: History;
  readonly #lzma: Lzma;
  /** What has to be set before the next chunk can be unpacked. */
  #needsStart = true;
  #needsProperties = true;
  #needsState = true;

  /** @param window how far back data refer */
  constructor(window: number) {
    this.#history = new History(window);
    this.#lzma = new Lzma(this.#history);
  }

  /** The next chunk unpacked, in memory of its own; null: there was the last. */
  *chunk(input: PackedInput): Waiting<Uint8Array | null> {
    const [control] = yield* this.#take(input, 1);
    if (control === 0) return null;
    const isRestart = control === 1 || control! >= 0xe0;
    if (isRestart) this.#history.restart();
    expectSound(!this.#needsStart || isRestart);
    this.#needsStart = false;
    const size = control! < 128 ? yield* this.#plain(input, control!) : yield* this.#packed(input, control!);
    const { bytes, end } = this.#history;
    return bytes.slice(end - size, end);
  }

  *#take(input: PackedInput, count: number): Waiting<Uint8Array> {
    this.packedBytes += count;
    return yield* input.take(count);
  }

  *#plain(input: PackedInput, control: number): Waiting<number> {
    expectSound(control <= 2);
    const [high, low] = yield* this.#take(input, 2);
    const size = high! * 256 + low! + 1;
    const bytes = yield* this.#take(input, size);
    this.#history.reserve(size);
    this.#history.add(bytes);
    return size;
  }

  *#packed(input: PackedInput, control: number): Waiting<number> {
    const [a, b, c, d] = yield* this.#take(input, 4);
    const size = (control & 31) * 65536 + a! * 256 + b! + 1;
    const packed = c! * 256 + d! + 1;
    if (control >= 0xc0) {
      const [properties] = yield* this.#take(input, 1);
      this.#lzma.setProperties(properties!);
      this.#needsProperties = false;
    }
    expectSound(!this.#needsProperties && (control >= 0xa0 || !this.#needsState));
    if (control >= 0xa0) this.#lzma.reset();
    this.#needsState = false;
    const bytes = yield* this.#take(input, packed);
    this.#history.reserve(size);
    this.#lzma.unpack(bytes, size);
    return size;
  }
}
