/**
 * Decides for one document after the other whether it resembles a document kept before it.
 *
 *      batch          documents are added to it: their sketches and texts
 *      close          ends the batch; reads the sets of documents of an index without sets
 *      decide         each document of the batch, in order: look up, verify, remember
 *      batch.clear    empties the batch
 *
 * Documents of an index and kept ones are looked up in the same way. Kept documents are added to the younger of two
 * generations. When it is full, the older one is forgotten and the younger takes its place: memory is bounded, and at
 * least half of it holds documents.
 */
import { type Hit, type LookedUpText, type LookupRule, lookUp, lookUpSame } from '../../index/lookups.js';
import type { Segment } from '../../index/segment.js';
import type { Kernel } from '../../kernel/kernel.js';
import { WORKER_BYTES } from '../../options/memory.js';
import { binaryOfBytes } from '../../readers/list/pathIds.js';
import type { PairKind } from '../../result/readResult.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import type { ResultParams } from '../../sketch/params.js';
import { setsOfTexts } from '../index/textSketches.js';
import { Batch, type DocumentIdentity } from './batch.js';
import type { IndexedDocuments } from './indexedDocuments.js';
import { KeptDocuments, SetCache } from './keptDocuments.js';

/** The share of --memory, without the kernel, that is used; the engine frees memory late and needs the rest. */
const ROOM_SHARE = 0.85;
/** The share of this that one generation may take; texts in memory have the rest. */
const GENERATION_SHARE = 0.4;
/** The share for sets of documents that were compared. */
const SETS_SHARE = 1 / 8;
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
  /** Documents that share a bucket with a decided one. */
  candidates = 0;
  /** Lookups that skipped members of large buckets, or candidates with fewer equal slots. */
  capped = 0;
  /** Kept documents that are no longer compared. */
  forgotten = 0;
  readonly #rule: LookupRule;
  readonly #params: ResultParams;
  readonly #room: number;
  readonly #onForgotten: (forgotten: Forgotten) => void;
  readonly #sets: SetCache;
  readonly #indexed: IndexedDocuments | null;
  readonly #decision: Decision = { kept: true, empty: false, jaccard: 0, kind: 'near', like: null };
  #older: KeptDocuments | null = null;
  #younger: KeptDocuments;
  /** The documents that are searched: those of the index, then kept ones. */
  #segments: readonly (Segment | KeptDocuments)[] = [];
  /** All remembered documents, including those forgotten since. */
  #remembered = 0;
  #sinceCheck = 0;

  /** @param memory bytes, as --memory */
  constructor(
    kernel: Kernel,
    params: ResultParams,
    memory: number,
    onForgotten: (forgotten: Forgotten) => void,
    indexed: IndexedDocuments | null,
  ) {
    this.#indexed = indexed;
    const family = sketchFamilyOf(params);
    const isExact = params.verify === 'exact';
    this.#params = params;
    this.#rule = {
      ...{ isExact, isBestOnly: true, margin: isExact ? family.margin() : family.least() },
      ...{ threshold: params.threshold, hashes: params.sketch.hashes, cap: leastHotBucket(params.hotBucket) },
    };
    this.#room = ROOM_SHARE * (memory - WORKER_BYTES);
    this.#onForgotten = onForgotten;
    const setOf = setsOfTexts(kernel, params.shingle);
    this.#sets = new SetCache(setOf, SETS_SHARE * this.#room);
    this.batch = new Batch(kernel, params, setOf);
    this.#younger = this.#newGeneration((indexed?.segments ?? []).reduce((sum, { rows }) => sum + rows, 0));
    this.#listSegments();
  }

  /** Ends the batch. Its documents are decided next. */
  async close(): Promise<void> {
    this.batch.close();
    if (this.#indexed === null) return;
    await this.#indexed.readSets((segments) => {
      for (let i = 0; i < this.batch.count; i++) {
        if (this.batch.tokens(i) === 0) continue;
        const document = this.batch.document(i);
        if (lookUpSame(segments, document, this.#rule).hits.length === 0)
          lookUp(segments, document, this.#rule);
      }
    });
  }

  /**
   * Decides document i of the batch. `learns`: whether it is remembered if it is kept. Every call returns the same
   * object.
   *
   * @throws MinHashError SCRATCH_FAILED, INDEX_DAMAGED
   */
  decide(i: number, learns: boolean): Decision {
    const decision = this.#decision;
    decision.empty = this.batch.tokens(i) === 0;
    const document = decision.empty ? null : this.batch.document(i);
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

  end(): void {
    this.#older?.texts.close();
    this.#younger.texts.close();
  }

  #newGeneration(first: number): KeptDocuments {
    const { bands } = this.#params.banding;
    return new KeptDocuments(first, bands, this.batch.stride, this.#rule.cap, this.#sets);
  }

  #listSegments(): void {
    const kept = this.#older === null ? [this.#younger] : [this.#older, this.#younger];
    this.#segments = [...(this.#indexed?.segments ?? []), ...kept];
  }

  /** The document that is most similar, the first of equal ones. */
  #resembling(document: LookedUpText): Hit<Segment | KeptDocuments> | undefined {
    if (this.#indexed !== null) {
      const same = lookUpSame(this.#segments, document, this.#rule);
      if (same.hits.length > 0) return same.hits[0];
    }
    const { hits, candidates, isCapped } = lookUp(this.#segments, document, this.#rule);
    this.candidates += candidates;
    if (isCapped) this.capped++;
    return hits[0];
  }

  #remember(document: LookedUpText, i: number): void {
    const { rows, bytes } = this.#younger;
    const isFull = rows === MOST_DOCUMENTS || bytes > GENERATION_SHARE * this.#room;
    if (this.#sinceCheck === 0 && isFull) this.#replaceOlder();
    const { texts } = this.#younger;
    this.#younger.add(document, this.batch.identity(i));
    this.#remembered++;
    this.#sinceCheck = (this.#sinceCheck + 1) % DOCUMENTS_BETWEEN;
    const text = this.batch.textOf(i);
    for (let at = 0; this.#rule.isExact === true && at < text.length; at += BYTES_BETWEEN) {
      texts.append(text.subarray(at, at + BYTES_BETWEEN));
      if (text.length > BYTES_BETWEEN) this.#spillTexts();
    }
    if (this.#sinceCheck === 0) this.#spillTexts();
  }

  /** Moves the oldest texts to disk until tables and texts fit. */
  #spillTexts(): void {
    const older = this.#older;
    const tables = this.#younger.bytes + (older?.bytes ?? 0);
    while (tables + this.#younger.texts.bytes + (older?.texts.bytes ?? 0) > this.#room) {
      if (!older?.texts.spill() && !this.#younger.texts.spill()) return;
    }
  }

  /** Forgets the older generation; the younger one becomes the older. */
  #replaceOlder(): void {
    const last = this.#older;
    if (last !== null) {
      this.forgotten += last.rows;
      last.texts.close();
      const tables = this.#remembered * last.mostBytesEach;
      const memory = Math.ceil(tables / (2 * GENERATION_SHARE * ROOM_SHARE)) + WORKER_BYTES;
      this.#onForgotten({ documents: this.forgotten, memory });
    }
    this.#older = this.#younger;
    this.#younger = this.#newGeneration(this.#older.first + this.#older.rows);
    this.#listSegments();
  }
}

/** Identifies the document of a hit. */
function identityOf({ segment, row }: Hit<Segment | KeptDocuments>): DocumentIdentity {
  if (segment instanceof KeptDocuments) return segment.identity(row);
  const { id, location } = segment.names(segment.record(row));
  return { id: id ?? location, number: -1, location: binaryOfBytes(location) };
}
