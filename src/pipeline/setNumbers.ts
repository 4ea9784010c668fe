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
  private readonly names = new NameTable();
  /** By split, by its sets: their numbers in `names`. In random order they are nearly as many as lines. */
  private readonly numbers: Uint32Array[] = [];

  /** Takes the names of the next split: kind `setNames`. */
  add({ columns }: Block): void {
    const { bytes, offsets, hashes } = columns as Record<'bytes', Uint8Array> & Record<string, Uint32Array>;
    const count = offsets!.length - 1;
    const numbers = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const [from, to] = [offsets![i]!, offsets![i + 1]!];
      numbers[i] = this.names.numberOf(bytes, from, to, hashes![2 * i]!, hashes![2 * i + 1]!);
    }
    this.numbers.push(numbers);
  }

  /**
   * The names in byte order, in shared memory; and the block that says which document a set of a split is: `numbers`, of
   * split k those from `starts[k]` to `starts[k + 1]`.
   */
  finish(): { readonly ids: IdTable; readonly block: Block } {
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
    return { ids, block: this.documentsOf(rank) };
  }

  /** The numbers by document; those of a split are given up as they are written. */
  private documentsOf(rank: Uint32Array): Block {
    const splits = this.numbers.length;
    const total = this.numbers.reduce((sum, numbers) => sum + numbers.length, 0);
    const layout = { numbers: ['u32', total], starts: ['u32', splits + 1] } as const;
    const block = newBlock('documents', {}, layout, true);
    const { numbers, starts } = block.columns as Record<'numbers' | 'starts', Uint32Array>;
    for (let k = 0, at = 0; k < splits; k++) {
      for (const number of this.numbers[k]!) numbers[at++] = rank[number]!;
      starts[k + 1] = at;
      this.numbers[k] = new Uint32Array(0);
    }
    return block;
  }
}
