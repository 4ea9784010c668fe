/**
 * Canonical text -> hashes of its words, in columns.
 *
 * Floor 0. A word is a maximal run of letters, marks and numbers; a letter of a script without blanks is a
 * word of its own with the marks that follow. No string is made. It must never see text that canonicalText.ts
 * did not make.
 */
import { TokenHash } from './tokenHash.js';
import { CLASS, codePointTable, MARK, SEPARATOR, STANDALONE, WORD } from './unicode/codePoints.js';
import { codePointAt, sequenceLength } from './utf8.js';

/**
 * Receives token hashes in text order, `hashes[0 .. 2*count)`, low half first: scratch memory, `count` > 0.
 */
export type TokenSink = (hashes: Uint32Array, count: number) => void;

export const TOKEN_COLUMN = 4096;

export class WordTokens {
  private readonly sink: TokenSink;
  private readonly flags = codePointTable().flags;
  private readonly hash: TokenHash;
  private readonly column = new Uint32Array(2 * TOKEN_COLUMN);
  private count = 0;
  /** Class of the first code point of the word in hand; SEPARATOR between words. */
  private inside = SEPARATOR;

  constructor(seed: number, sink: TokenSink) {
    this.sink = sink;
    this.hash = new TokenHash(seed, false);
  }

  begin(): void {
    this.count = 0;
    this.inside = SEPARATOR;
    this.hash.reset();
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    const { flags, hash } = this;
    let i = 0;
    while (i < count) {
      const byte = bytes[i]!;
      if (byte >= 0x80) {
        i = this.pushWide(bytes, i);
      } else {
        // ASCII has letters, numbers and separators only.
        if ((flags[byte]! & CLASS) === SEPARATOR) {
          if (this.inside !== SEPARATOR) this.close();
        } else {
          if (this.inside !== WORD) this.open(WORD);
          hash.add(byte);
        }
        i++;
      }
    }
  }

  end(): void {
    if (this.inside !== SEPARATOR) this.close();
    this.flush();
  }

  /** Takes one code point beyond ASCII; returns the place after it. */
  private pushWide(bytes: Uint8Array, at: number): number {
    const after = at + sequenceLength(bytes[at]!);
    const kind = this.flags[codePointAt(bytes, at)]! & CLASS;
    if (kind === SEPARATOR) {
      if (this.inside !== SEPARATOR) this.close();
      return after;
    }
    if (kind === STANDALONE) this.open(STANDALONE);
    else if (kind === WORD && this.inside !== WORD) this.open(WORD);
    else if (kind === MARK && this.inside === SEPARATOR) this.open(WORD);
    for (let i = at; i < after; i++) this.hash.add(bytes[i]!);
    return after;
  }

  private open(kind: number): void {
    if (this.inside !== SEPARATOR) this.close();
    this.inside = kind;
  }

  private close(): void {
    this.hash.finish(this.column, 2 * this.count);
    this.inside = SEPARATOR;
    if (++this.count === TOKEN_COLUMN) this.flush();
  }

  private flush(): void {
    if (this.count > 0) this.sink(this.column, this.count);
    this.count = 0;
  }
}
