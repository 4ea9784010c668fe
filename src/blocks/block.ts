/**
 * The block: one buffer that is the same bytes in memory, between threads, on disk and on the wire.
 *
 *      0        4        8        12            16              20           24      ..64n        ..64n
 *      +--------+--------+--------+-------------+---------------+------------+-------+------------+---------
 *      | "MRMB" | format | kind   | header bytes| total bytes   | checksum   | header| column 0   | column 1
 *      |        | u32    | u32    | u32         | u32 * 64      | of all     | (msg- | (64-byte   | ...
 *      |        |        |        |             | (64-byte units)| the rest  | pack) |  aligned)  |
 *      +--------+--------+--------+-------------+---------------+------------+-------+------------+---------
 *
 * All numbers are little-endian. The header is a msgpack map { meta, columns: [[name, type, offset, length],
 * ...] }, where meta holds counts and other small values. Columns are raw typed arrays after the header, so a reader gets a view, not
 * a copy. The checksum is written and checked only for blocks in files (see `sealBlock`, `checkBlock`).
 */
// Imported from these entry points, msgpackr does not load its native addon: loading it takes longer than decoding small headers
// without it. A `require` would load the addon, so the bundle of a worker uses another entry point.
import { Packr } from 'msgpackr/pack';
import { Unpackr } from 'msgpackr/unpack';
import { crc32, hexOf } from '../arrays/checksum.js';
import { newBuffer } from '../arrays/ownPages.js';
import { MinHashError } from '../errors.js';

export type BlockBuffer = ArrayBuffer | SharedArrayBuffer;
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The kinds of blocks with their numbers in the file, which never change. */
export const BLOCK_KINDS = {
  documents: 1,
  partials: 3,
  signatures: 4,
  pairs: 6,
  shingleSets: 7,
  text: 8,
  buckets: 9,
  inputs: 11,
  shingleCounts: 12,
  fingerprints: 13,
  cuts: 14,
  matches: 15,
  index: 16,
  setRows: 21,
  elementSets: 22,
  segment: 24,
} as const;
export type BlockKind = keyof typeof BLOCK_KINDS;

/**
 * Changes with the layout of any kind, so that blocks of an earlier build in `.work` are not reported as damaged.
 */
const BLOCK_FORMAT = 3;
const MAGIC = 0x424d524d; // "MRMB" read as a little-endian u32
const PREFIX = 24;
const ALIGN = 64;

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
export type ColumnType = keyof typeof TYPES;

type ColumnEntry = [name: string, type: ColumnType, offset: number, length: number];
interface Header {
  meta: Record<string, unknown>;
  columns: ColumnEntry[];
}

/** A decoded block: `columns` are views of `buffer`. */
export interface Block {
  readonly kind: BlockKind;
  readonly meta: Record<string, unknown>;
  readonly columns: Readonly<Record<string, Column>>;
  readonly buffer: BlockBuffer;
}

/** Columns by name, of the given types. */
export type ColumnsOf<Types> = {
  readonly [Name in keyof Types]: Types[Name] extends ColumnType
    ? InstanceType<(typeof TYPES)[Types[Name]]>
    : never;
};

/**
 * The columns of a block with their types.
 *
 * @throws Error if a column is missing or of another type, which is a bug
 */
export function typedColumns<const Types extends Readonly<Record<string, ColumnType>>>(
  { columns, kind }: Pick<Block, 'columns' | 'kind'>,
  types: Types,
): ColumnsOf<Types> {
  for (const [name, type] of Object.entries(types)) {
    const column = columns[name];
    if (column === undefined || typeOf(column) !== type)
      throw new Error(`${kind}: no column ${name} of ${type}`);
  }
  return columns as unknown as ColumnsOf<Types>;
}

// Plain maps without shared structures, so that a block can be read without others.
const packr = new Packr({ useRecords: false, variableMapSize: true });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });

function typeOf(column: Column): ColumnType {
  if (column instanceof Uint8Array) return 'u8';
  if (column instanceof Uint16Array) return 'u16';
  if (column instanceof Uint32Array) return 'u32';
  return 'f64';
}

function viewOf(buffer: BlockBuffer, type: ColumnType, offset: number, length: number): Column {
  if (!Object.hasOwn(TYPES, type)) throw new RangeError(`no type ${type}`);
  // The constructors accept shared memory too; their declared overloads do not take the union.
  return new TYPES[type](buffer as ArrayBuffer, offset, length);
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGN) * ALIGN;

/** A block's columns before they have content: type and length by name. */
export type Layout = Readonly<Record<string, readonly [type: ColumnType, length: number]>>;

/**
 * Returns a buffer of at least this many bytes with undefined content.
 */
type BufferSource = (bytes: number) => BlockBuffer;

/**
 * Builds a block. Columns are copied once: into a SharedArrayBuffer if `shared` (several tasks read the block at the same time), into
 * an ArrayBuffer if not (the block is transferred to one reader), or into the buffer of the caller.
 */
