/**
 * Which shingle sets are in the store, and where.
 *
 * Its columns, two numbers a document, are allocated with the first set.
 */

import { sortByKey64 } from '../../arrays/sort.js';
import { encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import { isPlace } from '../../store/blockPlace.js';
import type { Store } from '../../store/store.js';
import type { Run } from '../context.js';
import type { PairGroup, SetPlaces } from './groups.js';
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

  /** Adds the sets of documents that have not changed. */
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

  /** Forgets all sets. */
  drop(): void {
    for (const name of this.names.splice(0)) this.store.delete(name);
    this.block.fill(NOWHERE);
  }

  /** Whether a set of one of the documents left memory. */
  areOnDisk(documents: Uint32Array): boolean {
    const seen = new Uint8Array(this.names.length);
    for (const document of documents) {
      if (!this.has(document) || seen[this.block[document]!] === 1) continue;
      const number = this.block[document]!;
      seen[number] = 1;
      if (isPlace(this.store.locate(this.names[number]!))) return true;
    }
    return false;
  }
}

/*
 * Sets that went to disk are copied for the groups of pairs that need them: a block for each group, from as many sets as fit a
 * task at a time. A group then reads its own sets and no others, instead of every block that has one of them.
 *
 * Groups go in waves, which bounds the copies of sets on disk and the list of them here.
 * is bounded. The blocks that a wave needs sets of are read once a wave.
 */

/** A task writes a block for each group: the more groups, the smaller the blocks. */
const GROUPS_A_WAVE = 128;
/** Bytes that the coordinator needs for a copy of a set. */
const BYTES_A_COPY = 32;
const MOST_COPIES = 1 << 20;
const LEAST_COPIES = 1 << 16;

/** Cuts groups into waves of few groups and not too many copies of sets. */
export function* waves(groups: Iterable<PairGroup>, taskBytes: number): Generator<PairGroup[]> {
  const most = Math.max(LEAST_COPIES, Math.min(MOST_COPIES, Math.floor(taskBytes / BYTES_A_COPY)));
  let wave: PairGroup[] = [];
  let copies = 0;
  for (const group of groups) {
    const isFull = wave.length === GROUPS_A_WAVE || copies + group.documents.length > most;
    if (isFull && wave.length > 0) {
      yield wave;
      wave = [];
      copies = 0;
    }
    wave.push(group);
    copies += group.documents.length;
  }
  if (wave.length > 0) yield wave;
}

/** Copies of the sets of one wave: row by row in the order in which they are made. */
interface Copies {
  readonly document: Uint32Array;
  readonly group: Uint32Array;
  /** Number of the block that the set is copied from. */
  readonly block: Uint32Array;
  /** Its new place: number of the name, and of the set within that block. */
  readonly name: Uint32Array;
  readonly index: Uint32Array;
}

export class RegroupedSets {
  private readonly run: Run;
  private readonly held: HeldSets;
  private readonly bytesOf: (document: number) => number;
  private readonly taskBytes: number;
  private readonly names: string[] = [];
  /** Rows by group. */
  private order = new Uint32Array(0);
  private starts = new Uint32Array(0);
  private copies: Copies | null = null;
  private readonly block: Uint32Array;
  private readonly index: Uint32Array;

  /** @param taskBytes most bytes of the copies of a task */
  constructor(run: Run, held: HeldSets, bytesOf: (document: number) => number, taskBytes: number) {
    this.run = run;
    this.held = held;
    this.bytesOf = bytesOf;
    this.taskBytes = taskBytes;
    this.block = new Uint32Array(held.block.length);
    this.index = new Uint32Array(held.block.length);
  }

