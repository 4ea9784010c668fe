/**
 * How long a record may be that is held whole while it is read.
 *
 *      up to the room          it is read
 *      up to --max-document    the run ends, and says which --memory has room for it: a record that is left out for lack of
 *                              memory would make another result
 *      beyond                  it is skipped TOO_LARGE; none of it is held
 */
import { MinHashError } from '../errors.js';
import { memoryForRecord, type RecordRoom } from '../store/budget.js';
import { sizeText } from '../store/sizeText.js';

interface LimitParams {
  readonly maxDocument: number;
  readonly room?: RecordRoom;
}

/** The most that is held of a line or file, the same everywhere. */
const HELD_BYTES = 2_000_000_000;

/** Other fields beside the text. */
const BESIDE_BYTES = 1 << 20;

/** A byte of a text may be written as a `\uXXXX` of 6; in long texts not so many are. */
const ESCAPES = 5;
const MOST_ESCAPES = 128 << 20;

/** The longest line, or other record with its text in it, that is looked at, in bytes. A longer one is skipped TOO_LARGE without being held. */
export function lineLimit({ maxDocument }: Pick<LimitParams, 'maxDocument'>): number {
  return Math.min(maxDocument + BESIDE_BYTES + Math.min(ESCAPES * maxDocument, MOST_ESCAPES), HELD_BYTES);
}

/** The most that is held of what may have `most` bytes. */
export function heldBytes({ room }: LimitParams, most: number): number {
  return room === undefined ? most : Math.min(most, room.record);
}

/**
 * Ends the run for a record that --max-document allows and memory has no room for. `what` names it, as the beginning of a
 * sentence.
 *
 * @param isBound it is not known how many bytes the record has, only that it has no more
 * @throws MinHashError MEMORY_RECORD
 */
export function refuseRecord({ room }: LimitParams, what: string, bytes: number, isBound = false): never {
  const enough = Math.ceil(memoryForRecord(room!, bytes) / 1e6);
  const without = Math.floor(Math.max(0, bytes - BESIDE_BYTES - 1) / (1 + ESCAPES));
  const detail = `${what} takes ${isBound ? `more than the ${sizeText(room!.record)} that are free for it, and may take ` : ''}${sizeText(bytes)}; --memory ${enough}MB has room for it, --max-document ${without} leaves it out`;
  throw new MinHashError({ code: 'MEMORY_RECORD', detail });
}
