/**
 * Decides for one document after the other whether it resembles a document kept before it.
 *
 *      batch     documents are added to it: their sketches and texts
 *      close     computes the bucket keys of the batch
 *      read      reads the sets of documents of an index without sets
 *      decide    each document of the batch, in order: look up, verify, remember
 *      clear     empties the batch
 *
 * Documents of an index and kept ones are looked up in the same way. Kept documents are added to the younger of two
 * generations. When it is full, the older one is forgotten and the younger takes its place: memory is bounded, and at
 * least half of it holds documents.
 */
import {
  type Hit,
  type LookedUp,
  type LookedUpText,
  type LookupRule,
  lookUp,
  lookUpSame,
} from '../../index/lookups.js';
import type { Segment } from '../../index/segment.js';
import type { Kernel } from '../../kernel/kernel.js';
import { WORKER_BYTES } from '../../options/memory.js';
import { binaryOfBytes } from '../../readers/list/pathIds.js';
import type { PairKind } from '../../result/readResult.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import type { ResultParams } from '../../sketch/params.js';
import { setOfText } from '../index/textSketches.js';
import { Batch, type DocumentIdentity, OF_INDEX } from './batch.js';
import { ExactComparison, type TextPieces } from './exactComparison.js';
import type { IndexedDocuments } from './indexedDocuments.js';
import { KeptDocuments } from './kept/keptDocuments.js';
import type { KeptTexts } from './kept/keptTexts.js';

/** The share of --memory, without the kernel, that is used; the engine frees memory late and needs the rest. */
const ROOM_SHARE = 0.85;
/** The share of this that one generation may take; texts in memory have the rest. */
const GENERATION_SHARE = 0.4;
/** The share for hashes of very long texts. */
const RANGE_SHARE = 1 / 8;
/** The memory is checked after this many documents, and after this many bytes of a text. */
const DOCUMENTS_BETWEEN = 64;
const BYTES_BETWEEN = 256 << 10;

/** Reported when a generation is forgotten. */
export interface Forgotten {
  /** Kept documents that are no longer compared, from the first on. */
  readonly documents: number;
  /** The --memory that would have held all documents kept so far, in bytes. */
  readonly memory: number;
}

export interface Decision {
  kept: boolean;
  /** The document has no tokens, so it is not a duplicate. */
  empty: boolean;
  /** Exact Jaccard similarity, or its estimate, to the kept document; 0 if this document is kept. */
  jaccard: number;
  kind: PairKind;
  /** The most similar kept document, valid until the next decision; null if this document is kept. */
  like: DocumentIdentity | null;
}

/** A generation cannot number more documents. */
const MOST_DOCUMENTS = 2 ** 31 - 2;

export class DocumentFilter {
  readonly batch: Batch;
  /** Documents that share a bucket with a decided one and have enough equal slots. */
  candidates = 0;
  /** Pairs whose sets were compared. */
  compared = 0;
  /** Look-ups that skipped members of large buckets, or candidates with fewer equal slots. */
  capped = 0;
  /** Kept documents that are no longer compared. */
  forgotten = 0;
  readonly #rule: LookupRule;
  readonly #params: ResultParams;
  readonly #kernel: Kernel;
  readonly #room: number;
  readonly #onForgotten: (forgotten: Forgotten) => void;
  readonly #exact: ExactComparison;
  readonly #indexed: IndexedDocuments | null;
  readonly #decision: Decision = { kept: true, empty: false, jaccard: 0, kind: 'near', like: null };
  #older: KeptDocuments | null = null;
  #younger: KeptDocuments;
  /** The documents that are searched: those of the index, then kept ones. */
  #segments: readonly (Segment | KeptDocuments)[] = [];
  /** All remembered documents, including those forgotten since. */
  #remembered = 0;
  #unlooked = 0;
  /** The document of the batch whose text the comparison has; -1: none. */
  #begun = -1;
  #current = 0;
  /** Of the batch: 16-bit signatures, and keys band after band. */
  #slots = new Uint16Array(0);
  #keys = new Uint32Array(0);
  /** The document that is looked up. */
  readonly #own: LookedUpText;
  #set: Uint32Array | null = null;

