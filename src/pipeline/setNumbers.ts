/**
 * The sets of all splits, joined by their names: a set that several splits met is one document, and documents are
 * numbered in the byte order of their names.
 *
 * Floor 4. Split after split, as they arrive: what is left to do at the end, the workers would wait for.
 */
import { type Block, encodeBlock } from '../blocks/block.js';
import { Uint32Column } from '../blocks/growable.js';
import { type IdTable, idOrder } from '../blocks/idTable.js';
import { NameTable } from '../blocks/nameTable.js';

export class SetNumbers {
  private readonly names = new NameTable();
  /** By set of a split, split after split: its number in `names`. */
  private readonly numbers = new Uint32Column();
  private readonly starts = new Uint32Column();

  constructor() {
    this.starts.push(0);
  }

  /** Takes the names of the next split: kind `setNames`. */
  add({ columns }: Block): void {
    const { bytes, offsets, hashes } = columns as Record<'bytes', Uint8Array> & Record<string, Uint32Array>;
    const count = offsets!.length - 1;
    const numbers = this.numbers.extend(count);
    for (let i = 0; i < count; i++) {
      const [from, to] = [offsets![i]!, offsets![i + 1]!];
      numbers[i] = this.names.numberOf(bytes, from, to, hashes![2 * i]!, hashes![2 * i + 1]!);
    }
    this.starts.push(this.numbers.length);
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
    const numbers = this.numbers.view;
    for (let i = 0; i < numbers.length; i++) numbers[i] = rank[numbers[i]!]!;
    return { ids, block: encodeBlock('documents', {}, { numbers, starts: this.starts.view }, true) };
  }
}
