/** Writes Arrow files (IPC, the file form) of flat columns, a record batch at a time. */
import {
  bool,
  columnFromArray,
  type DataType,
  Endianness,
  field,
  float64,
  int64,
  utf8,
  Version,
} from '@uwdata/flechette';
import { EOS, MAGIC, MessageHeader } from '@uwdata/flechette/src/constants.js';
import { Builder } from '@uwdata/flechette/src/encode/builder.js';
import { writeFooter } from '@uwdata/flechette/src/encode/footer.js';
import { writeMessage } from '@uwdata/flechette/src/encode/message.js';
import { encodeRecordBatch } from '@uwdata/flechette/src/encode/record-batch.js';
import { encodeSchema } from '@uwdata/flechette/src/encode/schema.js';
import type { ColumnKind, ColumnValue } from './parquetTable.js';

const TYPES: Readonly<Record<ColumnKind, () => DataType>> = {
  string: utf8,
  integer: int64,
  number: float64,
  boolean: bool,
};

/** A table that is written; `sink` must use the bytes before it returns. */
export class ArrowTable {
  readonly #schema: ArrowSchema;
  readonly #builder: Builder;
  /** Where the batches are, for the footer. */
  readonly #blocks: object[] = [];

  constructor(
    columns: readonly { readonly name: string; readonly kind: ColumnKind }[],
    sink: (bytes: Uint8Array) => void,
  ) {
    const fields = columns.map(({ name, kind }) => field(name, TYPES[kind]()));
    this.#schema = { version: Version.V5, endianness: Endianness.Little, fields, metadata: null };
    this.#builder = new Builder({ write: sink, pad: (count) => sink(new Uint8Array(count)) });
    this.#builder.addBuffer(MAGIC);
    writeMessage(this.#builder, MessageHeader.Schema, encodeSchema(this.#builder, this.#schema), 0);
  }

  /** One record batch: the values of every column, at least one. */
  write(columns: readonly ColumnValue[][]): void {
    const nodes: { length: number; nullCount: number }[] = [];
    const regions: { offset: number; length: number }[] = [];
    const buffers: Uint8Array[] = [];
    let offset = 0;
    const add = ({ buffer, byteOffset, byteLength }: ArrayBufferView): void => {
      regions.push({ offset, length: byteLength });
      buffers.push(new Uint8Array(buffer, byteOffset, byteLength));
      // Buffers begin at multiples of 8.
      offset += Math.ceil(byteLength / 8) * 8;
    };
    columns.forEach((values, i) => {
      const { type } = this.#schema.fields[i]!;
      const batch = columnFromArray(values, type).data[0]!;
      nodes.push({ length: batch.length, nullCount: batch.nullCount });
      add(batch.validity);
      if ('offsets' in type) add(batch.offsets);
      add(batch.values as ArrayBufferView);
    });
    const batch = encodeRecordBatch(this.#builder, { nodes, regions, variadic: [] });
    writeMessage(this.#builder, MessageHeader.RecordBatch, batch, offset, this.#blocks);
    for (const buffer of buffers) this.#builder.addBuffer(buffer);
  }

  finish(): void {
    this.#builder.addBuffer(EOS);
    writeFooter(this.#builder, this.#schema, [], this.#blocks, null);
  }
}
