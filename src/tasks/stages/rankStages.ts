/**
 * Stages that find the documents that records name, so that a side file can say whose signatures are needed (rankBits.ts).
 *
 * Their rows are ranks. A Reduce holds a record: up to 2^16 ranks, 2 bytes each.
 */
import { isFirstMember, KIND, KINDS, RANK } from '../stream/kinds.js';
import {
  FieldWriter,
  type RecordSink,
  type RecordSource,
  type StageSink,
  type StageSource,
  sharesPrefix,
  u32At,
} from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';

/** Bytes of a rank that name its record, and bytes of the rest, which the record lists. */
const RANKS_NAME = 6;
const REST = RANK - RANKS_NAME;

const ROWS = 1024;

/** Gathers ranks, which are bytes of keys. */
class RankRows {
  private readonly rows = new Uint8Array(ROWS * RANK);
  private readonly out: StageSink;
  private end = 0;

  constructor(out: StageSink) {
    this.out = out;
  }

  add(key: Uint8Array, at: number): void {
    for (let i = 0; i < RANK; i++) this.rows[this.end + i] = key[at + i]!;
    this.end += RANK;
    if (this.end === this.rows.length) this.flush();
  }

  flush(): void {
    if (this.end > 0) this.out.rows(this.rows.subarray(0, this.end));
    this.end = 0;
  }
}

/** pair -> both ranks; crowd -> its rank; member -> its rank, if it is not the first of its class; of the kinds that are asked for. */
function mapRanks(kinds: readonly number[], input: RecordSource, out: StageSink): void {
  const rows = new RankRows(out);
  const [one, other] = [KIND, KIND + RANK];
  while (input.next()) {
    const { key } = input;
    const kind = key[0]!;
    if (!kinds.includes(kind)) continue;
    if (kind !== KINDS.member) rows.add(key, one);
    if (kind === KINDS.pair || (kind === KINDS.member && !isFirstMember(key))) rows.add(key, other);
  }
  rows.flush();
}

function reduceRanks(input: StageSource, out: RecordSink, { facts }: StagePlace): void {
  const key = new FieldWriter();
  const last = new Uint8Array(RANK);
  const rests = new Uint8Array(2 ** (8 * REST) * REST);
  let end = 0;
  const flush = (): void => {
    if (end > 0) out.put(key.reset().u8(KINDS.ranks).raw(last, 0, RANKS_NAME).view, rests.subarray(0, end));
    facts.add('ranks', end / REST);
    end = 0;
  };
  for (let rows = input.rows(); rows !== null; rows = input.rows()) {
    for (let at = 0; at < rows.length; at += RANK) {
      const rank = rows.subarray(at, at + RANK);
      if (end > 0 && sharesPrefix(rank, last, RANK)) continue;
      if (!sharesPrefix(rank, last, RANKS_NAME)) flush();
      last.set(rank);
      rests[end++] = rank[RANKS_NAME]!;
      rests[end++] = rank[RANKS_NAME + 1]!;
    }
  }
  flush();
}

/** The first rank that a record of kind `ranks` may have, by its key. */
export const firstRankOf = (key: Uint8Array): number =>
  u32At(key, KIND) * 2 ** 32 + key[KIND + 4]! * 2 ** 24 + key[KIND + 5]! * 2 ** 16;

function ranksOf(kinds: readonly number[]): StreamStage {
  return {
    reads: 'records',
    kinds,
    shuffles: ['ranks'],
    prefix: RANKS_NAME,
    row: () => RANK,
    map: (input, out) => mapRanks(kinds, input, out),
    reduce: reduceRanks,
  };
}

/** The documents of pairs, each once. */
export const pairRanks = ranksOf([KINDS.pair]);

/** The members of large and hot buckets, or all members of classes but the first ones; each once. */
export const memberRanks = ranksOf([KINDS.crowd, KINDS.member]);
