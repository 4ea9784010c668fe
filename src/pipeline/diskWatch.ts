/**
 * The disk of a run: the user is warned where it will probably not be enough, and the run is ended where it surely is not.
 *
 * Floor 4. Probable is what documents and bytes that were not read yet will take: an input may be no text, so a run that
 * is refused for it might have succeeded. Sure is what is known to be written: see `DiskRoom.expect`.
 */
import type { DiskRoom } from '../storage/diskRoom.js';
import { type RowsAhead, surelyAhead } from './diskSpace.js';

/** What is told of a disk that will probably be too small. */
export interface LowDisk {
  /** A folder there. */
  readonly place: string;
  /** Bytes that the run will still write there before its result, about. */
  readonly needed: number;
  readonly free: number;
}

/** Of the input, before what was written so far tells what will be. */
const LEAST_SHARE = 1 / 20;

export class DiskWatch {
  private readonly room: DiskRoom;
  private readonly store: { readonly diskBytes: number };
  private readonly onLow: (found: LowDisk) => void;
  private isTold = false;
  private candidates = 0;

  /** `onLow` is told once. */
  constructor(
    room: DiskRoom,
    store: { readonly diskBytes: number },
    onLow: (found: LowDisk) => void = () => {},
  ) {
    this.room = room;
    this.store = store;
    this.onLow = onLow;
  }

  /** Says what will surely be written besides blocks, and looks. @throws MinHashError DISK_FULL */
  expect(bytes: number): void {
    this.room.expect(bytes);
    this.room.look();
  }

  /** So many rows of candidates more will be written at the end. @throws MinHashError DISK_FULL */
  expectCandidates(rows: number, ids: Parameters<typeof surelyAhead>[1]): void {
    this.candidates += rows;
    const ahead: RowsAhead = { candidates: this.candidates };
    this.expect(surelyAhead(ahead, ids));
  }

  /** @throws MinHashError DISK_FULL */
  look(): void {
    this.room.look();
  }

  /** Warns where less is free than is probably needed. */
  warn(needed: number): void {
    const { free, place } = this.room;
    if (this.isTold || free === null || free >= needed) return;
    this.isTold = true;
    this.onLow({ place, needed: Math.round(needed), free });
  }

  /** Warns where the rest of the input will probably take more than is free, if it is like that which was read. */
  forecast(read: number, total: number): void {
    const share = read / total;
    // Of empty files alone there is no share.
    if (!(share >= LEAST_SHARE && share < 1)) return;
    this.warn((this.store.diskBytes * (1 - share)) / share);
  }
}
