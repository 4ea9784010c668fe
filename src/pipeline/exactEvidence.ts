/**
 * Exact evidence for candidate pairs: whose sets are read when, held how long, and compared.
 *
 * Pairs are verified in groups whose shingle sets fit into a bound. Sets stay for the next group, and the next round,
 * as long as there is room; else they are dropped, and read again where they are asked for again. Documents that cannot
 * be read alone (lines, records of larger files) are read once for all groups, and their sets stay to the end.
 *
 * Floor 4.
 */
import type { PairEvidence } from '../../reducers/exactPairs.js';
import type { Pairs } from '../../reducers/candidatePairs.js';
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import { type PairGroup, pairGroups } from './pairGroups.js';
import type { Run } from './run.js';
import type { SetReader } from './secondReading.js';

/**
 * Bytes of shingle sets that are held at a time, those of documents that cannot be read alone apart. A group of this
 * size keeps workers busy for a good part of a second, so that waiting for its last task costs little, and is small
 * beside what a run of that many documents holds anyway.
 */
export const SETS_AT_A_TIME = 128 << 20;

/** Hashes that the pairs of a task have together: some 10 ms of comparing. */
const HASHES_PER_TASK = 1 << 23;

const NOWHERE = 0xffffffff;

/** Pairs with their agreement, and evidence that is filled in; NaN: not known. */
export interface EvidencePairs extends Pairs, PairEvidence {
  readonly agreement: Uint16Array;
}

/** A task's pairs by numbers of sets, and the rows they are. */
interface PairTask {
  readonly rows: Uint32Array;
  readonly columns: Record<'a' | 'b' | 'setBlock' | 'setIndex', Uint32Array>;
  /** Names of the blocks that `setBlock` counts. */
  readonly blocks: readonly string[];
}

export class ExactEvidence {
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly reader: SetReader;
  private readonly margin: number;
  private readonly bound: number;
  /** By document: block and index of its shingle set, NOWHERE where it is not held. */
  private readonly setBlock: Uint32Array;
  private readonly setIndex: Uint32Array;
  private readonly names: string[] = [];
  /** Documents whose sets may be dropped, by block; and their bytes. */
  private readonly loose = new Map<string, Uint32Array>();
  private looseBytes = 0;
  /** 1: it changed between the readings. */
  private readonly isChanged: Uint8Array;
  private readonly wasRead: Uint8Array;
  private calls = 0;

  /** `margin`: least agreement of pairs that are looked at. */
  constructor(run: Run, corpus: Corpus, reader: SetReader, margin: number, bound = SETS_AT_A_TIME) {
    this.run = run;
    this.corpus = corpus;
    this.reader = reader;
    this.margin = margin;
    this.bound = bound;
    this.setBlock = new Uint32Array(corpus.documents).fill(NOWHERE);
    this.setIndex = new Uint32Array(corpus.documents);
    this.isChanged = new Uint8Array(corpus.documents);
    this.wasRead = new Uint8Array(corpus.documents);
  }

  /** Documents that were read a second time and are what they were, however often. */
  documentsReadAgain = 0;

