/** Reads the batches of a plan (batchPlan.ts). A batch is described by a text, and read as one part or as the chunks of a stream. */
import type { DocumentFeed } from '../../../blocks/documents.js';
import type { ErrorCode } from '../../../errors.js';
import { streamChunks } from '../../../readers/bytes/chunks.js';
import type { InputFile } from '../../../readers/list/fileList.js';
import { type FileList, fileListBlock } from '../../../readers/list/fileList.js';
import type { SplitReader } from '../../../readers/reader.js';
import {
  chunkSplit,
  type ElementsSplit,
  type FilesSplit,
  linesBlock,
  type RangeSplit,
  type Split,
} from '../../../readers/split.js';
import type { ResultParams } from '../../../sketch/params.js';

/** A file that can only be read from its beginning. */
interface WholeStream {
  readonly kind: 'stream';
  readonly file: InputFile;
  readonly index: number;
}

export type BatchSplit = FilesSplit | RangeSplit | ElementsSplit | WholeStream;

/** A batch as JSON: numbers of the columns of a FileList as lists, paths in base64. */
interface BatchText {
  readonly split: BatchSplit;
  readonly files?: Readonly<Record<Exclude<keyof FileList, 'paths'>, readonly number[]>> & {
    readonly paths: string;
  };
}

/** A batch as one cell: no tab, no line feed. */
export function batchCell(split: BatchSplit, list: FileList | null = null): string {
  const files = list && {
    indexes: [...list.indexes],
    kinds: [...list.kinds],
    sizes: [...list.sizes],
    pathEnds: [...list.pathEnds],
    paths: Buffer.from(list.paths).toString('base64'),
  };
  const text: BatchText = { split, ...(files && { files }) };
  return Buffer.from(JSON.stringify(text)).toString('base64');
}

/** A part of a batch. */
export interface BatchPart {
  /** Number of its first record in its file. */
  readonly first: number;
  readonly feed: DocumentFeed;
  /** Number of lines; valid after it was fed. */
  readonly lines: () => number;
}

/** Lost records of a stream: one that was too long, or all from this one on. */
export interface LostLine {
  readonly lost: ErrorCode;
  readonly file: number;
  readonly record: number;
}

/** The parts of a batch, in order; each must be fed before the next is requested. */
export async function* batchParts(
  cell: string,
  reader: SplitReader,
  params: ResultParams,
): AsyncGenerator<BatchPart | LostLine> {
  const { split, files } = JSON.parse(Buffer.from(cell, 'base64').toString('utf8')) as BatchText;
  const part = (one: Split, beside: Parameters<SplitReader['read']>[1], first: number): BatchPart => {
    let lines = 0;
    return {
      first,
      lines: () => lines,
      feed: (sink) => {
        lines = reader.read(one, beside, params, sink);
      },
    };
  };
  if (split.kind === 'stream') {
    for await (const chunk of streamChunks(split.file, params)) {
      if ('problem' in chunk) yield { lost: chunk.problem, file: split.index, record: chunk.line };
      else
        yield part(
          chunkSplit(split.file, split.index, chunk),
          linesBlock(chunk.bytes, false),
          chunk.firstLine,
        );
    }
  } else if (files === undefined) yield part(split, null, 0);
  else {
    const list = fileListBlock({
      indexes: Uint32Array.from(files.indexes),
      kinds: Uint16Array.from(files.kinds),
      sizes: Float64Array.from(files.sizes),
      pathEnds: Uint32Array.from(files.pathEnds),
      paths: Buffer.from(files.paths, 'base64'),
    });
    yield part(split, list, 0);
  }
}

/** The file of a batch of lines, whose line numbers continue from batch to batch; -1: records are numbered in their file. */
export function linesFile(cell: string): number {
  const { split } = JSON.parse(Buffer.from(cell, 'base64').toString('utf8')) as BatchText;
  return split.kind === 'range' ? split.index : -1;
}
