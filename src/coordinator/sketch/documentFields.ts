/** The values of one field by document number. */
import type { Block, Column } from '../../blocks/block.js';
import { type FieldColumns, fieldColumns, MISSING, NUMBER } from '../../blocks/fieldValues.js';

/** Where documents stand: column block and column. */
interface Standing {
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
}

/** The fields of a column block that the run keeps; `fields` as keptFields gives them. */
interface TableWithFields {
  readonly fields?: readonly (FieldColumns | null)[];
}

/**
 * The values of the documents in a field that the run reads (fieldsRead); made anew by every call.
 *
 * @param take called with the bytes before they are allocated
 * @throws Error for any other name: our own defect
 */
export type FieldLookup = (name: string, take?: (bytes: number) => void) => DocumentFields;

/** How many documents have no value in a field; names as of FieldLookup. */
export type MissingLookup = (name: string) => number;

/** A value in a table: kind, number and the end of its text. */
const TABLE_BYTES = 13;
/** Bytes of a value by document number: kind and number. Texts stay in the tables. */
const VALUE_BYTES = 9;

export class DocumentFields {
  /** MISSING, NUMBER or TEXT (src/blocks/fieldValues.ts), by document. */
  readonly kinds: Uint8Array;
  /** The value of a NUMBER, never NaN nor -0; else 0. */
  readonly numbers: Float64Array;
  readonly #corpus: Standing;
  /** By column block; null: none of its documents has a value. */
  readonly #tables: readonly (FieldColumns | null)[];

  /**
   * @param tables by column block
   * @param take called with its bytes before they are allocated
   */
  constructor(corpus: Standing, tables: readonly (FieldColumns | null)[], take: (bytes: number) => void) {
    const { blockOf, columnOf } = corpus;
    const documents = blockOf.length;
    take(VALUE_BYTES * documents);
    this.#corpus = corpus;
    this.#tables = tables;
    this.kinds = new Uint8Array(documents);
    this.numbers = new Float64Array(documents);
    for (let d = 0; d < documents; d++) {
      const table = tables[blockOf[d]!]!;
      const kind = table === null ? MISSING : table.kinds[columnOf[d]!]!;
      this.kinds[d] = kind;
      if (kind === NUMBER) this.numbers[d] = table!.numbers[columnOf[d]!]!;
    }
  }

  /** The bytes of a TEXT, UTF-8 as the record has it; no bytes for any other kind. */
  text(document: number): Uint8Array {
    const { blockOf, columnOf } = this.#corpus;
    const table = this.#tables[blockOf[document]!]!;
    if (table === null) return new Uint8Array(0);
    const { offsets, bytes } = table.texts;
    const column = columnOf[document]!;
    return bytes.subarray(offsets[column]!, offsets[column + 1]!);
  }
}

/** The fields of a column block that the run keeps, by field; `kept` copies a column, or returns it as it is. */
export function keptFields(
  table: Block,
  fields: number,
  kept: <T extends Column>(column: Column | undefined) => T,
): readonly (FieldColumns | null)[] {
  return Array.from({ length: fields }, (_, field) => {
    const columns = fieldColumns(table, field);
    if (columns === null) return null;
    const { kinds, numbers, texts } = columns;
    return {
      kinds: kept<Uint8Array>(kinds),
      numbers: kept<Float64Array>(numbers),
      texts: { offsets: kept<Uint32Array>(texts.offsets), bytes: kept<Uint8Array>(texts.bytes) },
    };
  });
}

export function valueBytes(fields: readonly (FieldColumns | null)[]): number {
  let bytes = 0;
  for (const field of fields)
    if (field !== null) bytes += TABLE_BYTES * field.kinds.length + field.texts.bytes.length;
  return bytes;
}

/** `names`: of the fields, in the order of the tables. */
export function valuesOf(
  corpus: Standing & { readonly tables: readonly TableWithFields[] },
  names: readonly string[],
): FieldLookup {
  return (name, take = () => {}) => new DocumentFields(corpus, tablesOf(corpus.tables, names, name), take);
}

/** Counts without a copy of the values. */
export function missingOf(
  tables: readonly (TableWithFields & { readonly columns: { readonly flags: Uint8Array } })[],
  names: readonly string[],
): MissingLookup {
  return (name) => {
    let missing = 0;
    for (const [block, table] of tablesOf(tables, names, name).entries()) {
      if (table === null) missing += tables[block]!.columns.flags.length;
      else for (const kind of table.kinds) if (kind === MISSING) missing++;
    }
    return missing;
  };
}

function tablesOf(
  tables: readonly TableWithFields[],
  names: readonly string[],
  name: string,
): readonly (FieldColumns | null)[] {
  const field = names.indexOf(name);
  if (field < 0) throw new Error(`field ${name}: not read`);
  return tables.map(({ fields }) => fields![field]!);
}
