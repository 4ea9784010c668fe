/**
 * The footer of a Parquet file: its columns as a tree, and the places of the pages of each, by row group.
 *
 *      PAR1 | row group 0: chunk of column 0, chunk of column 1, ... | row group 1 | ... | metadata | length u32 | PAR1
 *
 * Source: parquet-format 2.12, src/main/thrift/parquet.thrift; the numbers of fields and types are those of that file.
 */
import { readInto, sizeOf, withInput } from '../../bytes/wholeFiles.js';
import { CutOff, ParquetFault, structIn, type ThriftStruct } from './thrift.js';

/** How many values a column has by record: one, one or none, any number. */
export type Repetition = 'required' | 'optional' | 'repeated';
const REPETITIONS: readonly Repetition[] = ['required', 'optional', 'repeated'];

/** Physical types by their numbers. */
const TYPES = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
] as const;
export type PhysicalType = (typeof TYPES)[number];

/** The meaning of a type, as far as readers need it; `other` has only its physical type. */
export type Meaning = 'string' | 'unsigned' | 'decimal' | 'uuid' | 'list' | 'map' | 'none' | 'other';

/** A node of the tree of columns. */
export interface SchemaNode {
  readonly name: string;
  readonly repetition: Repetition;
  /** Null of a node with children. */
  readonly type: PhysicalType | null;
  readonly meaning: Meaning;
  /** Of a decimal: digits behind the point. */
  readonly scale: number;
  /** Bytes of every value of a FIXED_LEN_BYTE_ARRAY. */
  readonly width: number;
  readonly children: readonly SchemaNode[];
  /** For a leaf: its number among the chunks of a row group. */
  readonly column: number;
}

/** The place of the pages of a column in the file, and their packing. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  /** Bytes of its unpacked pages, headers included. */
  readonly unpacked: number;
  /** Values, empty ones included. */
  readonly values: number;
  readonly codec: number;
}

export interface RowGroup {
  readonly rows: number;
  /** Number of its first row in the file. */
  readonly first: number;
  readonly columns: readonly ThriftStruct[];
}

export interface Footer {
  readonly root: SchemaNode;
  readonly groups: readonly RowGroup[];
  readonly rows: number;
  /** Where the metadata begin: all pages come before. */
  readonly end: number;
}

const MAGIC = 0x31524150;
/** In the place of the magic number where the footer is encrypted. */
const ENCRYPTED = 0x45524150;
const TAIL = 8;

/** Longer metadata have more row groups or columns than fit into memory. */
const MOST_METADATA = 64 << 20;

/** How many rows a file has, and the names of its columns. @throws ParquetFault */
export function tableFacts(path: Uint8Array): { readonly rows: number; readonly names: readonly string[] } {
  return withInput(
    path,
    (descriptor) => {
      const size = sizeOf(descriptor);
      if (typeof size === 'string') throw new ParquetFault(size);
      const { rows, root } = readFooter(descriptor, size);
      return { rows, names: root.children.map(({ name }) => name) };
    },
    (code) => {
      throw new ParquetFault(code);
    },
  );
}

/** Reads the footer of an open file. @throws ParquetFault PARQUET_FOOTER, PARQUET_ENCRYPTED, TOO_LARGE, UNREADABLE */
export function readFooter(descriptor: number, size: number): Footer {
  try {
    return footerIn(descriptor, size);
  } catch (error) {
    if (!(error instanceof ParquetFault) || error.code !== 'PARQUET_BROKEN') throw error;
    throw new ParquetFault('PARQUET_FOOTER', { cause: error });
  }
}

function footerIn(descriptor: number, size: number): Footer {
  if (size < TAIL + 4) throw new ParquetFault();
  const tail = bytesAt(descriptor, size - TAIL, TAIL);
  const view = new DataView(tail.buffer);
  const magic = view.getUint32(4, true);
  if (magic === ENCRYPTED) throw new ParquetFault('PARQUET_ENCRYPTED');
  const length = view.getUint32(0, true);
  if (magic !== MAGIC || length > size - TAIL - 4) throw new ParquetFault();
  if (length > MOST_METADATA) throw new ParquetFault('TOO_LARGE');
  const end = size - TAIL - length;
  return footerOf(bytesAt(descriptor, end, length), end);
}

function bytesAt(descriptor: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const end = readInto(descriptor, bytes, 0, position);
  if (end < 0) throw new ParquetFault('UNREADABLE');
  if (end < length) throw new CutOff();
  return bytes;
}

