/**
 * An index as the reference of a run. Its documents that share a bucket with a new one become a batch after those of
 * the inputs, with signatures, keys and sets from the index. From there on they are ordinary reference documents.
 * Documents that share no bucket with a new one are in no pair that counts, so they are not needed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import { type Block, encodeBlock, newBlock, typedColumns } from '../../blocks/block.js';
import { countsIn, HAS_ID } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';
import { type OpenedIndex, openedIndex } from '../../index/indexFolder.js';
import type { DocumentRecord, Segment } from '../../index/segment.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { strideOf } from '../../sketch/signature.js';
import { signaturesOf } from '../agreements.js';
import type { Run } from '../context.js';
import type { SketchedBatch } from '../sketch/source.js';
import { IndexSources } from './indexSources.js';

/** Keys of new documents that are looked up in one pass over a band of the index. */
const KEYS_AT_ONCE = 1 << 20;

export class IndexReference {
  readonly index: OpenedIndex;
  readonly #kernel: Kernel;
  readonly #sources: IndexSources;
  /** By document of the batch. */
  readonly #segments: Segment[] = [];
  readonly #rows = new Uint32Column();
  readonly #records: DocumentRecord[] = [];

  /** @throws MinHashError INDEX_MISSING, INDEX_DAMAGED, INDEX_MISMATCH */
  constructor(folder: string, kernel: Kernel) {
    this.index = openedIndex(folder);
    this.#kernel = kernel;
    this.#sources = new IndexSources(this.index, kernel);
  }

  /** Documents of the batch. */
  get length(): number {
    return this.#rows.length;
  }

  /**
   * Stores the table and the signatures of the documents that share a bucket with one of these batches.
   *
   * @throws MinHashError INDEX_DAMAGED with the file
   */
  async batch(run: Run, batches: readonly SketchedBatch[], files: FileTable): Promise<SketchedBatch> {
    const block = batches.length;
    await this.#find(run, batches);
    run.put(NAMES.signatures(block), this.#signatures());
    let file = 0;
    while (!files.isReference(file)) file++;
    const table = this.#table(file);
    run.put(NAMES.documents(block), table);
    return {
      ...{ block, split: { kind: 'memory' }, text: null, label: 'documents of the index' },
      ...{ report: countsIn(table), isResumed: false },
    };
  }

  /** Marks the rows of all buckets of the new documents. Keys are sorted, so a page is read once per pass. */
  async #find(run: Run, batches: readonly SketchedBatch[]): Promise<void> {
    const { segments } = this.index;
    const marks = segments.map(({ rows }) => new Uint8Array(Math.ceil(rows / 8)));
    const source = signaturesOf(run, batches);
    try {
      const documents = source.starts.at(-1)!;
      const keys = new Uint32Array(Math.min(documents, KEYS_AT_ONCE));
      for (let band = 0; band < run.params.banding.bands; band++) {
        for (let first = 0; first < documents; first += keys.length) {
          const count = Math.min(keys.length, documents - first);
          source.keys(band, first, count, keys, 0);
          const sorted = keys.subarray(0, count).sort();
          for (const [i, segment] of segments.entries()) {
            const mark = marks[i]!;
            for (let at = 0; at < count; at++) {
              if (at > 0 && sorted[at] === sorted[at - 1]) continue;
              segment.visit(band, sorted[at]!, (row) => {
                mark[row >>> 3]! |= 1 << (row & 7);
                return true;
              });
            }
          }
          // Lets the process handle a signal that arrived meanwhile.
          await nextTurn();
          run.checkStopped();
        }
      }
    } finally {
      source.close();
    }
    for (const [i, segment] of segments.entries())
      for (let row = 0; row < segment.rows; row++) {
        if ((marks[i]![row >>> 3]! & (1 << (row & 7))) === 0) continue;
        this.#segments.push(segment);
        this.#rows.push(row);
      }
  }

