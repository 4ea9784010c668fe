/** Data as the program of a codec packs them. */
import { spawnSync } from 'node:child_process';

export function packedBy(name: 'zstd' | 'bzip2' | 'xz', data: string | Uint8Array): Buffer {
  const { status, stdout } = spawnSync(name, ['-c'], { input: data, maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return stdout;
}
