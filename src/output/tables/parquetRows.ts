/**
 * Rows of a result as a Parquet file: typed columns, in row groups of a bounded number of rows.
 *
 * Cells come as they do for the other formats: texts as UTF-8 without quotes, numbers as decimals, no bytes for a missing one.
 */
import type { IdTable } from '../../blocks/ids.js';
import { parser } from '../../readers/parsers/load.js';
import type { ColumnKind, ColumnValue, ParquetTable } from '../../readers/parsers/parquetTable.js';
import { appendEscaped, ByteWriter, millionthsOf } from './escaping.js';

/** Rows of a row group: some 10 MB of ids. */
const ROWS_A_GROUP = 65_536;

/** Columns of other names hold strings. */
const KINDS: Readonly<Record<string, ColumnKind>> = {
  jaccard: 'number',
  agreement: 'number',
  similarity: 'number',
  containment: 'number',
  containment_a_in_b: 'number',
  containment_b_in_a: 'number',
  cluster: 'integer',
  documents: 'integer',
  accepted: 'boolean',
};

/** Who wrote a file, without a version: equal results are equal bytes. */
const CREATED_BY = 'mr-minhash';

/** Collects rows; every row fills every column, in order. */
export class ParquetRows {
  readonly #kinds: readonly ColumnKind[];
  readonly #table: ParquetTable;
  readonly #text = new ByteWriter(1024);
  /** Cells with a fixed text, which come again and again. */
  readonly #words = new Map<Uint8Array, ColumnValue>();
  #columns: ColumnValue[][];
  #column = 0;
  #rows = 0;

  /** `sink` must use the bytes before it returns. */
  constructor(names: readonly string[], sink: (bytes: Uint8Array) => void) {
    const columns = names.map((name) => ({ name, kind: KINDS[name] ?? 'string' }));
    this.#kinds = columns.map(({ kind }) => kind);
    this.#table = new (parser('parquetTable').ParquetTable)(columns, CREATED_BY, sink);
    this.#columns = names.map(() => []);
  }

  /** Number of complete rows. */
  get rows(): number {
    return this.#rows;
  }

  id(ids: IdTable, document: number): void {
    this.text(ids.bytes, ids.offsets[document]!, ids.offsets[document + 1]!);
  }

  /** Any bytes; U+FFFD replaces what is not UTF-8, as in CSV. */
  text(bytes: Uint8Array, from: number, to: number): void {
    this.#text.clear();
    appendEscaped(this.#text, 'parquet', bytes, from, to);
    this.#put(textOf(this.#text.written()));
  }

  fraction(value: number): void {
    this.millionths(millionthsOf(value));
  }

  millionths(value: number): void {
    this.#put(value >= 0 ? value / 1e6 : null);
  }

  integer(value: number): void {
    this.#put(BigInt(value));
  }

  word(cell: Uint8Array): void {
    let value = this.#words.get(cell);
    if (value === undefined) {
      value = wordOf(textOf(cell), this.#kinds[this.#column]!);
      this.#words.set(cell, value);
    }
    this.#put(value);
  }

  endRow(): void {
    this.#column = 0;
    this.#rows++;
    if (this.#columns[0]!.length === ROWS_A_GROUP) this.#endGroup();
  }

  /** Ends the file. */
  flush(): void {
    this.#endGroup();
    this.#table.finish();
  }

  #put(value: ColumnValue): void {
    this.#columns[this.#column++]!.push(value);
  }

  #endGroup(): void {
    if (this.#columns[0]!.length === 0) return;
    this.#table.write(this.#columns);
    this.#columns = this.#columns.map(() => []);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function wordOf(text: string, kind: ColumnKind): ColumnValue {
  if (kind === 'string') return text;
  if (text === '') return null;
  return kind === 'boolean' ? text === 'yes' : kind === 'integer' ? BigInt(text) : Number(text);
}
