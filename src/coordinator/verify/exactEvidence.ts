/**
 * Exact evidence for candidate pairs: which sets are read when, how long they are held, and when they are compared.
 *
 *      known from an earlier run                nothing is read                                        kept
 *      fused: files, components that fit a      read and compared by one task; no set is kept          groups
 *      task
 *      all others                               read once, and held until all are compared             HeldSets
 *
 * The memory decides which way a pair goes, never the evidence. A run with a pair beyond any task, or sets that have no room
 * together, ends with MEMORY_BUDGET.
 */

import { evidenceOf, type PairEvidence } from '../../../reducers/exactPairs.js';
import { newArray } from '../../arrays/ownPages.js';
import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { Agreements, Pairs } from '../../blocks/pairs.js';
import { MinHashError } from '../../errors.js';
import { LEAST_TASK_BYTES } from '../../options/memory.js';
import { type Budget, memoryForTask } from '../../store/budget.js';
import { sizeText } from '../../store/disk.js';
import type { Store } from '../../store/store.js';
import type { Run } from '../context.js';
import {
  componentGroups,
  documentsOf,
  type GroupBounds,
  HASHES_PER_TASK,
  PairCutter,
  type PairTask,
  type SetPlaces,
} from './groups.js';
import { ReadNotes, type ReadSets } from './reread.js';
import type { SetSource } from './tileSets.js';

const NOWHERE = 0xffffffff;

/** Which shingle sets are in the store, and where. Its columns, two numbers a document, are allocated with the first set. */
class HeldSets implements SetPlaces {
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

/** Pairs would be lost in silence. @throws MinHashError COUNTS_UNBALANCED */
function refuseMissing(missing: number): void {
  if (missing === 0) return;
  const detail = `${missing} pairs at or above the margin have no shingle set`;
  throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
}

export type Reader = Omit<SetSource, 'reasonOf' | 'forget'>;

/** Pairs with their agreement, and evidence that is filled in; NaN: not known. */
export interface EvidencePairs extends Pairs, PairEvidence {
  readonly agreement: Agreements;
}

/** Limits for the bytes of sets that are in one place at a time. */
export interface SetBounds {
  /** Made and compared by one task: of many components, or of one. */
  readonly task: GroupBounds;
  /** For the two documents of a pair. */
  readonly pair: number;
}

/**
 * Bytes of sets that one task makes and compares at once: large enough that a round trip does not count, small enough that
 * workers end at about the same time.
 */
const SETS_A_TASK = 8 << 20;

/** The same for one component, whose sets have to fit the kernel as they are read. */
const SETS_OF_A_COMPONENT = 60 << 20;

/** Copies of the sets of a pair that a task makes: as they are read, in a block, and to be sorted where they outgrow the kernel. */
const PAIR_COPIES = 4;

/** Block and number in it. */
const PLACE_BYTES = 8;

/** The share of the room for blocks that sets may take from one round to the next, for tables are made meanwhile. */
const KEPT = 1 / 4;

function setBounds({ task }: Pick<Budget, 'task'>): SetBounds {
  return {
    task: {
      gathered: Math.min(SETS_A_TASK, task),
      // Their numbers take as much again as the hashes.
      alone: Math.max(Math.min(SETS_A_TASK, task), Math.min(SETS_OF_A_COMPONENT, task / 2)),
    },
    pair: Math.max(LEAST_TASK_BYTES, Math.min(SETS_A_TASK, task), task / PAIR_COPIES),
  };
}

export class ExactEvidence {
  private readonly run: Run;
  private readonly reader: Reader;
  private readonly margin: number;
  private readonly bounds: SetBounds;
  private readonly notes: ReadNotes;
  private readonly held: HeldSets;
  private readonly cutter = new PairCutter();
  /** Rows that have evidence by now, and calls of `compareHeld`. */
  private compared = 0;
  private calls = 0;
  private readonly bytesOf = (document: number): number => 8 * this.reader.hashesOf(document);
  private heldBytes = 0;
  private hasPlaces = false;

  /** `margin`: least agreement of pairs whose sets are compared. */
  constructor(run: Run, reader: Reader, margin: number, bounds = setBounds(run.budget)) {
    this.run = run;
    this.reader = reader;
    this.margin = margin;
    this.bounds = bounds;
    this.notes = new ReadNotes(reader.documents);
    this.held = new HeldSets(run.engine.store, reader.documents);
  }

