/** Bits of packed data, the highest of a byte first. */
import { expectSound, type PackedInput, type Waiting } from '../packedInput.js';

export class BitInput {
  /** Bits that were taken from the bytes and not from here, the last `count` of the number. */
  held = 0;
  count = 0;
  readonly input: PackedInput;

  constructor(input: PackedInput) {
    this.input = input;
  }

  /** Waits until so many bytes are there, or all that ever come. */
  *ensure(bytes: number): Waiting {
    yield* this.input.has(bytes);
  }

  /** Takes up to 24 bits. */
  *take(bits: number): Waiting<number> {
    if (this.count < bits) expectSound(yield* this.input.has((bits - this.count + 7) >> 3), 'TRUNCATED');
    return this.now(bits);
  }

  /** Takes up to 24 bits of bytes that should be there. */
  now(bits: number): number {
    while (this.count < bits) {
      const { input } = this;
      expectSound(input.at < input.end, 'TRUNCATED');
      this.held = (this.held << 8) | input.bytes[input.at++]!;
      this.count += 8;
    }
    this.count -= bits;
    return (this.held >>> this.count) & ((1 << bits) - 1);
  }

  /** Leaves the rest of a byte. Fewer than 8 bits are held where bits were taken one by one. */
  alignToByte(): void {
    this.count = 0;
  }
}
