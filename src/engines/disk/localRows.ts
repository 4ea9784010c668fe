/** Rows of files of this machine: lines of a range of a file, and whole files. */
import { MinHashError } from '../../errors.js';
import { closeInput, openInput, readInto, sizeOf } from '../../readers/bytes/wholeFiles.js';
import { InputWindow } from '../../tasks/process/descriptors.js';
import type { CorpusRow, CorpusSource } from '../../tasks/stream/records.js';

/** The lines that begin in bytes `from` to `to` of a file, or all of it. JSON. */
export interface LocalSplit {
  /** Its path as a binary string, which is its name with the manifest. */
  readonly file: string;
  readonly from: number;
  /** Null: the file is one row. */
  readonly to: number | null;
}

const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);

export class LocalRows implements CorpusSource {
  /** Rows so far. */
  count = 0;
  private readonly splits: readonly LocalSplit[];
  private readonly most: number;
  private readonly onRead: (bytes: number) => void;
  private current: LocalLines | null = null;
  private opened = 0;
  private found: CorpusRow = { file: '', start: 0, bytes: NOTHING };

  /**
   * @param most bytes of a whole file that are looked at: one that is larger is no document
   * @param onRead is told of bytes when they were read
   */
  constructor(splits: readonly LocalSplit[], most: number, onRead: (bytes: number) => void) {
    this.splits = splits;
    this.most = most;
    this.onRead = onRead;
  }

  get row(): CorpusRow {
    return this.found;
  }

  /** @throws MinHashError INPUT_FAILED where the lines of a file cannot be read to their end */
  next(): boolean {
    for (;;) {
      const line = this.current?.next() ?? null;
      if (line !== null) return this.give({ file: this.found.file, start: this.found.start, bytes: line });
      this.close();
      const split = this.splits[this.opened];
      if (split === undefined) return false;
      this.opened++;
      const { file, from, to } = split;
      this.found = { file, start: from, bytes: NOTHING };
      const descriptor = openInput(file);
      if (typeof descriptor === 'string') return this.give({ ...this.found, fault: descriptor });
      if (to !== null) this.current = new LocalLines(descriptor, split, to, this.onRead);
      else return this.give({ ...this.found, ...this.whole(descriptor) });
    }
  }

  private give(row: CorpusRow): true {
    this.found = row;
    this.count++;
    return true;
  }

  /** All of a file, or as much as is looked at. */
  private whole(descriptor: number): Pick<CorpusRow, 'bytes' | 'fault'> {
    try {
      const size = sizeOf(descriptor);
      if (typeof size === 'string') return { bytes: NOTHING, fault: size };
      const bytes = new Uint8Array(Math.min(size, this.most));
      const end = readInto(descriptor, bytes, 0, 0);
      if (end < 0) return { bytes: NOTHING, fault: 'UNREADABLE' };
      this.onRead(end);
      return { bytes: bytes.subarray(0, end) };
    } finally {
      closeInput(descriptor);
    }
  }

  close(): void {
    this.current?.close();
    this.current = null;
  }
}

function failed(file: string, why: string): MinHashError {
  return new MinHashError({ code: 'INPUT_FAILED', detail: `${JSON.stringify(file)}: ${why}` });
}

/** The lines of a range, without their LFs. */
class LocalLines {
  private readonly descriptor: number;
  private readonly window: InputWindow;
  private readonly from: number;
  private readonly to: number;
  /** Where the window begins in the file. */
  private readonly base: number;
  private isBegun = false;

  constructor(descriptor: number, { file, from }: LocalSplit, to: number, onRead: (bytes: number) => void) {
    this.descriptor = descriptor;
    // The byte before says whether a line begins at `from`.
    this.base = Math.max(0, from - 1);
    this.from = from;
    this.to = to;
    let position = this.base;
    this.window = new InputWindow((into, at, length) => {
      const end = readInto(this.descriptor, into, at, position, at + length);
      if (end < 0) throw failed(file, 'UNREADABLE');
      position += end - at;
      onRead(end - at);
      return end - at;
    });
  }

  next(): Uint8Array | null {
    const { window } = this;
    if (!this.isBegun) {
      this.isBegun = true;
      if (this.from > 0 && !this.skipLine()) return null;
    }
    if (this.base + window.offset >= this.to) return null;
    const feed = window.lineEnd();
    const length = feed < 0 ? window.end - window.at : feed;
    if (feed < 0 && length === 0) return null;
    const line = window.bytes.subarray(window.at, window.at + length);
    window.at += feed < 0 ? length : length + 1;
    return line;
  }

  close(): void {
    closeInput(this.descriptor);
  }

  /** Of a line that began before; false: the file ends with it. */
  private skipLine(): boolean {
    const { window } = this;
    for (;;) {
      const feed = window.bytes.subarray(window.at, window.end).indexOf(LINE_FEED);
      if (feed >= 0) {
        window.at += feed + 1;
        return true;
      }
      window.at = window.end;
      if (!window.more()) return false;
    }
  }
}
