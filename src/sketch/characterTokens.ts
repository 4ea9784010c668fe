/**
 * Canonical text -> its characters: code points, every run of white space one blank, none at the ends.
 *
 * Floor 0. Hands on both the code points (for shingles) and their UTF-8 bytes (for the content key).
 */
import { codePointTable, WHITE_SPACE } from './unicode/codePoints.js';
import { codePointAt, sequenceLength } from './utf8.js';

/**
 * Receives `codePoints[0 .. count)` and the same text as `bytes[0 .. byteCount)`: scratch memory, `count` >
 * 0.
 */
export type CharacterSink = (
  codePoints: Uint32Array,
  count: number,
  bytes: Uint8Array,
  byteCount: number,
) => void;

const COLUMN = 8192;
const BLANK = 0x20;

export class CharacterTokens {
  private readonly sink: CharacterSink;
  private readonly flags = codePointTable().flags;
  private readonly codePoints = new Uint32Array(COLUMN);
  private readonly bytes = new Uint8Array(4 * COLUMN);
  private count = 0;
  private byteCount = 0;
  private started = false;
  /** White space was seen and not yet written: what follows may be the end. */
  private blankDue = false;

  constructor(sink: CharacterSink) {
    this.sink = sink;
  }

  begin(): void {
    this.count = 0;
    this.byteCount = 0;
    this.started = false;
    this.blankDue = false;
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    const { flags } = this;
    for (let i = 0; i < count; ) {
      const byte = bytes[i]!;
      const after = byte < 0x80 ? i + 1 : i + sequenceLength(byte);
      const codePoint = byte < 0x80 ? byte : codePointAt(bytes, i);
      if ((flags[codePoint]! & WHITE_SPACE) !== 0) {
        this.blankDue = this.started;
      } else {
        if (this.count > COLUMN - 2) this.flush();
        if (this.blankDue) this.writeBlank();
        this.started = true;
        this.codePoints[this.count++] = codePoint;
        this.bytes[this.byteCount++] = byte;
        while (++i < after) this.bytes[this.byteCount++] = bytes[i]!;
      }
      i = after;
    }
  }

  end(): void {
    this.flush();
  }

  private writeBlank(): void {
    this.codePoints[this.count++] = BLANK;
    this.bytes[this.byteCount++] = BLANK;
    this.blankDue = false;
  }

  private flush(): void {
    if (this.count > 0) this.sink(this.codePoints, this.count, this.bytes, this.byteCount);
    this.count = 0;
    this.byteCount = 0;
  }
}
