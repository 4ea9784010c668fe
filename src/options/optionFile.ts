/** Reads the file of an option: a regular file or a pipe (such as `/dev/stdin`, or `<(...)` in a shell), up to a maximum size. */
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** Maximum size of a list of words or names, in bytes. */
export const LARGEST_LIST = 64_000_000;

const PIECE = 65_536;

export type OptionFile = { readonly text: string } | { readonly problem: string };

/** The texts of pipes by their inodes: options are checked twice, by a command and by the library. */
const PIPES = new Map<number, Buffer | null>();

/** The text of a file, or why it cannot be read, as the end of a sentence that begins with option and file. */
export function readOptionFile(file: string, largest: number): OptionFile {
  const tooLarge = { problem: `it is larger than ${largest / 1e6} MB, the most that this option takes` };
  try {
    // The kind is checked first: opening a device may have an effect, and reading one may never end.
    const stat = statSync(file);
    const isRegular = stat.isFile();
    if (!isRegular && !stat.isFIFO() && !stat.isSocket())
      return { problem: `${kindOf(stat)}, expected a file or a pipe` };
    if (isRegular && stat.size > largest) return tooLarge;
    if (!isRegular && !PIPES.has(stat.ino))
      PIPES.set(
        stat.ino,
        withoutListeners(() => bytesOf(file, largest)),
      );
    const bytes = isRegular ? bytesOf(file, largest) : PIPES.get(stat.ino)!;
    return bytes === null ? tooLarge : { text: bytes.toString('utf8') };
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { problem: isAbsent ? 'there is no such file' : 'the file cannot be read' };
  }
}

/** Reads a pipe, which may block. Listeners of signals could not run meanwhile, so signals end the process. */
function withoutListeners<Read>(read: () => Read): Read {
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).flatMap((name) =>
    process.listeners(name).map((listener) => ({ name, listener })),
  );
  for (const { name, listener } of listeners) process.off(name, listener);
  try {
    return read();
  } finally {
    for (const { name, listener } of listeners) process.on(name, listener);
  }
}

function kindOf(stat: Stats): string {
  return stat.isDirectory() ? 'a directory' : 'a device';
}

/** The bytes of a file; null if there are more than `largest`. Reads rather than trusting the size that the file system reports. */
function bytesOf(file: string, largest: number): Buffer | null {
  const descriptor = openSync(file, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let size = 0; size <= largest; ) {
      const piece = Buffer.allocUnsafe(PIECE);
      const count = readSync(descriptor, piece, 0, PIECE, null);
      if (count === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, count));
      size += count;
    }
    return null;
  } finally {
    closeSync(descriptor);
  }
}
