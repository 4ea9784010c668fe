/**
 * Parquet: rows of a file as documents, by hyparquet. Only the needed columns are read, page by page.
 *
 *      PAR1 | row group 0: chunk of column 0, chunk of column 1, ... | row group 1 | ... | metadata | length u32 | PAR1
 *
 * A row that cannot be read ends the reading of its row group and is reported; the next row group is read.
 */
import type { DecodedArray, PageHeader as Header, RowGroup, SchemaElement, SchemaTree } from 'hyparquet';
import { crc32 } from '../../arrays/checksum.js';
import type { Block } from '../../blocks/block.js';
import { FieldValues } from '../../blocks/fieldValues.js';
import type { ErrorCode } from '../../errors.js';
import { codecOf } from '../bytes/codecs.js';
import { decompressAtOnce, programPath } from '../bytes/programs.js';
import { readInto, sizeOf, stampOf, withInput } from '../bytes/wholeFiles.js';
import { heldBytes, type ReadBuffers, type ReadParams, refuseRecord } from '../documentSink.js';
import { pathIn } from '../list/fileList.js';
import { parser } from '../parsers/load.js';
import type { Decompressor, Metadata, PageColumn } from '../parsers/parquetPages.js';
import { type ArrayFile, type Cut, cutsBlock, type ElementsSplit } from '../split.js';
import { type FieldPath, fieldNamed, idFieldOf, textFieldsOf } from './fields.js';
import type { JsonRecord } from './json/json.js';
import type { FormatReading, ListedFile } from './reading.js';
import { RecordGiver } from './recordGiver.js';

/** Why a file, or a row of it, cannot be read. */
class ParquetError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode = 'PARQUET_BROKEN', options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** The code of a problem of the file; any other error is a defect. */
function problemOf(error: unknown): ErrorCode {
  if (error instanceof ParquetError) return error.code;
  throw error;
}

const ENCODING = /unsupported encoding|unsupported type/;

/** Calls the package, whose errors are problems of the file. */
function parsed<T>(parse: () => T, code: ErrorCode = 'PARQUET_BROKEN'): T {
  try {
    return parse();
  } catch (error) {
    const isEncoding = error instanceof Error && ENCODING.test(error.message);
    throw new ParquetError(isEncoding ? 'PARQUET_ENCODING' : code, { cause: error });
  }
}

// ---- The footer

interface Footer extends Metadata {
  readonly rows: number;
  /** Where the metadata begin: all pages come before. */
  readonly end: number;
}

const PAR1 = 0x31524150;
/** In its place where the footer is encrypted. */
const PARE = 0x45524150;
const TAIL = 8;
/** Longer metadata have more row groups or columns than fit into memory. */
const MOST_METADATA = 64 << 20;

function bytesAt(descriptor: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const end = readInto(descriptor, bytes, 0, position);
  if (end < length) throw new ParquetError(end < 0 ? 'UNREADABLE' : 'PARQUET_BROKEN');
  return bytes;
}

/** @throws ParquetError PARQUET_FOOTER, PARQUET_PACKED, PARQUET_ENCRYPTED, TOO_LARGE, UNREADABLE */
function readFooter(descriptor: number, size: number): Footer {
  if (size < TAIL + 4) throw new ParquetError('PARQUET_FOOTER');
  const tail = new DataView(bytesAt(descriptor, size - TAIL, TAIL).buffer);
  const [length, magic] = [tail.getUint32(0, true), tail.getUint32(4, true)];
  if (magic === PARE) throw new ParquetError('PARQUET_ENCRYPTED');
  if (magic !== PAR1 || length > size - TAIL - 4) {
    const isPacked = codecOf(bytesAt(descriptor, 0, TAIL)) !== null;
    throw new ParquetError(isPacked ? 'PARQUET_PACKED' : 'PARQUET_FOOTER');
  }
  if (length > MOST_METADATA) throw new ParquetError('TOO_LARGE');
  const end = size - TAIL - length;
  const bytes = bytesAt(descriptor, end, length + TAIL);
  const metadata = parsed(() => parser('parquetPages').metadataIn(bytes), 'PARQUET_FOOTER');
  const { row_groups: groups, num_rows } = metadata.file;
  const rows = Number(num_rows);
  const counted = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  const areSound = groups.every(({ num_rows: count }) => Number(count) >= 0);
  if (!areSound || rows !== counted) throw new ParquetError('PARQUET_FOOTER');
  return { ...metadata, rows, end };
}

