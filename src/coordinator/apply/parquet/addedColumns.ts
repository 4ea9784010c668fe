/** Columns that are added to a Parquet file: flat and optional, their values plain. */
import { BINARY, CompactList, CompactStruct, compactBytes, I32, I64, LIST, STRUCT } from './compactThrift.js';
import type { OutputFile } from './outputFile.js';
import type { PagePacker } from './packing/pagePacking.js';
import { PageBuffer } from './values/pageBuffer.js';
import { writeRuns } from './values/runs.js';

/** A column that is added; `valueOf` is asked once for every row that stays, in ascending order. */
export interface AddedColumn {
  readonly name: string;
  readonly type: 'int64' | 'boolean' | 'double';
  /** Of a row of the file as it was, counted from 0; null: it has none. */
  valueOf(row: number): number | bigint | boolean | null;
}

/** Physical types by their numbers. */
const TYPES = { int64: 2, boolean: 0, double: 5 } as const;
const OPTIONAL = 1;
const PLAIN = 0;
const RLE = 3;
const DATA_PAGE = 0;

/** Rows of a page. */
const PAGE_ROWS = 20_000;

const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The element of the schema. */
export function schemaElement({ name, type }: AddedColumn): CompactStruct {
  return new CompactStruct().set(1, I32, TYPES[type]).set(3, I32, OPTIONAL).set(4, BINARY, textBytes(name));
}

/** Rows of a row group that stay: those of `keeps` that are 1, the first of them row `first` of the file. */
export interface KeptRows {
  readonly first: number;
  readonly keeps: Uint8Array;
  readonly kept: number;
}

/** Writes the chunk of a column; returns its metadata. */
export function writeColumn(
  column: AddedColumn,
  rows: KeptRows,
  codec: number,
  pack: PagePacker,
  out: OutputFile,
): CompactStruct {
  const start = out.length;
  const pages = new ColumnPages(column, pack, out);
  for (let i = 0; i < rows.keeps.length; i++) if (rows.keeps[i] === 1) pages.add(rows.first + i);
  pages.flush();
  const encodings = new CompactList(I32, [PLAIN, RLE]);
  const stats = new CompactStruct().set(1, I32, DATA_PAGE).set(2, I32, PLAIN).set(3, I32, pages.written);
  const metadata = new CompactStruct()
    .set(1, I32, TYPES[column.type])
    .set(2, LIST, encodings)
    .set(3, LIST, new CompactList(BINARY, [textBytes(column.name)]))
    .set(4, I32, codec)
    .set(5, I64, rows.kept)
    .set(6, I64, pages.unpacked)
    .set(7, I64, out.length - start)
    .set(9, I64, start)
    .set(12, STRUCT, new CompactStruct().set(3, I64, pages.nulls))
    .set(13, LIST, new CompactList(STRUCT, [stats]));
  return new CompactStruct().set(2, I64, 0).set(3, STRUCT, metadata);
}

/** Data pages of version 1. */
class ColumnPages {
  nulls = 0;
  unpacked = 0;
  written = 0;
  private readonly column: AddedColumn;
  private readonly pack: PagePacker;
  private readonly out: OutputFile;
  private readonly page = new PageBuffer();
  private readonly defined = new Uint8Array(PAGE_ROWS);
  private readonly values = new DataView(new ArrayBuffer(8 * PAGE_ROWS));
  private rows = 0;
  private there = 0;

  constructor(column: AddedColumn, pack: PagePacker, out: OutputFile) {
    this.column = column;
    this.pack = pack;
    this.out = out;
  }

  add(row: number): void {
    if (this.rows === PAGE_ROWS) this.flush();
    const value = this.column.valueOf(row);
    this.defined[this.rows++] = value === null ? 0 : 1;
    if (value === null) this.nulls++;
    else this.put(value);
  }

  private put(value: number | bigint | boolean): void {
    const { values, column } = this;
    const at = this.there++;
    if (column.type === 'double') values.setFloat64(8 * at, Number(value), true);
    else if (column.type === 'boolean') {
      const rest = at % 8 === 0 ? 0 : values.getUint8(at >> 3);
      values.setUint8(at >> 3, rest | ((value ? 1 : 0) << (at % 8)));
    } else if (typeof value === 'bigint') values.setBigInt64(8 * at, value, true);
    else {
      values.setUint32(8 * at, Number(value) >>> 0, true);
      values.setInt32(8 * at + 4, Math.floor(Number(value) / 2 ** 32), true);
    }
  }

  flush(): void {
    const { page, rows, there, values, out } = this;
    if (rows === 0) return;
    page.clear();
    for (let i = 0; i < 4; i++) page.push(0);
    writeRuns(this.defined, rows, 1, page);
    page.setUint32(0, page.length - 4);
    const size = this.column.type === 'boolean' ? Math.ceil(there / 8) : 8 * there;
    page.copy(new Uint8Array(values.buffer), 0, size);
    const packed = this.pack(page.view);
    const facts = new CompactStruct().set(1, I32, rows).set(2, I32, PLAIN).set(3, I32, RLE).set(4, I32, RLE);
    const header = new CompactStruct()
      .set(1, I32, DATA_PAGE)
      .set(2, I32, page.length)
      .set(3, I32, packed.length)
      .set(5, STRUCT, facts);
    const bytes = compactBytes(header);
    out.write(bytes);
    out.write(packed);
    this.unpacked += bytes.length + page.length;
    this.written++;
    this.rows = this.there = 0;
  }
}
