/**
 * Exact evidence for candidate pairs: whose sets are read when, held how long, and compared.
 *
 * Documents that are files of their own are read in groups of whole connected components, each group by one task that
 * compares their pairs at once and keeps no set. What is left are lines and records of larger files, documents in memory,
 * and components that are too large: they are verified in groups whose shingle sets fit into a bound. Sets stay for the next group, and the next round,
 * as long as there is room; else they are dropped, and read again where they are asked for again. Documents that cannot
 * be read alone (lines, records of larger files) are read once for all groups, and their sets stay to the end.
 *
 * Floor 4.
 */

import type { PairEvidence } from '../../reducers/exactPairs.js';
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { Pairs } from '../sketch/pairs.js';
import { inOrder } from './inOrder.js';
import { componentGroups, type PairGroup, pairGroups } from './pairGroups.js';
import { pairTasks, type SetPlaces } from './pairTasks.js';
import type { Run } from './run.js';
import type { SetSource } from './setSource.js';

/**
 * Bytes of shingle sets that are held at a time, those of documents that cannot be read alone apart. A group of this
 * size keeps workers busy for a good part of a second, so that waiting for its last task costs little, and is small
 * beside what a run of that many documents holds anyway.
 */
export const SETS_AT_A_TIME = 128 << 20;

/**
 * Bytes of sets that one task makes and compares at once: large enough that a round trip does not count, small enough
 * that the sets stay in kernel memory, and that workers end at about the same time.
 */
const SETS_A_TASK = 8 << 20;

const NOWHERE = 0xffffffff;

/** What of a reader of sets is needed here. */
type Reader = Omit<SetSource, 'reasonOf'>;

/** Pairs with their agreement, and evidence that is filled in; NaN: not known. */
export interface EvidencePairs extends Pairs, PairEvidence {
  readonly agreement: Uint16Array;
}

export class ExactEvidence {
  /** Documents that were read a second time and are what they were, however often they were read. */
  documentsReadAgain = 0;
  private readonly run: Run;
  private readonly documents: number;
  private readonly reader: Reader;
  private readonly margin: number;
  private readonly bound: number;
  /** Where the shingle sets are that are held; NOWHERE in `block`: not held. */
  private readonly places: SetPlaces;
  private readonly names: string[] = [];
  /** Documents whose sets may be dropped, by block; and their bytes. */
  private readonly loose = new Map<string, Uint32Array>();
  private looseBytes = 0;
  /** By document: bytes of its set, 0 of one that may not be dropped. */
  private readonly looseBytesOf: Float64Array;
  /** 1: it changed between the readings. */
  private readonly isChanged: Uint8Array;
  private readonly wasRead: Uint8Array;
  private calls = 0;

  /** `margin`: least agreement of pairs that are looked at. */
  constructor(run: Run, reader: Reader, margin: number, bound = SETS_AT_A_TIME) {
    this.run = run;
    this.documents = reader.setHashes.length;
    this.looseBytesOf = reader.setHashes.map((hashes, d) => 8 * hashes * reader.isAlone[d]!);
    this.reader = reader;
    this.margin = margin;
    this.bound = bound;
    this.places = {
      block: new Uint32Array(this.documents).fill(NOWHERE),
      index: new Uint32Array(this.documents),
      names: this.names,
    };
    this.isChanged = new Uint8Array(this.documents);
    this.wasRead = new Uint8Array(this.documents);
  }

  /**
   * Fills in the evidence of the pairs at or above the margin that lack it, but for those with a document that changed:
   * returns these documents, ascending.
   *
   * @throws MinHashError COUNTS_UNBALANCED where the sets of a pair were neither read nor found to be changed
   */
  async complete(pairs: EvidencePairs): Promise<Uint32Array> {
    const changed: number[] = [];
    const left = await this.compareAtOnce(pairs, this.pending(pairs), changed);
    await this.compareHeld(pairs, left, changed);
    return Uint32Array.from(changed).sort();
  }