/** The footer of a file; null if it cannot be read. */
function footerOf(path: string | Uint8Array): Footer | null {
  return orNull(() =>
    withInput<Footer | null>(
      path,
      (descriptor) => {
        const size = sizeOf(descriptor);
        return typeof size === 'string' ? null : readFooter(descriptor, size);
      },
      () => null,
    ),
  );
}

/** The number of rows of a file, and the names of its columns; null if it cannot be read. */
export function tableFacts(
  path: Uint8Array,
): { readonly rows: number; readonly names: readonly string[] } | null {
  const footer = footerOf(path);
  return footer && { rows: footer.rows, names: footer.schema.children.map(({ element }) => element.name) };
}

// ---- Columns of fields

/** A column of values: the nodes from the root to it. */
interface Leaf {
  readonly path: readonly SchemaTree[];
  readonly element: SchemaElement;
  /** A row may have several values. */
  readonly isRepeated: boolean;
  /** Its values are not in arrays. */
  readonly isFlat: boolean;
}

const isRepeated = ({ element }: SchemaTree): boolean => element.repetition_type === 'REPEATED';
const isList = ({ element }: SchemaTree): boolean =>
  element.converted_type === 'LIST' || element.logical_type?.type === 'LIST';

/** Goes through lists to their elements: `list.element` and its older forms (LogicalTypes.md, "Lists"). */
function elementOf(node: SchemaTree, path: SchemaTree[]): SchemaTree {
  let at = node;
  while (isList(at) && at.children.length === 1) {
    const repeated = at.children[0]!;
    path.push(repeated);
    at = repeated;
    const { name } = repeated.element;
    if (repeated.children.length !== 1 || name === 'array' || name.endsWith('_tuple')) break;
    at = repeated.children[0]!;
    path.push(at);
  }
  return at;
}

function pathTo(root: SchemaTree, steps: readonly string[]): readonly SchemaTree[] | null {
  const path: SchemaTree[] = [];
  let at = root;
  for (const step of steps) {
    at = elementOf(at, path);
    const child = at.children.find(({ element }) => element.name === step);
    if (child === undefined) return null;
    path.push(child);
    at = child;
  }
  elementOf(at, path);
  return path;
}

/** The column of a field: one with this full name precedes a path. Null: the file has none of them. */
function leafOf({ schema }: Footer, { name, steps }: FieldPath): Leaf | 'group' | null {
  const path = pathTo(schema, [name]) ?? pathTo(schema, steps);
  if (path === null) return null;
  const node = path.at(-1)!;
  if (node.children.length > 0) return 'group';
  const isFlat = path.length === 1 && !isRepeated(node);
  return { path: [schema, ...path], element: node.element, isRepeated: path.some(isRepeated), isFlat };
}

const STRINGS = ['UTF8', 'ENUM', 'JSON', 'STRING'];

/** The logical type of a column. Bytes without one are read as strings: older writers have no other. */
function meaningOf({ converted_type: converted, logical_type: logical }: SchemaElement): string {
  if (logical?.type === 'INTEGER') return logical.isSigned ? 'none' : 'unsigned';
  const meaning = logical?.type ?? converted ?? 'none';
  if (STRINGS.includes(meaning)) return 'string';
  if (meaning.startsWith('UINT_')) return 'unsigned';
  return meaning.startsWith('INT_') ? 'none' : meaning.toLowerCase();
}

function holdsText(element: SchemaElement): boolean {
  return element.type === 'BYTE_ARRAY' && ['string', 'none'].includes(meaningOf(element));
}

function isUuid(element: SchemaElement): boolean {
  return element.type === 'FIXED_LEN_BYTE_ARRAY' && meaningOf(element) === 'uuid';
}