  /** Documents that were read a second time and have not changed, each counted once. */
  get documentsReadAgain(): number {
    return this.notes.documentsReadAgain;
  }

  /**
   * Fills in the missing evidence of the pairs at or above the margin, except for pairs with a document that changed:
   * returns these documents, ascending. The pairs are sorted by (a, b).
   *
   * @throws MinHashError COUNTS_UNBALANCED where the sets of a pair were neither read nor found to be changed
   */
  async complete(pairs: EvidencePairs): Promise<Uint32Array> {
    const { turns } = this.run;
    const all = await turns.through(this.pending(pairs));
    if (all.length === 0) return all;
    const before = this.compared;
    await turns.through(this.refuseLarge(pairs, all));
    await this.compareSets(pairs, await this.compareAtOnce(pairs, all));
    if (this.heldBytes > KEPT * this.run.tables.roomOfBlocks) this.drop();
    this.run.balance('pairs at or above the margin', all.length, {
      compared: this.compared - before,
      'with a document that changed': this.notes.voidRows(pairs, all),
    });
    return this.notes.takeChanged();
  }

  /** @throws MinHashError MEMORY_BUDGET where the sets of a pair are more than a task may hold */
  private *refuseLarge(pairs: EvidencePairs, rows: Uint32Array): Stepwise<void> {
    let most = 0;
    yield* eachRange(rows.length, (from, to) => {
      for (let i = from; i < to; i++) {
        most = Math.max(most, this.bytesOf(pairs.a[rows[i]!]!) + this.bytesOf(pairs.b[rows[i]!]!));
      }
    });
    if (most <= this.bounds.pair) return;
    const { budget, engine } = this.run;
    const enough = Math.ceil(memoryForTask(budget, engine.parallelism, PAIR_COPIES * most) / 1e6);
    const tasks = Math.max(1, engine.parallelism);
    const detail =
      `the shingle sets of a pair take ${sizeText(most)}, of ${sizeText(this.bounds.pair)} that a task has for them: it copies them ${PAIR_COPIES} times, ` +
      `in a quarter of --memory for ${tasks === 1 ? 'it' : `${tasks} tasks`}; --memory ${enough}MB has room for them`;
    throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
  }

  /** Reads and compares the pairs that fit one task; returns the rows that are left. */
  private async compareAtOnce(pairs: EvidencePairs, rows: Uint32Array): Promise<Uint32Array> {
    // A changed document is not read again, and its pairs are void.
    const bytesOf = (document: number): number => {
      const isTaken = this.reader.isFile(document) && !this.notes.isChanged(document);
      return isTaken ? this.bytesOf(document) : Number.POSITIVE_INFINITY;
    };
    const { turns } = this.run;
    const { groups, rest } = await turns.through(componentGroups(pairs, rows, bytesOf, this.bounds.task));
    let done = 0;
    const results = this.run.each(groups, async (group) => {
      return { group, read: await this.reader.readPairs(group.documents, pairs, group.rows) };
    });
    for await (const { group, read } of results) {
      this.notes.note(read);
      this.fillIn(pairs, group.rows, read.evidence);
      done += group.rows.length;
      this.run.progress(done, rows.length, 'pairs', read.bytes);
    }
    return rest;
  }

  /** Compares pairs whose sets are held together; those of earlier rounds stay where there is room. */
  private async compareSets(pairs: EvidencePairs, rows: Uint32Array): Promise<void> {
    if (rows.length === 0) return;
    const { tables, turns } = this.run;
    this.takePlaces();
    const documents = await turns.through(documentsOf(pairs, rows));
    if (this.heldBytes + this.bytes(this.missing(documents)) > tables.roomOfBlocks) this.drop();
    const wanted = this.missing(documents);
    tables.expectBlocks(`shingle sets of ${wanted.length} documents`, this.heldBytes + this.bytes(wanted));
    await this.read(wanted);
    await this.compareHeld(pairs, rows);
  }

