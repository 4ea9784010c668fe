/**
 * `--measure containment`: finds the documents that contain a reference text, exactly. Documents are read once and have
 * no signatures.
 *
 *      batches of the reference --referenceSets--> shingle sets --> one table, here
 *      all other batches, table --containments--> pairs of a reference document and a document, with common shingles
 *
 * Of token-identical reference documents only the first is searched for.
 */

import { referenceTable } from '../../mappers/containments.js';
import { Uint32Column } from '../arrays/growable.js';
import { FingerprintTable } from '../arrays/hashTable.js';
import { sortByKey64 } from '../arrays/sort.js';
import { decodeBlock, encodeBlock, typedColumns } from '../blocks/block.js';
import { NAMES, ONE } from '../blocks/names.js';
import type { Run } from './context.js';
import type { NumberedDocuments } from './number.js';
import { PairList } from './pairList.js';
import { inputsOf, type SketchedBatch, type SourceBatch } from './sketch/source.js';
import type { ExactSizes } from './verify.js';

/** Bytes of the table and of the sets that it is built from, per byte of shingle hashes. */
const TABLE_BYTES = 4;

/** Reads the batches of a run and collects the pairs of reference documents and documents that contain them. */
export class ContainmentReading {
  private readonly run: Run;
  /** By reference document, in reading order: the number of its distinct shingles. */
  private sizes = new Uint32Array(0);
  private readonly rows = new Uint32Column();
  private readonly references = new Uint32Column();
  private readonly common = new Uint32Column();
  private readonly documentSizes = new Uint32Column();

  constructor(run: Run) {
    this.run = run;
  }

  /**
   * Yields the batches in order, each after its table of documents is complete. @throws MinHashError MEMORY_BUDGET,
   * TASK_FAILED and others
   */
  async *batches(source: AsyncIterable<SourceBatch>): AsyncGenerator<SketchedBatch> {
    const { run } = this;
    const { store } = run.engine;
    const batches = source[Symbol.asyncIterator]();
    let next = await batches.next();
    async function* of(isReference: boolean): AsyncGenerator<SourceBatch> {
      while (next.done !== true && (next.value.isReference === true) === isReference) {
        yield next.value;
        next = await batches.next();
      }
    }
    const sets: Uint32Array[] = [];
    const known = new FingerprintTable();
    for await (const batch of run.each(of(true), (batch) => this.read('referenceSets', batch))) {
      const name = NAMES.referenceSets(batch.block);
      const { counts, hashes } = typedColumns(decodeBlock(store.get(name)), { counts: 'u32', hashes: 'u32' });
      run.takeTables('the shingles of the reference', TABLE_BYTES * hashes.byteLength);
      const { contentKey } = typedColumns(decodeBlock(store.get(NAMES.documents(batch.block))), {
        contentKey: 'u32',
      });
      for (let i = 0, from = 0; i < counts.length; from += counts[i++]!) {
        const distinct = known.size;
        const isNew = known.add(contentKey[4 * i]!, contentKey[4 * i + 1]!) === distinct;
        sets.push(isNew ? hashes.slice(2 * from, 2 * (from + counts[i]!)) : new Uint32Array(0));
      }
      store.delete(name);
      yield batch;
    }
    const table = referenceTable(sets, run.params.threshold);
    this.sizes = table.starts.slice(1).map((end, i) => end - table.starts[i]!);
    sets.length = 0;
    run.put(ONE.references, encodeBlock('pairs', {}, { ...table }, true));
    const firstRow = this.sizes.length;
    let row = firstRow;
    for await (const batch of run.each(of(false), (batch) => this.read('containments', batch))) {
      this.collect(batch.block, row);
      row += batch.report.documents;
      yield batch;
    }
    store.delete(ONE.references);
  }

  /** The pairs by document number, with the sizes of their sets. */
  pairs({ numberOf, documents }: NumberedDocuments): {
    readonly pairs: PairList;
    readonly exact: ExactSizes;
  } {
    const count = this.rows.length;
    const numbers = (rows: Uint32Array): Uint32Array =>
      numberOf === null ? rows.slice() : rows.map((row) => numberOf[row]!);
    const [a, b] = [numbers(this.references.view), numbers(this.rows.view)];
    const keys = new Uint32Array(2 * count);
    const order = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      keys[2 * i] = b[i]!;
      keys[2 * i + 1] = a[i]!;
      order[i] = i;
    }
    sortByKey64(keys, order, count);
    const sizes = new Uint32Array(documents);
    for (let i = 0; i < count; i++) {
      sizes[a[i]!] = this.sizes[this.references.view[i]!]!;
      sizes[b[i]!] = this.documentSizes.view[i]!;
    }
    const columns = {
      a: order.map((i) => a[i]!),
      b: order.map((i) => b[i]!),
      agreement: new Uint16Array(count),
    };
    const common = order.map((i) => this.common.view[i]!);
    return { pairs: PairList.of({ count, ...columns }, common), exact: { sizes, documentsReadAgain: 0 } };
  }

  private async read(kind: 'referenceSets' | 'containments', batch: SourceBatch): Promise<SketchedBatch> {
    const { run } = this;
    const { block, split, text, label } = batch;
    const params = { block, split, text, folder: run.storage.filesIn, resume: false };
    const ignored = run.params.ignore === undefined ? null : ONE.ignored;
    const inputs = inputsOf({ text }, kind === 'containments' ? ONE.references : null, ignored);
    const { isResumed, ...report } = await run.withText(batch, () =>
      run.task({ kind, label, inputs, params }),
    );
    return { ...batch, report, isResumed };
  }

  private collect(block: number, firstRow: number): void {
    const { store } = this.run.engine;
    const name = NAMES.containments(block);
    const types = { row: 'u32', reference: 'u32', common: 'u32', size: 'u32' } as const;
    const columns = typedColumns(decodeBlock(store.get(name)), types);
    for (const row of columns.row) this.rows.push(firstRow + row);
    this.references.append(columns.reference);
    this.common.append(columns.common);
    this.documentSizes.append(columns.size);
    store.delete(name);
  }
}
