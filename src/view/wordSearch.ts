/** Finds documents by words in their ids or locations. */
import type { IdTable } from '../blocks/ids.js';
import { clusterCount, type IndexColumns } from '../result/resultIndex.js';

/** A copy of bytes with ASCII letters in lower case. */
export function lowered(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < copy.length; i++) {
    const byte = copy[i]!;
    if (byte >= 0x41 && byte <= 0x5a) copy[i] = byte | 0x20;
  }
  return copy;
}

/** By id of a table, 1 if it has the words; the case of ASCII letters is ignored. */
export function idsWith({ bytes, offsets }: IdTable, words: string): Uint8Array {
  const matches = new Uint8Array(offsets.length - 1);
  const [all, searched] = [lowered(bytes), lowered(Buffer.from(words))];
  let id = 0;
  for (let at = all.indexOf(searched); at >= 0; ) {
    while (offsets[id + 1]! <= at) id++;
    const end = offsets[id + 1]!;
    // A match may cross the border of two ids.
    const isWithin = at + searched.length <= end;
    if (isWithin) matches[id] = 1;
    at = all.indexOf(searched, isWithin ? end : at + 1);
  }
  return matches;
}

/** By document, 1 if its id or location has the words. */
export function documentsWith({ ids, locations }: IndexColumns, words: string): Uint8Array {
  const matches = idsWith(ids, words);
  if (locations !== ids)
    for (const [d, isMatch] of idsWith(locations, words).entries()) matches[d]! |= isMatch;
  return matches;
}

/** By cluster (from 0), 1 if one of its documents is flagged in `documents`. */
export function clustersOf(index: IndexColumns, documents: Uint8Array): Uint8Array {
  const matches = new Uint8Array(clusterCount(index));
  for (let c = 0; c < matches.length; c++)
    if (documents.subarray(index.starts[c], index.starts[c + 1]).includes(1)) matches[c] = 1;
  return matches;
}
