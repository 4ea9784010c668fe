/** Finds documents by words in their ids or locations. */
import { piecesOf } from '../result/columnFile.js';
import { clusterCount, type IdColumns, type ResultIndex } from '../result/resultIndex.js';

/** Bytes that are searched together. */
const PIECE = 1 << 20;

/** Copies bytes to `out`, with ASCII letters in lower case. */
export function lowered(bytes: Uint8Array, out: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    out[i] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
  }
}

/** By id of a table, 1 if it has the words; the case of ASCII letters is ignored. */
export function idsWith({ bytes, offsets }: IdColumns, words: string): Uint8Array {
  const matches = new Uint8Array(offsets.length - 1);
  const wanted = Buffer.from(words);
  lowered(wanted, wanted);
  // The end of a searched piece is kept before the next piece, because a match may cross the border.
  const held = Buffer.alloc(PIECE + wanted.length);
  let [id, from, kept] = [0, 0, 0];
  for (const whole of piecesOf(bytes)) {
    for (let at = 0; at < whole.length; at += PIECE) {
      const piece = whole.subarray(at, at + PIECE);
      lowered(piece, held.subarray(kept));
      const own = held.subarray(0, kept + piece.length);
      for (let place = own.indexOf(wanted); place >= 0; ) {
        while (offsets.at(id + 1)! <= from + place) id++;
        const end = offsets.at(id + 1)!;
        const isWithin = from + place + wanted.length <= end;
        if (isWithin) matches[id] = 1;
        place = own.indexOf(wanted, isWithin ? end - from : place + 1);
      }
      const next = Math.min(own.length, Math.max(0, wanted.length - 1));
      from += own.length - next;
      held.copyWithin(0, own.length - next, own.length);
      kept = next;
    }
  }
  return matches;
}

/** By document, 1 if its id or location has the words. */
export function documentsWith(index: ResultIndex, words: string): Uint8Array {
  const matches = idsWith(index.ids, words);
  if (index.hasIds) for (const [d, isMatch] of idsWith(index.places, words).entries()) matches[d]! |= isMatch;
  return matches;
}

/** By cluster (from 0), 1 if one of its documents is flagged in `documents`. */
export function clustersOf(index: ResultIndex, documents: Uint8Array): Uint8Array {
  const matches = new Uint8Array(clusterCount(index));
  let cluster = 0;
  for (let d = documents.indexOf(1); d >= 0 && d < index.clustered; ) {
    while (index.starts.at(cluster + 1)! <= d) cluster++;
    matches[cluster] = 1;
    d = documents.indexOf(1, index.starts.at(cluster + 1)!);
  }
  return matches;
}
