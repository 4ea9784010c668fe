/**
 * Canonical text -> hashes of its lines, in columns.
 *
 * Floor 0. A line ends at LF; white space at both ends is dropped (so CRLF is LF), and so is a line of
 * nothing else. Other line separators of Unicode are white space inside a line.
 */
import { TokenHash } from './tokenHash.js';
import { codePointTable, WHITE_SPACE } from './unicode/codePoints.js';
import { codePointAt, sequenceLength } from './utf8.js';
import { TOKEN_COLUMN, type TokenSink } from './wordTokens.js';

const LINE_FEED = 0x0a;

export class LineTokens {
  private readonly sink: TokenSink;
  private readonly flags = codePointTable().flags;
  private readonly column = new Uint32Array(2 * TOKEN_COLUMN);
  private count = 0;
  /** All of the line in hand from its first visible character on. */
  private readonly whole: TokenHash;
  /** `whole` before the white space at its end: the line's hash, should nothing visible follow. */
  private readonly trimmed: TokenHash;
  private inWhiteSpace = false;

  constructor(seed: number, sink: TokenSink) {
    this.sink = sink;
    this.whole = new TokenHash(seed, true);
    this.trimmed = new TokenHash(seed, true);
  }

  begin(): void {
    this.count = 0;
    this.startLine();
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    for (let i = 0; i < count; ) {
      const byte = bytes[i]!;
      const after = i + sequenceLength(byte);
      if (byte === LINE_FEED) {
        this.endLine();
      } else if ((this.flags[codePointAt(bytes, i)]! & WHITE_SPACE) === 0) {
        this.inWhiteSpace = false;
        for (let j = i; j < after; j++) this.whole.add(bytes[j]!);
      } else if (this.whole.length > 0) {
        if (!this.inWhiteSpace) this.trimmed.copy(this.whole);
        this.inWhiteSpace = true;
        for (let j = i; j < after; j++) this.whole.add(bytes[j]!);
      }
      i = after;
    }
  }

  end(): void {
    this.endLine();
    this.flush();
  }

  private startLine(): void {
    this.whole.reset();
    this.inWhiteSpace = false;
  }

  private endLine(): void {
    if (this.whole.length > 0) {
      (this.inWhiteSpace ? this.trimmed : this.whole).finish(this.column, 2 * this.count);
      if (++this.count === TOKEN_COLUMN) this.flush();
    }
    this.startLine();
  }

  private flush(): void {
    if (this.count > 0) this.sink(this.column, this.count);
    this.count = 0;
  }
}
