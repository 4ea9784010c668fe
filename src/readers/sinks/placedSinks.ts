/**
 * Which record a task is at work on, for who has to find out what it died of; and records left out because of that.
 *
 * Files that are opened and records that are given are numbered from 1 in the order in which a reader meets them: a place.
 * Each is named before the work on it begins, and unnamed when it is done. So a task that dies while it parses, before a
 * record is known, names none. The same source gives the same places at every reading, until somebody changes it.
 */
import { type TextSink, WHOLE_FILE } from '../../blocks/documents.js';
import type { RowBatch, RowSink } from '../../blocks/sets.js';
import type { ErrorCode } from '../../errors.js';
import { PassingSink } from './passingSink.js';

/** Why a place is left out. */
const LOST: ErrorCode = 'UNPROCESSABLE';

/** Nothing that has a place is at work. */
const NO_PLACE = 0;

/** A file, and a record of it or WHOLE_FILE. */
export type LostRecord = readonly [file: number, record: number];

/** Names places to `progress`, and gives a skip for those that are unprocessable. */
class Places {
  readonly lost: LostRecord[] = [];
  private readonly unprocessable: readonly number[];
  private readonly progress: (place?: number) => void;
  private last = NO_PLACE;

  constructor(unprocessable: readonly number[], progress: (place?: number) => void) {
    this.unprocessable = unprocessable;
    this.progress = progress;
  }

  /** The next place is at work; true where it is unprocessable, and is to be skipped. */
  begin(file: number, record: number): boolean {
    const place = ++this.last;
    if (this.unprocessable.length > 0 && this.unprocessable.includes(place)) {
      this.lost.push([file, record]);
      return true;
    }
    this.progress(place);
    return false;
  }

  end(): void {
    this.progress(NO_PLACE);
  }

  /** The work on so many places is done. */
  pass(count: number): void {
    this.last += count;
    this.end();
  }
}

export class PlacedDocuments extends PassingSink {
  private readonly places: Places;
  private readonly progress: () => void;

  constructor(sink: TextSink, unprocessable: readonly number[], progress: (place?: number) => void) {
    super(sink);
    this.places = new Places(unprocessable, progress);
    this.progress = progress;
  }

  /** What was left out. */
  get lost(): readonly LostRecord[] {
    return this.places.lost;
  }

  override opensFile(file: number): boolean {
    if (!this.places.begin(file, WHOLE_FILE)) return true;
    this.sink.skip(file, WHOLE_FILE, LOST, null);
    return false;
  }

  override begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (this.places.begin(file, record)) {
      this.sink.skip(file, record, LOST, id);
      return false;
    }
    const isWanted = this.sink.begin(file, record, id);
    if (!isWanted) this.places.end();
    return isWanted;
  }

  override text(bytes: Uint8Array): void {
    this.progress();
    this.sink.text(bytes);
  }

  override end(repaired: boolean): void {
    this.sink.end(repaired);
    this.places.end();
  }

  override whole(
    file: number,
    record: number,
    id: Uint8Array | null,
    text: Uint8Array,
    repaired: boolean,
  ): void {
    if (this.places.begin(file, record)) {
      this.sink.skip(file, record, LOST, id);
      return;
    }
    this.sink.whole(file, record, id, text, repaired);
    this.places.end();
  }

  override taken(): void {
    this.sink.taken!();
    this.places.end();
  }

  /** Costs nothing that a worker could die of: it is no place, but the one that was begun ends. */
  override skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.sink.skip(file, record, code, id);
    this.places.end();
  }
}

/** Passes rows of sets on: many at once, and no place is named meanwhile, or one by one. */
export class PlacedRows implements RowSink {
  private readonly sink: RowSink;
  private readonly places: Places;
  private readonly takesMany: boolean;

  /** @param unprocessable undefined: rows may be taken many at once */
  constructor(
    sink: RowSink,
    unprocessable: readonly number[] | undefined,
    progress: (place?: number) => void,
  ) {
    this.sink = sink;
    this.places = new Places(unprocessable ?? [], progress);
    this.takesMany = unprocessable === undefined;
  }

  opensFile(file: number): boolean {
    if (!this.places.begin(file, WHOLE_FILE)) return true;
    this.sink.skip(file, WHOLE_FILE, LOST, null);
    return false;
  }

  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    elementFrom: number,
    elementTo: number,
    value: number,
    hashes: Uint32Array,
    at: number,
  ): ErrorCode | null {
    if (this.places.begin(0, 0)) return LOST;
    const fault = this.sink.row(bytes, setFrom, setTo, elementFrom, elementTo, value, hashes, at);
    this.places.end();
    return fault;
  }

  many(bytes: Uint8Array, batch: RowBatch): boolean {
    const isTaken = this.takesMany && (this.sink.many?.(bytes, batch) ?? false);
    if (isTaken) this.places.pass(batch.count);
    return isTaken;
  }

  skip(file: number, record: number, code: ErrorCode, id: null): void {
    this.sink.skip(file, record, code, id);
    this.places.end();
  }
}
