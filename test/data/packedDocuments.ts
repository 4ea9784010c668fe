/** Documents as blocks of text, as runs over documents in memory pack them. */
import type { Block } from '../../src/blocks/block.js';
import { DocumentPacker, type GivenDocument } from '../../src/readers/formats/memoryDocuments.js';

/** Packs the documents of a synchronous source. @throws MinHashError DOCUMENT_INVALID */
export function* packDocuments(documents: Iterable<GivenDocument>): Generator<Block> {
  const packer = new DocumentPacker();
  for (const document of documents) {
    const block = packer.add(document);
    if (block !== null) yield block;
  }
  const last = packer.end();
  if (last !== null) yield last;
}
