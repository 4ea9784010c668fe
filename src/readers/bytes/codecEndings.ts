/** Endings of compressed files: in a file of their own, because workers are counted by names before decompressors are loaded. */
import type { Codec } from '../list/fileList.js';

/** What the names of compressed files end with, in lower case. */
export const CODEC_ENDINGS = {
  gzip: ['.gz'],
  zstd: ['.zst', '.zstd'],
  bzip2: ['.bz2', '.bz'],
  xz: ['.xz'],
} as const satisfies Readonly<Record<Codec, readonly string[]>>;