  /** Reads and compares what can be compared at once; returns the rows that are left. */
  private async compareAtOnce(
    pairs: EvidencePairs,
    rows: Uint32Array,
    changed: number[],
  ): Promise<Uint32Array> {
    const { isFile, setHashes } = this.reader;
    // What changed is not read again, and its pairs are void.
    const bytesOf = setHashes.map((hashes, d) => {
      return isFile[d] === 1 && this.isChanged[d] === 0 ? 8 * hashes : Number.POSITIVE_INFINITY;
    });
    const { groups, rest } = componentGroups(pairs, rows, bytesOf, SETS_A_TASK);
    let done = 0;
    const results = inOrder(groups, 2 * this.run.engine.parallelism, async (group) => {
      return { group, read: await this.reader.readPairs(group.documents, pairs, group.rows) };
    });
    for await (const { group, read } of results) {
      for (let i = 0; i < read.documents.length; i++) {
        this.note(read.documents[i]!, read.unchanged[i]!, changed);
      }
      fillIn(pairs, group.rows, read.evidence, this.isChanged);
      done += group.rows.length;
      this.run.progress(done, rows.length, 'pairs', read.bytes);
    }
    return rest;
  }

  private async compareHeld(pairs: EvidencePairs, rows: Uint32Array, changed: number[]): Promise<void> {
    await this.read(this.missing(documentsOf(pairs, rows, this.documents), 0), changed);
    let done = 0;
    for (const group of pairGroups(pairs, rows, this.looseBytesOf, this.bound)) {
      await this.read(this.toRead(group), changed);
      await this.compare(pairs, group, (count) => {
        done += count;
        this.run.progress(done, rows.length, 'pairs');
      });
    }
  }

  /** Rows at or above the margin without evidence. */
  private pending(pairs: EvidencePairs): Uint32Array {
    const rows = new Uint32Array(pairs.count);
    let count = 0;
    for (let i = 0; i < pairs.count; i++) {
      if (pairs.agreement[i]! >= this.margin && Number.isNaN(pairs.jaccard[i]!)) rows[count++] = i;
    }
    return rows.subarray(0, count);
  }

  /** What of the documents is not held and did not change; `alone`: of those that can be read alone, else of the others. */
  private missing(documents: Uint32Array, alone: 0 | 1): Uint32Array {
    return documents.filter(
      (d) => this.places.block[d] === NOWHERE && this.isChanged[d] === 0 && this.reader.isAlone[d] === alone,
    );
  }

  /** Makes room for the documents of a group where there is not enough; returns those that have to be read. */
  private toRead(group: PairGroup): Uint32Array {
    const missing = this.missing(group.documents, 1);
    let bytes = 0;
    for (const document of missing) bytes += this.looseBytesOf[document]!;
    if (this.looseBytes === 0 || this.looseBytes + bytes <= this.bound) return missing;
    for (const [name, documents] of this.loose) {
      for (const document of documents) this.places.block[document] = NOWHERE;
      this.run.engine.store.delete(name);
    }
    this.loose.clear();
    this.looseBytes = 0;
    return this.missing(group.documents, 1);
  }

  private async read(documents: Uint32Array, changed: number[]): Promise<void> {
    let done = 0;
    for await (const sets of this.reader.read(documents)) {
      const position = sets.name === null ? NOWHERE : this.names.push(sets.name) - 1;
      for (let i = 0; i < sets.documents.length; i++) {
        const document = sets.documents[i]!;
        if (!this.note(document, sets.unchanged[i]!, changed)) continue;
        this.places.block[document] = position;
        this.places.index[document] = sets.indexes[i]!;
      }
      this.hold(sets.name, sets.documents);
      done += sets.documents.length;
      this.run.progress(done, documents.length, 'documents', sets.bytes);
    }
  }

