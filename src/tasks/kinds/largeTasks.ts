/**
 * The stage that compares the members of large buckets from stored signatures; each task has some buckets of one band.
 *
 * A task reads the signatures of as many members as it may hold, block by block. Of a bucket with more members, it compares two
 * parts at a time.
 */

import { spansOf } from '../../../reducers/largeBuckets.js';
import { concatenated } from '../../arrays/growable.js';
import { encodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { LargeRule, MemberRows, RowSpan, SpanPair } from '../../blocks/pairs.js';
import { strideOf } from '../../sketch/signature.js';
import type { PlannedKind, Workplace } from '../task.js';
import { block, groupsOf, pairingOf, put, setupOf } from '../workplace.js';
import { gatheredSignatures } from './agreementTasks.js';

export interface LargeTask {
  readonly name: string;
  readonly band: number;
  /** Buckets of the band: from (inclusive) to (exclusive). */
  readonly from: number;
  readonly to: number;
  readonly blocks: number;
  /** Bytes of signatures that the task holds at once. */
  readonly bytes: number;
  /** Least agreement of a pair that is emitted. */
  readonly least: number;
}

export interface LargeReport {
  /** Pairs of each block written. */
  readonly pairs: readonly number[];
  /** By equal slots: pairs below `least`, which are only counted. */
  readonly counts: readonly number[];
}

/** A task holds at least so many members. */
const FEWEST_MEMBERS = 64;

/** Most pairs of a block. */
const PAIRS = 1 << 17;

/** Reduce: members of large buckets of one band become pairs with their agreements, in any order. */
export const large: PlannedKind<LargeTask, LargeReport> = {
  reads: ['groups', 'places', 'signatures', 'largeBuckets', 'bandStates'],
  writes: ['large'],
  planned: ({ compared }) => (compared ? 'maybe' : null),
  work(task, here) {
    const { banding, sketch } = setupOf(here).params;
    const stride = strideOf(sketch.hashes);
    const columns = block(here, NAMES.largeBuckets(task.band), 'buckets').columns as Record<
      string,
      Uint32Array
    >;
    const { offsets, members } = columns;
    const { least, band } = task;
    const rule: LargeRule = { band, ...banding, hashes: sketch.hashes, least };
    const most = Math.max(FEWEST_MEMBERS, Math.floor(task.bytes / (4 * stride + banding.bands)));
    const counts = new Float64Array(sketch.hashes + 1);
    const groups = groupsOf(here);
    const made = new MadePairs(here, task.name, groups !== null);
    for (const { spans, from, other } of batchesOf(offsets!, task, most)) {
      const rows = concatenated([
        members!.subarray(from.from, from.to),
        members!.subarray(other.from, other.to),
      ]);
      const held = memberRows(here, task.blocks, rows, stride, banding.bands);
      const ofRows = groups === null ? null : rows.map((document) => groups.of[document]!);
      const apart = spans.flatMap(({ one, other }) => [...spansOf(one, other, ofRows)]);
      pairingOf(here).compareMembers(held, apart, rule, counts, (a, b, agreement, count) => {
        made.add(a, b, agreement, count);
      });
      here.progress();
    }
    made.flush();
    return { pairs: made.counts, counts: [...counts] };
  },
};

/** Members held together, as two spans of the band's members, and the spans of rows that are compared. */
interface Batch {
  readonly from: RowSpan;
  readonly other: RowSpan;
  readonly spans: readonly SpanPair[];
}

const NO_ROWS: RowSpan = { from: 0, to: 0 };

/** Batches of whole buckets with at most `most` members together; of a larger bucket, every two of its parts. */
function* batchesOf(offsets: Uint32Array, { from, to }: LargeTask, most: number): Generator<Batch> {
  for (let first = from; first < to; ) {
    const start = offsets[first]!;
    let end = first + 1;
    while (end < to && offsets[end + 1]! - start <= most) end++;
    if (offsets[end]! - start > most) yield* partsOf(start, offsets[end]!, Math.floor(most / 2));
    else {
      const spans: SpanPair[] = [];
      for (let k = first; k < end; k++) {
        const one = { from: offsets[k]! - start, to: offsets[k + 1]! - start };
        spans.push({ one, other: one });
      }
      yield { from: { from: start, to: offsets[end]! }, other: NO_ROWS, spans };
    }
    first = end;
  }
}

function* partsOf(start: number, end: number, part: number): Generator<Batch> {
  for (let i = start; i < end; i += part) {
    const from = { from: i, to: Math.min(end, i + part) };
    const one = { from: 0, to: from.to - from.from };
    if (from.to === end) yield { from, other: NO_ROWS, spans: [{ one, other: one }] };
    for (let j = from.to; j < end; j += part) {
      const other = { from: j, to: Math.min(end, j + part) };
      const behind = { from: one.to, to: one.to + other.to - other.from };
      // The first part is compared with itself in the first batch that has it.
      const within = j === from.to ? [{ one, other: one }] : [];
      yield { from, other, spans: [...within, { one, other: behind }] };
    }
  }
}

function memberRows(
  here: Workplace,
  blocks: number,
  documents: Uint32Array,
  stride: number,
  bands: number,
): MemberRows {
  const { rowOf, states: all } = block(here, ONE.bandStates, 'documents').columns;
  const states = new Uint8Array(bands * documents.length);
  for (let i = 0; i < documents.length; i++) {
    const row = bands * rowOf![documents[i]!]!;
    for (let band = 0; band < bands; band++) states[i * bands + band] = all![row + band]!;
  }
  return { documents, signatures: gatheredSignatures(here, blocks, documents, stride), stride, states };
}

class MadePairs {
  readonly counts: number[] = [];
  private readonly here: Workplace;
  private readonly name: string;
  private readonly a = new Uint32Array(PAIRS);
  private readonly b = new Uint32Array(PAIRS);
  private readonly agreement = new Uint16Array(PAIRS);
  private readonly turns: boolean;
  private count = 0;

  /** @param turns the later document of a pair may come first */
  constructor(here: Workplace, name: string, turns: boolean) {
    this.here = here;
    this.turns = turns;
    this.name = name;
  }

  add(a: Uint32Array, b: Uint32Array, agreement: Uint16Array, count: number): void {
    for (let from = 0; from < count; ) {
      const some = Math.min(count - from, PAIRS - this.count);
      this.a.set(a.subarray(from, from + some), this.count);
      this.b.set(b.subarray(from, from + some), this.count);
      this.agreement.set(agreement.subarray(from, from + some), this.count);
      for (let i = this.count; this.turns && i < this.count + some; i++) {
        const [one, other] = [this.a[i]!, this.b[i]!];
        this.a[i] = Math.min(one, other);
        this.b[i] = Math.max(one, other);
      }
      this.count += some;
      from += some;
      if (this.count === PAIRS) this.flush();
    }
  }

  flush(): void {
    const { count } = this;
    if (count === 0) return;
    const columns = {
      a: this.a.subarray(0, count),
      b: this.b.subarray(0, count),
      agreement: this.agreement.subarray(0, count),
    };
    put(this.here, `${this.name}/${this.counts.length}`, encodeBlock('pairs', {}, columns));
    this.counts.push(count);
    this.count = 0;
  }
}