function isDecimal(element: SchemaElement): boolean {
  return meaningOf(element) === 'decimal';
}

/** The column of a field with one number or text per row, for rules; null: the file has none. */
function fieldLeaf(footer: Footer, name: string): Leaf | null {
  const leaf = leafOf(footer, fieldNamed(name));
  if (leaf === null || leaf === 'group' || leaf.isRepeated) return null;
  const { element } = leaf;
  const isBytes = element.type === 'BYTE_ARRAY' || element.type === 'FIXED_LEN_BYTE_ARRAY';
  return !isBytes || holdsText(element) || isUuid(element) || isDecimal(element) ? leaf : null;
}

interface Wanted {
  readonly texts: readonly Leaf[];
  /** Null: the file has no id, or one of several values per row. */
  readonly id: Leaf | null;
  readonly fields: readonly (Leaf | null)[];
}

/** @throws ParquetError PARQUET_NO_COLUMN, PARQUET_NOT_TEXT */
function wantedLeaves(footer: Footer, { textField, idField, fields = [] }: ReadParams): Wanted {
  const leaves = textFieldsOf(textField).flatMap((field) => leafOf(footer, field) ?? []);
  if (leaves.length === 0) throw new ParquetError('PARQUET_NO_COLUMN');
  const texts = leaves.filter((leaf) => leaf !== 'group').filter(({ element }) => holdsText(element));
  if (texts.length < leaves.length) throw new ParquetError('PARQUET_NOT_TEXT');
  const found = leafOf(footer, idFieldOf(idField));
  const id = found === null || found === 'group' || found.isRepeated ? null : found;
  return { texts, id, fields: fields.map((name) => fieldLeaf(footer, name)) };
}

// ---- Values of a column

/** Pages hold many texts, some writers' all of a row group: they may be larger than a text. */
const LEAST_MOST_PAGE = 256 << 20;
const MOST_PAGE = 2_000_000_000;
/** Values of one page; writers end pages at some 20,000. */
const MOST_VALUES = 1 << 24;
/** Bytes that are read at once. */
const WINDOW = 256 << 10;
const HEADER = 4096;

/** Larger pages are decompressed again for each split of the file. */
const MOST_KEPT = 128 << 20;

/** The last page and dictionary of the text column, which the next split of the file may need again; `at`: where they begin. */
interface KeptPages {
  page?: { readonly at: number; readonly values: DecodedArray };
  dictionary?: { readonly at: number; readonly values: DecodedArray };
}

interface OpenFile {
  readonly descriptor: number;
  readonly footer: Footer;
  readonly params: ReadParams;
  readonly name: string;
}

/** Where the values of a column are in a row group. */
interface Chunk {
  readonly column: PageColumn;
  readonly from: number;
  readonly to: number;
  readonly values: number;
}

/** @throws ParquetError */
function chunkOf({ footer }: OpenFile, { path, element }: Leaf, group: RowGroup): Chunk {
  const pathInSchema = path.slice(1).map((node) => node.element.name);
  const isNamed = (names: readonly string[] | undefined): boolean =>
    names?.length === pathInSchema.length && names.every((name, i) => pathInSchema[i] === name);
  const chunk = group.columns.find(({ meta_data }) => isNamed(meta_data?.path_in_schema));
  const isEncrypted = chunk === undefined || chunk.crypto_metadata !== undefined;
  if (isEncrypted && group.columns.some((column) => column.crypto_metadata !== undefined))
    throw new ParquetError('PARQUET_ENCRYPTED');
  const data = chunk?.meta_data;
  if (data === undefined || chunk?.file_path !== undefined) throw new ParquetError('PARQUET_ELSEWHERE');
  if (!parser('parquetPages').isKnownCodec(data.codec)) throw new ParquetError('PARQUET_CODEC');
  const pages = Number(data.data_page_offset);
  // Some writers put 0 if there is no dictionary.
  const dictionary = Number(data.dictionary_page_offset ?? 0);
  const from = dictionary > 0 ? Math.min(dictionary, pages) : pages;
  const to = from + Number(data.total_compressed_size);
  const values = Number(data.num_values);
  if (!(from >= 4 && to <= footer.end && values >= 0)) throw new ParquetError();
  const column = { type: element.type!, element, schemaPath: [...path], codec: data.codec, pathInSchema };
  return { column, from, to, values };
}

