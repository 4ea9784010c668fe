/** The values of fields of the rows of a Parquet file, for rules: numbers, dates in their unit, texts. */
import { FieldValues } from '../../../blocks/fieldValues.js';
import { fieldNamed } from '../fields.js';
import { chunkOf, type Footer, type RowGroup, type SchemaNode } from './footer.js';
import { LeafCursor } from './leafCursor.js';
import { holdsText, type Leaf, leafOf } from './leaves.js';
import type { OpenPages } from './pageWindow.js';
import { ParquetFault } from './thrift.js';

/** The column of a field; null where the file has none with one number or text a row. */
export function fieldLeaf(footer: Footer, name: string): Leaf | null {
  const leaf = leafOf(footer, fieldNamed(name));
  if (leaf === null || leaf === 'group' || leaf.repeated > 0) return null;
  return isNumber(leaf.node) || isText(leaf.node) ? leaf : null;
}

function isText(node: SchemaNode): boolean {
  return holdsText(node) || (node.type === 'FIXED_LEN_BYTE_ARRAY' && node.meaning === 'uuid');
}

function isNumber({ type, meaning }: SchemaNode): boolean {
  if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') return meaning === 'decimal';
  return type !== null;
}

/** The fields of the rows of one row group. A column that cannot be read has no values from there on. */
export class FieldCursors {
  readonly #values: FieldValues;
  readonly #cursors: (LeafCursor | null)[];
  readonly #leaves: readonly (Leaf | null)[];

  /** The cursors stand before row `from` of the group. */
  constructor(
    leaves: readonly (Leaf | null)[],
    open: OpenPages,
    { group, end, from }: { readonly group: RowGroup; readonly end: number; readonly from: number },
  ) {
    this.#leaves = leaves;
    this.#values = new FieldValues(leaves.length);
    this.#cursors = leaves.map((leaf) => {
      if (leaf === null) return null;
      return whereSound(() => {
        // The page that is kept for the next split is one of the text column.
        const cursor = new LeafCursor({ ...open, kept: null }, leaf, chunkOf(group, leaf.node.column, end));
        cursor.skip(from);
        return cursor;
      });
    });
  }

  /** The values of the next row; valid until the next call. */
  next(): FieldValues {
    this.#values.clear();
    for (let i = 0; i < this.#cursors.length; i++) {
      const cursor = this.#cursors[i]!;
      if (cursor === null) continue;
      const isThere = whereSound(() => cursor.next());
      if (isThere === null) this.#cursors[i] = null;
      else if (isThere) this.#set(i, this.#leaves[i]!.node, cursor);
    }
    return this.#values;
  }

  #set(field: number, node: SchemaNode, { bytes, from, to }: LeafCursor): void {
    if (isText(node)) this.#values.setText(field, bytes, from, to);
    else this.#values.setNumber(field, numberOf(node, bytes, from, to));
  }
}

/** Null where the file is not sound there. */
function whereSound<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ParquetFault) return null;
    throw error;
  }
}

/** The number of a value: from the text of a scalar (pageValues.ts), from the bytes of a long decimal. */
function numberOf({ type, meaning, scale }: SchemaNode, bytes: Uint8Array, from: number, to: number): number {
  const value = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
  if (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY') return scaled(wholeIn(value), scale);
  const text = value.toString('latin1');
  if (type === 'BOOLEAN') return text === 'true' ? 1 : 0;
  return meaning === 'decimal' ? scaled(text, scale) : Number(text);
}

/** A whole number that has `scale` digits behind the point. */
function scaled(whole: string, scale: number): number {
  return Number(`${whole}e${-scale}`);
}

/** A whole number from its bytes in two's complement, the most significant first. */
function wholeIn(bytes: Buffer): string {
  if (bytes.length === 0) return '0';
  return String(BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`)));
}
