/** Sketches texts on this thread, to look them up in an index: the signatures, keys and sets that a run gives them. */
import type { PinnedParams } from '../../index/indexManifest.js';
import type { LookedUp } from '../../index/lookups.js';
import type { DocumentSketches, Kernel } from '../../kernel/kernel.js';
import { strideOf } from '../../sketch/signature.js';

/** The form in which an index has signatures and sets. */
export class IndexedForm {
  readonly #kernel: Kernel;
  readonly #params: PinnedParams;

  constructor(kernel: Kernel, params: PinnedParams) {
    this.#kernel = kernel;
    this.#params = params;
  }

  /** @param wide a signature of 32-bit slots, padded to a multiple of 16 */
  signatureOf(wide: Uint32Array): Pick<LookedUp, 'slots' | 'keys'> {
    const { slotWriter } = this.#kernel;
    const { sketch, banding } = this.#params;
    const stride = strideOf(sketch.hashes);
    const slots = new Uint16Array(stride);
    slotWriter.writeNarrowSlots(wide, slots, 0);
    const keys = new Uint32Array(banding.bands);
    slotWriter.writeBandKeys(slots, stride, banding, keys);
    return { slots, keys };
  }

  setOf(text: Uint8Array): Uint32Array {
    const collector = this.#kernel.setCollector();
    collector.clear();
    const stream = this.#kernel.shingleStream(this.#params.shingle, (hashes, count) =>
      collector.add(hashes, count),
    );
    stream.whole(text);
    const count = collector.keep();
    const hashes = collector.sets().slice(0, 2 * count);
    return hashes.subarray(0, 2 * this.#kernel.sortUnique(hashes, count));
  }
}

export class TextSketches {
  readonly #form: IndexedForm;
  readonly #sketches: DocumentSketches;

  constructor(kernel: Kernel, params: PinnedParams) {
    this.#form = new IndexedForm(kernel, params);
    this.#sketches = kernel.documentSketches(params.shingle, params.sketch);
  }

  /** Null: the text has no tokens, and resembles nothing. */
  sketch(text: Uint8Array): LookedUp | null {
    const sketches = this.#sketches;
    sketches.rows.clear();
    sketches.whole(text);
    if (sketches.tokens === 0) return null;
    const wide = new Uint32Array(sketches.rows.stride);
    sketches.rows.copyTo(wide);
    let set: Uint32Array | null = null;
    return {
      ...this.#form.signatureOf(wide),
      ...{ contentKey: sketches.contentKey.slice(), textKey: sketches.textKey.slice() },
      set: () => (set ??= this.#form.setOf(text)),
    };
  }
}
