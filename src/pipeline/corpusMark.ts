/**
 * Tells corpora apart in which documents have other numbers or other contents.
 *
 * Floor 4. What is kept on disk by document numbers is of use to a later attempt at the run only where all of these are
 * the same; the inputs may be, and a document still be missing that could not be read this time.
 */
import { checksumOf } from '../storage/blockPlace.js';
import type { Corpus } from './corpus.js';

/** Three checksums, hexadecimal: of where ids end, of ids, of content keys. */
export function corpusMark({ ids, contentKeys }: Pick<Corpus, 'ids' | 'contentKeys'>): string {
  return [ids.offsets, ids.bytes, contentKeys]
    .map(({ buffer, byteOffset, byteLength }) => checksumOf(new Uint8Array(buffer, byteOffset, byteLength)))
    .map((checksum) => checksum.toString(16).padStart(8, '0'))
    .join('');
}
