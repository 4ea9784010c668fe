/**
 * The 64-bit hash of an element that comes as bytes of its own: the row of the characteristic matrix in row form.
 *
 * Floor 0. An element is one token that may hold any byte, and the one shingle made of it: the hash is that of the
 * shingle `lines:1` over the same bytes. So it depends on the seed of the run, as the first rounds of FSS and OPH ask.
 */
import { writeFmix64 } from './mixing.js';
import { TokenHash } from './tokenHash.js';

export class ElementHash {
  private readonly token: TokenHash;

  constructor(seed: number) {
    this.token = new TokenHash(seed, true);
  }

  /** Writes the hash of `bytes[from .. to)` (at least one byte) to `out[at], out[at+1]`. */
  write(bytes: Uint8Array, from: number, to: number, out: Uint32Array, at: number): void {
    const { token } = this;
    for (let i = from; i < to; i++) token.add(bytes[i]!);
    token.finish(out, at);
    writeFmix64(out, at, out[at]! | 0, out[at + 1]! | 0);
  }
}
