/**
 * The sets of all splits, joined by their names: a set that several splits met is one document, and documents are
 * numbered in the byte order of their names.
 *
 * Floor 4. Split after split, as they arrive: what is left to do at the end, the workers would wait for.
 */
import { type Block, newBlock } from '../blocks/block.js';
import { type IdTable, idOrder } from '../blocks/idTable.js';
import { NameTable } from '../blocks/nameTable.js';

export class SetNumbers {
  /** Sets of all splits: one that several splits met counts in each. In random order they are nearly as many as lines. */
  length = 0;
  private readonly names = new NameTable();
  /** By split: column `numbers`, by its sets their numbers in `names`. */
  private readonly splits: Block[] = [];

  /** Takes the names of the next split: kind `setNames`. */
  add({ columns }: Block): void {
    const { bytes, offsets, hashes } = columns as Record<'bytes', Uint8Array> & Record<string, Uint32Array>;
    const count = offsets!.length - 1;
    const block = newBlock('documents', {}, { numbers: ['u32', count] }, true);
    const numbers = block.columns.numbers!;
    for (let i = 0; i < count; i++) {
      const [from, to] = [offsets![i]!, offsets![i + 1]!];
      numbers[i] = this.names.numberOf(bytes, from, to, hashes![2 * i]!, hashes![2 * i + 1]!);
    }
    this.splits.push(block);
    this.length += count;
  }

  /** What it takes in memory. */
  get bytes(): number {
    return this.names.tableBytes + Uint32Array.BYTES_PER_ELEMENT * this.length;
  }

  /**
   * The names in byte order, in shared memory; and by split the block that says which document a set of it is, in column
   * `numbers`. Once: the blocks are those that were gathered.
   */
  finish(): { readonly ids: IdTable; readonly splits: readonly Block[] } {
    const { bytes, offsets } = this.names.columns;
    const order = idOrder({ bytes, offsets });
    const rank = new Uint32Array(order.length);
    const ids = {
      offsets: new Uint32Array(new SharedArrayBuffer(4 * (order.length + 1))),
      bytes: new Uint8Array(new SharedArrayBuffer(bytes.length)),
    };
    for (let d = 0, at = 0; d < order.length; d++) {
      const number = order[d]!;
      rank[number] = d;
      ids.bytes.set(bytes.subarray(offsets[number]!, offsets[number + 1]!), at);
      at += offsets[number + 1]! - offsets[number]!;
      ids.offsets[d + 1] = at;
    }
    for (const { columns } of this.splits) {
      const numbers = columns.numbers!;
      for (let i = 0; i < numbers.length; i++) numbers[i] = rank[numbers[i]!]!;
    }
    return { ids, splits: this.splits };
  }
}
