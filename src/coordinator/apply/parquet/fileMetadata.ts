/** The metadata of a rewritten file: the rows that stay, the schema with added columns, and what other programs say about it. */
import { type AddedColumn, schemaElement } from './addedColumns.js';
import { arrowSchemaWith } from './arrowSchema.js';
import {
  BINARY,
  CompactList,
  CompactStruct,
  I32,
  I64,
  LIST,
  type RawBytes,
  STRUCT,
} from './compactThrift.js';

/** Keys of other programs that say the schema once more. */
const ARROW = 'ARROW:schema';
const SPARK = 'org.apache.spark.sql.parquet.row.metadata';

/** Changes the metadata of the file as it was to those of the new one. */
export function finishMetadata(
  metadata: CompactStruct,
  {
    rows,
    groups,
    columns,
  }: {
    readonly rows: number;
    readonly groups: readonly RawBytes[];
    readonly columns: readonly AddedColumn[];
  },
): void {
  metadata.set(3, I64, rows).set(4, LIST, new CompactList(STRUCT, [...groups]));
  if (columns.length === 0) return;
  const elements = metadata.list(2).structs();
  const root = elements[0]!;
  root.set(5, I32, (root.has(5) ? root.number(5) : 0) + columns.length);
  elements.push(...columns.map(schemaElement));
  if (metadata.has(7)) {
    // Of numbers the order of their type.
    const orders = columns.map(() => new CompactStruct().set(1, STRUCT, new CompactStruct()));
    metadata.list(7).values.push(...orders);
  }
  if (metadata.has(5)) extendKeys(metadata.list(5), columns);
}

function extendKeys(pairs: CompactList, columns: readonly AddedColumn[]): void {
  const kept = pairs.structs().filter((pair) => {
    const key = textOf(pair.get(1));
    if (key !== ARROW && key !== SPARK) return true;
    const value = textOf(pair.get(2));
    const extended = key === ARROW ? arrowSchemaWith(value, columns) : sparkSchemaWith(value, columns);
    if (extended === null) return false;
    pair.set(2, BINARY, new TextEncoder().encode(extended));
    return true;
  });
  pairs.values.splice(0, pairs.values.length, ...kept);
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
}

const SPARK_TYPES = { int64: 'long', boolean: 'boolean', double: 'double' } as const;

/** Null: it is none. */
function sparkSchemaWith(text: string, columns: readonly AddedColumn[]): string | null {
  try {
    const schema = JSON.parse(text) as { readonly fields?: unknown };
    if (!Array.isArray(schema.fields)) return null;
    for (const { name, type } of columns) {
      schema.fields.push({ name, type: SPARK_TYPES[type], nullable: true, metadata: {} });
    }
    return JSON.stringify(schema);
  } catch {
    return null;
  }
}
