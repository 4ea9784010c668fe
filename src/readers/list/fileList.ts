/**
 * An input file as an object, and the files of one task as columns, in a block of kind `text`: no string and no object per file.
 *
 *      indexes    u32   in Inputs.files, ascending
 *      kinds      u16   format and flags (formats.ts)
 *      sizes      f64   bytes when listed, UNKNOWN where it was not looked up
 *      pathEnds   u32   path i ends here, and path i+1 begins
 *      paths      u8
 */

import { type Block, encodeBlock, typedColumns } from '../../blocks/block.js';
import type { InputFormat } from '../../sketch/formatNames.js';

/** Size or time of a file that was not looked up. */
export const UNKNOWN = -1;

/** One input file. JSON-safe; paths and ids are binary strings. */
export interface InputFile {
  /** Absolute path to open; `-` for standard input. */
  readonly path: string;
  /** Id of the file: of the document where the file is one, else the part of ids before `#`. */
  readonly id: string;
  /** Size when listed; 0 for standard input, UNKNOWN where it was not looked up. */
  readonly bytes: number;
  readonly format: InputFormat;
  /** Null: it is not compressed. */
  readonly codec: Codec | null;
  /** Its first bytes show UTF-16, which has precedence over --encoding. */
  readonly utf16: boolean;
  readonly stdin: boolean;
}

/** The codecs of files; CODECS (bytes/codecs.ts) has a row for each. */
export type Codec = 'gzip' | 'zstd' | 'bzip2' | 'xz';

/** What the names of compressed files end with, in lower case. Here, because workers are counted before decompressors are loaded. */
export const CODEC_ENDINGS: Readonly<Record<Codec, readonly [string, ...string[]]>> = {
  gzip: ['.gz', '.gzip'],
  zstd: ['.zst', '.zstd'],
  bzip2: ['.bz2', '.bz'],
  xz: ['.xz'],
};

/**
 * Format, codec and flags of a file in 16 bits, as columns of files hold them: the row of the format in FORMATS
 * (formats.ts); from CODEC_SHIFT on the row of the codec in CODECS, from 1, or 0; STDIN and UTF16.
 */
export type FileKind = number;
export const PLAIN_TEXT: FileKind = 0;
export const FORMAT_BITS = 15;
export const CODEC_BITS = 0x70;
export const CODEC_SHIFT = 4;
export const STDIN = 0x80;
export const UTF16 = 0x100;

export interface FileList {
  readonly indexes: Uint32Array;
  readonly kinds: Uint16Array;
  readonly sizes: Float64Array;
  readonly pathEnds: Uint32Array;
  readonly paths: Uint8Array;
}

/** Shared: the worker reads it where it is. */
export function fileListBlock(list: FileList): Block {
  return encodeBlock('text', {}, { ...list }, true);
}

/** The files of a block made by fileListBlock. */
export function fileListIn(block: Block): FileList {
  return typedColumns(block, { indexes: 'u32', kinds: 'u16', sizes: 'f64', pathEnds: 'u32', paths: 'u8' });
}

export function pathIn(list: FileList, i: number): Uint8Array {
  return list.paths.subarray(i === 0 ? 0 : list.pathEnds[i - 1]!, list.pathEnds[i]!);
}