  /** Copies the held sets that the documents of some groups need. `number`: of the wave, for names. */
  async make(groups: readonly PairGroup[], number: number): Promise<void> {
    const copies = this.copiesFor(groups);
    this.copies = copies;
    const batches = [...this.batches(copies, groups.length, NAMES.grouped(number))];
    for await (const _ of this.run.each(batches, (batch) => this.copy(copies, batch)));
    this.order = new Uint32Array(copies.group.length);
    this.starts = new Uint32Array(groups.length + 1);
    for (const group of copies.group) this.starts[group + 1]!++;
    for (let g = 0; g < groups.length; g++) this.starts[g + 1]! += this.starts[g]!;
    const next = this.starts.slice();
    for (let i = 0; i < this.order.length; i++) this.order[next[copies.group[i]!]!++] = i;
  }

  /** The places of the sets of a group; valid until the next call. */
  placesOf(group: number): SetPlaces {
    const { document, name, index } = this.copies!;
    for (const row of this.order.subarray(this.starts[group]!, this.starts[group + 1]!)) {
      this.block[document[row]!] = name[row]!;
      this.index[document[row]!] = index[row]!;
    }
    return { block: this.block, index: this.index, names: this.names };
  }

  /** Deletes the copies. */
  drop(): void {
    for (const name of this.names.splice(0)) this.run.engine.store.delete(name);
    this.copies = null;
  }

  /** In the order of the blocks that sets come from, then of the groups. */
  private copiesFor(groups: readonly PairGroup[]): Copies {
    const most = groups.reduce((sum, { documents }) => sum + documents.length, 0);
    const keys = new Uint32Array(2 * most);
    const document = new Uint32Array(most);
    let count = 0;
    groups.forEach(({ documents }, group) => {
      for (const one of documents) {
        // The set of a changed document is not held, and its pairs are not compared.
        if (!this.held.has(one)) continue;
        keys[2 * count] = group;
        keys[2 * count + 1] = this.held.block[one]!;
        document[count++] = one;
      }
    });
    sortByKey64(keys, document, count);
    const columns = [new Uint32Array(count), new Uint32Array(count)] as const;
    for (let i = 0; i < count; i++) {
      columns[0][i] = keys[2 * i]!;
      columns[1][i] = keys[2 * i + 1]!;
    }
    const [name, index] = [new Uint32Array(count), new Uint32Array(count)];
    return { document: document.subarray(0, count), group: columns[0], block: columns[1], name, index };
  }

  /** Cuts the copies into tasks, and numbers the sets of each. */
  private *batches({ document, group, name, index }: Copies, groups: number, stem: string): Generator<Batch> {
    const numberOf = new Uint32Array(groups);
    const sets = new Uint32Array(groups);
    for (let from = 0, to = 0, batch = 0; from < document.length; from = to, batch++) {
      sets.fill(0);
      for (let bytes = 0; to < document.length; to++) {
        bytes += this.bytesOf(document[to]!);
        if (to > from && bytes > this.taskBytes) break;
        const g = group[to]!;
        if (sets[g] === 0) numberOf[g] = this.names.push(`${stem}/${batch}/${g}`) - 1;
        name[to] = numberOf[g]!;
        index[to] = sets[g]!++;
      }
      yield { name: `${stem}/${batch}`, from, to };
    }
  }

  private async copy({ document, group, block }: Copies, { name, from, to }: Batch): Promise<void> {
    const blocks: string[] = [];
    const number = new Uint32Array(to - from);
    const index = new Uint32Array(to - from);
    for (let i = from; i < to; i++) {
      if (i === from || block[i] !== block[i - 1]) blocks.push(this.held.names[block[i]!]!);
      number[i - from] = blocks.length - 1;
      index[i - from] = this.held.index[document[i]!]!;
    }
    const list = NAMES.copies(name);
    this.run.put(list, encodeBlock('pairs', {}, { block: number, index, group: group.slice(from, to) }));
    await this.run.task({
      kind: 'grouped',
      label: `${to - from} sets of ${blocks.length} blocks`,
      params: { name, copies: list, blocks },
      inputs: [list, ...blocks],
      keep: { grouped: 'spill' },
    });
    this.run.engine.store.delete(list);
  }
}

interface Batch {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}
