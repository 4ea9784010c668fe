/**
 * How long a record may be that is held whole while it is read.
 *
 *      up to the free memory   it is read
 *      up to --max-document    the run ends, because a skipped record would change the result
 *      beyond                  it is skipped TOO_LARGE; none of it is held
 */
import { MinHashError } from '../errors.js';
import type { RecordRoom } from '../store/budget.js';
import { sizeText } from '../store/sizeText.js';

interface LimitParams {
  readonly maxDocument: number;
  readonly room?: RecordRoom;
}

/** The most that is held of a line or file, the same everywhere. */
const HELD_BYTES = 2_000_000_000;

/** Bytes for the other fields of a record. */
const BESIDE_BYTES = 1 << 20;

/** Up to 5 more bytes for each byte of a text, which may be written as `\uXXXX`; in long texts fewer are. */
const ESCAPES = 5;
const MOST_ESCAPES = 128 << 20;

/** The longest line, or other record that contains its text, in bytes. A longer one is skipped TOO_LARGE without being held. */
export function lineLimit({ maxDocument }: Pick<LimitParams, 'maxDocument'>): number {
  return Math.min(maxDocument + BESIDE_BYTES + Math.min(ESCAPES * maxDocument, MOST_ESCAPES), HELD_BYTES);
}

/** How many bytes may be held of a record or file that may have `most` bytes. */
export function heldBytes({ room }: LimitParams, most: number): number {
  return room === undefined ? most : Math.min(most, room.record);
}

/** Ends the run at a record that --max-document allows and memory has no room for. @throws MinHashError MEMORY_RECORD */
export function refuseRecord({ room }: LimitParams, what: string, bytes: number): never {
  const without = Math.floor(Math.max(0, bytes - BESIDE_BYTES - 1) / (1 + ESCAPES));
  const detail = `${what} takes ${sizeText(bytes)}, and ${sizeText(room!.record)} are free for it; raise --memory, or leave it out with --max-document ${without}`;
  throw new MinHashError({ code: 'MEMORY_RECORD', detail });
}
