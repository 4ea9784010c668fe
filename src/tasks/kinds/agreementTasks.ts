/**
 * The stage that turns lists of pairs into distinct pairs with their agreements; each task has some ranges of pairs.
 *
 * Where the signatures of all documents are in memory, they are compared there. Else the task gathers the pairs of several
 * ranges with the signatures of their earlier documents, up to its bytes, and reads the blocks of the later documents one by
 * one: the pairs of a range have few earlier documents, and later ones anywhere.
 */

import { firstNotBefore } from '../../../reducers/verifiedPairs.js';
import { rowsByKey } from '../../arrays/groupCounts.js';
import { concatenated } from '../../arrays/growable.js';
import { encodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { type AgreeingPairs, agreements, type Pairs, type SignatureBlocks } from '../../blocks/pairs.js';
import { agreementOf } from '../../sketch/probability.js';
import { strideOf } from '../../sketch/signature.js';
import type { PlannedKind, Workplace } from '../task.js';
import { block, dropBandKernel, glance, kept, pairingOf, put, setupOf } from '../workplace.js';

/*
 * Signatures of a task's documents: all in memory, or read block by block.
 *
 * Blocks `signatures/k`; the block `places` has the block and column of each document.
 */

interface SignatureAccess {
  readonly blocks: number;
  /** Whether all blocks are in memory; else the task reads one at a time. */
  readonly held: boolean;
  /** Without `held`: most bytes of pairs and signatures of their earlier documents that the task gathers. */
  readonly bytes: number;
}

/** The signatures of all documents. Decoded once a worker: a block of this name is never written again. */
function heldSignatures(here: Workplace, { blocks }: SignatureAccess): SignatureBlocks {
  return kept(here, 'signatures', () => {
    const { blockOf, columnOf } = block(here, ONE.places, 'documents').columns;
    const stored = Array.from({ length: blocks }, (_, k) => block(here, NAMES.signatures(k), 'signatures'));
    return {
      blocks: stored.map(({ columns }) => columns.slots as Uint32Array),
      blockOf: blockOf as Uint32Array,
      columnOf: columnOf as Uint32Array,
      stride: stored[0]!.meta.stride as number,
      hashes: setupOf(here).params.sketch.hashes,
    };
  });
}

/** Called for each document: the signature of `documents[i]` begins at `at` of `slots`. */
type SignatureVisit = (i: number, slots: Uint32Array, at: number) => void;

/**
 * Visits the signatures of documents (in any order, also repeated), block by block of all `blocks`; holds one block at a time.
 */
export function visitSignatures(
  here: Workplace,
  blocks: number,
  documents: Uint32Array,
  visit: SignatureVisit,
): void {
  const { blockOf, columnOf } = block(here, ONE.places, 'documents').columns as Record<string, Uint32Array>;
  const { starts, rows } = rowsByKey(blocks, (give) => {
    for (let i = 0; i < documents.length; i++) give(blockOf![documents[i]!]!, i);
  });
  for (let k = 0, next = 0; k < blocks; k++) {
    if (next === starts[k + 1]) continue;
    const { meta, columns } = glance(here, NAMES.signatures(k), 'signatures');
    const slots = columns.slots as Uint32Array;
    const stride = meta.stride as number;
    for (; next < starts[k + 1]!; next++) {
      const i = rows[next]!;
      visit(i, slots, columnOf![documents[i]!]! * stride);
    }
    here.progress();
  }
}

/** The signatures of the documents, one after the other, `stride` slots each; `stride`: slots of a stored signature. */
export function gatheredSignatures(
  here: Workplace,
  blocks: number,
  documents: Uint32Array,
  stride: number,
): Uint32Array {
  const rows = new Uint32Array(stride * documents.length);
  visitSignatures(here, blocks, documents, (i, slots, at) => {
    rows.set(slots.subarray(at, at + stride), i * stride);
  });
  return rows;
}

/** A pair of documents at which a range begins or ends. */
type PlaceOfCut = readonly [a: number, b: number];

export interface PairRange {
  /** Names of blocks of lists of pairs, and of blocks of known pairs; each block is sorted. */
  readonly lists: readonly string[];
  readonly known: readonly string[];
  /** The part of the blocks in the range: from (inclusive) to (exclusive); null: to the end. */
  readonly from: PlaceOfCut;
  readonly to: PlaceOfCut | null;
}

export interface AgreementReport {
  /** Rows of the lists in the task's ranges. */
  readonly rows: number;
  /** Distinct pairs of each block written. */
  readonly pairs: readonly number[];
}

export interface AgreementTask {
  readonly name: string;
  /** Ascending. */
  readonly ranges: readonly PairRange[];
  readonly sketches: SignatureAccess;
  /** Least agreement of an accepted pair. */
  readonly least: number;
}

/**
 * Reduce: lists of pairs become distinct pairs without the known ones, each with its equal slots, in consecutive blocks.
 * Reports the pairs of each block, and how many rows the lists have.
 */
export const agreement: PlannedKind<AgreementTask, AgreementReport> = {
  reads: ['places', 'signatures', 'candidates', 'hot', 'known'],
  writes: ['agreement'],
  planned: ({ compared }) => (compared ? 'later' : null),
  work(task, here) {
    const { sketches } = task;
    dropBandKernel(here);
    const compared = new ComparedPairs(here, task);
    let rows = 0;
    for (const range of task.ranges) {
      const lists = rowsOf(here, range, range.lists);
      const known = lists.length === 0 ? [] : rowsOf(here, range, range.known);
      for (const { count } of lists) rows += count;
      if (lists.length === 0) continue;
      if (sketches.held) compared.addHeld(lists, known, sketches);
      else compared.gather(lists, known, sketches);
      here.progress();
    }
    compared.flush();
    return { rows, pairs: compared.counts };
  },
};

function rowsOf(here: Workplace, { from, to }: PairRange, names: readonly string[]): Pairs[] {
  const rows: Pairs[] = [];
  for (const name of names) {
    const { a, b } = block(here, name, 'pairs').columns as Record<string, Uint32Array>;
    const all = { a: a!, b: b!, count: a!.length };
    const first = firstNotBefore(all, 0, ...from);
    const end = to === null ? all.count : firstNotBefore(all, first, ...to);
    if (end > first)
      rows.push({ a: a!.subarray(first, end), b: b!.subarray(first, end), count: end - first });
  }
  return rows;
}

const strideHere = (here: Workplace): number => strideOf(setupOf(here).params.sketch.hashes);

/** Bytes of a gathered pair: its columns, the place of its earlier document, and its place in the order of blocks. */
const GATHERED_BYTES = 19;

/** Compares the pairs of ranges, and writes them with their agreements. */
class ComparedPairs {
  /** Pairs of each block written. */
  readonly counts: number[] = [];
  private readonly here: Workplace;
  private readonly task: AgreementTask;
  /** Distinct pairs, ascending, whose signatures are still to be read. */
  private waiting: Pairs[] = [];
  private waitingBytes = 0;

  constructor(here: Workplace, task: AgreementTask) {
    this.here = here;
    this.task = task;
  }

  /** Compares the pairs of a range by signatures in memory. */
  addHeld(lists: readonly Pairs[], known: readonly Pairs[], signatures: SignatureAccess): void {
    const held = heldSignatures(this.here, signatures);
    const pairs = pairingOf(this.here).distinctPairs(lists, known);
    this.putCompared(pairs, agreements(pairs, held));
  }

  /** Gathers the pairs of a range, to compare them together with those of neighbouring ranges. */
  gather(lists: readonly Pairs[], known: readonly Pairs[], { bytes: most }: SignatureAccess): void {
    const { a, b, count } = pairingOf(this.here).distinctPairs(lists, known);
    if (count === 0) return;
    let documents = 1;
    for (let i = 1; i < count; i++) documents += a[i] === a[i - 1] ? 0 : 1;
    const bytes = GATHERED_BYTES * count + 4 * strideHere(this.here) * documents;
    if (this.waitingBytes + bytes > most) this.flush();
    // A copy: the kernel's result is a view of its scratch memory.
    this.waiting.push({ a: a.slice(0, count), b: b.slice(0, count), count });
    this.waitingBytes += bytes;
  }

  /** Compares the gathered pairs and writes them. */
  flush(): void {
    const a = concatenated(this.waiting.map((pairs) => pairs.a));
    const b = concatenated(this.waiting.map((pairs) => pairs.b));
    const count = a.length;
    if (count === 0) return;
    this.waiting = [];
    this.waitingBytes = 0;
    this.putCompared({ a, b, count }, this.agreementsOf(a, b, count, this.task.sketches));
  }

  private putCompared(pairs: Pairs, agreement: Uint16Array): void {
    const accepted = new Uint8Array(pairs.count);
    for (let i = 0; i < accepted.length; i++) accepted[i] = agreement[i]! >= this.task.least ? 1 : 0;
    this.put({ ...pairs, agreement, accepted });
  }

  private agreementsOf(
    a: Uint32Array,
    b: Uint32Array,
    count: number,
    { blocks, bytes }: SignatureAccess,
  ): Uint16Array {
    const { here } = this;
    const { hashes } = setupOf(here).params.sketch;
    const stride = strideHere(here);
    const equal = new Uint16Array(count);
    const most = Math.max(1, Math.floor(bytes / (4 * stride)));
    for (let from = 0, to = 0; from < count; from = to) {
      const { documents, placeOf, end } = batchFrom(a, from, count, most);
      const rows = gatheredSignatures(here, blocks, documents, stride);
      visitSignatures(here, blocks, b.subarray(from, end), (i, slots, at) => {
        equal[from + i] = agreementOf(rows, placeOf[i]! * stride, slots, at, hashes);
      });
      to = end;
    }
    return equal;
  }

  put({ a, b, count, agreement, accepted }: AgreeingPairs): void {
    if (count === 0) return;
    const columns = { a: a.subarray(0, count), b: b.subarray(0, count), agreement, accepted };
    const name = `${this.task.name}/${this.counts.length}`;
    put(this.here, name, encodeBlock('pairs', {}, columns));
    this.counts.push(count);
  }
}

/** Pairs whose earlier documents' signatures are gathered together. */
interface Batch {
  /** The earlier documents, ascending, each once. */
  readonly documents: Uint32Array;
  /** Pair `from + i` has the earlier document `documents[placeOf[i]]`. */
  readonly placeOf: Uint32Array;
  readonly end: number;
}

/** The longest run of pairs from `from` on with at most `most` earlier documents. */
function batchFrom(a: Uint32Array, from: number, count: number, most: number): Batch {
  const documents = new Uint32Array(Math.min(most, count - from));
  const placeOf = new Uint32Array(count - from);
  let held = 0;
  let end = from;
  for (; end < count; end++) {
    if (held === 0 || documents[held - 1] !== a[end]) {
      if (held === most) break;
      documents[held++] = a[end]!;
    }
    placeOf[end - from] = held - 1;
  }
  return { documents: documents.subarray(0, held), placeOf, end };
}
