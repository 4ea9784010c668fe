/** Parts of the corpus in the parameters of a Map task, and as its stage reads them: splits, by the readers of worker threads. */
import type { ErrorCode } from '../../errors.js';
import type { SetFields } from '../../readers/formats/setLines.js';
import { PlacedDocuments } from '../../readers/sinks/placedSinks.js';
import { linesOf, type Split } from '../../readers/split.js';
import type { StreamedFiles } from '../../tasks/stream/fileColumns.js';
import type { CorpusRow, CorpusSource } from '../../tasks/stream/records.js';
import type { Workplace } from '../../tasks/task.js';
import { block, readerOf, rowFeed, setupOf } from '../../tasks/workplace.js';

/** A split, and the name of its block of text. JSON. */
interface DiskSplit {
  readonly split: Split;
  readonly text: string | null;
  /** The fields of its lines, where they are of sets. */
  readonly fields?: SetFields;
}

/** A file that breaks off, or a record of it that is too long. JSON. */
interface DiskFault {
  readonly index: number;
  readonly line: number;
  readonly code: ErrorCode;
}

export type DiskPart = DiskSplit | DiskFault;

/** A part, and what its engine needs to know of it. */
export interface PlannedPart {
  readonly part: DiskPart;
  /** Bytes of files in the part; null: they are unknown, and the part's text waits in memory. */
  readonly bytes: number | null;
  /** Called once the part is read, or will not be. */
  done(): void;
}

const NOTHING = new Uint8Array(0);

/**
 * The bytes that the last Map task of a worker made from texts. They are released when the next one begins to read: a collection takes the
 * code with it that was optimised for kinds of objects of which none is alive.
 */
export const GARBAGE = 'garbage of texts';

/** The parts of a task, as rows of the corpus. */
export class CorpusParts implements CorpusSource {
  /** Parts read so far. */
  count = 0;
  private readonly parts: readonly DiskPart[];
  private readonly files: StreamedFiles;
  private readonly here: Workplace;
  private found: CorpusRow = { file: '', start: 0, bytes: NOTHING };

  constructor(parts: readonly DiskPart[], files: StreamedFiles, here: Workplace) {
    this.parts = parts;
    this.files = files;
    this.here = here;
  }

  get row(): CorpusRow {
    return this.found;
  }

  next(): boolean {
    const part = this.parts[this.count];
    if (part === undefined) return false;
    this.count++;
    this.found = 'split' in part ? this.splitRow(part) : this.faultRow(part);
    return true;
  }

  private faultRow({ index, line, code }: DiskFault): CorpusRow {
    return { file: this.files.uri(index), start: line, bytes: NOTHING, fault: code };
  }

  private splitRow({ split, text, fields }: DiskSplit): CorpusRow {
    const { here } = this;
    const { room } = setupOf(here);
    const beside = text === null ? null : block(here, text, 'text');
    const read: NonNullable<CorpusRow['part']>['read'] = (params, sink) => {
      const placed = new PlacedDocuments(sink, [], here.progress);
      here.released((here.scratch.get(GARBAGE) as number | undefined) ?? 0);
      here.scratch.delete(GARBAGE);
      return readerOf(here).read(split, beside, { ...params, ...(room && { room }) }, placed);
    };
    const rows = fields && rowFeed(here, { split: linesOf(split), beside, fields });
    return { file: '', start: 0, bytes: NOTHING, part: { split, beside, read, ...(rows && { rows }) } };
  }
}
