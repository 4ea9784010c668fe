/** The best matches of every base, added batch by batch while documents are read. */

import { compareValues } from '../../../mappers/matches.js';
import { type Block, typedColumns } from '../../blocks/block.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { binaryOfBytes } from '../../readers/list/pathIds.js';
import type { SourceBatch } from '../sketch/source.js';

/** A document that shares content with a base. */
export interface Match {
  readonly base: number;
  readonly values: readonly number[];
  readonly block: SourceBatch;
  readonly file: number;
  /** As numbered by readers: -1 for a whole file. */
  readonly record: number;
  /** The id of its record, otherwise its location; a binary string. */
  readonly id: string;
  readonly place: string;
  /** Its index among all matches of the base, in reading order. */
  readonly order: number;
}

/** Holds at most about twice as many matches as each base needs. */
export class BestMatches {
  /** By base: the number of matches added, including those no longer held. */
  readonly taken: number[];
  private readonly most: number;
  private readonly held: Match[][];
  private readonly files: FileTable;

  /** @param most matches of a base; infinite: all are kept */
  constructor(bases: number, most: number, files: FileTable) {
    this.most = most;
    this.files = files;
    this.taken = Array.from({ length: bases }, () => 0);
    this.held = Array.from({ length: bases }, () => []);
  }

  /**
   * Adds a block of kind `matches`. `firstLine`: the line of the first record of the batch, 0 if records are not lines.
   */
  add(matches: Block, block: SourceBatch, firstLine: number): void {
    const columns = typedColumns(matches, {
      ...{ base: 'u32', values: 'f64', file: 'u32', record: 'f64' },
      ...{ named: 'u8', idOffsets: 'u32', idBytes: 'u8' },
    });
    const { base: bases, values, file, record, named, idOffsets, idBytes } = columns;
    const measures = values.length / Math.max(1, bases.length);
    for (let row = 0; row < bases.length; row++) {
      const base = bases[row]!;
      const place = this.files.address(file[row]!, record[row]!, firstLine);
      const id = binaryOfBytes(idBytes.subarray(idOffsets[row]!, idOffsets[row + 1]!));
      this.held[base]!.push({
        ...{ base, block, place },
        id: named[row] === 1 ? id : place,
        values: Array.from(values.subarray(measures * row, measures * (row + 1))),
        file: file[row]!,
        record: record[row]!,
        order: this.taken[base]!++,
      });
      if (this.held[base]!.length > 2 * this.most + 64) this.best(base);
    }
  }

  /** The best matches of a base, best first; equal values in reading order. */
  best(base: number): readonly Match[] {
    const held = this.held[base]!;
    held.sort((x, y) => compareValues(x.values, y.values) || x.order - y.order);
    if (held.length > this.most) held.length = this.most;
    return held;
  }
}