/** Reads bytes of a file up to `end` by windows. Values may point into them, so that they are not overwritten. */
function windowsOf(descriptor: number, end: number): (at: number, length: number) => Uint8Array {
  let window: Uint8Array = new Uint8Array(0);
  let windowAt = 0;
  return (at, length) => {
    if (at + length > end) throw new ParquetError();
    if (at < windowAt || at + length > windowAt + window.length) {
      window = bytesAt(descriptor, at, Math.max(length, Math.min(WINDOW, end - at)));
      windowAt = at;
    }
    return window.subarray(at - windowAt, at - windowAt + length);
  };
}

/**
 * The values of a column of a row group, one per row, from row `first` on: null, a scalar, bytes, or arrays of these.
 *
 * @throws ParquetError at the first page that cannot be read
 */
function* columnValues(
  open: OpenFile,
  leaf: Leaf,
  group: RowGroup,
  first: number,
  kept: KeptPages | null,
): Generator<unknown, undefined> {
  const { column, from, to, values } = chunkOf(open, leaf, group);
  const { params, name } = open;
  const { isFlat } = leaf;
  const bytesOf = windowsOf(open.descriptor, to);
  let dictionary: DecodedArray | undefined;
  /** The last row of a nested column, which the next page may continue. */
  let before: unknown[] | undefined;
  let row = 0;
  for (let at = from, left = values; left > 0; ) {
    const { header, end } = headerAt(bytesOf, at, to);
    const start = at + end;
    at = start + header.compressed_page_size;
    if (!(at >= start && at <= to && header.uncompressed_page_size >= 0)) throw new ParquetError();
    const isDictionary = header.dictionary_page_header !== undefined;
    const pageHeader = header.dictionary_page_header ?? header.data_page_header ?? header.data_page_header_v2;
    const count = pageHeader?.num_values;
    // Pages of other kinds hold no values.
    if (count === undefined) continue;
    if (count < 0 || (!isDictionary && count > left)) throw new ParquetError();
    if (count > MOST_VALUES) throw new ParquetError('TOO_LARGE');
    if (!isDictionary) left -= count;
    if (!isDictionary && isFlat && row + count <= first) {
      row += count;
      continue;
    }
    const kind = isDictionary ? 'dictionary' : 'page';
    const known = isFlat ? kept?.[kind] : undefined;
    let page = known?.at === start ? known.values : undefined;
    if (page === undefined) {
      const size = header.uncompressed_page_size;
      if (size > Math.min(MOST_PAGE, Math.max(LEAST_MOST_PAGE, 2 * params.maxDocument)))
        throw new ParquetError('TOO_LARGE');
      if (size > heldBytes(params, size)) refuseRecord(params, `${name}: a page of a column`, size);
      // The memory of the last page is released before this one needs more.
      if (isFlat && kept !== null) delete kept[kind];
      const bytes = bytesOf(start, header.compressed_page_size);
      const { crc } = header;
      if (crc !== undefined && crc32(bytes) >>> 0 !== crc >>> 0) throw new ParquetError();
      const open = isDictionary ? undefined : before;
      page = parsed(() =>
        parser('parquetPages').valuesIn(bytes, header, column, dictionary, zstdFor(size), open),
      );
      if (isFlat && kept !== null && size <= MOST_KEPT) kept[kind] = { at: start, values: page };
    }
    if (isDictionary) {
      dictionary = page;
      continue;
    }
    if (isFlat && page.length !== count) throw new ParquetError();
    const complete = isFlat || left === 0 ? page.length : Math.max(0, page.length - 1);
    for (let i = Math.max(0, first - row); i < complete; i++) yield page[i];
    row += complete;
    if (!isFlat) before = Array.from(page).slice(complete);
  }
}

/** From this size a process is faster than a decoder in JavaScript. */
const LEAST_FOR_PROGRAM = 512 << 10;

