/**
 * What the tasks over ranges of fingerprints say of each fingerprint, put together by document.
 *
 * Floor 4.
 */
import { FREQUENT, NOWHERE } from '../../reducers/fingerprintLists.js';
import { type Block, encodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import type { Corpus } from './corpus.js';

/** See FingerprintLists. */
export interface RangeEntries {
  readonly places: Uint32Array;
  readonly entries: Uint32Array;
  readonly frequent: Uint32Array;
  readonly steps: Float64Array;
  readonly holders: Uint32Array;
}

/** Where fingerprints are in their lists, range after range; a document's fingerprints come in their order. */
export class PlacedEntries {
  /** By column block: places, fingerprint after fingerprint, shared; frequent fingerprints are numbered over all ranges. */
  readonly blocks: readonly Block[];
  /** By document of the corpus: its frequent fingerprints. */
  readonly frequent: Uint32Array;
  /** By document that is compared. */
  readonly steps: Float64Array;
  private readonly placed: Uint32Array;
  private readonly documents: Uint32Array;
  private readonly corpus: Corpus;
  private readonly offsets: readonly Uint32Array[];
  private listed = 0;
  private readonly holders: Uint32Array[] = [];
  private frequentLists = 0;

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
    this.frequent = new Uint32Array(corpus.documents);
    this.steps = new Float64Array(documents.length);
    this.placed = new Uint32Array(documents.length);
  }

  add({ places, entries, frequent, steps, holders }: RangeEntries): void {
    const { blockOf, columnOf } = this.corpus;
    for (let i = 0, e = 0; i < entries.length; i++) {
      const count = entries[i]!;
      if (count === 0) continue;
      const document = this.documents[i]!;
      const k = blockOf[document]!;
      const mine = this.blocks[k]!.columns.places!;
      let at = this.offsets[k]![columnOf[document]!]! + this.placed[i]!;
      for (const end = e + count; e < end; e++) {
        const place = places[e]!;
        mine[at++] = place >= FREQUENT && place !== NOWHERE ? place + this.frequentLists : place;
      }
      this.placed[i]! += count;
      this.frequent[document]! += frequent[i]!;
      this.steps[i]! += steps[i]!;
    }
    this.listed += places.length;
    this.holders.push(holders);
    this.frequentLists += holders.length;
  }

  /** By frequent fingerprint: how many documents have it. */
  allHolders(): Uint32Array {
    const all = new Uint32Array(this.frequentLists);
    let at = 0;
    for (const holders of this.holders) {
      all.set(holders, at);
      at += holders.length;
    }
    return all;
  }

  /** Fingerprints of all documents, and those listed. */
  counted(): { readonly entries: number; readonly listed: number } {
    const { blockOf, columnOf } = this.corpus;
    let entries = 0;
    for (const document of this.documents) {
      const offsets = this.offsets[blockOf[document]!]!;
      entries += offsets[columnOf[document]! + 1]! - offsets[columnOf[document]!]!;
    }
    return { entries, listed: this.listed };
  }
}
