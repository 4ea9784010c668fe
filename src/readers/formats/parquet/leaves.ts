/** Finds the column of a field: by name, by dotted path into structs, through lists. */
import type { FieldPath } from '../fields.js';
import type { Footer, SchemaNode } from './footer.js';
import { ParquetFault } from './thrift.js';

/** A column of values, with the meaning of its levels (parquet-format, "Nested Encoding"). */
export interface Leaf {
  readonly node: SchemaNode;
  /** Definition level of an existing value; 0: there is always one. */
  readonly defined: number;
  /** Greatest repetition level; 0: one value a row. */
  readonly repeated: number;
}

/** The path of nodes below the root for the steps of a field; null: there is none. */
function pathTo(root: SchemaNode, steps: readonly string[]): readonly SchemaNode[] | null {
  const path: SchemaNode[] = [];
  let at = root;
  for (const step of steps) {
    at = elementOf(at, path);
    const child = at.children.find(({ name }) => name === step);
    if (child === undefined) return null;
    path.push(child);
    at = child;
  }
  elementOf(at, path);
  return path;
}

/** Goes through lists to their elements: `list.element` and its older forms (LogicalTypes.md, "Lists"). */
function elementOf(node: SchemaNode, path: SchemaNode[]): SchemaNode {
  let at = node;
  while (at.meaning === 'list' && at.children.length === 1) {
    const repeated = at.children[0]!;
    path.push(repeated);
    at = repeated;
    const isElement =
      repeated.children.length !== 1 || repeated.name === 'array' || repeated.name.endsWith('_tuple');
    if (isElement) break;
    at = repeated.children[0]!;
    path.push(at);
  }
  return at;
}

/** The column of a field: one with this full name goes before a path. Null: the file has neither. */
export function leafOf({ root }: Footer, { name, steps }: FieldPath): Leaf | 'group' | null {
  const path = pathTo(root, [name]) ?? pathTo(root, steps);
  if (path === null) return null;
  const node = path.at(-1)!;
  if (node.type === null) return 'group';
  const defined = path.filter(({ repetition }) => repetition !== 'required').length;
  const repeated = path.filter(({ repetition }) => repetition === 'repeated').length;
  return { node, defined, repeated };
}

/** Whether a column holds strings: bytes without a meaning are read as such, because older writers have no other. */
export function holdsText({ type, meaning }: SchemaNode): boolean {
  return type === 'BYTE_ARRAY' && (meaning === 'string' || meaning === 'none');
}

/** Whether its values can be ids: strings, numbers, booleans and UUIDs. */
function holdsIds(node: SchemaNode): boolean {
  const { type, meaning } = node;
  if (type === 'FIXED_LEN_BYTE_ARRAY') return meaning === 'uuid';
  if (type === 'BYTE_ARRAY') return holdsText(node);
  return type !== null && type !== 'INT96' && meaning !== 'decimal';
}

/** The columns that a reading needs. */
export interface WantedLeaves {
  readonly texts: readonly Leaf[];
  /** Null: there is no id, or none is read. */
  readonly id: Leaf | null;
}

/** @throws ParquetFault PARQUET_NO_COLUMN, PARQUET_NOT_TEXT, PARQUET_NOT_ID */
export function wantedLeaves(
  footer: Footer,
  texts: readonly FieldPath[],
  id: FieldPath | null,
): WantedLeaves {
  const found = texts.map((field) => leafOf(footer, field)).filter((leaf) => leaf !== null);
  if (found.length === 0) throw new ParquetFault('PARQUET_NO_COLUMN');
  const leaves = found.filter((leaf) => leaf !== 'group');
  if (leaves.length < found.length || !leaves.every(({ node }) => holdsText(node)))
    throw new ParquetFault('PARQUET_NOT_TEXT');
  const named = id === null ? null : leafOf(footer, id);
  if (named === 'group' || (named !== null && (named.repeated > 0 || !holdsIds(named.node))))
    throw new ParquetFault('PARQUET_NOT_ID');
  return { texts: leaves, id: named };
}

/** The columns of a file as a user names them, lists by their elements. */
export function namedLeaves({ root }: Footer): { readonly name: string; readonly node: SchemaNode }[] {
  const found: { readonly name: string; readonly node: SchemaNode }[] = [];
  const walk = (node: SchemaNode, names: readonly string[]): void => {
    const held = elementOf(node, []);
    if (held.type !== null) found.push({ name: names.join('.'), node: held });
    else for (const child of held.children) walk(child, [...names, child.name]);
  };
  for (const child of root.children) walk(child, [child.name]);
  return found;
}
