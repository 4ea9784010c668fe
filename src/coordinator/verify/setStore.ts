/**
 * Which shingle sets are in the store, and where.
 *
 * Its columns, two numbers a document, are allocated with the first set.
 */

import type { Store } from '../../store/store.js';
import type { SetPlaces } from './groups.js';
import type { ReadSets } from './reread.js';

const NOWHERE = 0xffffffff;

export class HeldSets implements SetPlaces {
  block = new Uint32Array(0);
  index = new Uint32Array(0);
  readonly names: string[] = [];
  private readonly store: Store;
  private readonly documents: number;

  constructor(store: Store, documents: number) {
    this.store = store;
    this.documents = documents;
  }

  has(document: number): boolean {
    return this.block.length > 0 && this.block[document] !== NOWHERE;
  }

  add({ name, documents, unchanged, indexes }: ReadSets): void {
    if (name === null) return;
    if (this.block.length === 0) {
      this.block = new Uint32Array(this.documents).fill(NOWHERE);
      this.index = new Uint32Array(this.documents);
    }
    const number = this.names.push(name) - 1;
    for (let i = 0; i < documents.length; i++) {
      if (unchanged[i] === 0) continue;
      this.block[documents[i]!] = number;
      this.index[documents[i]!] = indexes[i]!;
    }
  }

  drop(): void {
    for (const name of this.names.splice(0)) this.store.delete(name);
    this.block.fill(NOWHERE);
  }
}
