/**
 * XXH64 with seed 0 (xxHash fast digest algorithm, 0.1.1), of which zstd keeps the low half. Its 64-bit numbers are two halves:
 * a BigInt for each would take longer than unpacking.
 */

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;
const P1_LOW = 0x85ebca87;
const P1_HIGH = 0x9e3779b1;
const P2_LOW = 0x27d4eb4f;
const P2_HIGH = 0xc2b2ae3d;

/** Four lanes of 8 bytes. */
const STRIPE = 32;

const wrapped = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated = (value: bigint, by: bigint): bigint => wrapped((value << by) | (value >> (64n - by)));
const round = (lane: bigint, input: bigint): bigint => wrapped(rotated(wrapped(lane + input * P2), 31n) * P1);

export class Xxh64 {
  /** Low and high halves of the four lanes. */
  readonly #lanes = new Int32Array(8);
  /** Bytes that do not fill a stripe yet. */
  readonly #rest = new Uint8Array(STRIPE);
  #held = 0;
  #length = 0;

  constructor() {
    [P1 + P2, P2, 0n, -P1].forEach((value, i) => {
      this.#lanes[2 * i] = Number(BigInt.asIntN(32, value));
      this.#lanes[2 * i + 1] = Number(BigInt.asIntN(32, wrapped(value) >> 32n));
    });
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    let at = 0;
    if (this.#held > 0) {
      at = Math.min(piece.length, STRIPE - this.#held);
      this.#rest.set(piece.subarray(0, at), this.#held);
      this.#held += at;
      if (this.#held < STRIPE) return;
      this.#stripes(this.#rest, 0, STRIPE);
    }
    const end = at + Math.floor((piece.length - at) / STRIPE) * STRIPE;
    this.#stripes(piece, at, end);
    this.#rest.set(piece.subarray(end));
    this.#held = piece.length - end;
  }

  /** Lane after lane, so that its halves stay in registers: lane = rotated(lane + input * P2, 31) * P1. */
  #stripes(bytes: Uint8Array, from: number, to: number): void {
    for (let lane = 0; lane < 4; lane++) {
      let low = this.#lanes[2 * lane]!;
      let high = this.#lanes[2 * lane + 1]!;
      for (let i = from + 8 * lane; i < to; i += STRIPE) {
        const a = bytes[i]! | (bytes[i + 1]! << 8);
        const b = bytes[i + 2]! | (bytes[i + 3]! << 8);
        const inputLow = a | (b << 16);
        const inputHigh =
          bytes[i + 4]! | (bytes[i + 5]! << 8) | (bytes[i + 6]! << 16) | (bytes[i + 7]! << 24);
        const ac = Math.imul(a, P2_LOW & 0xffff);
        const ad = Math.imul(a, P2_LOW >>> 16);
        const bc = Math.imul(b, P2_LOW & 0xffff);
        const middle = (ac >>> 16) + (ad & 0xffff) + (bc & 0xffff);
        const before = low;
        low = (low + ((ac & 0xffff) | (middle << 16))) | 0;
        high += Math.imul(b, P2_LOW >>> 16) + (ad >>> 16) + (bc >>> 16) + (middle >>> 16);
        high += Math.imul(inputLow, P2_HIGH) + Math.imul(inputHigh, P2_LOW);
        if (low >>> 0 < before >>> 0) high++;
        const turned = (low << 31) | (high >>> 1);
        const turnedHigh = (high << 31) | (low >>> 1);
        const c = turned & 0xffff;
        const d = turned >>> 16;
        const ce = Math.imul(c, P1_LOW & 0xffff);
        const cf = Math.imul(c, P1_LOW >>> 16);
        const de = Math.imul(d, P1_LOW & 0xffff);
        const sum = (ce >>> 16) + (cf & 0xffff) + (de & 0xffff);
        low = (ce & 0xffff) | (sum << 16);
        high = Math.imul(d, P1_LOW >>> 16) + (cf >>> 16) + (de >>> 16) + (sum >>> 16);
        high = (high + Math.imul(turned, P1_HIGH) + Math.imul(turnedHigh, P1_LOW)) | 0;
      }
      this.#lanes[2 * lane] = low;
      this.#lanes[2 * lane + 1] = high;
    }
  }

  /** The low half of the hash of all pieces, as an unsigned number. */
  low(): number {
    let hash = P5;
    if (this.#length >= STRIPE) {
      const lanes = [0, 1, 2, 3].map((i) => {
        return (BigInt(this.#lanes[2 * i + 1]! >>> 0) << 32n) | BigInt(this.#lanes[2 * i]! >>> 0);
      });
      hash = lanes.reduce((sum, lane, i) => sum + rotated(lane, [1n, 7n, 12n, 18n][i]!), 0n);
      for (const lane of lanes) hash = wrapped((wrapped(hash) ^ round(0n, lane)) * P1 + P4);
    }
    hash = wrapped(hash + BigInt(this.#length));
    const view = new DataView(this.#rest.buffer);
    let at = 0;
    for (; at + 8 <= this.#held; at += 8) {
      hash = wrapped(rotated(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
    }
    if (at + 4 <= this.#held) {
      hash = wrapped(rotated(hash ^ wrapped(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
      at += 4;
    }
    for (; at < this.#held; at++)
      hash = wrapped(rotated(hash ^ wrapped(BigInt(this.#rest[at]!) * P5), 11n) * P1);
    hash = wrapped((hash ^ (hash >> 33n)) * P2);
    hash = wrapped((hash ^ (hash >> 29n)) * P3);
    return Number(BigInt.asUintN(32, hash ^ (hash >> 32n)));
  }
}
