/**
 * Checks that the rows of a result file have the form that we write: cells by column, and where the first bad
 * row begins.
 */
import type { Measure, ResultFormat } from '../../sketch/params.js';
import { cellsOf } from '../readResult.js';
import { PAIR_COLUMNS, PAIR_KINDS } from './pairTable.js';
import {
  CANDIDATE_COLUMNS,
  CLUSTER_COLUMNS,
  duplicateColumns,
  ELIMINATED_COLUMNS,
  SKIPPED_COLUMNS,
} from './tables.js';

const LINE_FEED = 0x0a;

const QUOTE = 0x22;

/** Counts rows in pieces of a file; in CSV a line feed in quotes belongs to a cell. */
export class RowCounter {
  /** Records that ended, including the line of column names. */
  records = 0;
  /** Whether the last record is incomplete. */
  open = false;
  readonly #csv: boolean;
  #quoted = false;

  constructor(format: ResultFormat) {
    this.#csv = format === 'csv';
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#csv) this.#pushCsv(piece);
    else
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, at + 1)) this.records++;
    this.open = this.#quoted || piece[piece.length - 1] !== LINE_FEED;
  }

  #pushCsv(piece: Buffer): void {
    for (const byte of piece) {
      if (byte === QUOTE) this.#quoted = !this.#quoted;
      else if (byte === LINE_FEED && !this.#quoted) this.records++;
    }
  }
}

/**
 * The columns of a result file, by its name and the measure of the run; null if no result has such a file.
 */
export function columnsOf(file: string, measure: Measure = 'resemblance'): readonly string[] | null {
  if (file.startsWith('candidates/')) return CANDIDATE_COLUMNS;
  if (file.startsWith('pairs/')) return PAIR_COLUMNS;
  if (file.startsWith('clusters/')) return CLUSTER_COLUMNS;
  if (file.startsWith('duplicates.')) return duplicateColumns(measure);
  if (file.startsWith('eliminated.')) return ELIMINATED_COLUMNS;
  return file.startsWith('skipped.') ? SKIPPED_COLUMNS : null;
}

const FRACTION = /^$|^[01](\.\d{1,6})?$/;

const CELLS: Readonly<Record<string, RegExp>> = {
  agreement: FRACTION,
  jaccard: FRACTION,
  similarity: FRACTION,
  containment: FRACTION,
  containment_a_in_b: FRACTION,
  containment_b_in_a: FRACTION,
  accepted: /^(yes|no)$/,
  kind: new RegExp(`^(${PAIR_KINDS.join('|')})$`),
  cluster: /^[1-9]\d*$/,
  role: /^(representative|member)$/,
  basis: /^(exact|estimate)$/,
  reason: /^[A-Z0-9_]+: /,
  shingle: /^[0-9a-f]{16}$/,
  documents: /^[1-9]\d*$/,
};

/** The values of the column `kind` in the list of skipped documents; in pairs `kind` has other values. */
const LISTED = /^(skipped|repaired|empty|left out)$/;

function cellOf(column: string, columns: readonly string[]): RegExp | undefined {
  return column === 'kind' && columns === SKIPPED_COLUMNS ? LISTED : CELLS[column];
}

/**
 * Whether a record, a binary string without its line feed, has valid cells for these columns; `first`: of the
 * file.
 */
function isSound(record: string, first: boolean, format: ResultFormat, columns: readonly string[]): boolean {
  const cells = cellsOf(record, format, columns);
  if (cells === null) return false;
  if (first && format !== 'jsonl') return cells.every((name, i) => name === columns[i]);
  return cells.every((cell, i) => cellOf(columns[i]!, columns)?.test(cell) ?? true);
}

/** Longer rows are not checked. */
const LONGEST_ROW = 8 << 20;

/** Finds the first invalid row, in pieces of a file from its start. */
export class RowCheck {
  /** Offset of the first invalid row; null while there is none. */
  offset: number | null = null;
  readonly #format: ResultFormat;
  readonly #columns: readonly string[];
  /** The incomplete record, and its offset in the file. */
  #rest = '';
  #start = 0;
  #searched = 0;
  #first = true;

  constructor(format: ResultFormat, columns: readonly string[]) {
    this.#format = format;
    this.#columns = columns;
  }

  push(piece: Buffer): void {
    if (this.offset !== null) return;
    this.#rest += piece.toString('latin1');
    let from = 0;
    for (;;) {
      const end = this.#rest.indexOf('\n', Math.max(from, this.#searched));
      this.#searched = 0;
      if (end < 0) break;
      const record = this.#rest.slice(from, end);
      if (!isSound(record, this.#first, this.#format, this.#columns)) {
        if (this.#isInside(record)) {
          this.#searched = end + 1;
          continue;
        }
        this.offset = this.#start + from;
        return;
      }
      this.#first = false;
      from = end + 1;
    }
    this.#rest = this.#rest.slice(from);
    this.#start += from;
    this.#searched = this.#rest.length;
    if (this.#rest.length > LONGEST_ROW) this.offset = this.#start;
  }

  /** Ends the check: a remaining record was cut off. */
  end(): void {
    if (this.#rest !== '') this.offset ??= this.#start;
  }

  /** Whether the line feed is in quotes of a CSV row. */
  #isInside(record: string): boolean {
    if (this.#format !== 'csv' || record.length > LONGEST_ROW) return false;
    let quotes = 0;
    for (let at = record.indexOf('"'); at >= 0; at = record.indexOf('"', at + 1)) quotes++;
    return quotes % 2 === 1;
  }
}
