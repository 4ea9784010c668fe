/**
 * Decides for one document after the other whether it resembles one that was kept before.
 *
 *      batch     documents are added to it: their sketches and texts
 *      close     the bucket keys of the batch
 *      decide    each of the batch, in order: look up, verify, remember
 *      clear     an empty batch
 *
 * Kept documents are added to the younger of two generations of the index. When it is full, the older one is forgotten and the
 * younger takes its place: memory is bounded, and at least half of it holds documents.
 */
import type { Kernel } from '../../kernel/kernel.js';
import { WORKER_BYTES } from '../../options/memory.js';
import type { PairKind } from '../../result/readResult.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import type { BandingParams, ResultParams } from '../../sketch/params.js';
import { Batch, type DocumentIdentity } from './batch.js';
import { ExactComparison } from './exactComparison.js';
import type { IndexedDocuments } from './indexedDocuments.js';
import { KeptIndex, MOST_DOCUMENTS } from './kept/keptIndex.js';
import type { KeptTexts } from './kept/keptTexts.js';
import { byteRows, type SlotRows, wholeRows } from './kept/slotRows.js';

/** The share of --memory beside the kernel that is used; the rest is for memory that the engine frees late. */
const ROOM_SHARE = 0.85;
/** The share of the room that one generation of the index may take; texts in memory have the rest of both. */
const GENERATION_SHARE = 0.4;
/** The share of the room for hashes of very long texts. */
const RANGE_SHARE = 1 / 8;
/** The memory is checked after so many documents, and so many bytes of a text. */
const DOCUMENTS_BETWEEN = 64;
const BYTES_BETWEEN = 256 << 10;

/** Reported when a generation is forgotten. */
export interface Forgotten {
  /** Kept documents that are no longer compared, from the first on. */
  readonly documents: number;
  /** --memory that would have held all that were kept until now, in bytes. */
  readonly memory: number;
}

export interface Decision {
  kept: boolean;
  /** It has no tokens, and so is no duplicate. */
  empty: boolean;
  /** Exact resemblance, or agreement of signatures, to the kept document; 0 where it is kept. */
  jaccard: number;
  kind: PairKind;
  /** The kept document that it resembles most, valid until the next decision; null where it is kept. */
  like: DocumentIdentity | null;
}

/** The kept document that resembles most; null: none was found. */
interface Best {
  readonly jaccard: number;
  readonly generation: KeptIndex | null;
  readonly document: number;
  readonly kind: PairKind;
}

const NOTHING_ALIKE: Best = { jaccard: 0, generation: null, document: 0, kind: 'near' };

export class DocumentFilter {
  readonly batch: Batch;
  /** Documents that share a bucket with a decided one, and agree with it in enough slots. */
  candidates = 0;
  /** Pairs whose sets were compared. */
  compared = 0;
  /** Look-ups that left out members of hot buckets, or candidates beyond those that agree in most slots. */
  capped = 0;
  /** Kept documents that are no longer compared. */
  forgotten = 0;
  readonly #threshold: number;
  readonly #isExact: boolean;
  /** Least agreement of a candidate. */
  readonly #least: number;
  readonly #hashes: number;
  readonly #hotBucket: number;
  readonly #banding: BandingParams;
  readonly #seed: number;
  readonly #kernel: Kernel;
  readonly #room: number;
  readonly #onForgotten: (forgotten: Forgotten) => void;
  readonly #slotRows: SlotRows;
  readonly #row: Uint32Array;
  readonly #exact: ExactComparison;
  readonly #indexed: IndexedDocuments | null;
  readonly #decision: Decision = { kept: true, empty: false, jaccard: 0, kind: 'near', like: null };
  #best = NOTHING_ALIKE;
  #older: KeptIndex | null = null;
  #younger: KeptIndex;
  /** All documents that were remembered, also those forgotten since. */
  #remembered = 0;
  #unlooked = 0;
  /** Whether the current document was passed to the comparison of sets. */
  #isBegun = false;
  #keys = new Uint32Array(0);

