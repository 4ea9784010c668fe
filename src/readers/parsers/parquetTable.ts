/** Writes Parquet files of flat columns, a row group at a time. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

/** What the values of a column are; all may be null. */
export type ColumnKind = 'string' | 'integer' | 'number' | 'boolean';
export type ColumnValue = string | bigint | number | boolean | null;

const TYPES = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const;

/** Gives every row group to a sink when it is complete, so that memory holds no more than one. */
class SinkWriter extends ByteWriter {
  readonly #sink: (bytes: Uint8Array) => void;

  constructor(sink: (bytes: Uint8Array) => void) {
    super(1 << 20);
    this.#sink = sink;
  }

  flush(): void {
    if (this.index > 0) this.#sink(this.getBytes());
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }
}

/** A table that is written; `sink` must use the bytes before it returns. */
export class ParquetTable {
  readonly #names: readonly string[];
  readonly #writer: ParquetWriter;

  constructor(
    columns: readonly { readonly name: string; readonly kind: ColumnKind }[],
    createdBy: string,
    sink: (bytes: Uint8Array) => void,
  ) {
    this.#names = columns.map(({ name }) => name);
    const schema = columns.map(
      ({ name, kind }) => ({ name, repetition_type: 'OPTIONAL', ...TYPES[kind] }) as const,
    );
    const root = { name: 'root', num_children: columns.length };
    this.#writer = new ParquetWriter({
      writer: new SinkWriter(sink),
      schema: [root, ...schema],
      codec: 'SNAPPY',
      createdBy,
    });
  }

  /** One row group: the values of every column, at least one. */
  write(columns: readonly ColumnValue[][]): void {
    const columnData = columns.map((data, i) => ({ name: this.#names[i]!, data }));
    this.#writer.write({ columnData, rowGroupSize: columns[0]!.length });
  }

  finish(): void {
    this.#writer.finish();
  }
}
