/**
 * Whether a file system has room for what is about to be written: what is free is looked at as files grow, so that a run
 * ends before the disk is full, and can still leave its marks and be taken up again.
 *
 *      free now                          |<------------------------------------------------------>|
 *      on their way, not written yet     |------|
 *      about to be written                      |---|
 *      surely written later, beyond what is given back until then   |-----------|
 *      for marks and lock                                                       |-----------------|
 *
 * Floor 2. Knows bytes, not what they are. Where the system does not tell what is free, everything is tried.
 */
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';

/** For lock and marker of the next attempt, of a page each; manifest and statistics, which come last, are no less. */
export const LAST_BYTES = 6144;

/** What is free is looked at after so many bytes at the latest; others write there too. */
const MOST_BETWEEN = 16e6;
/** And after this share of what is left, so that a file system that fills up is looked at more often. */
const SHARE_BETWEEN = 1 / 8;

/** `12.3 MB`; with another unit where that would say nothing. */
export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${bytes} bytes`;
}

/** Two sizes that differ, so that the texts do: in bytes where rounded they would not. */
function sizeTexts(a: number, b: number): [string, string] {
  const texts: [string, string] = [sizeText(a), sizeText(b)];
  return texts[0] === texts[1] ? [`${a} bytes`, `${b} bytes`] : texts;
}

export class DiskRoom {
  /** A folder there. */
  readonly place: string;
  private readonly door: FileDoor;
  /** Surely written later. */
  private ahead = 0;
  /** Taken, and not written yet. */
  private waiting = 0;
  /** Of files that are removed before the run ends. */
  private passing = 0;
  /** That may be taken before the next look. */
  private unlooked = 0;

  constructor(place: string, door: FileDoor = NODE_FILES) {
    this.place = place;
    this.door = door;
  }

  /** Free bytes; null where the system does not tell. */
  get free(): number | null {
    return this.door.free(this.place);
  }

  /** Says how many bytes will surely be written besides those that are taken; no estimate that may be too high. */
  expect(bytes: number): void {
    this.ahead = bytes;
    this.unlooked = 0;
  }

  /**
   * Takes room for what is about to be written. `isPassing`: the file is removed before the run ends.
   *
   * @throws MinHashError DISK_FULL; then nothing is to be written
   */
  take(bytes: number, isPassing: boolean): void {
    if (bytes > this.unlooked) this.look(bytes, isPassing ? bytes : 0);
    this.unlooked -= bytes;
    this.waiting += bytes;
    if (isPassing) this.passing += bytes;
  }

  /** What was taken is written, or could not be. */
  written(bytes: number): void {
    this.waiting -= bytes;
  }

  /** A file that passes is removed. */
  gone(bytes: number): void {
    this.passing -= bytes;
  }

  /** Looks at once. @throws MinHashError DISK_FULL */
  look(more = 0, passingMore = 0): void {
    const { free } = this;
    if (free === null) {
      this.unlooked = MOST_BETWEEN;
      return;
    }
    const later = Math.max(0, this.ahead - this.passing - passingMore);
    const needed = this.waiting + more + later + LAST_BYTES;
    if (free < needed) {
      const [most, left] = sizeTexts(needed, free);
      const detail =
        `${this.place}: at least ${most} are still to be written (${LAST_BYTES} bytes of them for the marks of the ` +
        `next attempt), ${left} free; ended before the disk is full`;
      throw new MinHashError({ code: 'DISK_FULL', detail });
    }
    this.unlooked = more + Math.min(MOST_BETWEEN, (free - needed) * SHARE_BETWEEN);
  }
}