  /**
   * Fills in the evidence of the pairs at or above the margin that lack it, but for those with a document that changed:
   * returns these documents, ascending.
   *
   * @throws MinHashError COUNTS_UNBALANCED where the sets of a pair were neither read nor found to be changed
   */
  async complete(pairs: EvidencePairs): Promise<Uint32Array> {
    const rows = this.pending(pairs);
    const changed: number[] = [];
    const bytesOf = (document: number): number =>
      this.reader.isAlone(document) ? this.reader.setBytes(document) : 0;
    await this.read(this.missing(documentsOf(pairs, rows, this.corpus.documents), false), changed);
    let done = 0;
    for (const group of pairGroups(pairs, rows, this.corpus.documents, bytesOf, this.bound)) {
      await this.read(this.toRead(group), changed);
      await this.compare(pairs, group, (count) => {
        done += count;
        this.run.progress(done, rows.length, 'pairs');
      });
    }
    return Uint32Array.from(changed).sort();
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
  private missing(documents: Uint32Array, alone: boolean): Uint32Array {
    return documents.filter(
      (d) => this.setBlock[d] === NOWHERE && this.isChanged[d] === 0 && this.reader.isAlone(d) === alone,
    );
  }

  /** Makes room for the documents of a group where there is not enough; returns those that have to be read. */
  private toRead(group: PairGroup): Uint32Array {
    const missing = this.missing(group.documents, true);
    let bytes = 0;
    for (const document of missing) bytes += this.reader.setBytes(document);
    if (this.looseBytes === 0 || this.looseBytes + bytes <= this.bound) return missing;
    for (const [name, documents] of this.loose) {
      for (const document of documents) this.setBlock[document] = NOWHERE;
      this.run.engine.store.delete(name);
    }
    this.loose.clear();
    this.looseBytes = 0;
    return this.missing(group.documents, true);
  }

  private async read(documents: Uint32Array, changed: number[]): Promise<void> {
    let done = 0;
    for await (const sets of this.reader.read(documents)) {
      const position = sets.name === null ? NOWHERE : this.names.push(sets.name) - 1;
      for (let i = 0; i < sets.documents.length; i++) {
        const document = sets.documents[i]!;
        if (sets.unchanged[i] === 0) {
          this.isChanged[document] = 1;
          changed.push(document);
          continue;
        }
        this.setBlock[document] = position;
        this.setIndex[document] = sets.indexes[i]!;
        this.documentsReadAgain += 1 - this.wasRead[document]!;
        this.wasRead[document] = 1;
      }
      this.hold(sets.name, sets.documents);
      done += sets.documents.length;
      this.run.progress(done, documents.length, 'documents', sets.bytes);
    }
  }

  /** Notes which sets may be dropped; those of one task either all may, or none. */
  private hold(name: string | null, documents: Uint32Array): void {
    if (name === null) return;
    for (const document of documents) if (!this.reader.isAlone(document)) return;
    this.loose.set(name, documents);
    for (const document of documents) this.looseBytes += this.reader.setBytes(document);
  }

  private async compare(pairs: EvidencePairs, group: PairGroup, tell: (rows: number) => void): Promise<void> {
    const { store, parallelism } = this.run.engine;
    const call = this.calls++;
    let number = 0;
    const results = inOrder(this.tasks(pairs, group), 2 * parallelism, async (task) => {
      const list = `pairs/exact/${call}/${number}`;
      const name = `verified/${call}/${number++}`;
      this.run.put(list, encodeBlock('pairs', {}, task.columns));
      await this.run.task({
        stage: 'verified',
        label: `${task.rows.length} pairs`,
        params: { name, pairs: list, blocks: task.blocks },
        inputs: [list, ...task.blocks],
      });
      store.delete(list);
      return { name, rows: task.rows };
    });
    for await (const { name, rows } of results) {
      fillIn(pairs, rows, decodeBlock(store.get(name), 'pairs', name).columns as unknown as PairEvidence);
      store.delete(name);
      tell(rows.length);
    }
  }

  /** Cuts the rows of a group, less those with a document that changed, into tasks of about as much work. */
  private *tasks(pairs: EvidencePairs, group: PairGroup): Generator<PairTask> {
    const open = new OpenTask(this.setBlock, this.setIndex, this.names);
    let hashes = 0;
    for (const row of group.rows) {
      const a = pairs.a[row]!;
      const b = pairs.b[row]!;
      if (this.isChanged[a] === 1 || this.isChanged[b] === 1) continue;
      this.checkHeld(a);
      this.checkHeld(b);
      open.take(row, a, b);
      hashes += (this.reader.setBytes(a) + this.reader.setBytes(b)) / 8;
      if (hashes < HASHES_PER_TASK) continue;
      yield open.close();
      hashes = 0;
    }
    if (open.count > 0) yield open.close();
  }

  /** Every document of the pairs was read, or changed; else pairs would be lost in silence. */
  private checkHeld(document: number): void {
    if (this.setBlock[document] !== NOWHERE) return;
    const detail = `document ${document} of a pair at or above the margin has no shingle set`;
    throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
  }
}
