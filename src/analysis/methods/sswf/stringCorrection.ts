/**
 * The string-to-string correction of Wagner and Fischer (1974) with unit costs, by bit vectors, and its traceback: the
 * symbols that are kept by a cheapest series of changes, deletions and insertions from one string to the other.
 *
 * D[i,j] is the least cost of turning the first i symbols of the base into the first j of the document. Neighboring
 * cells differ by -1, 0 or 1, so a word holds 32 rows of a column (Myers 1999, for the whole distance Hyyrö 2003), and
 * 20 operations compute 32 rows of the next column. Two bit vectors are kept per column: the rows where D grows from
 * the cell above, and from the cell on the left. Algorithm Y needs nothing else, so its path, including ties, is that
 * of the plain table.
 */

import type { Matches } from './noise.js';

/** The parts of two strings that are compared. */
export type Ends =
  /** The whole base with the whole document. */
  | 'whole'
  /**
   * The base with the part of the document that it resembles most (Sellers 1980); of several such parts the one that
   * ends first.
   */
  | 'part';

/**
 * Most words of bit vectors that are kept at once. A longer document is traced back in sections, each of which is
 * recomputed.
 */
const KEPT_WORDS = 1 << 20;
const LEAST_ROOM = 256;

/** The arrays of corrections. Corrections that are not computed at the same time share them. */
export class CorrectionMemory {
  /** By block of 32 rows, then by column: rows where D[i,j] = D[i-1,j] + 1. */
  grownDown = new Int32Array(LEAST_ROOM);
  /** In the same order: rows where D[i,j] = D[i,j-1] + 1. */
  grownRight = new Int32Array(LEAST_ROOM);
  /** By column: D[i,j] - D[i,j-1] in the last row of the most recent block. */
  carries = new Int8Array(LEAST_ROOM);
  /** By section, then by block: two words, the rows where the column before the section grows and shrinks downwards. */
  states = new Int32Array(LEAST_ROOM);
  base = new Uint32Array(LEAST_ROOM);
  document = new Uint32Array(LEAST_ROOM);
}

function withRoom<T extends Int32Array | Int8Array | Uint32Array>(array: T, length: number): T {
  if (array.length >= length) return array;
  const Type = array.constructor as new (length: number) => T;
  return new Type(Math.max(length, 2 * array.length));
}

export interface Correction extends Matches {
  /** Number of symbols changed, deleted and inserted. */
  readonly distance: number;
}

/**
 * Compares one base with any number of documents. Memory: 8 bytes per symbol of the shorter string, and at most 8 MB
 * for vectors.
 */
export class StringCorrection {
  private readonly pattern: Uint16Array;
  private readonly ends: Ends;
  private readonly memory: CorrectionMemory;
  private readonly symbols: number;
  private readonly blocks: number;
  /** By block, then by symbol: the rows of the block that have the symbol. */
  private readonly rows: Int32Array;
  private readonly sectionLength: number;
  private text: Uint16Array = new Uint16Array(0);
  /** Number of columns in memory per block. */
  private width = 0;

  /**
   * @param pattern the base, at least one symbol; must not change later
   * @param symbols a number above every symbol of base and documents, 1..65,536
   * @param keptWords bounds the memory of vectors, and never changes a result
   */
  constructor(
    pattern: Uint16Array,
    symbols: number,
    ends: Ends,
    memory = new CorrectionMemory(),
    keptWords = KEPT_WORDS,
  ) {
    this.pattern = pattern;
    this.symbols = symbols;
    this.ends = ends;
    this.memory = memory;
    this.blocks = Math.ceil(pattern.length / 32);
    this.rows = new Int32Array(this.blocks * symbols);
    pattern.forEach((symbol, i) => {
      this.rows[(i >>> 5) * symbols + symbol]! |= 1 << (i & 31);
    });
    this.sectionLength = Math.max(1, Math.floor(keptWords / this.blocks));
  }

