/** Which documents are searched for: by words in their ids, or in the names of the files that they are records of. */
import type { IdTable } from '../blocks/ids.js';
import { clusterCount, NONE, type ResultIndex } from '../output/resultIndex.js';

/** Bytes that are looked through together. */
const PIECE = 1 << 20;

/** Letters of ASCII as small ones; to `out`. */
export function lowered(bytes: Uint8Array, out: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    out[i] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
  }
}

/** By id of a table, 1: it has the words, in large letters of ASCII or in small ones. */
export function idsWith({ bytes, offsets }: IdTable, words: string): Uint8Array {
  const found = new Uint8Array(offsets.length - 1);
  const wanted = Buffer.from(words);
  lowered(wanted, wanted);
  const piece = Buffer.alloc(Math.min(bytes.length, PIECE + wanted.length));
  let id = 0;
  for (let from = 0; from + wanted.length <= bytes.length; from += PIECE) {
    const own = bytes.subarray(from, from + piece.length);
    lowered(own, piece);
    const held = piece.subarray(0, own.length);
    for (let at = held.indexOf(wanted); at >= 0 && at < PIECE; ) {
      while (offsets[id + 1]! <= from + at) id++;
      const isWithin = from + at + wanted.length <= offsets[id + 1]!;
      if (isWithin) found[id] = 1;
      at = held.indexOf(wanted, isWithin ? offsets[id + 1]! - from : at + 1);
    }
  }
  return found;
}

/** By document, 1: it has the words in its id, or in the name of its file. */
export function documentsWith(index: ResultIndex, words: string): Uint8Array {
  const found = idsWith(index.ids, words);
  const files = idsWith(index.files, words);
  for (let d = 0; d < index.clustered; d++) {
    const file = index.file[d]!;
    if (file !== NONE && files[file] === 1) found[d] = 1;
  }
  return found;
}

/** By cluster (from 0), 1: a document that was found is in it. */
export function clustersOf(index: ResultIndex, documents: Uint8Array): Uint8Array {
  const found = new Uint8Array(clusterCount(index));
  for (let c = 0; c < found.length; c++)
    if (documents.subarray(index.starts[c]!, index.starts[c + 1]!).includes(1)) found[c] = 1;
  return found;
}