  /** @param memory bytes, as --memory */
  constructor(
    kernel: Kernel,
    params: ResultParams,
    memory: number,
    onForgotten: (forgotten: Forgotten) => void = () => {},
    indexed: IndexedDocuments | null = null,
  ) {
    this.#indexed = indexed;
    const { sketch, banding } = params;
    const family = sketchFamilyOf(params);
    this.#kernel = kernel;
    this.#threshold = params.threshold;
    this.#isExact = params.verify === 'exact';
    this.#least = this.#isExact ? family.margin() : family.least();
    this.#hashes = sketch.hashes;
    this.#hotBucket = leastHotBucket(params.hotBucket);
    this.#banding = banding;
    this.#seed = sketch.seed;
    this.#room = ROOM_SHARE * (memory - WORKER_BYTES);
    this.#onForgotten = onForgotten;
    this.#slotRows = this.#isExact ? byteRows(sketch.hashes) : wholeRows(sketch.hashes);
    this.#row = new Uint32Array(this.#slotRows.words);
    this.#exact = new ExactComparison(kernel, params.shingle, RANGE_SHARE * this.#room);
    this.batch = new Batch(kernel.documentSketches(params.shingle, sketch));
    this.#younger = this.#newIndex();
  }

  /** Ends the batch: its documents are decided next. */
  close(): void {
    const { batch } = this;
    batch.finish();
    if (batch.count === 0) return;
    const { count: columns, stride } = batch;
    const words = 2 * this.#banding.bands * columns;
    if (this.#keys.length < words) this.#keys = new Uint32Array(2 * words);
    const slots = batch.slots.subarray(0, columns * stride);
    const keysOf = this.#kernel.bandColumns([slots], { columns, stride }, this.#banding, this.#seed);
    for (let band = 0; band < this.#banding.bands; band++) this.#keys.set(keysOf(band), 2 * columns * band);
  }

  clear(): void {
    this.batch.clear();
  }

  /**
   * Decides document i of the batch. `learns`: it is remembered where it is kept. The result is the same object at every
   * call.
   *
   * @throws MinHashError SCRATCH_FAILED
   */
  decide(i: number, learns: boolean): Decision {
    const decision = this.#decision;
    decision.empty = this.batch.isEmpty(i);
    this.#best = NOTHING_ALIKE;
    const indexed = decision.empty || this.#indexed === null ? null : this.#indexed.find(this.batch, i);
    if (indexed !== null) return Object.assign(decision, indexed, { kept: false });
    if (!decision.empty) this.#resemble(i);
    const { generation, document, jaccard, kind } = this.#best;
    decision.kept = generation === null;
    decision.jaccard = jaccard;
    decision.kind = kind;
    decision.like = generation === null ? null : generation.identity(document);
    if (learns && decision.kept && !decision.empty) this.#remember(i);
    return decision;
  }

  /**
   * Remembers document i of the batch whatever it resembles, unless one with the same tokens is remembered, which gives the same
   * answers. False: it does not fit into the memory, and nothing is forgotten for it.
   */
  learn(i: number): boolean {
    if (this.batch.isEmpty(i)) return true;
    const index = this.#younger;
    this.#writeRow(i);
    index.lookUp(this.#keys, this.batch.count, i, this.#row, this.#hashes);
    for (const document of index.found.view) {
      if (index.sharedWith(document, this.batch, i) !== null) return true;
    }
    this.#add(i);
    return this.#unlooked > 0 || index.bytes <= 2 * GENERATION_SHARE * this.#room;
  }

  /** --memory that is enough to remember `times` as many documents as were remembered until now, in bytes. */
  memoryFor(times: number): number {
    const bytes = times * this.#remembered * this.#younger.mostBytesEach;
    return Math.ceil(bytes / (2 * GENERATION_SHARE * ROOM_SHARE)) + WORKER_BYTES;
  }

  end(): void {
    this.#older?.texts.close();
    this.#younger.texts.close();
  }

  #newIndex(): KeptIndex {
    return new KeptIndex(this.#banding.bands, this.#slotRows, this.#hotBucket);
  }

  #writeRow(i: number): void {
    this.#slotRows.write(this.batch.slots, i * this.batch.stride, this.#row);
  }

  /** Finds the kept document that document i resembles most; of equal ones the first. */
  #resemble(i: number): void {
    this.#writeRow(i);
    this.#isBegun = false;
    if (this.#older !== null && this.#resembleIn(this.#older, i)) return;
    this.#resembleIn(this.#younger, i);
  }

  /** True: one with the same tokens was found, and no other can resemble more. */
  #resembleIn(generation: KeptIndex, i: number): boolean {
    if (generation.lookUp(this.#keys, this.batch.count, i, this.#row, this.#least)) this.capped++;
    if (generation.found.length === 0) return false;
    const found = generation.found.view;
    this.candidates += found.length;
    for (const document of found) {
      const shared = generation.sharedWith(document, this.batch, i);
      if (shared === null) continue;
      const kind = shared === 'text' ? 'identical' : 'same-tokens';
      this.#best = { jaccard: 1, generation, document, kind };
      return true;
    }
    for (const document of found) {
      const jaccard = this.#isExact
        ? this.#compare(generation, document, i)
        : generation.agreement(document, this.#row) / this.#hashes;
      const isBetter = jaccard > this.#best.jaccard;
      if (isBetter && (!this.#isExact || jaccard >= this.#threshold))
        this.#best = { jaccard, generation, document, kind: 'near' };
    }
    return false;
  }

  #compare(generation: KeptIndex, document: number, i: number): number {
    this.compared++;
    if (!this.#isBegun) {
      const text = this.batch.text(i);
      this.#exact.begin({ length: text.length, piece: (from, to) => text.subarray(from, to) });
      this.#isBegun = true;
    }
    const number = generation === this.#younger ? document : MOST_DOCUMENTS + 1 + document;
    return this.#exact.with(number, generation.text(document));
  }

  #remember(i: number): void {
    const index = this.#younger;
    const isFull = index.count === MOST_DOCUMENTS || index.bytes > GENERATION_SHARE * this.#room;
    if (this.#unlooked === 0 && isFull) this.#turn();
    this.#add(i);
  }

  #add(i: number): void {
    const { texts } = this.#younger;
    this.#younger.add(this.#keys, this.batch, i, this.#row);
    this.#remembered++;
    this.#unlooked = (this.#unlooked + 1) % DOCUMENTS_BETWEEN;
    if (this.#isExact) this.#appendText(texts, this.batch.text(i));
    if (this.#unlooked === 0) this.#bound();
  }

  #appendText(texts: KeptTexts, text: Uint8Array): void {
    if (text.length <= BYTES_BETWEEN) {
      texts.append(text);
      return;
    }
    for (let at = 0; at < text.length; at += BYTES_BETWEEN) {
      texts.append(text.subarray(at, at + BYTES_BETWEEN));
      this.#bound();
    }
  }

  /** Moves texts to the disk until index and texts fit, the oldest first. */
  #bound(): void {
    const older = this.#older;
    const index = this.#younger.bytes + (older?.bytes ?? 0);
    while (index + this.#younger.texts.bytes + (older?.texts.bytes ?? 0) > this.#room) {
      if (!older?.texts.spill() && !this.#younger.texts.spill()) return;
    }
  }

  /** The older generation is forgotten, and the younger one is the older. */
  #turn(): void {
    const last = this.#older;
    if (last !== null) {
      this.forgotten += last.count;
      last.texts.close();
      this.#onForgotten({ documents: this.forgotten, memory: this.memoryFor(1) });
    }
    this.#older = this.#younger;
    this.#younger = this.#newIndex();
    this.#exact.forget();
  }
}
