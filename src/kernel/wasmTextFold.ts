/**
 * Source blocks -> canonical words or characters in kernel memory: runs the kernel's pass, and what it leaves, in turn.
 *
 * Floor 1. A block is cut where the pass needs to know nothing of what follows: before a code point that no NFC segment
 * goes on with, and that no sequence goes on with either.
 */
import { canJoin, codePointTable } from '../sketch/unicode/codePoints.js';
import type { KernelMemory } from './wasmMemory.js';
import { TextSegments } from './wasmTextSegments.js';
import { SOURCE } from './wasmTextState.js';
import type { TextTables } from './wasmTextTables.js';

export class TextFold {
  private readonly memory: KernelMemory;
  private readonly tables: TextTables;
  private readonly pass: (state: number, from: number, end: number, to: number) => number;
  private readonly segments: TextSegments;
  private readonly flags = codePointTable().flags;

  constructor(memory: KernelMemory, tables: TextTables, words: boolean) {
    this.memory = memory;
    this.tables = tables;
    this.segments = new TextSegments(memory, words);
    const { textFoldWords, textFoldCharacters } = memory.call;
    this.pass = words ? textFoldWords! : textFoldCharacters!;
  }

  /** Starts a document. */
  begin(): void {
    this.segments.begin();
  }

  /**
   * Where to cut the block [from, end) that is not the last: [from, cut) has only finished segments. 0 if there is no
   * such place: then the block is nearly all one segment.
   */
  cut(from: number, end: number): number {
    const { bytes, call } = this.memory;
    // So far from the end, no sequence is unfinished.
    for (let at = end - 4; at > from; at--) {
      const byte = bytes[at]!;
      if (byte < 0x80) return at;
      if (byte >= 0xc0) {
        const codePoint = call.textDecode!(at, end) & 0x1fffff;
        if (!canJoin(this.flags[codePoint]!)) return at;
      } else if (at - from >= 3 && isContinued(bytes, at - 1)) {
        // A sequence has at most three such bytes: this one is none's.
        return at;
      }
    }
    return 0;
  }

  /** The end of the last finished sequence of [from, end). */
  lastSequence(from: number, end: number): number {
    const { bytes } = this.memory;
    for (let at = end - 1; at >= end - 3 && at > from; at--) {
      const byte = bytes[at]!;
      if (byte < 0x80 || (byte < 0xe0 && byte >= 0xc0 && at <= end - 2)) return end;
      if (byte >= 0xc0) return byte < 0xf0 && at <= end - 3 ? end : at;
    }
    return end;
  }

  /**
   * Folds [from, end) to `to`; returns the end of the result. `whole` as `cut` says; else all of it is taken code point
   * by code point, and a segment may stay open.
   */
  fold(state: number, from: number, end: number, to: number, whole: boolean): number {
    const { memory, segments } = this;
    segments.to = to;
    let at = segments.open ? segments.take(state, from, end) : from;
    while (at < end) {
      if (whole) {
        segments.to = this.pass(state, at, end, segments.to);
        at = memory.words[state / 4 + SOURCE]!;
      }
      if (at < end) {
        this.tables.learnMarks();
        at = segments.take(state, at, end);
      }
    }
    return segments.to;
  }

  /** Ends the document: writes the open segment to `to`; returns the end of it. */
  finish(state: number, to: number): number {
    this.segments.to = to;
    if (this.segments.open) this.segments.close(state);
    return this.segments.to;
  }
}

/** Whether the three bytes up to `at` are continuation bytes. */
function isContinued(bytes: Uint8Array, at: number): boolean {
  return (bytes[at]! & 0xc0) === 0x80 && (bytes[at - 1]! & 0xc0) === 0x80 && (bytes[at - 2]! & 0xc0) === 0x80;
}
