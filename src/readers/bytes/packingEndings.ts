/** Endings of packed files: in a file of their own, because workers are counted by names before unpackers are loaded. */
import type { Packing } from '../list/fileList.js';

/** What the names of packed files end with, in lower case. */
export const PACKING_ENDINGS = {
  gzip: ['.gz'],
  zstd: ['.zst', '.zstd'],
  bzip2: ['.bz2', '.bz'],
  xz: ['.xz'],
} as const satisfies Readonly<Record<Packing, readonly string[]>>;
