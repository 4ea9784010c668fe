/** The checksums of blocks of xz: none, CRC-32, CRC-64 and SHA-256. */
import { createHash } from 'node:crypto';
import { crc32 } from '../../../../arrays/checksum.js';
import { littleEndian } from '../packedInput.js';

/** A checksum of pieces. */
export interface Check {
  /** Bytes of its value. */
  readonly size: number;
  add(piece: Uint8Array): void;
  isRight(stored: Uint8Array): boolean;
}

/** By their numbers in the flags of a stream; a number that is not here has no meaning yet. */
export const CHECKS: Readonly<Record<number, () => Check>> = {
  0: () => ({ size: 0, add: () => {}, isRight: () => true }),
  1: () => new Crc32(),
  4: () => new Crc64(),
  10: () => new Sha256(),
};

class Crc32 implements Check {
  readonly size = 4;
  #value = 0;

  add(piece: Uint8Array): void {
    this.#value = crc32(piece, this.#value);
  }

  isRight(stored: Uint8Array): boolean {
    return littleEndian(stored) === this.#value;
  }
}

class Sha256 implements Check {
  readonly size = 32;
  readonly #hash = createHash('sha256');

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
  }

  isRight(stored: Uint8Array): boolean {
    return this.#hash.digest().equals(stored);
  }
}

/** Four tables of 256 entries, by their low and high halves: of the polynomial of ECMA-182, reflected. */
const [LOW, HIGH] = crc64Tables();

function crc64Tables(): readonly [Int32Array, Int32Array] {
  const [low, high] = [new Int32Array(1024), new Int32Array(1024)];
  for (let i = 0; i < 1024; i++) {
    // The next table is the one before, after one byte more.
    let [l, h] = i < 256 ? [i, 0] : [low[i - 256]!, high[i - 256]!];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (l & 1) !== 0;
      l = (l >>> 1) | (h << 31);
      h >>>= 1;
      if (isOdd) {
        l ^= 0xd7870f42;
        h ^= 0xc96c5795;
      }
    }
    low[i] = l;
    high[i] = h;
  }
  return [low, high];
}

class Crc64 implements Check {
  readonly size = 8;
  #low = -1;
  #high = -1;

  add(piece: Uint8Array): void {
    let [low, high] = [this.#low, this.#high];
    let i = 0;
    for (const end = piece.length - 3; i < end; i += 4) {
      const word = low ^ (piece[i]! | (piece[i + 1]! << 8) | (piece[i + 2]! << 16) | (piece[i + 3]! << 24));
      const a = 768 + (word & 255);
      const b = 512 + ((word >>> 8) & 255);
      const c = 256 + ((word >>> 16) & 255);
      const d = word >>> 24;
      low = high ^ LOW[a]! ^ LOW[b]! ^ LOW[c]! ^ LOW[d]!;
      high = HIGH[a]! ^ HIGH[b]! ^ HIGH[c]! ^ HIGH[d]!;
    }
    for (; i < piece.length; i++) {
      const entry = (low ^ piece[i]!) & 255;
      low = ((low >>> 8) | (high << 24)) ^ LOW[entry]!;
      high = (high >>> 8) ^ HIGH[entry]!;
    }
    this.#low = low;
    this.#high = high;
  }

  isRight(stored: Uint8Array): boolean {
    const [low, high] = [littleEndian(stored.subarray(0, 4)), littleEndian(stored.subarray(4))];
    return low === ~this.#low >>> 0 && high === ~this.#high >>> 0;
  }
}
