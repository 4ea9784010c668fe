/**
 * Elements of a file that is one JSON array, counted from 1: each ends where the scanner of a run ends it, and is held whole, as
 * there.
 *
 *      [ a , b , c ]     without b:  [ a , c ]     without a:  [ b , c ]     without c:  [ a  ]
 *
 * A comma stays where the element behind it does and one before it did; white space goes with its element, but for that before
 * the closing bracket.
 */
import { CLOSE_ARRAY, COMMA, JsonScanner, OPEN_ARRAY } from '../formats/json/jsonScanner.js';
import type { Cutting, RecordTaker } from './recordTaker.js';

type State = 'start' | 'before' | 'element' | 'after' | 'tail';

export class ArrayCutting implements Cutting {
  readonly #taker: RecordTaker;
  #state: State = 'start';
  #number = 1;
  readonly #scanner = new JsonScanner([]);
  /** The beginning of an element whose end was not read yet, and the number of bytes at which it is scanned again. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wanted = 0;
  #isLast = false;
  #hasKept = false;
  /** White space behind an element or a comma, until it is known to which element it belongs. */
  #space: Buffer[] = [];

  constructor(taker: RecordTaker) {
    this.#taker = taker;
  }

  push(bytes: Buffer): void {
    if (this.#state === 'element') {
      // Pieces share memory, so they are copied. The length that is scanned again doubles, so that the time stays linear.
      this.#held.push(Buffer.from(bytes));
      this.#heldBytes += bytes.length;
      if (this.#heldBytes >= this.#wanted) this.#goOn(this.#taken());
    } else this.#goOn(bytes);
  }

  end(): void {
    this.#isLast = true;
    this.#goOn(this.#taken());
    this.#giveSpace(true);
  }

  #goOn(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at = this.#step(bytes, at);
  }

  #taken(): Buffer {
    const taken = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return taken;
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'start':
        return this.#untilOpened(bytes, at);
      case 'tail':
        this.#taker.between(bytes, at, bytes.length, true);
        return bytes.length;
      case 'element':
        return this.#element(bytes, at);
      default:
        return this.#around(bytes, at);
    }
  }

  #untilOpened(bytes: Buffer, at: number): number {
    const open = bytes.indexOf(OPEN_ARRAY, at);
    const end = open < 0 ? bytes.length : open + 1;
    this.#taker.between(bytes, at, end, true);
    if (open >= 0) this.#state = 'before';
    return end;
  }

  /** Before an element, or behind one. */
  #around(bytes: Buffer, at: number): number {
    const to = this.#scanner.skipSpace(bytes, at, bytes.length);
    if (to > at) {
      this.#space.push(Buffer.from(bytes.subarray(at, to)));
      return to;
    }
    const taker = this.#taker;
    const byte = bytes[at]!;
    if (byte === CLOSE_ARRAY) {
      this.#giveSpace(true);
      this.#state = 'tail';
      return at;
    }
    if (this.#state === 'before') {
      this.#giveSpace(!taker.leavesOut(this.#number));
      this.#state = 'element';
      return at;
    }
    this.#giveSpace(!taker.leavesOut(this.#number));
    this.#hasKept ||= !taker.leavesOut(this.#number);
    this.#number++;
    taker.between(bytes, at, at + 1, byte === COMMA && this.#hasKept && !taker.leavesOut(this.#number));
    this.#state = 'before';
    return at + 1;
  }

  #giveSpace(stays: boolean): void {
    for (const space of this.#space) this.#taker.between(space, 0, space.length, stays);
    this.#space = [];
  }

  #element(bytes: Buffer, from: number): number {
    const { length } = bytes;
    const end = this.#scanner.scan(bytes, from, length);
    // A number may go on in the next piece.
    if (!this.#isLast && (end === length || (end < 0 && this.#scanner.isCut))) {
      this.#held = [Buffer.from(bytes.subarray(from))];
      this.#heldBytes = length - from;
      this.#wanted = 2 * this.#heldBytes;
      return length;
    }
    if (end < 0) {
      // No further element stands here: the counts will show it.
      this.#state = 'tail';
      return from;
    }
    this.#taker.record(this.#number, bytes, from, end, true);
    this.#state = 'after';
    return end;
  }
}
