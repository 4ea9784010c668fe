/**
 * What the tasks over ranges of fingerprints say of each fingerprint, put together by document.
 *
 * Floor 4.
 */
import { NOWHERE } from '../../reducers/fingerprintLists.js';
import { type Block, encodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import type { Corpus } from './corpus.js';

/** See FingerprintLists. */
export interface RangeEntries {
  readonly places: Uint32Array;
  readonly entries: Uint32Array;
  readonly eliminated: Uint32Array;
  readonly steps: Float64Array;
}

/** Where fingerprints are in their lists, range after range; a document's fingerprints come in their order. */
export class PlacedEntries {
  /** By column block: places, fingerprint after fingerprint, shared. */
  readonly blocks: readonly Block[];
  /** By document of the corpus. */
  readonly eliminated: Uint32Array;
  /** By document that is compared. */
  readonly steps: Float64Array;
  private readonly placed: Uint32Array;
  private readonly documents: Uint32Array;
  private readonly corpus: Corpus;
  private readonly offsets: readonly Uint32Array[];
  private listed = 0;

  constructor(corpus: Corpus, samples: readonly Block[], documents: Uint32Array) {
    this.corpus = corpus;
    this.documents = documents;
    this.offsets = samples.map((block) => fingerprintsOf(block).offsets);
    this.blocks = samples.map((sample) => {
      const places = new Uint32Array(fingerprintsOf(sample).values.length / 2);
      const block = encodeBlock('documents', {}, { places }, true);
      block.columns.places!.fill(NOWHERE);
      return block;
    });
    this.eliminated = new Uint32Array(corpus.documents);
    this.steps = new Float64Array(documents.length);
    this.placed = new Uint32Array(documents.length);
  }

  add({ places, entries, eliminated, steps }: RangeEntries): void {
    const { blockOf, columnOf } = this.corpus;
    for (let i = 0, e = 0; i < entries.length; i++) {
      const count = entries[i]!;
      if (count === 0) continue;
      const document = this.documents[i]!;
      const k = blockOf[document]!;
      const mine = this.blocks[k]!.columns.places!;
      let at = this.offsets[k]![columnOf[document]!]! + this.placed[i]!;
      for (const end = e + count; e < end; e++) mine[at++] = places[e]!;
      this.placed[i]! += count;
      this.eliminated[document]! += eliminated[i]!;
      this.steps[i]! += steps[i]!;
    }
    this.listed += places.length;
  }

  /** Fingerprints of all documents, those listed, and the documents whose every fingerprint was eliminated. */
  counted(): { readonly entries: number; readonly listed: number; readonly documentsEliminated: number } {
    const { blockOf, columnOf } = this.corpus;
    let entries = 0;
    let documentsEliminated = 0;
    for (const document of this.documents) {
      const offsets = this.offsets[blockOf[document]!]!;
      const size = offsets[columnOf[document]! + 1]! - offsets[columnOf[document]!]!;
      entries += size;
      if (size > 0 && size === this.eliminated[document]) documentsEliminated++;
    }
    return { entries, listed: this.listed, documentsEliminated };
  }
}
