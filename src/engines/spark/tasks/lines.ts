/** Rows of a task process: lines on standard input and output, cells separated by tabs, NULL as `\N`. Reads and writes block. */
import { readSync, writeSync } from 'node:fs';

const PIECE = 1 << 20;
const LINE_FEED = 0x0a;

/** The cell of NULL. */
export const NULL_CELL = '\\N';

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Bytes read into `piece`; 0 at the end of the input. */
function readPiece(descriptor: number, piece: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, piece, 0, PIECE, null);
    } catch (error) {
      if (codeOf(error) === 'EOF') return 0;
      if (codeOf(error) !== 'EAGAIN') throw error;
    }
  }
}

/** The rows of a descriptor as lists of cells. @throws Error if the last line has no line feed, because it was cut off */
export function* rowsIn(descriptor = 0): Generator<readonly string[]> {
  const piece = Buffer.allocUnsafe(PIECE);
  let pending: Buffer[] = [];
  for (let count = readPiece(descriptor, piece); count > 0; count = readPiece(descriptor, piece)) {
    const end = piece.lastIndexOf(LINE_FEED, count - 1);
    if (end < 0) {
      pending.push(Buffer.from(piece.subarray(0, count)));
      continue;
    }
    const lines = Buffer.concat([...pending, piece.subarray(0, end)])
      .toString('utf8')
      .split('\n');
    pending = end + 1 < count ? [Buffer.from(piece.subarray(end + 1, count))] : [];
    for (const line of lines) yield line.split('\t');
  }
  if (pending.length > 0) throw new Error('the last row of the input is cut off');
}

/** Receives the cells of one row. */
export type EmitRow = (...cells: readonly (string | number)[]) => void;

/** Collects rows and writes them in large pieces. */
export class RowOutput {
  private lines: string[] = [];
  private length = 0;
  private readonly descriptor: number;

  constructor(descriptor = 1) {
    this.descriptor = descriptor;
  }

  readonly row: EmitRow = (...cells) => {
    const line = `${cells.join('\t')}\n`;
    this.lines.push(line);
    this.length += line.length;
    if (this.length > PIECE) this.flush();
  };

  flush(): void {
    const bytes = Buffer.from(this.lines.join(''), 'utf8');
    this.lines = [];
    this.length = 0;
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(this.descriptor, bytes, at);
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN') throw error;
      }
    }
  }
}
