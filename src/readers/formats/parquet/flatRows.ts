/** The rows and columns of a Parquet file, from its footer. */
import { closeInput, openInput, sizeOf } from '../../bytes/wholeFiles.js';
import { readFooter } from './footer.js';
import { ParquetFault } from './thrift.js';

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