  /** Notes that a document was read again, and returns whether it is what it was. */
  private note(document: number, unchanged: number, changed: number[]): boolean {
    if (unchanged === 0) {
      this.isChanged[document] = 1;
      changed.push(document);
      return false;
    }
    this.documentsReadAgain += 1 - this.wasRead[document]!;
    this.wasRead[document] = 1;
    return true;
  }

  /** Notes which sets may be dropped; those of one task either all may, or none. */
  private hold(name: string | null, documents: Uint32Array): void {
    if (name === null) return;
    for (const document of documents) if (this.reader.isAlone[document] === 0) return;
    this.loose.set(name, documents);
    for (const document of documents) this.looseBytes += this.looseBytesOf[document]!;
  }

  private async compare(pairs: EvidencePairs, group: PairGroup, tell: (rows: number) => void): Promise<void> {
    const { store, parallelism } = this.run.engine;
    const call = this.calls++;
    let number = 0;
    const tasks = pairTasks(pairs, this.unchangedRows(pairs, group), this.places, this.reader.setHashes);
    const results = inOrder(tasks, 2 * parallelism, async ({ rows, columns, blocks }) => {
      const list = `exact/${call}/${number}`;
      const name = `verified/${call}/${number++}`;
      this.run.put(list, encodeBlock('pairs', {}, columns));
      await this.run.task({
        stage: 'verified',
        label: `${rows.length} pairs`,
        params: { name, pairs: list, blocks },
        inputs: [list, ...blocks],
      });
      store.delete(list);
      return { name, rows };
    });
    for await (const { name, rows } of results) {
      const found = decodeBlock(store.get(name), 'pairs', name).columns as unknown as PairEvidence;
      fillIn(pairs, rows, found, this.isChanged);
      store.delete(name);
      tell(rows.length);
    }
  }

  /**
   * The rows without a document that changed.
   *
   * @throws MinHashError COUNTS_UNBALANCED where one of the others lacks a set
   */
  private unchangedRows(pairs: EvidencePairs, { rows }: PairGroup): Uint32Array {
    const { block } = this.places;
    const unchanged = new Uint32Array(rows.length);
    let count = 0;
    let missing = 0;
    for (let i = 0; i < rows.length; i++) {
      const a = pairs.a[rows[i]!]!;
      const b = pairs.b[rows[i]!]!;
      if (this.isChanged[a] === 1 || this.isChanged[b] === 1) continue;
      if (block[a] === NOWHERE || block[b] === NOWHERE) missing++;
      unchanged[count++] = rows[i]!;
    }
    refuseMissing(missing);
    return unchanged.subarray(0, count);
  }
}

/** Pairs would be lost in silence. */
function refuseMissing(missing: number): void {
  if (missing === 0) return;
  const detail = `${missing} pairs at or above the margin have no shingle set`;
  throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
}

/** Evidence of a task goes to its rows, but for those with a document that changed. */
function fillIn(pairs: EvidencePairs, rows: Uint32Array, found: PairEvidence, isChanged: Uint8Array): void {
  let missing = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    if (isChanged[pairs.a[row]!] === 1 || isChanged[pairs.b[row]!] === 1) continue;
    if (Number.isNaN(found.jaccard[i]!)) missing++;
    pairs.jaccard[row] = found.jaccard[i]!;
    pairs.containmentAB[row] = found.containmentAB[i]!;
    pairs.containmentBA[row] = found.containmentBA[i]!;
    pairs.accepted[row] = found.accepted[i]!;
  }
  refuseMissing(missing);
}

/** The documents of some rows, ascending, each once. */
function documentsOf(pairs: Pairs, rows: Uint32Array, documents: number): Uint32Array {
  const flags = new Uint8Array(documents);
  for (let i = 0; i < rows.length; i++) {
    flags[pairs.a[rows[i]!]!] = 1;
    flags[pairs.b[rows[i]!]!] = 1;
  }
  const list = new Uint32Array(documents);
  let count = 0;
  for (let d = 0; d < documents; d++) if (flags[d] === 1) list[count++] = d;
  return list.subarray(0, count);
}
