/**
 * Columns of numbers in one file. Readers read it page by page and never hold a whole column.
 *
 *      pages       32 KB of one column each; the last page of a column is shorter
 *      directory   a block: the type and length of each column; for each page, in the order of columns
 *                      at     f64, where the page begins
 *                      sums   u32, its CRC-32
 *      f64         where the directory begins
 *
 * The writer takes all columns side by side, holds one page of each, and writes a page when it is full.
 */
import { crc32 } from '../arrays/checksum.js';
import { Float64Column, Uint32Column } from '../arrays/growable.js';
import { checkBlock, encodeBlock, heldColumns, isCount, must, sealBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { readInto } from '../readers/bytes/wholeFiles.js';

const TYPES = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array } as const;
type TypeName = keyof typeof TYPES;
export type ColumnTypes = Readonly<Record<string, TypeName>>;
export type Numbers = Uint8Array | Uint32Array | Float64Array;

/** A column in a file or in memory, such as a typed array. */
export interface NumberColumn<Values extends Numbers = Numbers> {
  readonly length: number;
  /** Undefined beyond the end. */
  at(entry: number): number | undefined;
  /** The entries [from, to), which callers do not change. */
  subarray(from: number, to: number): Values;
}

/** Columns of these types, by name. */
export type ColumnsBy<Types extends ColumnTypes> = {
  readonly [Name in keyof Types]: NumberColumn<InstanceType<(typeof TYPES)[Types[Name]]>>;
};

const PAGE = 1 << 15;
const PLACE_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Appends entries to a column. */
export type ColumnTaker<Types extends ColumnTypes> = (name: keyof Types & string, values: Numbers) => void;

interface WrittenColumn {
  readonly page: Uint8Array;
  filled: number;
  length: number;
  readonly at: Float64Column;
  readonly sums: Uint32Column;
}

/** Writes a file of columns from its beginning to its end. */
export class ColumnFile<Types extends ColumnTypes> {
  readonly #types: Types;
  readonly #append: (bytes: Uint8Array) => void;
  readonly #columns = new Map<string, WrittenColumn>();
  #bytes = 0;

  constructor(types: Types, append: (bytes: Uint8Array) => void) {
    this.#types = types;
    this.#append = append;
    for (const name of Object.keys(types))
      this.#columns.set(name, {
        ...{ page: new Uint8Array(PAGE), filled: 0, length: 0 },
        ...{ at: new Float64Column(), sums: new Uint32Column() },
      });
  }

  /** @throws what `append` throws */
  take(name: keyof Types & string, values: Numbers): void {
    const column = this.#columns.get(name)!;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    column.length += values.length;
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + PAGE - column.filled);
      column.page.set(part, column.filled);
      column.filled += part.length;
      from += part.length;
      if (column.filled === PAGE) this.#write(column);
    }
  }

  #write(column: WrittenColumn): void {
    const page = column.page.subarray(0, column.filled);
    column.at.push(this.#bytes);
    column.sums.push(crc32(page));
    this.#append(page);
    this.#bytes += page.length;
    column.filled = 0;
  }

  /** Writes the directory; the last call. @param meta JSON that is kept with the columns */
  finish(meta: Readonly<Record<string, unknown>>): void {
    const [at, sums] = [new Float64Column(), new Uint32Column()];
    const columns = [...this.#columns].map(([name, column]) => {
      if (column.filled > 0) this.#write(column);
      for (const place of column.at.view) at.push(place);
      sums.append(column.sums.view);
      return [name, this.#types[name], column.length];
    });
    const block = encodeBlock('index', { meta, columns }, { at: at.view, sums: sums.view });
    sealBlock(block);
    this.#append(new Uint8Array(block.buffer));
    this.#append(new Uint8Array(Float64Array.of(this.#bytes).buffer));
  }
}

/** The pages of an open file of columns. */
interface Pages {
  readonly descriptor: number;
  /** The name of the file, for errors. */
  readonly name: string;
  readonly at: Float64Array;
  readonly sums: Uint32Array;
  /** By page, 1 if its checksum was verified. */
  readonly isChecked: Uint8Array;
}

/** Makes columns of one type. */
interface NumberType<Values extends Numbers> {
  new (buffer: ArrayBuffer, from?: number, length?: number): Values;
  readonly BYTES_PER_ELEMENT: number;
}

/** A column whose pages are read when their entries are needed; it holds the page used last. */
class PagedColumn<Values extends Numbers> implements NumberColumn<Values> {
  readonly length: number;
  readonly #pages: Pages;
  readonly #first: number;
  readonly #Type: NumberType<Values>;
  /** The entries per page as a power of two. */
  readonly #shift: number;
  readonly #mask: number;
  readonly #buffer = new ArrayBuffer(PAGE);
  /** The page in `#buffer`, and its entries; -1 if there is none. */
  #page = -1;
  #values: Values;

  constructor(pages: Pages, first: number, length: number, Type: NumberType<Values>) {
    this.length = length;
    this.#pages = pages;
    this.#first = first;
    this.#Type = Type;
    this.#shift = Math.log2(PAGE / Type.BYTES_PER_ELEMENT);
    this.#mask = 2 ** this.#shift - 1;
    this.#values = new Type(this.#buffer, 0, 0);
  }

  at(entry: number): number | undefined {
    if (entry < 0 || entry >= this.length) return undefined;
    return this.#valuesAt(entry)[entry & this.#mask];
  }

