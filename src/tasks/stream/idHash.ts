/** The hashes of the ids of documents, by which members of buckets are put in an order that no document decides. */
import { ElementHash } from '../../text/elements.js';
import { OF_RANKED } from './kinds.js';
import type { FieldWriter } from './records.js';

export class IdHash {
  private readonly hash: ElementHash;
  private readonly words = new Uint32Array(2);

  constructor(seed: number) {
    this.hash = new ElementHash(seed);
  }

  /** Appends the hash of the id of a document, 8 bytes, high word first. `document`: the value of `ranked`. */
  append(out: FieldWriter, document: Uint8Array): FieldWriter {
    const { hash, words } = this;
    hash.write(document, OF_RANKED.id, document.length, words, 0);
    return out.u32(words[1]!).u32(words[0]!);
  }
}