  /** The distance of a document, and the symbols that are kept. The arrays are valid until the memory is used again. */
  correct(text: Uint16Array): Correction {
    const { memory, blocks, sectionLength } = this;
    this.text = text;
    const sections = Math.ceil(text.length / sectionLength);
    const width = Math.min(sectionLength, text.length);
    this.width = width;
    memory.grownDown = withRoom(memory.grownDown, blocks * width);
    memory.grownRight = withRoom(memory.grownRight, blocks * width);
    memory.carries = withRoom(memory.carries, width);
    memory.states = withRoom(memory.states, 2 * blocks * (sections + 1));
    // The column before the document: D[i,0] = i.
    for (let b = 0; b < blocks; b++) {
      memory.states[2 * b] = -1;
      memory.states[2 * b + 1] = 0;
    }
    let distance = this.pattern.length;
    let least = distance;
    let end = 0;
    for (let section = 0; section < sections; section++) {
      const from = section * sectionLength;
      const columns = this.advance(section);
      for (let j = 0; j < columns; j++) {
        distance += memory.carries[j]!;
        if (distance >= least) continue;
        least = distance;
        end = from + j + 1;
      }
    }
    const isWhole = this.ends === 'whole';
    return this.traced(isWhole ? text.length : end, isWhole ? distance : least, sections - 1);
  }

  /** Computes the columns of a section from the state before it; writes the state before the next section. */
  private advance(section: number): number {
    const { memory, blocks, symbols, sectionLength, text, width } = this;
    const from = section * sectionLength;
    const columns = text.subarray(from, from + sectionLength);
    const { states } = memory;
    const before = 2 * blocks * section;
    const after = before + 2 * blocks;
    // D[0,j] is j, or 0 if a part may begin anywhere.
    memory.carries.fill(this.ends === 'whole' ? 1 : 0, 0, columns.length);
    for (let b = 0; b < blocks; b++) {
      const rows = this.rows.subarray(b * symbols, (b + 1) * symbols);
      const lastRow = b + 1 < blocks ? 31 : (this.pattern.length - 1) & 31;
      const down = memory.grownDown.subarray(b * width);
      const right = memory.grownRight.subarray(b * width);
      const state = states.subarray(before + 2 * b, before + 2 * b + 2);
      const next = states.subarray(after + 2 * b, after + 2 * b + 2);
      next.set(state);
      advanceBlock(rows, columns, lastRow, next, memory.carries, down, right);
    }
    return columns.length;
  }

  /** Algorithm Y, from column `end`; the vectors of section `held` are in memory. */
  private traced(end: number, distance: number, held: number): Correction {
    const { memory, pattern, text, sectionLength, width } = this;
    const most = Math.min(pattern.length, end);
    memory.base = withRoom(memory.base, most);
    memory.document = withRoom(memory.document, most);
    const { base, document, grownDown, grownRight } = memory;
    let count = 0;
    let i = pattern.length - 1;
    let j = end - 1;
    let section = Math.floor(j / sectionLength);
    while (i >= 0 && j >= 0) {
      if (j < section * sectionLength) section--;
      if (section !== held) {
        this.advance(section);
        held = section;
      }
      const word = (i >>> 5) * width + j - section * sectionLength;
      if (((grownDown[word]! >>> (i & 31)) & 1) !== 0) i--;
      else if (((grownRight[word]! >>> (i & 31)) & 1) !== 0) j--;
      else {
        if (pattern[i] === text[j]) {
          base[count] = i;
          document[count++] = j;
        }
        i--;
        j--;
      }
    }
    base.subarray(0, count).reverse();
    document.subarray(0, count).reverse();
    return { distance, count, base, document };
  }
}

/**
 * Computes 32 rows of the table.
 *
 * @param rows by symbol: the rows that have the symbol
 * @param state in: the rows where the previous column grows and shrinks downwards; out: those of the last column
 * @param carries by column: D[i,j] - D[i,j-1], in: in the row above, out: in row `lastRow`
 */
function advanceBlock(
  rows: Int32Array,
  columns: Uint16Array,
  lastRow: number,
  state: Int32Array,
  carries: Int8Array,
  grownDown: Int32Array,
  grownRight: Int32Array,
): void {
  let grows = state[0]!;
  let shrinks = state[1]!;
  for (let j = 0; j < columns.length; j++) {
    const carry = carries[j]!;
    const less = carry >>> 31;
    const more = (carry + 1) >> 1;
    let equal = rows[columns[j]!]!;
    const vertical = equal | shrinks;
    equal |= less;
    const horizontal = ((((equal & grows) + grows) | 0) ^ grows) | equal;
    const right = shrinks | ~(horizontal | grows);
    const left = grows & horizontal;
    grownRight[j] = right;
    carries[j] = ((right >>> lastRow) & 1) - ((left >>> lastRow) & 1);
    const rightBelow = (right << 1) | more;
    grows = (left << 1) | less | ~(vertical | rightBelow);
    shrinks = rightBelow & vertical;
    grownDown[j] = grows;
  }
  state[0] = grows;
  state[1] = shrinks;
}
