/**
 * From the list of inputs to sources: what one Map task, or the coordinator, reads into one column block or
 * more.
 *
 * Floor 2; must never know shards, threads or memory: boundaries follow from the inputs and the result
 * parameters alone, so finished blocks stay valid when those change.
 */
import { isUtf8 } from './encodings.js';
import type { InputFile, Inputs } from './inputs.js';
import { PIECE_BYTES } from './readerSink.js';

/** An input file with its index in Inputs.files. */
export type IndexedFile = InputFile & { readonly index: number };

/** Whole files, read by a task. */
export interface FilesSource {
  readonly kind: 'files';
  readonly files: readonly IndexedFile[];
}

/**
 * The lines that start in bytes `from` (inclusive) to `to` (exclusive) of a plain UTF-8 file, read by a task.
 */
export interface RangeSource {
  readonly kind: 'range';
  readonly file: InputFile;
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** Lines that can only be read from their beginning: the coordinator cuts them into chunks (streamChunks). */
export interface StreamSource {
  readonly kind: 'stream';
  readonly file: InputFile;
  readonly index: number;
}

export type SourcePlan = FilesSource | RangeSource | StreamSource;

/** Files of one source at most: many empty ones must not make a source without end. */
export const FILES_A_SOURCE = 1024;

/**
 * The sources of a run, all JSON. Whole files are gathered in order until the next would exceed `pieceBytes`
 * (a larger file is alone) or FILES_A_SOURCE; lines files in between do not close the group. Plain lines are
 * cut every `pieceBytes`; an empty file has one empty range, so that one that cannot be opened is still
 * named.
 */
export function planSources(
  inputs: Pick<Inputs, 'files'>,
  params: { readonly encoding: string },
  pieceBytes = PIECE_BYTES,
): SourcePlan[] {
  const plan: SourcePlan[] = [];
  const cutsLines = isUtf8(params.encoding);
  let group: IndexedFile[] = [];
  let size = 0;
  const closeGroup = (): void => {
    if (group.length > 0) plan.push({ kind: 'files', files: group });
    group = [];
    size = 0;
  };
  inputs.files.forEach((file, index) => {
    if (file.format !== 'jsonl') {
      if (size + file.bytes > pieceBytes || group.length === FILES_A_SOURCE) closeGroup();
      group.push({ ...file, index });
      size += file.bytes;
    } else if (file.stdin || file.gzip || !cutsLines) {
      plan.push({ kind: 'stream', file, index });
    } else {
      for (let from = 0; from === 0 || from < file.bytes; from += pieceBytes) {
        plan.push({ kind: 'range', file, index, from, to: Math.min(file.bytes, from + pieceBytes) });
      }
    }
  });
  closeGroup();
  return plan;
}