/** The program for large pages; null: the package decompresses them. */
function zstdFor(size: number): Decompressor | null {
  const path = size < LEAST_FOR_PROGRAM ? null : programPath('zstd');
  if (path === null) return null;
  return (bytes, most) => {
    const found = decompressAtOnce('zstd', path, bytes, most);
    if (found === null || found.flaw !== null) throw new ParquetError();
    return found.bytes;
  };
}

/** The header of the page that begins at `at`; statistics may make it long. */
function headerAt(
  bytesOf: (at: number, length: number) => Uint8Array,
  at: number,
  to: number,
): { readonly header: Header; readonly end: number } {
  for (let size = HEADER; ; size *= 16) {
    const bytes = bytesOf(at, Math.min(size, to - at));
    try {
      return parser('parquetPages').headerIn(bytes);
    } catch (error) {
      if (bytes.length < size) throw new ParquetError('PARQUET_BROKEN', { cause: error });
    }
  }
}

// ---- Values

/**
 * A number, boolean or UUID as it is written in JSON, a decimal with all its digits, other bytes in hexadecimal; unsigned integers come as
 * signed ones, and INT96 as nanoseconds since 1970.
 */
function scalarText(element: SchemaElement, value: unknown): string {
  if (isDecimal(element)) return decimalText(element, value);
  if (value instanceof Uint8Array) {
    const digits = Buffer.from(value).toString('hex');
    return isUuid(element) ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : digits;
  }
  if (meaningOf(element) === 'unsigned' && typeof value === 'number') return String(value >>> 0);
  if (meaningOf(element) === 'unsigned' && typeof value === 'bigint')
    return String(BigInt.asUintN(64, value));
  return String(value);
}

/** A decimal from its whole number: `scale` of its digits are behind the point. */
function decimalText({ logical_type: logical, scale: converted = 0 }: SchemaElement, value: unknown): string {
  const scale = (logical?.type === 'DECIMAL' ? logical.scale : undefined) ?? converted;
  const [, sign, digits] = /^(-?)(.*)$/.exec(value instanceof Uint8Array ? wholeIn(value) : String(value))!;
  const padded = digits!.padStart(scale + 1, '0');
  const point = padded.length - scale;
  return `${sign}${padded.slice(0, point)}${scale > 0 ? `.${padded.slice(point)}` : ''}`;
}

