/** Sketches texts on this thread to look them up in an index: the same signatures, keys and sets as in a run. */
import type { PinnedParams } from '../../index/indexManifest.js';
import type { LookedUpText } from '../../index/lookups.js';
import type { DocumentSketches, Kernel } from '../../kernel/kernel.js';
import type { ShingleParams } from '../../text/shingles.js';

/** Returns the sorted distinct shingle hashes of a text, two words each. */
export type SetOfText = (text: Uint8Array) => Uint32Array;

export function setsOfTexts(kernel: Kernel, shingle: ShingleParams): SetOfText {
  const collector = kernel.setCollector();
  const stream = kernel.shingleStream(shingle, (hashes, count) => collector.add(hashes, count));
  return (text) => {
    collector.clear();
    stream.whole(text);
    const count = collector.keep();
    const hashes = collector.sets().slice(0, 2 * count);
    return hashes.subarray(0, 2 * kernel.sortUnique(hashes, count));
  };
}

export class TextSketches {
  readonly #kernel: Kernel;
  readonly #params: PinnedParams;
  readonly #sketches: DocumentSketches;
  readonly #setOf: SetOfText;

  constructor(kernel: Kernel, params: PinnedParams) {
    this.#kernel = kernel;
    this.#params = params;
    this.#sketches = kernel.documentSketches(params.shingle, params.sketch);
    this.#setOf = setsOfTexts(kernel, params.shingle);
  }

  /** Null: the text has no tokens. */
  sketch(text: Uint8Array): LookedUpText | null {
    const sketches = this.#sketches;
    sketches.rows.clear();
    sketches.whole(text);
    if (sketches.tokens === 0) return null;
    const wide = new Uint32Array(sketches.rows.stride);
    sketches.rows.copyTo(wide);
    const { banding } = this.#params;
    const slots = new Uint16Array(wide.length);
    const keys = new Uint32Array(banding.bands);
    this.#kernel.slotWriter.writeSignatures(wide, slots.length, banding, slots, keys, 0);
    let set: Uint32Array | null = null;
    return {
      ...{ slots, keys, contentKey: sketches.contentKey.slice(), textKey: sketches.textKey.slice() },
      set: () => (set ??= this.#setOf(text)),
    };
  }
}
