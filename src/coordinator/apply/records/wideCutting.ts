/**
 * Cuts UTF-16 as bytes are cut: a unit below 128 is its byte, any other is 0xFF, which ends nothing. What is told of those bytes is
 * told of twice as many of the file.
 */
import type { Cutting, RecordTaker } from './recordTaker.js';

const OTHER = 0xff;
/** A byte order mark is two bytes: one unit. */
const MARK = 0xfeff;

export class WideCutting implements Cutting {
  readonly #inner: Cutting;
  readonly #isLittle: boolean;
  /** Bytes that were pushed and not told yet. */
  #waiting: Buffer[] = [];
  #odd: Buffer = Buffer.alloc(0);
  #isFirst = true;
  readonly #taker: RecordTaker;

  constructor(taker: RecordTaker, wideness: 'utf-16le' | 'utf-16be', inner: (taker: RecordTaker) => Cutting) {
    this.#taker = taker;
    this.#isLittle = wideness === 'utf-16le';
    this.#inner = inner({
      record: (number, _bytes, from, to, ends) => {
        const parts = this.#taken(2 * (to - from));
        for (const part of parts) taker.record(number, part, 0, part.length, false);
        if (ends) taker.record(number, Buffer.alloc(0), 0, 0, true);
      },
      between: (_bytes, from, to, stays) => {
        for (const part of this.#taken(2 * (to - from))) taker.between(part, 0, part.length, stays);
      },
      blank: (_bytes, from, to) => {
        for (const part of this.#taken(2 * (to - from))) taker.blank(part, 0, part.length);
      },
      leavesOut: (number) => taker.leavesOut(number),
    });
  }

  push(bytes: Buffer): void {
    // A copy: inner cutters hold bytes back.
    const all = Buffer.concat([this.#odd, bytes]);
    let from = 0;
    const at = this.#isLittle ? 0 : 1;
    if (this.#isFirst && all.length >= 2) {
      this.#isFirst = false;
      if ((this.#isLittle ? all.readUInt16LE(0) : all.readUInt16BE(0)) === MARK) {
        this.#taker.between(all, 0, 2, true);
        from = 2;
      }
    }
    const units = (all.length - from) >> 1;
    const narrow = Buffer.allocUnsafe(units);
    for (let i = 0, place = from; i < units; i++, place += 2) {
      const low = all[place + at]!;
      narrow[i] = all[place + 1 - at] === 0 && low < 0x80 ? low : OTHER;
    }
    const end = from + 2 * units;
    this.#odd = all.subarray(end);
    if (units === 0) return;
    this.#waiting.push(all.subarray(from, end));
    this.#inner.push(narrow);
  }

  end(): void {
    this.#inner.end();
    if (this.#odd.length > 0) this.#taker.between(this.#odd, 0, this.#odd.length, true);
  }

  /** The next bytes that were pushed. */
  #taken(count: number): Buffer[] {
    const parts: Buffer[] = [];
    while (count > 0) {
      const first = this.#waiting[0]!;
      const part = first.subarray(0, count);
      parts.push(part);
      count -= part.length;
      if (part.length === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(part.length);
    }
    return parts;
  }
}
