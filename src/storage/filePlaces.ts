/**
 * Places: `path` for a document that is a file, `path#number` for a record of one.
 *
 *      a.jsonl#3     the third line of a.jsonl, or a file of that name?
 *
 * Where both are there, the file is `a.jsonl#3#`: what follows the last `#` is the number of a record, and nothing at all
 * stands for the whole file. So every document has a place of its own, and no other file is told otherwise than by its id.
 *
 * Floor 2; must never know what a record says.
 */
import { compareAcross, type IdTable } from '../blocks/idTable.js';
import { formatOfKind } from './formats.js';

/** Number of a document that is a whole file, and of one whose place says so. */
export const WHOLE = -1;
export const MARKED_WHOLE = -2;

const HASH = 0x23;

/** What stands behind the id of a file in the place of a document. */
export function placeEnd(number: number): string {
  if (number === WHOLE) return '';
  return number === MARKED_WHOLE ? '#' : `#${number}`;
}

/** The number of the id that these bytes are, in a table in byte order; -1: none. */
export function indexOfId(ids: IdTable, bytes: Uint8Array): number {
  const wanted: IdTable = { offsets: Uint32Array.of(0, bytes.length), bytes };
  let low = 0;
  let high = ids.offsets.length - 2;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compareAcross(ids, middle, wanted, 0);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Where the last `#` of an id stands if only digits follow; else -1. */
function numberAt({ offsets, bytes }: IdTable, index: number): number {
  let at = offsets[index + 1]! - 1;
  while (at >= offsets[index]! && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at--;
  return at >= offsets[index]! && bytes[at] === HASH ? at : -1;
}

/**
 * By file, in the order of their ids: 1 where its id reads as the place of a record of another file, or of another file
 * that is marked itself. Null where there is none, as nearly always.
 */
export function markedFiles(ids: IdTable, kinds: Uint8Array): Uint8Array | null {
  let marked: Uint8Array | null = null;
  // What an id goes on from stands before it.
  for (let index = 0; index < kinds.length; index++) {
    const at = numberAt(ids, index);
    if (at < 0) continue;
    const other = indexOfId(ids, ids.bytes.subarray(ids.offsets[index]!, at));
    if (other < 0) continue;
    const isBare = at + 1 === ids.offsets[index + 1];
    if (isBare ? marked?.[other] !== 1 : formatOfKind(kinds[other]!) === 'text') continue;
    marked ??= new Uint8Array(kinds.length);
    marked[index] = 1;
  }
  return marked;
}