  /** @param memory bytes, as --memory */
  constructor(
    kernel: Kernel,
    params: ResultParams,
    memory: number,
    onForgotten: (forgotten: Forgotten) => void = () => {},
    indexed: IndexedDocuments | null = null,
  ) {
    this.#indexed = indexed;
    const family = sketchFamilyOf(params);
    const isExact = params.verify === 'exact';
    this.#params = params;
    this.#kernel = kernel;
    this.#rule = {
      ...{ isExact, isBestOnly: true, margin: isExact ? family.margin() : family.least() },
      ...{ threshold: params.threshold, hashes: params.sketch.hashes, cap: leastHotBucket(params.hotBucket) },
    };
    this.#room = ROOM_SHARE * (memory - WORKER_BYTES);
    this.#onForgotten = onForgotten;
    this.#exact = new ExactComparison(kernel, params.shingle, RANGE_SHARE * this.#room);
    this.batch = new Batch(kernel.documentSketches(params.shingle, params.sketch));
    this.#own = {
      ...{ slots: new Uint16Array(this.batch.stride), keys: new Uint32Array(params.banding.bands) },
      ...{ contentKey: new Uint32Array(4), textKey: new Uint32Array(4) },
      set: () => (this.#set ??= setOfText(kernel, params.shingle, this.batch.text(this.#current))),
    };
    this.#younger = this.#newGeneration((indexed?.segments ?? []).reduce((sum, { rows }) => sum + rows, 0));
    this.#listSegments();
  }

  /** Ends the batch. Its documents are decided next. */
  close(): void {
    const { batch } = this;
    batch.finish();
    this.#begun = -1;
    const slots = batch.count * batch.stride;
    const keys = batch.count * this.#params.banding.bands;
    if (this.#slots.length < slots) this.#slots = new Uint16Array(2 * slots);
    if (this.#keys.length < keys) this.#keys = new Uint32Array(2 * keys);
    if (batch.count === 0) return;
    const { slotWriter } = this.#kernel;
    slotWriter.writeNarrowSlots(batch.slots.subarray(0, slots), this.#slots, 0);
    const narrow = this.#slots.subarray(0, slots);
    slotWriter.writeBandKeys(narrow, batch.stride, this.#params.banding, this.#keys.subarray(0, keys));
  }

  /** Reads the sets of documents of an index without sets, with which those of the batch are compared. */
  async readSources(): Promise<void> {
    const indexed = this.#indexed;
    if (indexed?.readsSources !== true) return;
    indexed.forget();
    const { segments } = indexed;
    for (let i = 0; i < this.batch.count; i++) {
      if (this.batch.isEmpty(i)) continue;
      const document = this.document(i);
      if (lookUpSame(segments, document, this.#rule).hits.length === 0)
        lookUp(segments, document, this.#rule);
    }
    await indexed.sources.read();
  }

  clear(): void {
    this.batch.clear();
  }

  /**
   * Decides document i of the batch. `learns`: whether it is remembered if it is kept. Every call returns the same
   * object.
   *
   * @throws MinHashError SCRATCH_FAILED
   */
  decide(i: number, learns: boolean): Decision {
    const decision = this.#decision;
    decision.empty = this.batch.isEmpty(i);
    const document = decision.empty ? null : this.document(i);
    const hit = document === null ? undefined : this.#resembling(document);
    decision.kept = hit === undefined;
    decision.jaccard = hit?.jaccard ?? 0;
    decision.kind = hit?.kind ?? 'near';
    decision.like = hit === undefined ? null : identityOf(hit);
    if (hit !== undefined && !(hit.segment instanceof KeptDocuments))
      this.#indexed?.resembled(hit.segment, hit.row);
    if (learns && decision.kept && document !== null) this.#remember(document, i);
    return decision;
  }

  /** Document i of the batch in the form of a look-up; valid until the next call. */
  document(i: number): LookedUpText {
    const { count, stride, contentKeys, textKeys } = this.batch;
    const { slots, keys, contentKey, textKey } = this.#own;
    // For so few numbers, loops are faster than views.
    for (let slot = 0, at = i * stride; slot < stride; slot++) slots[slot] = this.#slots[at++]!;
    for (let band = 0, at = i; band < keys.length; band++, at += count) keys[band] = this.#keys[at]!;
    for (let word = 0; word < 4; word++) {
      contentKey[word] = contentKeys[4 * i + word]!;
      textKey[word] = textKeys[4 * i + word]!;
    }
    this.#current = i;
    this.#set = null;
    return this.#own;
  }

  /**
   * Remembers document i of the batch whatever it resembles, unless a token-identical one is remembered, which gives
   * the same answers. Returns false if it does not fit in memory; nothing is forgotten for it.
   */
  learn(i: number): boolean {
    if (this.batch.isEmpty(i)) return true;
    const document = this.document(i);
    if (lookUpSame([this.#younger], document, this.#rule).hits.length > 0) return true;
    this.#add(document, i);
    return this.#unlooked > 0 || this.#younger.bytes <= 2 * GENERATION_SHARE * this.#room;
  }

  /** The --memory that is enough to remember `times` as many documents as so far, in bytes. */
  memoryFor(times: number): number {
    const bytes = times * this.#remembered * this.#younger.mostBytesEach;
    return Math.ceil(bytes / (2 * GENERATION_SHARE * ROOM_SHARE)) + WORKER_BYTES;
  }

  end(): void {
    this.#older?.texts.close();
    this.#younger.texts.close();
  }

  #newGeneration(first: number): KeptDocuments {
    const { banding } = this.#params;
    return new KeptDocuments(first, banding.bands, this.batch.stride, this.#rule.cap, (number, other) =>
      this.#compare(number, other),
    );
  }

  #listSegments(): void {
    const kept = this.#older === null ? [this.#younger] : [this.#older, this.#younger];
    this.#segments = [...(this.#indexed?.segments ?? []), ...kept];
  }

  /** The document that is most similar, the first of equal ones. */
  #resembling(document: LookedUp): Hit<Segment | KeptDocuments> | undefined {
    if (this.#indexed !== null) {
      const same = lookUpSame(this.#segments, document, this.#rule);
      if (same.hits.length > 0) return same.hits[0];
    }
    const { hits, candidates, isCapped } = lookUp(this.#segments, document, this.#rule);
    this.candidates += candidates;
    if (isCapped) this.capped++;
    return hits[0];
  }

  #compare(number: number, other: TextPieces): number {
    this.compared++;
    if (this.#begun !== this.#current) {
      const text = this.batch.text(this.#current);
      this.#exact.begin({ length: text.length, piece: (from, to) => text.subarray(from, to) });
      this.#begun = this.#current;
    }
    return this.#exact.with(number, other);
  }

  #remember(document: LookedUp, i: number): void {
    const { rows, bytes } = this.#younger;
    const isFull = rows === MOST_DOCUMENTS || bytes > GENERATION_SHARE * this.#room;
    if (this.#unlooked === 0 && isFull) this.#turn();
    this.#add(document, i);
  }

  #add(document: LookedUp, i: number): void {
    const { texts } = this.#younger;
    this.#younger.add(document, this.batch, i);
    this.#remembered++;
    this.#unlooked = (this.#unlooked + 1) % DOCUMENTS_BETWEEN;
    if (this.#rule.isExact === true) this.#appendText(texts, this.batch.text(i));
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

  /** Moves the oldest texts to disk until index and texts fit. */
  #bound(): void {
    const older = this.#older;
    const index = this.#younger.bytes + (older?.bytes ?? 0);
    while (index + this.#younger.texts.bytes + (older?.texts.bytes ?? 0) > this.#room) {
      if (!older?.texts.spill() && !this.#younger.texts.spill()) return;
    }
  }

  /** Forgets the older generation; the younger one becomes the older. */
  #turn(): void {
    const last = this.#older;
    if (last !== null) {
      this.forgotten += last.rows;
      last.texts.close();
      this.#onForgotten({ documents: this.forgotten, memory: this.memoryFor(1) });
    }
    this.#older = this.#younger;
    this.#younger = this.#newGeneration(this.#older.first + this.#older.rows);
    this.#listSegments();
    this.#exact.forget();
    this.#begun = -1;
  }
}

/** Identifies the document of a hit. */
function identityOf({ segment, row, number }: Hit<Segment | KeptDocuments>): DocumentIdentity {
  if (segment instanceof KeptDocuments) return segment.identity(row);
  const { id, location } = segment.names(segment.record(row));
  return { id: id ?? location, file: OF_INDEX, number, location: binaryOfBytes(location) };
}
