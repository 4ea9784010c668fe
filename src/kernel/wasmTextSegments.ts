/**
 * The segments that the kernel's passes leave: put into NFC by the reference, in lower case, as words or characters.
 *
 * Floor 1. A segment may go on beyond a block, and beyond any number of them: it stays open until a code point comes
 * that does not join it. The order of steps is that of src/sketch/canonicalText.ts.
 */
import { COMBINING_GRAPHEME_JOINER, NfcSegment } from '../sketch/nfcSegment.js';
import {
  CLASS,
  codePointTable,
  lowerCaseOf,
  MARK,
  SEPARATOR,
  STANDALONE,
  WHITE_SPACE,
} from '../sketch/unicode/codePoints.js';
import { writeCodePoint } from '../sketch/utf8.js';
import type { KernelMemory } from './wasmMemory.js';
import { AFTER, REPAIRED } from './wasmTextState.js';

const BLANK = 0x20;
const INVALID = 0x80000000;

export class TextSegments {
  /** Whether a segment waits for what may join it. */
  open = false;
  /** Where the next byte of the result goes. */
  to = 0;

  private readonly memory: KernelMemory;
  private readonly words: boolean;
  private readonly table = codePointTable();
  private readonly segment = new NfcSegment(this.table.flags);

  constructor(memory: KernelMemory, words: boolean) {
    this.memory = memory;
    this.words = words;
  }

  /** Forgets an open segment. */
  begin(): void {
    this.open = false;
    this.segment.clear();
  }

  /**
   * Takes code points of the source from `at` on while they join the open segment (without one, the first starts it);
   * returns the place of the one that does not, which closes it, or `end`.
   */
  take(state: number, at: number, end: number): number {
    const { memory, segment } = this;
    while (at < end) {
      const decoded = memory.call.textDecode!(at, end) >>> 0;
      const codePoint = decoded & 0x1fffff;
      if (!this.open) {
        segment.start(codePoint);
        this.open = true;
      } else if (!segment.joins(codePoint)) {
        this.close(state);
        return at;
      } else {
        if (segment.isFull(codePoint)) {
          memory.words[state / 4 + REPAIRED] = 1;
          this.close(state);
          segment.start(COMBINING_GRAPHEME_JOINER);
          this.open = true;
        }
        segment.append(codePoint);
      }
      if (decoded >= INVALID) memory.words[state / 4 + REPAIRED] = 1;
      at += (decoded >>> 24) & 7;
    }
    return end;
  }

  /** Writes the open segment. */
  close(state: number): void {
    const { memory, segment, table } = this;
    const count = segment.normalise();
    const flag = state / 4 + AFTER;
    const { bytes, words } = memory;
    for (let i = 0; i < count; i++) {
      const codePoint = lowerCaseOf(table, segment.codePoints[i]!);
      const flags = table.flags[codePoint]!;
      const after = words[flag]!;
      if (this.words) this.writeWordPart(bytes, codePoint, flags & CLASS, after !== 0);
      else if ((flags & WHITE_SPACE) === 0) this.to = writeCodePoint(bytes, this.to, codePoint);
      else if (after === 0) bytes[this.to++] = BLANK;
      if (!this.words) words[flag] = (flags & WHITE_SPACE) !== 0 ? 1 : 0;
      else if ((flags & CLASS) !== MARK) words[flag] = (flags & CLASS) === STANDALONE ? 1 : 0;
    }
    this.begin();
  }

  /** Letters that stand alone have a blank before them and, after their marks, behind them. */
  private writeWordPart(bytes: Uint8Array, codePoint: number, kind: number, after: boolean): void {
    if (kind === SEPARATOR || kind === STANDALONE || (after && kind !== MARK)) bytes[this.to++] = BLANK;
    if (kind !== SEPARATOR) this.to = writeCodePoint(bytes, this.to, codePoint);
  }
}
