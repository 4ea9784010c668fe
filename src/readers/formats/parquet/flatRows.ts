/** The rows of a Parquet file of flat columns as texts: results that are read again. */
import { closeInput, openInput, sizeOf } from '../../bytes/wholeFiles.js';
import { binaryOfBytes } from '../../list/pathIds.js';
import { chunkOf, readFooter } from './footer.js';
import { LeafCursor } from './leafCursor.js';
import { leafOf } from './leaves.js';
import { mostPageOf } from './parquetFile.js';
import { ParquetFault } from './thrift.js';

/** Rows that are given at a time. */
const BATCH = 1024;

/** How many rows a file has, and the names of its columns. @throws ParquetFault */
export function tableFacts(path: Uint8Array): { readonly rows: number; readonly names: readonly string[] } {
  const descriptor = opened(path);
  try {
    const { rows, root } = readFooter(descriptor, sizeIn(descriptor));
    return { rows, names: root.children.map(({ name }) => name) };
  } finally {
    closeInput(descriptor);
  }
}

function opened(path: Uint8Array): number {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') throw new ParquetFault(descriptor);
  return descriptor;
}

function sizeIn(descriptor: number): number {
  const size = sizeOf(descriptor);
  if (typeof size === 'string') throw new ParquetFault(size);
  return size;
}

/**
 * The rows of a file, some at a time: a cell a name, as a binary string; empty where there is nothing, or no such column.
 *
 * @throws ParquetFault where the file, or a column, cannot be read
 */
export function* flatRows(path: Uint8Array, names: readonly string[]): Generator<string[][]> {
  const descriptor = opened(path);
  try {
    const footer = readFooter(descriptor, sizeIn(descriptor));
    const open = { descriptor, mostPage: mostPageOf({ maxDocument: 0 }), kept: null, progress: () => {} };
    const leaves = names.map((name) => leafOf(footer, { name, steps: [name] }));
    for (const group of footer.groups) {
      const cursors = leaves.map((leaf) => {
        if (leaf === null) return null;
        if (leaf === 'group') throw new ParquetFault();
        return new LeafCursor(open, leaf, chunkOf(group, leaf.node.column, footer.end));
      });
      for (let row = 0; row < group.rows; row += BATCH) {
        const rows = Math.min(BATCH, group.rows - row);
        yield Array.from({ length: rows }, () => cursors.map(cellOf));
      }
    }
  } finally {
    closeInput(descriptor);
  }
}

function cellOf(cursor: LeafCursor | null): string {
  return cursor?.next() ? binaryOfBytes(cursor.bytes.subarray(cursor.from, cursor.to)) : '';
}
