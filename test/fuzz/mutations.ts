/** Hostile bytes from a seed: noise, and valid samples that were damaged. The same number gives the same bytes. */
import { randomFrom } from '../data/seededTexts.js';

export class Mutator {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** An integer from 0 to `below` - 1. */
  number(below: number): number {
    return Math.floor(this.#random() * below);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.number(items.length)]!;
  }

  noise(most: number): Buffer {
    const bytes = Buffer.alloc(this.number(most + 1));
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.number(256);
    return bytes;
  }

  /** Noise in one case of eight, else one of the samples with up to eight damages; `words` are put in here and there. */
  damaged(samples: readonly Buffer[], words: readonly Buffer[]): Buffer {
    if (this.number(8) === 0) return this.noise(300);
    let bytes: Buffer = Buffer.from(this.pick(samples));
    for (let left = this.number(9); left > 0; left--) bytes = this.#damage(bytes, samples, words);
    return bytes;
  }

  #damage(bytes: Buffer, samples: readonly Buffer[], words: readonly Buffer[]): Buffer {
    const at = this.number(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + this.number(40));
    const kind = this.number(9);
    if (kind <= 1 && at < bytes.length) bytes[at]! ^= 1 << this.number(8);
    else if (kind === 2 && at < bytes.length)
      bytes[at] = this.pick([0, 0x0a, 0x22, 0x5c, 0x7f, 0x80, 0xc0, 0xff]);
    else if (kind === 3) return Buffer.concat([bytes.subarray(0, at), this.noise(20), bytes.subarray(at)]);
    else if (kind === 4) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    else if (kind === 5) return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    else if (kind === 6) return Buffer.from(bytes.subarray(0, at));
    else if (kind === 7) return Buffer.concat([bytes.subarray(0, at), this.pick(words), bytes.subarray(at)]);
    else if (kind === 8) {
      const other = this.pick(samples);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(this.number(other.length + 1))]);
    }
    return bytes;
  }
}
