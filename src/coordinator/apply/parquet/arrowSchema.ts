/**
 * The schema of Arrow that writers put into the metadata of Parquet files, with fields added.
 *
 * It is a message of FlatBuffers in base64, in which places are told forwards: a new head goes before the old message, which
 * stays as it is, and its table of fields points into it.
 *
 *      marker u32, length u32 | root | Message | Schema | fields | new fields | the old message ...
 *
 * Source: Arrow, format/Schema.fbs and Message.fbs; FlatBuffers, "Internals".
 */
import type { AddedColumn } from './addedColumns.js';

const MARKER = 0xffffffff;

/** Of the union of headers of a message. */
const SCHEMA = 1;

/** Of the union of types of a field: Int, FloatingPoint, Bool. */
const TYPES = { int64: 2, double: 3, boolean: 6 } as const;

/** Null: it is none, or is not as it should be. */
export function arrowSchemaWith(text: string, columns: readonly AddedColumn[]): string | null {
  try {
    const bytes = Buffer.from(text, 'base64');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    // Older writers have no marker.
    const start = view.getUint32(0, true) === MARKER ? 8 : 4;
    const length = view.getUint32(start - 4, true);
    if (length > bytes.length - start) return null;
    const old = new OldMessage(bytes.subarray(start, start + length));
    const made = new Head(old, columns).bytes();
    const message = Buffer.alloc(8 + made.length);
    message.writeUint32LE(MARKER, 0);
    message.writeUint32LE(made.length, 4);
    message.set(made, 8);
    return message.toString('base64');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The parts of a message that a new head needs; places are bytes of it. */
class OldMessage {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  readonly version: number;
  readonly endianness: number;
  /** Where they are; 0: nowhere. */
  readonly messageKeys: number;
  readonly schemaKeys: number;
  readonly features: number;
  readonly fields: readonly number[];

  /** @throws RangeError where a place is outside, or the message holds no schema */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const message = this.view.getUint32(0, true);
    const version = this.slot(message, 0);
    this.version = version === 0 ? 0 : this.view.getUint16(version, true);
    const kind = this.slot(message, 1);
    const schema = this.target(message, 2);
    const fields = this.target(schema, 1);
    if (kind === 0 || this.view.getUint8(kind) !== SCHEMA || schema === 0 || fields === 0)
      throw new RangeError();
    this.messageKeys = this.target(message, 4);
    const endianness = this.slot(schema, 0);
    this.endianness = endianness === 0 ? 0 : this.view.getUint16(endianness, true);
    this.schemaKeys = this.target(schema, 2);
    this.features = this.target(schema, 3);
    const count = this.view.getUint32(fields, true);
    if (4 * count > bytes.length) throw new RangeError();
    this.fields = Array.from({ length: count }, (_, i) => this.follow(fields + 4 + 4 * i));
  }

  /** Where field number `i` of a table is; 0: it has none. */
  private slot(table: number, i: number): number {
    const names = table - this.view.getInt32(table, true);
    if (4 + 2 * i >= this.view.getUint16(names, true)) return 0;
    const offset = this.view.getUint16(names + 4 + 2 * i, true);
    return offset === 0 ? 0 : table + offset;
  }

  private target(table: number, i: number): number {
    const slot = this.slot(table, i);
    return slot === 0 ? 0 : this.follow(slot);
  }

  private follow(at: number): number {
    const target = at + this.view.getUint32(at, true);
    if (target >= this.bytes.length) throw new RangeError();
    return target;
  }
}

/** The size of a field of a table, and what stands in it: a number, or a place in the head or in the old message. */
type Slot =
  | { readonly size: 1 | 2 | 4 | 8; readonly value: number }
  | { readonly made: () => number }
  | { readonly old: number };

/** Writes the new head. Tables go before what they point to. */
class Head {
  private readonly old: OldMessage;
  private readonly columns: readonly AddedColumn[];
  private readonly view: DataView;
  private length = 0;
  /** Places that point into the old message, and where to. */
  private readonly intoOld: (readonly [at: number, target: number])[] = [];

  constructor(old: OldMessage, columns: readonly AddedColumn[]) {
    this.old = old;
    this.columns = columns;
    const names = columns.reduce((sum, { name }) => sum + 4 * name.length, 0);
    this.view = new DataView(new ArrayBuffer(256 + names + 256 * columns.length + 4 * old.fields.length));
  }

  bytes(): Uint8Array {
    const { old } = this;
    this.take(4);
    this.pointTo(0, () => this.message());
    while (this.length % 8 !== 0) this.take(1);
    for (const [at, target] of this.intoOld) this.view.setUint32(at, this.length + target - at, true);
    const all = new Uint8Array(this.length + old.bytes.length);
    all.set(new Uint8Array(this.view.buffer, 0, this.length));
    all.set(old.bytes, this.length);
    return all;
  }

  private message(): number {
    const { version, messageKeys } = this.old;
    return this.table([
      { size: 2, value: version },
      { size: 1, value: SCHEMA },
      { made: () => this.schema() },
      { size: 8, value: 0 },
      { old: messageKeys },
    ]);
  }

  private schema(): number {
    const { endianness, schemaKeys, features } = this.old;
    return this.table([
      { size: 2, value: endianness },
      { made: () => this.fields() },
      { old: schemaKeys },
      { old: features },
    ]);
  }

  private fields(): number {
    const { old, columns } = this;
    const at = this.take(4 + 4 * (old.fields.length + columns.length));
    this.view.setUint32(at, old.fields.length + columns.length, true);
    old.fields.forEach((field, i) => {
      this.intoOld.push([at + 4 + 4 * i, field]);
    });
    columns.forEach((column, i) => {
      this.pointTo(at + 4 + 4 * (old.fields.length + i), () => this.field(column));
    });
    return at;
  }

  private field({ name, type }: AddedColumn): number {
    return this.table([
      { made: () => this.string(name) },
      { size: 1, value: 1 },
      { size: 1, value: TYPES[type] },
      { made: () => this.table(TYPE_SLOTS[type]) },
      { old: 0 },
      { made: () => this.take(4) },
    ]);
  }

  private string(text: string): number {
    const bytes = new TextEncoder().encode(text);
    const at = this.take(4 + bytes.length + 1);
    this.view.setUint32(at, bytes.length, true);
    new Uint8Array(this.view.buffer).set(bytes, at + 4);
    return at;
  }

  /** The offsets of the fields, then the fields: a table is where its fields begin. */
  private table(slots: readonly Slot[]): number {
    const names = this.take(4 + 2 * slots.length);
    // The widest field is of eight bytes.
    while (this.length % 8 !== 4) this.take(1);
    const at = this.take(4 + 8 * slots.length);
    this.view.setInt32(at, at - names, true);
    this.view.setUint16(names, 4 + 2 * slots.length, true);
    this.view.setUint16(names + 2, 4 + 8 * slots.length, true);
    slots.forEach((slot, i) => {
      const place = at + 4 + 8 * i;
      if ('old' in slot && slot.old === 0) return;
      this.view.setUint16(names + 4 + 2 * i, place - at, true);
      if ('old' in slot) this.intoOld.push([place, slot.old]);
      else if ('made' in slot) this.pointTo(place, slot.made);
      else this.put(place, slot.size, slot.value);
    });
    return at;
  }

  private put(at: number, size: 1 | 2 | 4 | 8, value: number): void {
    if (size === 1) this.view.setUint8(at, value);
    else if (size === 2) this.view.setUint16(at, value, true);
    else this.view.setUint32(at, value, true);
  }

  private pointTo(at: number, make: () => number): void {
    const target = make();
    this.view.setUint32(at, target - at, true);
  }

  /** Zeros, from a multiple of four on. */
  private take(size: number): number {
    while (size > 1 && this.length % 4 !== 0) this.length++;
    this.length += size;
    return this.length - size;
  }
}

/** What a type says: the bits of an integer and that it has a sign, the precision of a double, nothing. */
const TYPE_SLOTS = {
  int64: [
    { size: 4, value: 64 },
    { size: 1, value: 1 },
  ],
  double: [{ size: 2, value: 2 }],
  boolean: [],
} as const satisfies Record<AddedColumn['type'], readonly Slot[]>;