function footerOf(metadata: Uint8Array, end: number): Footer {
  const file = structIn(metadata).struct;
  const elements = file.structs(2);
  const tree = new SchemaReader(elements).tree();
  const groups: RowGroup[] = [];
  let first = 0;
  for (const group of file.structs(4)) {
    const columns = group.structs(1);
    const rows = group.count(3);
    if (columns.length !== tree.columns) throw new ParquetFault();
    groups.push({ rows, first, columns });
    first += rows;
  }
  const rows = file.count(3);
  if (rows !== first) throw new ParquetFault();
  return { root: tree.root, groups, rows, end };
}

/** Real schemas are not deeper. */
const MOST_DEPTH = 64;

/** Builds the tree from the elements of the schema, which are listed depth first. */
class SchemaReader {
  private readonly elements: readonly ThriftStruct[];
  private next = 0;
  private columns = 0;

  constructor(elements: readonly ThriftStruct[]) {
    this.elements = elements;
  }

  tree(): { readonly root: SchemaNode; readonly columns: number } {
    const root = this.node(0);
    if (this.next !== this.elements.length) throw new ParquetFault();
    return { root, columns: this.columns };
  }

  private node(depth: number): SchemaNode {
    const element = this.elements[this.next++];
    if (element === undefined || depth > MOST_DEPTH) throw new ParquetFault();
    const count = element.count(5, 0);
    const name = element.text(4);
    const repetition = REPETITIONS[element.number(3, 0)];
    const type = element.has(1) ? TYPES[element.number(1)] : null;
    if (repetition === undefined || type === undefined) throw new ParquetFault();
    const isLeaf = type !== null && count === 0;
    const column = isLeaf ? this.columns++ : -1;
    const children: SchemaNode[] = [];
    for (let i = 0; i < count; i++) children.push(this.node(depth + 1));
    const meaning = meaningOf(element);
    const [scale, width] = [scaleOf(element), element.number(2, 0)];
    return { name, repetition, type: isLeaf ? type : null, meaning, scale, width, children, column };
  }
}

/** Converted types by their numbers, those that have a meaning here. */
const CONVERTED: Readonly<Record<number, Meaning>> = {
  0: 'string',
  1: 'map',
  2: 'map',
  3: 'list',
  4: 'string',
  5: 'decimal',
  11: 'unsigned',
  12: 'unsigned',
  13: 'unsigned',
  14: 'unsigned',
  15: 'none',
  16: 'none',
  17: 'none',
  18: 'none',
  19: 'string',
};

/** Logical types, the same in newer files, by the numbers of their fields. */
const LOGICAL: Readonly<Record<number, Meaning>> = {
  1: 'string',
  2: 'map',
  3: 'list',
  4: 'string',
  5: 'decimal',
  12: 'string',
  14: 'uuid',
};
const INTEGER = 10;
const LAST_LOGICAL = 18;

function meaningOf(element: ThriftStruct): Meaning {
  const logical = element.struct(10);
  const integer = logical?.struct(INTEGER);
  if (integer) return integer.isTrue(2, true) ? 'none' : 'unsigned';
  if (logical !== null) {
    for (let field = 1; field <= LAST_LOGICAL; field++)
      if (logical.has(field)) return LOGICAL[field] ?? 'other';
  }
  return element.has(6) ? (CONVERTED[element.number(6)] ?? 'other') : 'none';
}

const DECIMAL = 5;

function scaleOf(element: ThriftStruct): number {
  const logical = element.struct(10)?.struct(DECIMAL);
  return logical ? logical.number(1, 0) : element.number(7, 0);
}

/** The chunk of a column of a row group. @throws ParquetFault */
export function chunkOf({ columns }: RowGroup, column: number, end: number): Chunk {
  const facts = columns[column]!;
  if (facts.has(8) || facts.has(9)) throw new ParquetFault('PARQUET_ENCRYPTED');
  const data = facts.struct(3);
  // Without an offset, or with a path, the pages are in another file.
  if (data === null || facts.has(1)) throw new ParquetFault('PARQUET_ELSEWHERE');
  const pages = data.count(9);
  const dictionary = data.count(11, 0);
  // Some writers note 0 where there is no dictionary.
  const from = dictionary > 0 ? Math.min(dictionary, pages) : pages;
  const to = from + data.count(7);
  if (from < 4 || to > end) throw new ParquetFault();
  return { from, to, unpacked: data.count(6), values: data.count(5), codec: data.number(4) };
}