export function encodeBlock(
  kind: BlockKind,
  meta: Record<string, unknown>,
  columns: Readonly<Record<string, Column>>,
  shared: boolean | BufferSource = false,
): Block {
  const layout: Record<string, [ColumnType, number]> = {};
  for (const name of Object.keys(columns)) layout[name] = [typeOf(columns[name]!), columns[name]!.length];
  const block = newBlock(kind, meta, layout, shared);
  for (const name of Object.keys(columns)) block.columns[name]!.set(columns[name]! as Uint8Array);
  return block;
}

/**
 * A block whose columns the caller fills, so that data are copied once instead of twice. Columns are zero, or undefined in a buffer
 * of the caller.
 */
export function newBlock(
  kind: BlockKind,
  meta: Record<string, unknown>,
  layout: Layout,
  shared: boolean | BufferSource = false,
): Block {
  // Offsets count from the first column, so they do not depend on the size of the header that holds them.
  const entries: ColumnEntry[] = [];
  let end = 0;
  for (const name of Object.keys(layout)) {
    const [type, length] = layout[name]!;
    entries.push([name, type, end, length]);
    end = aligned(end + length * TYPES[type].BYTES_PER_ELEMENT);
  }
  const header = packr.pack({ meta, columns: entries } satisfies Header);
  const base = aligned(PREFIX + header.byteLength);
  const total = base + end;
  const buffer =
    typeof shared === 'function'
      ? shared(total)
      : newBuffer<BlockBuffer>(shared ? SharedArrayBuffer : ArrayBuffer, total);
  const prefix = new Uint32Array(buffer, 0, 6);
  prefix[0] = MAGIC;
  prefix[1] = BLOCK_FORMAT;
  prefix[2] = BLOCK_KINDS[kind];
  prefix[3] = header.byteLength;
  prefix[4] = total / ALIGN;
  new Uint8Array(buffer, PREFIX, header.byteLength).set(header);
  const columns: Record<string, Column> = {};
  for (const [name, type, offset, length] of entries) {
    columns[name] = viewOf(buffer, type, base + offset, length);
  }
  return { kind, meta, columns, buffer };
}

/**
 * Reads a block without copying its columns.
 *
 * @throws MinHashError BLOCK_FOREIGN (other magic, format or kind), BLOCK_TRUNCATED
 */
export function decodeBlock(buffer: BlockBuffer, expected?: BlockKind, place = 'a block in memory'): Block {
  const kind = checkPrefix(buffer, expected, place);
  const headerBytes = new Uint32Array(buffer, 0, 6)[3]!;
  const base = aligned(PREFIX + headerBytes);
  try {
    // msgpackr decodes to views of its input and rejects shared memory, so it gets a copy of the header.
    const header = unpackr.unpack(Uint8Array.from(new Uint8Array(buffer, PREFIX, headerBytes))) as Header;
    const columns: Record<string, Column> = {};
    for (const [name, type, offset, length] of header.columns) {
      // The constructors would treat an invalid count as 0, or as the rest of the buffer.
      if (!isCount(offset) || !isCount(length)) throw new RangeError(`${name}: no place`);
      // The constructors reject a column that is unaligned or outside the buffer.
      columns[name] = viewOf(buffer, type, base + offset, length);
    }
    if (typeof header.meta !== 'object' || header.meta === null) throw new TypeError('no meta');
    return { kind, meta: header.meta, columns, buffer };
  } catch (cause) {
    // The checksum was valid, so this is the layout of another version, or memory was damaged.
    throw new MinHashError(
      { code: 'BLOCK_FOREIGN', detail: `${place}: its header cannot be read` },
      { cause },
    );
  }
}

/** Checks the first 24 bytes: the kind, and that header and columns fit. */
function checkPrefix(buffer: BlockBuffer, expected: BlockKind | undefined, place: string): BlockKind {
  if (buffer.byteLength < PREFIX) {
    throw new MinHashError({
      code: 'BLOCK_TRUNCATED',
      detail: `${place}: ${buffer.byteLength} bytes, need at least ${PREFIX}`,
    });
  }
  const prefix = new Uint32Array(buffer, 0, 6);
  const kind = (Object.keys(BLOCK_KINDS) as BlockKind[]).find((name) => BLOCK_KINDS[name] === prefix[2]);
  if (prefix[0] !== MAGIC || prefix[1] !== BLOCK_FORMAT || kind === undefined) {
    throw new MinHashError({
      code: 'BLOCK_FOREIGN',
      detail: `${place}: no header of block format ${BLOCK_FORMAT}`,
    });
  }
  if (expected !== undefined && kind !== expected) {
    throw new MinHashError({
      code: 'BLOCK_FOREIGN',
      detail: `${place}: expected ${expected}, found ${kind}`,
    });
  }
  const total = prefix[4]! * ALIGN;
  const headerBytes = prefix[3]!;
  if (buffer.byteLength < total || total < aligned(PREFIX + headerBytes)) {
    throw new MinHashError({
      code: 'BLOCK_TRUNCATED',
      detail: `${place}: need ${total} bytes, have ${buffer.byteLength}`,
    });
  }
  return kind;
}