  subarray(from: number, to: number): Values {
    const end = Math.min(to, this.length);
    const values = new this.#Type(new ArrayBuffer(Math.max(0, end - from) * this.#Type.BYTES_PER_ELEMENT));
    for (let at = from; at < end; ) {
      const own = at & this.#mask;
      const part = this.#valuesAt(at).subarray(own, Math.min(this.#mask + 1, own + end - at));
      values.set(part as never, at - from);
      at += part.length;
    }
    return values;
  }

  /** The entries page by page, each valid until another page is read. */
  *pages(): Generator<Values> {
    for (let at = 0; at < this.length; at += this.#mask + 1) yield this.#valuesAt(at);
  }

  /** The page of an entry. @throws MinHashError BLOCK_TRUNCATED, BLOCK_CHECKSUM */
  #valuesAt(entry: number): Values {
    const page = entry >>> this.#shift;
    if (page !== this.#page) {
      const entries = Math.min(this.#mask + 1, this.length - page * (this.#mask + 1));
      this.#page = -1;
      this.#values = new this.#Type(this.#buffer, 0, entries);
      this.#read(this.#first + page, new Uint8Array(this.#buffer, 0, this.#values.byteLength));
      this.#page = page;
    }
    return this.#values;
  }

  #read(page: number, out: Uint8Array): void {
    const { descriptor, name, at, sums, isChecked } = this.#pages;
    fill(descriptor, at[page]!, out, name);
    if (isChecked[page] === 0 && crc32(out) !== sums[page])
      throw new MinHashError({
        code: 'BLOCK_CHECKSUM',
        detail: `${name}: damaged; remove it to have it rebuilt`,
      });
    isChecked[page] = 1;
  }
}

/** All bytes of a column in pieces, each valid until the next. */
export function piecesOf(column: NumberColumn<Uint8Array>): Iterable<Uint8Array> {
  return column instanceof PagedColumn ? column.pages() : [column.subarray(0, column.length)];
}

export function columnsInMemory<const Types extends ColumnTypes>(
  types: Types,
): { readonly take: ColumnTaker<Types>; readonly columns: () => ColumnsBy<Types> } {
  const parts = new Map<string, Numbers[]>(Object.keys(types).map((name) => [name, []]));
  const columns: Record<string, NumberColumn> = {};
  return {
    // Copies, because the caller reuses the memory of `values`.
    take: (name, values) => parts.get(name)!.push(values.slice()),
    columns: () => {
      for (const [name, own] of parts) {
        const joined = new TYPES[types[name]!](own.reduce((sum, { length }) => sum + length, 0));
        let at = 0;
        for (const part of own) {
          joined.set(part, at);
          at += part.length;
        }
        columns[name] = joined;
      }
      return columns as ColumnsBy<Types>;
    },
  };
}

interface ColumnsOfFile<Types extends ColumnTypes> {
  readonly meta: unknown;
  readonly columns: ColumnsBy<Types>;
}

/**
 * The columns of an open file, which must stay open while they are read.
 *
 * @param name of the file, for errors
 * @throws MinHashError BLOCK_FOREIGN, BLOCK_TRUNCATED, BLOCK_CHECKSUM if the directory is damaged, or lists other columns
 */
export function openColumns<const Types extends ColumnTypes>(
  descriptor: number,
  size: number,
  types: Types,
  name: string,
): ColumnsOfFile<Types> {
  const end = size - PLACE_BYTES;
  must(end >= 0, `${name}: it is too short`);
  const [place] = new Float64Array(bytesAt(descriptor, end, PLACE_BYTES, name).buffer);
  must(isCount(place) && place < end, `${name}: it has no directory`);
  const directory = checkBlock(
    bytesAt(descriptor, place, end - place, name).buffer,
    'index',
    `${name}: its directory`,
  );
  const { at, sums } = heldColumns(directory, { at: 'f64', sums: 'u32' });
  const pages = { descriptor, name, at, sums, isChecked: new Uint8Array(at.length) };
  const { columns: written, meta } = directory.meta as {
    readonly columns: readonly (readonly [name: string, type: TypeName, length: number])[];
    readonly meta: unknown;
  };
  const isOurs =
    JSON.stringify(written.map(([own, type]) => [own, type])) === JSON.stringify(Object.entries(types));
  must(isOurs, `${name}: unexpected columns`);
  let first = 0;
  const columns: Record<string, NumberColumn> = {};
  for (const [own, type, length] of written) {
    must(isCount(length), `${name}: columns without lengths`);
    columns[own] = new PagedColumn<Numbers>(pages, first, length, TYPES[type]);
    first += Math.ceil((length * TYPES[type].BYTES_PER_ELEMENT) / PAGE);
  }
  must(first === at.length && first === sums.length, `${name}: unexpected pages`);
  return { meta, columns: columns as ColumnsBy<Types> };
}

/** `length` bytes of a file from the byte `from`. @throws MinHashError BLOCK_TRUNCATED if the file is shorter */
function bytesAt(descriptor: number, from: number, length: number, name: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  fill(descriptor, from, bytes, name);
  return bytes;
}

function fill(descriptor: number, from: number, bytes: Uint8Array, name: string): void {
  if (readInto(descriptor, bytes, 0, from) < bytes.length)
    throw new MinHashError({ code: 'BLOCK_TRUNCATED', detail: name });
}
