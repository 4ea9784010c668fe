/** Lines, counted from 1: every line feed ends one. */
import type { Cutting, RecordTaker } from './recordTaker.js';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
const LONE_RETURN = Buffer.of(RETURN);
/** The byte order mark of UTF-8. */
const MARK = Buffer.of(0xef, 0xbb, 0xbf);

export class LineCutting implements Cutting {
  readonly #taker: RecordTaker;
  #line = 1;
  /** Some bytes of the current line were told. */
  #isOpen = false;
  /** A CR that began the line waits for what follows: how a stream is cut must not change what is blank. */
  #hasReturn = false;

  /** The first bytes while they may be a mark; null: they are told. */
  #head: Buffer | null;

  /** @param mayHaveMark a byte order mark is of the file, and not of its first record */
  constructor(taker: RecordTaker, mayHaveMark: boolean) {
    this.#taker = taker;
    this.#head = mayHaveMark ? NOTHING : null;
  }

  push(bytes: Buffer): void {
    if (this.#head === null) this.#push(bytes);
    else this.#begin(Buffer.concat([this.#head, bytes.subarray(0, MARK.length)]), bytes);
  }

  #begin(start: Buffer, bytes: Buffer): void {
    if (start.length < MARK.length && MARK.subarray(0, start.length).equals(start)) {
      this.#head = start;
      return;
    }
    const head = this.#head!;
    this.#head = null;
    const hasMark = start.subarray(0, MARK.length).equals(MARK);
    if (hasMark) this.#taker.between(MARK, 0, MARK.length, true);
    else if (head.length > 0) this.#push(head);
    this.#push(hasMark ? bytes.subarray(MARK.length - head.length) : bytes);
  }

  #push(bytes: Buffer): void {
    const taker = this.#taker;
    let at = 0;
    if (this.#hasReturn && bytes.length > 0) at = this.#afterReturn(bytes);
    while (at < bytes.length) {
      const feed = bytes.indexOf(LINE_FEED, at);
      const end = feed < 0 ? bytes.length : feed + 1;
      if (!this.#isOpen && end - at <= 2 && isBlank(bytes, at, end)) {
        if (feed < 0) this.#hasReturn = true;
        else {
          taker.blank(bytes, at, end);
          this.#line++;
        }
      } else {
        taker.record(this.#line, bytes, at, end, feed >= 0);
        this.#isOpen = feed < 0;
        if (feed >= 0) this.#line++;
      }
      at = end;
    }
  }

  end(): void {
    if (this.#head !== null && this.#head.length > 0) this.#push(this.#head);
    if (this.#hasReturn) this.#taker.blank(LONE_RETURN, 0, 1);
    if (this.#isOpen) this.#taker.record(this.#line, NOTHING, 0, 0, true);
  }

  #afterReturn(bytes: Buffer): number {
    this.#hasReturn = false;
    if (bytes[0] !== LINE_FEED) {
      this.#taker.record(this.#line, LONE_RETURN, 0, 1, false);
      this.#isOpen = true;
      return 0;
    }
    this.#taker.blank(LONE_RETURN, 0, 1);
    this.#taker.blank(bytes, 0, 1);
    this.#line++;
    return 1;
  }
}

/** LF, CRLF, or a CR that ends what is there. */
function isBlank(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from]!;
  return to - from === 1
    ? first === LINE_FEED || first === RETURN
    : first === RETURN && bytes[from + 1] === LINE_FEED;
}
