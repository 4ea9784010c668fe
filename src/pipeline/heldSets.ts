/**
 * Which shingle sets are in the store, and where.
 *
 * Floor 4. Works on document numbers and names of blocks; never knows how sets are made. Its columns, two numbers a
 * document, are made with the first set.
 */
import type { BlockStore } from '../engine/engine.js';
import { isPlace } from '../storage/blockPlace.js';
import type { SetPlaces } from './pairTasks.js';
import type { ReadSets } from './secondReading.js';

const NOWHERE = 0xffffffff;

export class HeldSets implements SetPlaces {
  block = new Uint32Array(0);
  index = new Uint32Array(0);
  readonly names: string[] = [];
  /** Bytes of the sets that may be dropped. */
  looseBytes = 0;
  private readonly store: BlockStore;
  private readonly documents: number;
  /** By number of the block: documents whose sets may be dropped. */
  private readonly loose = new Map<number, Uint32Array>();
  /** Numbers of blocks that are gone. */
  private readonly free: number[] = [];

  constructor(store: BlockStore, documents: number) {
    this.store = store;
    this.documents = documents;
  }

  has(document: number): boolean {
    return this.block.length > 0 && this.block[document] !== NOWHERE;
  }

  /** Takes in the sets of documents that are what they were. `isLoose`: they may be dropped and read again. */
  add({ name, documents, unchanged, indexes }: ReadSets, isLoose: boolean, bytes: number): void {
    if (name === null) return;
    if (this.block.length === 0) {
      this.block = new Uint32Array(this.documents).fill(NOWHERE);
      this.index = new Uint32Array(this.documents);
    }
    const number = this.free.pop() ?? this.names.length;
    this.names[number] = name;
    for (let i = 0; i < documents.length; i++) {
      if (unchanged[i] === 0) continue;
      this.block[documents[i]!] = number;
      this.index[documents[i]!] = indexes[i]!;
    }
    if (!isLoose) return;
    this.loose.set(number, documents);
    this.looseBytes += bytes;
  }

  dropLoose(): void {
    for (const [number, documents] of this.loose) {
      for (const document of documents) {
        if (this.block[document] === number) this.block[document] = NOWHERE;
      }
      this.store.delete(this.names[number]!);
      this.free.push(number);
    }
    this.loose.clear();
    this.looseBytes = 0;
  }

  /** What the blocks take that have a set of the documents, with all the others that are in them. */
  blockBytes(documents: Uint32Array): number {
    const seen = new Set<number>();
    let bytes = 0;
    for (const document of documents) {
      const number = this.block[document]!;
      if (number === NOWHERE || seen.has(number)) continue;
      seen.add(number);
      const found = this.store.locate(this.names[number]!);
      bytes += isPlace(found) ? found.length : found.byteLength;
    }
    return bytes;
  }

  /** Whether a set of the documents left memory; all of them are held. */
  areOnDisk(documents: Uint32Array): boolean {
    const seen = new Uint8Array(this.names.length);
    for (const document of documents) {
      const number = this.block[document]!;
      if (number === NOWHERE || seen[number] === 1) continue;
      seen[number] = 1;
      if (isPlace(this.store.locate(this.names[number]!))) return true;
    }
    return false;
  }
}
