/**
 * Reading a source part by part: what a task does while the coordinator looks for the document that it dies of, and
 * afterwards, without that document.
 *
 *      files      parts are ranges of positions in the list of files
 *      range      ranges of bytes of the file; a part has the lines that start in it
 *      chunk      ranges of bytes of the chunk, cut at the starts of lines
 *      elements   ranges of positions among the elements of the block
 *      memory     ranges of positions among the documents of the block
 *
 * Floor 3. A task is told its parts, never why.
 */
import type { Block } from '../blocks/block.js';
import { type DocumentSink, WHOLE_FILE } from '../blocks/documents.js';
import type { ErrorCode } from '../errors.js';
import { fileListIn } from '../storage/fileList.js';
import { memoryDocuments, memoryPlace } from '../storage/memoryDocuments.js';
import type { ReadParams } from '../storage/readerSink.js';
import type { SourceReader, TaskSource } from '../storage/taskSource.js';

/**
 * [from, to) of a source, and 0 where it is read. 1: it is left out, and is one file, one line, one element or one document in
 * memory.
 * 2: left out, and is all of a range or block of elements, because the file cannot even be opened.
 */
export type SourcePart = readonly [from: number, to: number, lost: 0 | 1 | 2];

/** Why a part is left out. */
const LOST: ErrorCode = 'UNPROCESSABLE';

/** Says of everything that passes that the task gets on, and moves the numbers of lines. */
class CountedSink implements DocumentSink {
  /** Lines of the source before the part that is read. */
  lines = 0;
  private readonly sink: DocumentSink;
  private readonly progress: () => void;

  constructor(sink: DocumentSink, progress: () => void) {
    this.sink = sink;
    this.progress = progress;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.progress();
    return this.sink.begin(file, this.moved(record), id);
  }

  text(bytes: Uint8Array): void {
    this.progress();
    this.sink.text(bytes);
  }

  end(repaired: boolean): void {
    this.sink.end(repaired);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.progress();
    this.sink.whole(file, this.moved(record), id, text, repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.progress();
    this.sink.skip(file, this.moved(record), code, id);
  }

  private moved(record: number): number {
    return record === WHOLE_FILE ? record : record + this.lines;
  }
}

export interface PartsTask {
  readonly source: TaskSource;
  /** The block beside the source; null for a range and for elements. */
  readonly text: Block | null;
  /** Null: all of it. */
  readonly parts: readonly SourcePart[] | null;
}

/**
 * Gives the documents of the parts to the sink, in order, and for every part that is left out a skip; returns how many
 * lines start in the parts, for lines. `progress` hears the number of the part in work, from 1, and one more at the end.
 */
export function readParts(
  { source, text, parts }: PartsTask,
  reader: SourceReader,
  params: ReadParams,
  target: DocumentSink,
  progress: (place?: number) => void,
): number {
  const sink = new CountedSink(target, () => progress());
  const all = parts ?? [null];
  all.forEach((part, i) => {
    progress(i + 1);
    if (part !== null && part[2] !== 0) sink.lines += giveLost(source, text, part, target, sink.lines);
    else sink.lines += readPart(source, text, part, reader, params, sink);
  });
  progress(all.length + 1);
  return sink.lines;
}

/** Reads [from, to) of a source, or all of it; returns the lines that start there. */
function readPart(
  source: TaskSource,
  text: Block | null,
  part: SourcePart | null,
  reader: SourceReader,
  params: ReadParams,
  sink: DocumentSink,
): number {
  if (source.kind === 'memory') {
    memoryDocuments(text!, sink, part?.[0], part?.[1]);
    return 0;
  }
  if (part === null) return reader.read(source, text, params, sink);
  return reader.read(source, text, params, sink, part);
}

/** Names a part that is left out; returns its lines. */
function giveLost(
  source: TaskSource,
  text: Block | null,
  [from, , lost]: SourcePart,
  sink: DocumentSink,
  lines: number,
): number {
  switch (source.kind) {
    case 'files':
      sink.skip(fileListIn(text!).indexes[from]!, WHOLE_FILE, LOST, null);
      return 0;
    case 'memory': {
      const { record, id } = memoryPlace(text!, from);
      sink.skip(0, record, LOST, id);
      return 0;
    }
    default:
      if (lost === 2) {
        sink.skip(source.index, WHOLE_FILE, LOST, null);
        return 0;
      }
      if (source.kind === 'elements') {
        sink.skip(source.index, source.first + from, LOST, null);
        return 0;
      }
      sink.skip(source.index, lines, LOST, null);
      return 1;
  }
}
