/**
 * Elements of a file that is one JSON array, counted from 1. The run found it valid: here brackets and strings are followed, no
 * more.
 *
 *      [ a , b , c ]     without b:  [ a , c ]     without a:  [ b , c ]     without c:  [ a  ]
 *
 * A comma stays where the element behind it does and one before it did; white space goes with its element, but for that before
 * the closing bracket.
 */
import type { Cutting, RecordTaker } from './recordTaker.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

type State = 'start' | 'before' | 'element' | 'after' | 'tail';

export class ArrayCutting implements Cutting {
  readonly #taker: RecordTaker;
  #state: State = 'start';
  #number = 1;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The current element is a number or a word, which nothing closes. */
  #isBare = false;
  #hasKept = false;
  /** White space behind an element or a comma, until it is known whose it is. */
  #space: Buffer[] = [];

  constructor(taker: RecordTaker) {
    this.#taker = taker;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at = this.#step(bytes, at);
  }

  end(): void {
    this.#giveSpace(true);
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
    let to = at;
    while (to < bytes.length && isSpace(bytes[to]!)) to++;
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
      this.#begin(byte);
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

  #begin(first: number): void {
    this.#state = 'element';
    this.#depth = 0;
    this.#isBare = first !== QUOTE && first !== OPEN_ARRAY && first !== OPEN_OBJECT;
  }

  #element(bytes: Buffer, from: number): number {
    const end = this.#isBare ? bareEnd(bytes, from) : this.#closedEnd(bytes, from);
    const ends = end >= 0;
    const to = ends ? end : bytes.length;
    this.#taker.record(this.#number, bytes, from, to, ends);
    if (ends) this.#state = 'after';
    return to;
  }

  /** Behind the quote or bracket that closes the element; -1: it comes later. */
  #closedEnd(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#inString) {
        at = this.#stringEnd(bytes, at);
        if (at < 0) return -1;
        if (this.#depth === 0) return at;
        continue;
      }
      const byte = bytes[at++]!;
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --this.#depth === 0) return at;
    }
    return -1;
  }

  /** Behind the quote that ends the string; -1: it comes later. */
  #stringEnd(bytes: Buffer, from: number): number {
    let isEscaped = this.#isEscaped;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#inString = this.#isEscaped = false;
        return at + 1;
      }
    }
    this.#isEscaped = isEscaped;
    return -1;
  }
}

/** Where a number or a word ends; -1: it may go on. */
function bareEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === COMMA || byte === CLOSE_ARRAY || isSpace(byte)) return at;
  }
  return -1;
}
