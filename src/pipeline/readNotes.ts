/**
 * What the second reading met: which documents were read, and which are not what they were.
 *
 * Floor 4. A byte a document.
 */
import type { Pairs } from '../sketch/pairs.js';

const READ = 1;
const CHANGED = 2;

export class ReadNotes {
  /** Documents that were read a second time and are what they were, however often they were read. */
  documentsReadAgain = 0;
  private readonly flags: Uint8Array;
  private changed: number[] = [];

  constructor(documents: number) {
    this.flags = new Uint8Array(documents);
  }

  isChanged(document: number): boolean {
    return (this.flags[document]! & CHANGED) !== 0;
  }

  /** Notes documents that were read; `unchanged` 0: they are not what they were. */
  note({ documents, unchanged }: { readonly documents: Uint32Array; readonly unchanged: Uint8Array }): void {
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      if (unchanged[i] === 0) {
        if (!this.isChanged(document)) this.changed.push(document);
        this.flags[document]! |= CHANGED;
      } else if ((this.flags[document]! & READ) === 0) {
        this.flags[document]! |= READ;
        this.documentsReadAgain++;
      }
    }
  }

  /** The rows without a document that changed. */
  unchangedRows({ a, b }: Pairs, rows: Uint32Array): Uint32Array {
    return rows.filter((row) => !this.isChanged(a[row]!) && !this.isChanged(b[row]!));
  }

  /** How many of the rows have no evidence because a document changed. */
  voidRows(pairs: Pairs & { readonly jaccard: Float64Array }, rows: Uint32Array): number {
    let count = 0;
    for (const row of rows) {
      const isVoid = this.isChanged(pairs.a[row]!) || this.isChanged(pairs.b[row]!);
      if (isVoid && Number.isNaN(pairs.jaccard[row]!)) count++;
    }
    return count;
  }

  /** The documents that changed since the last call, ascending. */
  takeChanged(): Uint32Array {
    const changed = Uint32Array.from(this.changed).sort();
    this.changed = [];
    return changed;
  }
}