  #signatures(): Block {
    const { sketch, banding } = this.index.manifest.parameters;
    const stride = strideOf(sketch.hashes);
    const { length } = this;
    const made = newBlock(
      'signatures',
      {},
      { slots: ['u16', length * stride], keys: ['u32', length * banding.bands] },
      true,
    );
    const { slots, keys } = typedColumns(made, { slots: 'u16', keys: 'u32' });
    const rows = this.#rows.view;
    for (let i = 0; i < length; i++) slots.set(this.#segments[i]!.signature(rows[i]!), i * stride);
    this.#kernel.slotWriter.writeBandKeys(slots, stride, banding, keys);
    return made;
  }

  #table(fileNumber: number): Block {
    const { length } = this;
    const rows = this.#rows.view;
    const contentKey = new Uint32Array(4 * length);
    const textKey = new Uint32Array(4 * length);
    const [textBytes, tokens] = [new Float64Array(length), new Float64Array(length)];
    const [occurrences, flags] = [new Float64Array(length), new Uint8Array(length)];
    const [idBytes, idOffsets] = [new ByteColumn(), new Uint32Array(length + 1)];
    for (let i = 0; i < length; i++) {
      const segment = this.#segments[i]!;
      const record = segment.record(rows[i]!);
      this.#records.push(record);
      contentKey.set(record.contentKey, 4 * i);
      textKey.set(record.textKey, 4 * i);
      textBytes[i] = record.textBytes;
      tokens[i] = record.tokens;
      occurrences[i] = record.setCount;
      const { id } = segment.names(record);
      if (id !== null) {
        flags[i] = HAS_ID;
        idBytes.append(id);
      }
      idOffsets[i + 1] = idBytes.length;
    }
    const record = Float64Array.from({ length }, (_, i) => i);
    const file = new Uint32Array(length).fill(fileNumber);
    const none = new Uint32Array(0);
    const skips = { skipFile: none, skipRecord: new Float64Array(0), skipCode: new Uint8Array(0) };
    const skipIds = { skipIdOffsets: new Uint32Array(1), skipIdBytes: new Uint8Array(0) };
    const opened = { openedFile: none, openedBytes: new Float64Array(0), openedTime: new Float64Array(0) };
    return encodeBlock(
      'documents',
      { lines: 0, bytes: 0 },
      {
        ...{ file, record, idOffsets, idBytes: idBytes.view, flags, contentKey, textKey, occurrences },
        ...{ textBytes, tokens, ...skips, ...skipIds, ...opened },
      },
      true,
    );
  }

  appendLocation(i: number, out: ByteColumn): void {
    out.append(this.#segments[i]!.names(this.#records[i]!).location);
  }

  /**
   * The sets of some documents of the batch; a set is empty if its source is gone or changed. @throws MinHashError
   * INDEX_DAMAGED with the file
   */
  async sets(
    documents: Uint32Array,
  ): Promise<{ readonly counts: Uint32Array; readonly hashes: Uint32Array }> {
    const setOf = (i: number) => this.#segments[i]!.setOf(this.#rows.view[i]!);
    if (this.index.pending !== null) {
      for (const i of documents) setOf(i);
      await this.#sources.read();
    }
    const counts = Uint32Array.from(documents, (i) => this.#records[i]!.setCount);
    const hashes = new Uint32Array(2 * counts.reduce((sum, count) => sum + count, 0));
    let at = 0;
    for (const [k, i] of documents.entries()) {
      const set = setOf(i);
      if (set === null) counts[k] = 0;
      else hashes.set(set, at);
      at += set?.length ?? 0;
    }
    this.index.pending?.clear();
    return { counts, hashes: hashes.subarray(0, at) };
  }

  /** By file and reason: the number of documents that were not verified. */
  get unverified(): readonly string[] {
    return this.#sources.lines();
  }

  /** The segment and row of a document of the batch. */
  placeOf(i: number): { readonly segment: Segment; readonly row: number } {
    return { segment: this.#segments[i]!, row: this.#rows.view[i]! };
  }

  close(): void {
    this.#sources.close();
    this.index.close();
  }
}
