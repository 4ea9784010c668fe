/**
 * The corpus of sets: what the tiles of all row chunks say of every set becomes document tables and one list, of the
 * ordinary kind.
 *
 * Floor 4. Column blocks are SETS_A_BLOCK sets in the order of their names: that follows from the inputs alone.
 */
import type { Block } from '../blocks/block.js';
import { EMPTY, HAS_ID, REPAIRED } from '../blocks/documents.js';
import type { IdTable } from '../blocks/idTable.js';
import { SETS_A_BLOCK } from '../blocks/setBlocks.js';
import { addKeys } from '../sketch/setKey.js';
import type { ColumnTable, Corpus } from './corpus.js';

const sharedU32 = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * length));

export class SetCorpus {
  /** By set: elements, copies counted. */
  readonly sizes: Float64Array;
  /** Sets that are larger than allowed, ascending. */
  tooLarge: Uint32Array = new Uint32Array(0);
  private readonly ids: IdTable;
  private readonly keys: Uint32Array;
  private readonly isCut: Uint8Array;

  /** @param ids names of the sets in byte order */
  constructor(ids: IdTable) {
    const sets = ids.offsets.length - 1;
    this.ids = ids;
    this.sizes = new Float64Array(sets);
    this.keys = new Uint32Array(4 * sets);
    this.isCut = new Uint8Array(sets);
  }

  /** Sets, those that are too large too. */
  get length(): number {
    return this.sizes.length;
  }

  get blocks(): number {
    return Math.ceil(this.length / SETS_A_BLOCK);
  }

  /** Sets in a column block. */
  columnsOf(block: number): number {
    return Math.min(SETS_A_BLOCK, this.length - block * SETS_A_BLOCK);
  }

  /** Takes what a row chunk adds: kind `setFacts`. */
  add({ columns }: Block): void {
    const { documents, sizes, keys, isCut } = columns;
    for (let i = 0; i < documents!.length; i++) {
      const d = documents![i]!;
      this.sizes[d]! += sizes![i]!;
      addKeys(this.keys, 4 * d, keys as Uint32Array, 4 * i);
      this.isCut[d]! |= isCut![i]!;
    }
  }

  /** All row chunks were added: finds the sets of more than `most` elements. */
  close(most: number): void {
    const found: number[] = [];
    for (let d = 0; d < this.length; d++) if (this.sizes[d]! > most) found.push(d);
    this.tooLarge = Uint32Array.from(found);
  }

  name(set: number): Uint8Array {
    const { bytes, offsets } = this.ids;
    return bytes.subarray(offsets[set]!, offsets[set + 1]!);
  }

  /** The sets that are not too large, numbered anew. */
  finish(): Corpus {
    const kept = this.kept();
    const n = kept?.length ?? this.length;
    const setOf = (d: number): number => (kept === null ? d : kept[d]!);
    const blockOf = sharedU32(n);
    const columnOf = sharedU32(n);
    const contentKeys = sharedU32(4 * n);
    const empty = new Uint8Array(new SharedArrayBuffer(n));
    const counts = { repeatedIds: 0, empty: 0, repaired: 0, shingleOccurrences: 0 };
    for (let d = 0; d < n; d++) {
      const set = setOf(d);
      blockOf[d] = Math.floor(set / SETS_A_BLOCK);
      columnOf[d] = set % SETS_A_BLOCK;
      for (let word = 0; word < 4; word++) contentKeys[4 * d + word] = this.keys[4 * set + word]!;
      empty[d] = this.sizes[set] === 0 ? 1 : 0;
      counts.empty += empty[d]!;
      counts.repaired += this.isCut[set]!;
      counts.shingleOccurrences += this.sizes[set]!;
    }
    const tables = Array.from({ length: this.blocks }, (_, block) => this.table(block));
    const ids = kept === null ? this.ids : this.keptIds(kept);
    // A set stands in many lines: its name is its place.
    const where = { ids, places: null, blockOf, columnOf };
    return { documents: n, ...where, empty, contentKeys, tables, counts, skipsRepeated: 0 };
  }

  /** Null: all are. */
  private kept(): Uint32Array | null {
    if (this.tooLarge.length === 0) return null;
    const gone = new Set(this.tooLarge);
    return Uint32Array.from({ length: this.length }, (_, set) => set).filter((set) => !gone.has(set));
  }

  private keptIds(kept: Uint32Array): IdTable {
    const offsets = sharedU32(kept.length + 1);
    kept.forEach((set, d) => {
      offsets[d + 1] = offsets[d]! + this.name(set).length;
    });
    const bytes = new Uint8Array(new SharedArrayBuffer(offsets[kept.length]!));
    kept.forEach((set, d) => {
      bytes.set(this.name(set), offsets[d]!);
    });
    return { offsets, bytes };
  }

  /** The document table of a column block. Sets stand in no one file, so the file is 0 and the record the column. */
  private table(block: number): ColumnTable {
    const from = block * SETS_A_BLOCK;
    const columns = this.columnsOf(block);
    const flags = new Uint8Array(columns);
    const record = new Float64Array(columns);
    for (let column = 0; column < columns; column++) {
      const set = from + column;
      flags[column] = HAS_ID | (this.sizes[set] === 0 ? EMPTY : 0) | (this.isCut[set] === 1 ? REPAIRED : 0);
      record[column] = column;
    }
    const occurrences = this.sizes.subarray(from, from + columns);
    return { columns: { file: new Uint32Array(columns), record, occurrences, textBytes: null, flags } };
  }
}