/**
 * The checksum of everything except its own field: the CRC-32 of both parts, combined. Damage in one part is detected as reliably as
 * by a single CRC.
 */
function checksumOf(buffer: BlockBuffer, crc: Crc): number {
  const rest = new Uint8Array(buffer, PREFIX, bytesOf({ buffer }) - PREFIX);
  return (crc(new Uint8Array(buffer, 0, PREFIX - 4)) ^ crc(rest)) >>> 0;
}

/** A function for CRC-32: checksum.ts, or that of the platform, which is faster. */
type Crc = (bytes: Uint8Array) => number;

/** Bytes of a block, the first ones of its buffer. */
export function bytesOf({ buffer }: Pick<Block, 'buffer'>): number {
  return new Uint32Array(buffer, 0, 6)[4]! * ALIGN;
}

/** Writes the checksum into a block that is about to leave memory. */
export function sealBlock(block: Block, crc: Crc = crc32): void {
  new Uint32Array(block.buffer, 0, 6)[5] = checksumOf(block.buffer, crc);
}

/**
 * Decodes a block that was read from a file, of the expected kind or (undefined) of any kind. The checksum is verified before the
 * header is decoded, because a damaged header may have any content.
 *
 * @throws MinHashError BLOCK_CHECKSUM, and those of decodeBlock
 */
export function checkBlock(
  buffer: BlockBuffer,
  expected: BlockKind | undefined,
  place: string,
  crc: Crc = crc32,
): Block {
  checkPrefix(buffer, expected, place);
  const actual = checksumOf(buffer, crc);
  const wanted = new Uint32Array(buffer, 0, 6)[5]!;
  if (actual !== wanted) {
    throw new MinHashError({
      code: 'BLOCK_CHECKSUM',
      detail: `${place}: expected ${hexOf(wanted)}, found ${hexOf(actual)}`,
    });
  }
  return decodeBlock(buffer, expected, place);
}

/** Whether a value is a whole number of at least 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * Checks a condition on a block that was read from a file. The checksum is not enough, because somebody who changes a block can compute a
 * new checksum.
 *
 * @throws MinHashError BLOCK_FOREIGN naming the condition, if it does not hold
 */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new MinHashError({ code: 'BLOCK_FOREIGN', detail: what });
}

/**
 * Columns of a block that was read from a file, after a check of their types and lengths. Types as in `typedColumns`.
 *
 * @throws MinHashError BLOCK_FOREIGN
 */
export function heldColumns<const Types extends Readonly<Record<string, ColumnType>>>(
  { columns }: Pick<Block, 'columns'>,
  types: Types,
  lengths: Readonly<Record<string, number>> = {},
): ColumnsOf<Types> {
  for (const [name, type] of Object.entries(types)) {
    const column = columns[name];
    must(column !== undefined && typeOf(column) === type, `a column ${name} of ${type}`);
    const { [name]: length = column.length } = lengths;
    must(column.length === length, `${length} values in ${name}, not ${column.length}`);
  }
  return columns as unknown as ColumnsOf<Types>;
}

/** Checks that `offsets` begin with 0, never decrease, and end with `end`. @throws MinHashError BLOCK_FOREIGN */
export function mustDivide(offsets: Uint32Array, end: number, name: string): void {
  must(offsets.length > 0 && offsets[0] === 0, `${name} that begin with 0`);
  for (let i = 1; i < offsets.length; i++) must(offsets[i]! >= offsets[i - 1]!, `${name} that go up`);
  must(offsets[offsets.length - 1] === end, `${name} that end with ${end}`);
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Maximum length of a header. */
const LONGEST_HEADER = 1 << 20;

/**
 * Where columns begin in a file with one block, in bytes, for reading parts of columns. `read` fills an array from a position of the
 * file.
 *
 * @throws MinHashError BLOCK_FOREIGN
 */
export function columnPlaces<const Types extends Readonly<Record<string, ColumnType>>>(
  read: (bytes: Uint8Array, from: number) => void,
  types: Types,
  place: string,
): { readonly [Name in keyof Types]: number } {
  const prefix = new Uint32Array(PREFIX / 4);
  read(new Uint8Array(prefix.buffer), 0);
  const headerBytes = prefix[3]!;
  try {
    must(
      prefix[0] === MAGIC && prefix[1] === BLOCK_FORMAT && headerBytes <= LONGEST_HEADER,
      `${place}: a block`,
    );
    const header = new Uint8Array(headerBytes);
    read(header, PREFIX);
    const { columns } = unpackr.unpack(header) as Header;
    const places = Object.entries(types).map(([name, type]) => {
      const [, , offset] = columns.find(([other, its]) => other === name && its === type) ?? [];
      must(isCount(offset), `${place}: a column ${name} of ${type}`);
      return [name, aligned(PREFIX + headerBytes) + offset];
    });
    return Object.fromEntries(places) as { [Name in keyof Types]: number };
  } catch (cause) {
    if (cause instanceof MinHashError) throw cause;
    throw new MinHashError(
      { code: 'BLOCK_FOREIGN', detail: `${place}: its header cannot be read` },
      { cause },
    );
  }
}