  /**
   * Tasks over the rows without a document that changed, whose sets are in the store.
   *
   * @throws MinHashError COUNTS_UNBALANCED where one of their documents has no set
   */
  private *tasks(pairs: EvidencePairs, rows: Uint32Array): Generator<PairTask> {
    const { cutter, held, notes, reader, run } = this;
    const most = Math.min(HASHES_PER_TASK, Math.ceil(run.budget.task / 8));
    const hashesOf = (document: number): number => reader.hashesOf(document);
    for (const task of cutter.tasks(pairs, notes.unchangedRows(pairs, rows), held, hashesOf, most)) {
      const missing = task.rows.filter((row) => !held.has(pairs.a[row]!) || !held.has(pairs.b[row]!));
      refuseMissing(missing.length);
      yield task;
    }
  }

  private async compareHeld(pairs: EvidencePairs, all: Uint32Array): Promise<void> {
    const { store } = this.run.engine;
    const call = this.calls++;
    let [number, done] = [0, 0];
    const results = this.run.each(this.tasks(pairs, all), async ({ rows, columns, blocks }) => {
      const list = NAMES.exact(call, number);
      const name = NAMES.verified(call, number++);
      this.run.put(list, encodeBlock('pairs', {}, columns));
      await this.run.task({
        kind: 'verified',
        label: `${rows.length} pairs`,
        params: { name, pairs: list, blocks },
        inputs: [list, ...blocks],
      });
      store.delete(list);
      return { name, rows };
    });
    for await (const { name, rows } of results) {
      this.fillIn(pairs, rows, evidenceOf(decodeBlock(store.get(name), 'pairs', name)));
      store.delete(name);
      done += rows.length;
      this.run.progress(done, all.length, 'pairs');
    }
  }

  /**
   * Writes the evidence of a task to its rows, except for rows with a document that changed.
   *
   * @throws MinHashError COUNTS_UNBALANCED where the task has none for one of the others
   */
  private fillIn(pairs: EvidencePairs, rows: Uint32Array, found: PairEvidence): void {
    let missing = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (this.notes.isChanged(pairs.a[row]!) || this.notes.isChanged(pairs.b[row]!)) continue;
      if (Number.isNaN(found.jaccard[i]!)) missing++;
      pairs.jaccard[row] = found.jaccard[i]!;
      pairs.containmentAB[row] = found.containmentAB[i]!;
      pairs.containmentBA[row] = found.containmentBA[i]!;
      pairs.accepted[row] = found.accepted[i]!;
      this.compared++;
    }
    refuseMissing(missing);
  }

  /** Held sets are looked up by document. */
  private takePlaces(): void {
    if (this.hasPlaces) return;
    this.hasPlaces = true;
    const { documents } = this.reader;
    this.run.tables.take(`${documents} places of shingle sets`, PLACE_BYTES * documents);
  }

  private async read(documents: Uint32Array): Promise<void> {
    let done = 0;
    for await (const sets of this.reader.read(documents)) {
      this.notes.note(sets);
      this.held.add(sets);
      this.heldBytes += this.bytes(sets.documents);
      done += sets.documents.length;
      this.run.progress(done, documents.length, 'documents', sets.bytes);
    }
  }

  /** Takes the sets out of the store. */
  drop(): void {
    this.held.drop();
    this.heldBytes = 0;
  }

  private bytes(documents: Uint32Array): number {
    let bytes = 0;
    for (const document of documents) bytes += this.bytesOf(document);
    return bytes;
  }

  /** The documents whose sets are not held, without those that changed. */
  private missing(documents: Uint32Array): Uint32Array {
    return documents.filter((d) => !this.held.has(d) && !this.notes.isChanged(d));
  }

  /** Whether a row is at or above the margin and has no evidence. */
  private isPending(pairs: EvidencePairs, row: number): boolean {
    if (pairs.agreement[row]! < this.margin || !Number.isNaN(pairs.jaccard[row]!)) return false;
    return !this.notes.isChanged(pairs.a[row]!) && !this.notes.isChanged(pairs.b[row]!);
  }

  private *pending(pairs: EvidencePairs): Stepwise<Uint32Array> {
    const rows = newArray(Uint32Array, pairs.count);
    let count = 0;
    yield* eachRange(pairs.count, (from, to) => {
      for (let i = from; i < to; i++) if (this.isPending(pairs, i)) rows[count++] = i;
    });
    return rows.subarray(0, count);
  }
}
