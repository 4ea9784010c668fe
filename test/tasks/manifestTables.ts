/** Tables of manifests from lists with an entry a file. */
import { fileKindOf } from '../../src/readers/list/formats.js';
import { bytesOf } from '../../src/readers/list/pathIds.js';
import { type StreamedFile, StreamedFiles } from '../../src/tasks/stream/fileColumns.js';
import type { FileSplits } from '../../src/tasks/stream/taskManifest.js';

interface ListedFile extends Omit<StreamedFile, 'form'> {
  /** Default: that of its name. */
  readonly kind?: number;
}

const AS_NAMED = { input: 'auto', textFieldGiven: false } as const;

export function filesOf(files: readonly ListedFile[]): StreamedFiles {
  const ends = [0];
  for (const { id } of files) ends.push(ends.at(-1)! + id.length);
  return new StreamedFiles({
    ids: { offsets: Uint32Array.from(ends), bytes: bytesOf(files.map(({ id }) => id).join('')) },
    uris: files.map(({ uri }) => uri),
    roots: [],
    bytes: Float64Array.from(files, ({ bytes }) => bytes),
    kinds: Uint16Array.from(files, ({ id, kind }) => kind ?? fileKindOf(id, AS_NAMED)),
    order: null,
  });
}

/** By file: its splits, each with the number of its first line. */
export function splitsOf(
  files: readonly (readonly (readonly [start: number, firstLine: number])[])[],
): FileSplits {
  const all = files.flat();
  const ends: number[] = [];
  for (const { length } of files) ends.push((ends.at(-1) ?? 0) + length);
  return {
    begins: ends.map((end, file) => end - files[file]!.length),
    ends,
    starts: all.map(([start]) => start),
    firstLines: all.map(([, line]) => line),
  };
}
