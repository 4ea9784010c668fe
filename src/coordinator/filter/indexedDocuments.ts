/**
 * The documents of an index that a filter uses. They are looked up together with the kept ones. With a portion,
 * documents that pass are added when the stream ends, all or none.
 */

import { dateOfDay, dayOf } from '../../index/format.js';
import { IndexWriter, type OpenedIndex, openedIndex } from '../../index/indexFolder.js';
import type { LookedUpText } from '../../index/lookups.js';
import { mergeFew } from '../../index/merging.js';
import type { Segment } from '../../index/segment.js';
import { SegmentWriter } from '../../index/segmentWriter.js';
import type { Kernel } from '../../kernel/kernel.js';
import { bytesOf } from '../../readers/list/pathIds.js';
import { setChecksums } from '../../store/platformCrc.js';
import { SeenDocuments } from '../index/addDocuments.js';
import { IndexSources } from '../index/indexSources.js';
import type { Batch } from './batch.js';

/** The index of a filter. */
export interface IndexSetup {
  readonly folder: string;
  /** Documents that pass are added as this portion; null: none are added. */
  readonly portion: string | null;
}

export class IndexedDocuments {
  readonly sources: IndexSources;
  readonly #index: OpenedIndex;
  readonly #kernel: Kernel;
  readonly #portion: string | null;
  readonly #writer: IndexWriter | null;
  /** Documents of the index that others resembled; null: nothing is added. */
  readonly #seen: SeenDocuments | null;
  #segment: SegmentWriter | null = null;
  #number = 0;

  /** @throws MinHashError INDEX_MISSING, INDEX_DAMAGED, INDEX_MISMATCH, INDEX_LOCKED */
  constructor(kernel: Kernel, { folder, portion }: IndexSetup) {
    this.#writer = portion === null ? null : new IndexWriter(folder);
    try {
      this.#index = openedIndex(folder);
    } catch (error) {
      this.#writer?.close();
      throw error;
    }
    this.#kernel = kernel;
    this.sources = new IndexSources(this.#index, kernel);
    this.#portion = portion;
    this.#seen =
      this.#writer === null ? null : new SeenDocuments(this.#writer, this.#index, dayOf(Date.now()));
  }

  get adds(): boolean {
    return this.#writer !== null;
  }

  /** Reads the sets that `look` needs, if the index has none; sets that were read before are forgotten. */
  async readSets(look: (segments: readonly Segment[]) => void): Promise<void> {
    const { pending, segments } = this.#index;
    if (pending === null) return;
    pending.clear();
    look(segments);
    await this.sources.read();
  }

  get segments(): readonly Segment[] {
    return this.#index.segments;
  }

  /** Notes that a document was resembled by another one. */
  resembled(segment: Segment, row: number): void {
    this.#seen?.add([{ segment, row }]);
  }

  /** Adds document i of a batch. @throws MinHashError WRITE_FAILED, DISK_FULL */
  add(document: LookedUpText, batch: Batch, i: number, location: string): void {
    const writer = this.#writer!;
    if (this.#segment === null) {
      this.#number = writer.take();
      this.#segment = new SegmentWriter(writer);
    }
    const hashes = document.set();
    const counts = Uint32Array.of(hashes.length / 2);
    const { id } = batch.identity(i);
    const place = bytesOf(location);
    const isNamed = Buffer.compare(id, place) !== 0;
    this.#segment.append({
      ...{ ...document, positions: Uint32Array.of(0), portion: this.#number },
      sets: { counts, hashes, crcs: setChecksums({ counts, hashes }) },
      textBytes: [batch.textOf(i).length],
      tokens: [batch.tokens(i)],
      appendNames: (_, out) => {
        if (isNamed) out.append(id);
        out.append(place);
        return isNamed ? id.length : 0;
      },
    });
  }

  /** Adds the documents to the index; returns their number. @throws MinHashError WRITE_FAILED, DISK_FULL */
  commit(): number {
    const [writer, segment] = [this.#writer, this.#segment];
    const seen = this.#seen?.segments() ?? [];
    if (writer === null || (segment === null && seen.every((entry, i) => entry === this.segments[i]!.entry)))
      return 0;
    const { portions } = writer.manifest;
    const added = dateOfDay(dayOf(Date.now()));
    const [number, documents] = segment === null ? [writer.take(), 0] : [this.#number, segment.rows];
    const entries = segment === null ? [] : [segment.finish(this.#kernel.sortUnique)];
    const portion = { number, name: this.#portion!, added, documents };
    writer.commit({ portions: [...portions, portion], segments: [...seen, ...entries] });
    this.#segment = null;
    mergeFew(writer);
    return documents;
  }

  close(): void {
    this.#segment?.abandon();
    this.#writer?.close();
    this.sources.close();
    this.#index.close();
  }
}