/** A whole number from its bytes in two's complement, the most significant first. */
function wholeIn(bytes: Uint8Array): string {
  if (bytes.length === 0) return '0';
  return String(BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`)));
}

/** The values of a row in a column, in lists too, without nulls. A missing value is a problem of the file. */
function* valuesIn(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) for (const part of value) yield* valuesIn(part);
  else if (value === undefined) throw new ParquetError();
  else if (value !== null) yield value;
}

/** The first value of a row; undefined: it has none. */
function firstIn(value: unknown): unknown {
  for (const part of valuesIn(value)) return part;
  return undefined;
}

/** Sets the value of a field that rules need; other types than numbers are texts. */
function setField(values: FieldValues, field: number, element: SchemaElement, value: unknown): void {
  const isText = holdsText(element) && value instanceof Uint8Array;
  const text = isText ? value : isUuid(element) ? Buffer.from(scalarText(element, value)) : null;
  if (text !== null) values.setText(field, text, 0, text.length);
  else
    values.setNumber(field, typeof value === 'boolean' ? Number(value) : Number(scalarText(element, value)));
}

/** The problem of the file; null: there is none. */
function orCode(read: () => void): ErrorCode | null {
  try {
    read();
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

/** Null if the file is damaged. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    problemOf(error);
    return null;
  }
}

// ---- Rows of a file

/** The last file of a thread: a large file is read in many splits. */
interface KeptFile extends KeptPages {
  readonly stamp: string;
  readonly footer: Footer;
}
const KEPT = new WeakMap<ReadBuffers, KeptFile>();

/** @throws ParquetError */
function keptFile(descriptor: number, buffers: ReadBuffers): KeptFile {
  const size = sizeOf(descriptor);
  if (typeof size === 'string') throw new ParquetError(size);
  const stamp = stampOf(descriptor);
  if (stamp === null) throw new ParquetError('UNREADABLE');
  const known = KEPT.get(buffers);
  if (known?.stamp === stamp) return known;
  const kept = { stamp, footer: readFooter(descriptor, size) };
  KEPT.set(buffers, kept);
  return kept;
}

/** A place in the bytes of the file for a row: for progress, and to detect another file. */
function placeOfRow({ rows, end }: Footer, row: number): number {
  return rows === 0 ? end : Math.floor(end * (row / rows));
}

/** Gives the rows of a file, or of a split of one. */
export function readParquet(file: ListedFile | ElementsSplit, reading: FormatReading): void {
  const { params, sink, buffers, opened } = reading;
  const isSplit = file.kind === 'elements';
  const index = isSplit ? file.index : file.list.indexes[file.i]!;
  const path = isSplit ? file.file.path : pathIn(file.list, file.i);
  if (isSplit && sink.opensFile?.(index) === false) return;
  const read = (descriptor: number): void => {
    if (!isSplit) opened?.note(index, descriptor);
    const kept = keptFile(descriptor, buffers);
    const { footer } = kept;
    const wanted = wantedLeaves(footer, params);
    const [first, end] = isSplit ? [file.first, file.first + file.count] : [0, footer.rows];
    if (isSplit && (sizeOf(descriptor) !== file.file.bytes || end > footer.rows)) throw new ParquetError();
    const name = isSplit ? file.file.id : Buffer.from(pathIn(file.list, file.i)).toString();
    const open = { descriptor, footer, params, name };
    const giver = new RecordGiver(params, sink, 'JSON_NO_TEXT', false);
    let groupStart = 0;
    for (const group of footer.file.row_groups) {
      const rows = Number(group.num_rows);
      const from = Math.max(first - groupStart, 0);
      const to = Math.min(end - groupStart, rows);
      // Of a group the first row that cannot be read is the last one.
      let row = from;
      const isRead = orCode(() => {
        for (const { id, texts, fields } of rowsOf(open, wanted, group, { from, to, kept })) {
          giver.give(index, groupStart + row, id, texts, fields);
          row++;
        }
      });
      if (isRead !== null) sink.skip(index, groupStart + Math.min(row, to - 1), isRead, null);
      groupStart += rows;
    }
  };
  const code = orCode(() => withInput(path, read, (problem) => sink.skip(index, -1, problem, null)));
  // The footer was valid when the file was cut into splits.
  if (code !== null) sink.skip(index, isSplit ? file.first : -1, isSplit ? 'CHANGED' : code, null);
}

interface Row {
  /** Null: it has none, or an empty one. */
  readonly id: Uint8Array | null;
  /** Null: all are missing. */
  readonly texts: readonly Uint8Array[] | null;
  readonly fields: FieldValues | null;
}

/** Rows [from, to) of a row group. @throws ParquetError at the first that cannot be read */
function* rowsOf(
  open: OpenFile,
  { texts, id, fields }: Wanted,
  group: RowGroup,
  { from, to, kept }: { readonly from: number; readonly to: number; readonly kept: KeptPages },
): Generator<Row> {
  if (from >= to) return;
  const columns = texts.map((leaf, i) => columnValues(open, leaf, group, from, i === 0 ? kept : null));
  const ids = id === null ? null : columnValues(open, id, group, from, null);
  const others = fields.map((leaf) => leaf && columnValues(open, leaf, group, from, null));
  const values = fields.length === 0 ? null : new FieldValues(fields.length);
  for (let row = from; row < to; row++) {
    const parts: Uint8Array[] = [];
    for (const column of columns) {
      for (const bytes of valuesIn(column.next().value)) {
        if (!(bytes instanceof Uint8Array)) throw new ParquetError();
        parts.push(bytes);
      }
    }
    const value = ids === null ? undefined : firstIn(ids.next().value);
    values?.clear();
    others.forEach((column, i) => {
      // A column that cannot be read has no values from there on.
      const other = column && orNull(() => firstIn(column.next().value));
      if (other != null) setField(values!, i, fields[i]!.element, other);
    });
    yield {
      id: value === undefined ? null : idBytes(id!.element, value),
      texts: parts.length === 0 ? null : parts,
      fields: values,
    };
  }
  if (to === Number(group.num_rows) && columns.some((column) => column.next().done !== true))
    throw new ParquetError();
}

function idBytes(element: SchemaElement, value: unknown): Uint8Array | null {
  const isString = holdsText(element) && value instanceof Uint8Array;
  const bytes = isString ? value : Buffer.from(scalarText(element, value));
  return bytes.length === 0 ? null : bytes;
}

// ---- Splits

/** The cost of a row in addition to its text, in bytes of text. */
const ROW_BYTES = 16;

/**
 * The splits of a large file, as a block of kind `cuts` (split.ts): `ends` are numbers of rows. Each has about `step` bytes of
 * text by the footer: several row groups, one, or a range of rows of one; a row group with lists is not cut. Without cuts the file
 * is read as a whole, which reports its problems.
 */
export function parquetCuts({ file, step }: ArrayFile, params: ReadParams, buffers: ReadBuffers): Block {
  const cuts: Cut[] = [];
  const cut = (descriptor: number): void => {
    const { footer } = keptFile(descriptor, buffers);
    const { texts } = wantedLeaves(footer, params);
    const end = (row: number): void => {
      if (row > (cuts.at(-1)?.[1] ?? 0)) cuts.push([placeOfRow(footer, row), row]);
    };
    let row = 0;
    let weight = 0;
    for (const group of footer.file.row_groups) {
      const rows = Number(group.num_rows);
      const more = textBytes(group, texts) + ROW_BYTES * rows;
      const parts = texts.every(({ isFlat }) => isFlat) ? Math.min(rows, Math.ceil(more / step)) : 1;
      if (parts > 1) {
        end(row);
        weight = 0;
        for (let part = 1; part <= parts; part++) end(row + Math.floor((rows * part) / parts));
      } else weight += more;
      row += rows;
      if (weight >= step) {
        end(row);
        weight = 0;
      }
    }
    end(row);
  };
  const isBroken = orNull(() => withInput(file.path, cut, () => {})) === null;
  return cutsBlock(isBroken ? [] : cuts);
}

/** The bytes of the texts of a row group, decompressed. */
function textBytes(group: RowGroup, texts: readonly Pick<Leaf, 'path'>[]): number {
  const nameOf = (names: readonly string[]): string => names.join('.');
  const names = texts.map(({ path }) => nameOf(path.slice(1).map(({ element }) => element.name)));
  const data = group.columns.flatMap(({ meta_data }) => meta_data ?? []);
  const ofTexts = data.filter(({ path_in_schema }) => names.includes(nameOf(path_in_schema)));
  return ofTexts.reduce((sum, { total_uncompressed_size }) => sum + Number(total_uncompressed_size), 0);
}

// ---- The columns of a file, without its rows

/** The longest stand-in for a text. */
const MOST_STAND_IN = 1 << 16;

/**
 * A stand-in for the first row of a file, for the names of its columns: texts as long as they are on average, 0 for other values. None
 * if the file cannot be read, which its reader reports.
 */
export function firstRow(path: string): readonly JsonRecord[] {
  const footer = footerOf(path);
  if (footer === null) return [];
  const [group] = footer.file.row_groups;
  const rowOf = ({ children }: SchemaTree, above: readonly SchemaTree[]): JsonRecord =>
    Object.fromEntries(children.map((child) => [child.element.name, standIn(child, above)]));
  const standIn = (node: SchemaTree, above: readonly SchemaTree[]): unknown => {
    const path = [...above, node];
    const held = elementOf(node, path);
    if (held.children.length > 0) return rowOf(held, path);
    if (!holdsText(held.element)) return 0;
    const bytes =
      group === undefined ? 0 : textBytes(group, [{ path }]) / Math.max(1, Number(group.num_rows));
    return ' '.repeat(Math.min(MOST_STAND_IN, 1 + bytes));
  };
  return [rowOf(footer.schema, [footer.schema])];
}
