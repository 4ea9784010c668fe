/** Packs by zstd, with the same bytes in every version of Node: those of a version that is compiled to WebAssembly. */
import { compress, init } from '@bokuweb/zstd-wasm';

let loading: Promise<void> | null = null;

/** The level that is zstd's own, and that of most writers of Parquet. */
const LEVEL = 3;

/** Loads the packer; what it gives packs bytes as one frame. Its memory stays that of the largest bytes. */
export async function zstdPacker(): Promise<(bytes: Uint8Array) => Uint8Array> {
  loading ??= init();
  await loading;
  return (bytes) => compress(bytes, LEVEL);
}
