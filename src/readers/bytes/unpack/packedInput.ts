/**
 * Packed data as they come, for unpackers that stop where bytes are missing and go on when there are more: one unpacker serves
 * data that are held whole, files and pipes.
 */

/**
 * Why data cannot be unpacked. `TRUNCATED`: they end too early. `FOREIGN`: they are sound, and of a kind that is not read here.
 */
export type Flaw = 'TRUNCATED' | 'DAMAGED' | 'FOREIGN';

/** Thrown by an unpacker where it cannot go on. Everything before was given. */
export class Unreadable extends Error {
  readonly flaw: Flaw;

  constructor(flaw: Flaw) {
    super(flaw);
    this.flaw = flaw;
  }
}

/** Throws Unreadable unless it holds. */
export function expectSound(holds: boolean, flaw: Flaw = 'DAMAGED'): asserts holds {
  if (!holds) throw new Unreadable(flaw);
}

/** Gives pieces in memory of their own; null asks for more bytes. A stream may give promises, which are waited for. */
export type Unpacking = Generator<Uint8Array | Promise<void> | null, void, void>;

/** Waits for bytes: yields null until they are there. */
export type Waiting<T = void> = Generator<null, T, void>;

/** The bytes that are held, from the first that nobody took on. */
export class PackedInput {
  /** Those that are there: from `at` to `end`. */
  bytes: Uint8Array;
  at = 0;
  end: number;
  /** They come by `add`, and who unpacks them may wait. */
  readonly isStream: boolean;
  #isWhole: boolean;

  /** Unpacked bytes that may be given in one piece: nobody wants more of them. */
  readonly most: number;

  /** @param whole all of the data; without them, they come by `add` */
  constructor(whole?: Uint8Array, most = 0) {
    this.most = most;
    this.isStream = whole === undefined;
    this.bytes = whole ?? new Uint8Array(64 << 10);
    this.end = whole?.length ?? 0;
    this.#isWhole = whole !== undefined;
  }

  /** Adds what came next; nothing: that was all. */
  add(piece: Uint8Array | null): void {
    if (piece === null) {
      this.#isWhole = true;
      return;
    }
    const held = this.end - this.at;
    const isRoom = this.end + piece.length <= this.bytes.length;
    if (!isRoom) {
      const length = Math.max(this.bytes.length, 2 * (held + piece.length));
      const room = length === this.bytes.length ? this.bytes : new Uint8Array(length);
      room.set(this.bytes.subarray(this.at, this.end));
      this.bytes = room;
      this.at = 0;
      this.end = held;
    }
    this.bytes.set(piece, this.end);
    this.end += piece.length;
  }

  /** Whether there are so many bytes, once that is known. */
  *has(count: number): Waiting<boolean> {
    while (this.end - this.at < count) {
      if (this.#isWhole) return false;
      yield null;
    }
    return true;
  }

  /** Takes so many bytes: a view that is good until more are added. */
  *take(count: number): Waiting<Uint8Array> {
    expectSound(yield* this.has(count), 'TRUNCATED');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** Takes bytes that must be these: others are no beginning, however few there are. */
  *expect(...expected: readonly number[]): Waiting {
    for (const byte of expected) expectSound((yield* this.take(1))[0] === byte);
  }

  /** Takes a number of 1 to 6 bytes, the lowest first. */
  *number(size: number): Waiting<number> {
    return littleEndian(yield* this.take(size));
  }
}

/** A number of up to 6 bytes, the lowest first. */
export function littleEndian(bytes: Uint8Array): number {
  let value = 0;
  for (let i = bytes.length - 1; i >= 0; i--) value = value * 256 + bytes[i]!;
  return value;
}
