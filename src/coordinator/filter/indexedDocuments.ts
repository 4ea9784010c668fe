/**
 * The documents of an index beside a filter: each document is looked up among them, and with a portion those that pass are added when the
 * stream ends, all or none.
 */

import { dateOfDay, dayOf } from '../../index/format.js';
import { IndexWriter, type OpenedIndex, openedIndex } from '../../index/indexFolder.js';
import { type LookedUp, type LookupRule, lookUp, lookupRule } from '../../index/lookups.js';
import { mergeFew } from '../../index/merging.js';
import { SegmentWriter } from '../../index/segmentWriter.js';
import type { Kernel } from '../../kernel/kernel.js';
import { binaryOfBytes, bytesOf } from '../../readers/list/pathIds.js';
import type { PairKind } from '../../result/readResult.js';
import { setChecksums } from '../../store/platformCrc.js';
import { IndexedForm } from '../index/textSketches.js';
import { type Batch, type DocumentIdentity, OF_INDEX } from './batch.js';

/** The index of a filter. */
export interface IndexSetup {
  readonly folder: string;
  /** Documents that pass are added as this portion; null: none is. */
  readonly portion: string | null;
}

/** The document of the index that resembles most. */
export interface IndexedLike {
  readonly jaccard: number;
  readonly kind: PairKind;
  readonly like: DocumentIdentity;
}

export class IndexedDocuments {
  /** Documents of the index that shared a bucket, and lookups that met a bucket with more members than are compared. */
  candidates = 0;
  capped = 0;
  readonly #index: OpenedIndex;
  readonly #form: IndexedForm;
  readonly #kernel: Kernel;
  readonly #rule: LookupRule;
  readonly #portion: string | null;
  readonly #writer: IndexWriter | null;
  #segment: SegmentWriter | null = null;
  #number = 0;
  /** The document that was looked up last. */
  #last: LookedUp | null = null;

  /** @throws MinHashError INDEX_MISSING, INDEX_DAMAGED, INDEX_MISMATCH, INDEX_LOCKED */
  constructor(kernel: Kernel, { folder, portion }: IndexSetup) {
    this.#writer = portion === null ? null : new IndexWriter(folder);
    try {
      this.#index = openedIndex(folder);
    } catch (error) {
      this.#writer?.close();
      throw error;
    }
    const { parameters } = this.#index.manifest;
    this.#kernel = kernel;
    this.#form = new IndexedForm(kernel, parameters);
    this.#rule = { ...lookupRule(parameters), isBestOnly: true };
    this.#portion = portion;
  }

  get adds(): boolean {
    return this.#writer !== null;
  }

  /** The document of the index that document i of a batch resembles most, of equal ones the first added; null: none. */
  find(batch: Batch, i: number): IndexedLike | null {
    let set: Uint32Array | null = null;
    const { stride } = batch;
    this.#last = {
      ...this.#form.signatureOf(batch.slots.subarray(i * stride, (i + 1) * stride)),
      contentKey: batch.contentKeys.subarray(4 * i, 4 * i + 4),
      textKey: batch.textKeys.subarray(4 * i, 4 * i + 4),
      set: () => (set ??= this.#form.setOf(batch.text(i))),
    };
    const { hits, candidates, isCapped } = lookUp(this.#index, this.#last, this.#rule);
    this.candidates += candidates;
    if (isCapped) this.capped++;
    const [hit] = hits;
    if (hit === undefined) return null;
    const { id, location } = hit.segment.names(hit.record);
    const like = {
      id: id ?? location,
      file: OF_INDEX,
      number: hit.number,
      location: binaryOfBytes(location),
    };
    return { jaccard: hit.jaccard, kind: hit.kind, like };
  }

  /** Adds document i of a batch, which was looked up last. @throws MinHashError WRITE_FAILED, DISK_FULL */
  add(batch: Batch, i: number, location: string): void {
    const writer = this.#writer!;
    if (this.#segment === null) {
      this.#number = writer.take();
      this.#segment = new SegmentWriter(writer);
    }
    const document = this.#last!;
    const hashes = document.set();
    const counts = Uint32Array.of(hashes.length / 2);
    const { id } = batch.identity(i);
    const place = bytesOf(location);
    const isNamed = Buffer.compare(id, place) !== 0;
    this.#segment.append({
      ...{ ...document, positions: Uint32Array.of(0), portion: this.#number },
      sets: { counts, hashes, crcs: setChecksums({ counts, hashes }) },
      textBytes: [batch.text(i).length],
      tokens: [batch.tokens(i)],
      appendNames: (_, out) => {
        if (isNamed) out.append(id);
        out.append(place);
        return isNamed ? id.length : 0;
      },
    });
  }

  /** Puts the added documents into the index; returns their number. @throws MinHashError WRITE_FAILED, DISK_FULL */
  commit(): number {
    const [writer, segment] = [this.#writer, this.#segment];
    if (writer === null || segment === null) return 0;
    const entry = segment.finish(this.#kernel.sortUnique);
    const { portions, segments } = writer.manifest;
    const added = dateOfDay(dayOf(Date.now()));
    const portion = { number: this.#number, name: this.#portion!, added, documents: segment.rows };
    writer.commit({ portions: [...portions, portion], segments: [...segments, entry] });
    this.#segment = null;
    mergeFew(writer);
    return portion.documents;
  }

  close(): void {
    this.#segment?.abandon();
    this.#writer?.close();
    this.#index.close();
  }
}
