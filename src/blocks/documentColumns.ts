/**
 * The columns of a document table while it grows, a row a document; documents.ts draws them.
 *
 * Floor 1. All columns have the same room and double together, so that a document costs an index and no object.
 */
import type { Column } from './block.js';
import { ByteColumn } from './growable.js';

/** Flag of a document whose id was given. */
export const HAS_ID = 1;

const FIRST_ROOM = 1024;

function doubled<T extends Uint8Array | Uint32Array | Float64Array>(column: T): T {
  const Type = column.constructor as new (length: number) => T;
  const larger = new Type(2 * column.length);
  larger.set(column as never);
  return larger;
}

export class DocumentColumns {
  /** Rows that are complete. */
  length = 0;

  private room = FIRST_ROOM;
  private file = new Uint32Array(FIRST_ROOM);
  private record = new Float64Array(FIRST_ROOM);
  private flags = new Uint8Array(FIRST_ROOM);
  private contentKey = new Uint32Array(4 * FIRST_ROOM);
  private occurrences = new Float64Array(FIRST_ROOM);
  private textBytes = new Float64Array(FIRST_ROOM);
  /** Where the id of each row ends. */
  private idEnds = new Uint32Array(FIRST_ROOM);
  private readonly idBytes = new ByteColumn();

  /** Begins a row, after those that are complete: one that was begun and not closed is forgotten. */
  open(file: number, record: number, id: Uint8Array | null): void {
    const row = this.length;
    if (row === this.room) this.grow();
    this.file[row] = file;
    this.record[row] = record;
    this.flags[row] = id === null ? 0 : HAS_ID;
    this.idBytes.truncate(row === 0 ? 0 : this.idEnds[row - 1]!);
    if (id !== null) this.idBytes.append(id);
    this.idEnds[row] = this.idBytes.length;
  }

  /** Completes the row begun; `flags` are added to its own. */
  close(flags: number, contentKey: Uint32Array, occurrences: number, textBytes: number): void {
    const row = this.length++;
    this.flags[row]! |= flags;
    this.occurrences[row] = occurrences;
    this.textBytes[row] = textBytes;
    for (let i = 0; i < 4; i++) this.contentKey[4 * row + i] = contentKey[i]!;
  }

  /** What is complete; views, valid until the next row. */
  views(): Record<string, Column> {
    const { length } = this;
    const idOffsets = new Uint32Array(length + 1);
    idOffsets.set(this.idEnds.subarray(0, length), 1);
    this.idBytes.truncate(idOffsets[length]!);
    return {
      file: this.file.subarray(0, length),
      record: this.record.subarray(0, length),
      idOffsets,
      idBytes: this.idBytes.view,
      flags: this.flags.subarray(0, length),
      contentKey: this.contentKey.subarray(0, 4 * length),
      occurrences: this.occurrences.subarray(0, length),
      textBytes: this.textBytes.subarray(0, length),
    };
  }

  private grow(): void {
    this.room *= 2;
    this.file = doubled(this.file);
    this.record = doubled(this.record);
    this.flags = doubled(this.flags);
    this.contentKey = doubled(this.contentKey);
    this.occurrences = doubled(this.occurrences);
    this.textBytes = doubled(this.textBytes);
    this.idEnds = doubled(this.idEnds);
  }
}
