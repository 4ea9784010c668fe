/** The columns of a Parquet file, read before its rows: which there are, and whether one is the text field. */
import type { ReadParams } from '../../documentSink.js';
import { type FirstRecords, fieldNamed, NOTHING, textFieldsOf } from '../fields.js';
import { chunkOf, type Footer, readFooter, type SchemaNode } from './footer.js';
import { holdsText, leafOf, namedLeaves } from './leaves.js';
import { faultOf } from './parquetFile.js';

/**
 * Reads the footer of an open file; `nothing` where it cannot be read, which the reader of the file reports. The longest column of
 * strings is the largest, and `held` the type of the text field.
 */
export function firstColumnsOf(descriptor: number, size: number, params: ReadParams): FirstRecords {
  let footer: Footer;
  try {
    footer = readFooter(descriptor, size);
  } catch (error) {
    faultOf(error);
    return NOTHING;
  }
  const wish = textFieldsOf(params.textField);
  const found = wish.map((field) => leafOf(footer, field)).filter((leaf) => leaf !== null);
  const lacked = wish.filter((field) => leafOf(footer, field) === null).map(({ name }) => name);
  const isLacked = (name: string): boolean => leafOf(footer, fieldNamed(name)) === null;
  const lackedFields = (params.fields ?? []).filter(isLacked);
  const other = found.find((leaf) => leaf === 'group' || !holdsText(leaf.node));
  const held = other === undefined ? null : other === 'group' ? 'columns of its own' : typeText(other.node);
  const columns = namedLeaves(footer);
  const fields = columns.map(({ name }) => name);
  const texts = columns.filter(({ node }) => holdsText(node));
  const seen = found.length > 0 && held === null ? 'has' : 'lacks';
  return { seen, fields, lacked, lackedFields, longest: largestOf(footer, texts), held };
}

function typeText({ type, meaning }: SchemaNode): string {
  return meaning === 'none' || meaning === 'other' ? `${type}` : `${type} (${meaning})`;
}

function largestOf(
  footer: Footer,
  texts: readonly { readonly name: string; readonly node: SchemaNode }[],
): string | null {
  const [group] = footer.groups;
  if (group === undefined) return null;
  let longest: string | null = null;
  let most = 0;
  for (const { name, node } of texts) {
    try {
      const { unpacked } = chunkOf(group, node.column, footer.end);
      if (unpacked > most) [longest, most] = [name, unpacked];
    } catch (error) {
      faultOf(error);
    }
  }
  return longest;
}
