/**
 * Stages that find the documents that records name, so that a side file can say which signatures or documents are needed (rankBits.ts).
 *
 * Their rows are ranks. A Reduce holds a record: up to 2^16 ranks, 2 bytes each.
 */

import { namesAt } from '../stream/crossing.js';
import { EVIDENCE_KINDS } from '../stream/evidence.js';
import { isFirstMember, KIND, KINDS, RANK } from '../stream/kinds.js';
import {
  compareKeys,
  GatheredRows,
  type RecordSource,
  type StageSink,
  type StageSource,
  u32At,
  u64At,
} from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';

/** Bytes of a rank that name its record, and bytes of the rest, which the record lists. */
const RANKS_NAME = 6;
const REST = RANK - RANKS_NAME;

/** Ranks that a task remembers: many records name a document one after the other. */
const REMEMBERED = 2 ** 14;
/** A bit of the first byte, which no rank has: the document is the later one of a pair. */
const LATER_BIT = 0x80;

/** Gathers ranks, which are bytes of keys, most of them once; those of the later documents of pairs apart. */
class RankRows {
  private readonly known = [false, true].map(() => new Float64Array(REMEMBERED).fill(-1));
  readonly #rows: GatheredRows;

  constructor(out: StageSink) {
    this.#rows = new GatheredRows(out);
  }

  add(key: Uint8Array, at: number, isLater = false): void {
    const rank = u64At(key, at);
    const known = this.known[isLater ? 1 : 0]!;
    const slot = rank % REMEMBERED;
    if (known[slot] === rank) return;
    known[slot] = rank;
    this.#rows
      .u8(key[at]! | (isLater ? LATER_BIT : 0))
      .raw(key, at + 1, at + RANK)
      .endRow();
  }

  flush(): void {
    this.#rows.flush();
  }
}

function reduceRanks(input: StageSource, out: StageSink, { facts }: StagePlace): void {
  const last = new Uint8Array(RANK);
  const rests = new Uint8Array(2 ** (8 * REST) * REST);
  let end = 0;
  const flush = (): void => {
    if (end === 0) return;
    out.key.kind(KINDS.ranks).raw(last, 0, RANKS_NAME);
    out.write(rests.subarray(0, end));
    facts.add('ranks', end / REST);
    end = 0;
  };
  for (let rows = input.rows(); rows !== null; rows = input.rows()) {
    for (let at = 0; at < rows.length; at += RANK) {
      let same = 0;
      while (same < RANK && rows[at + same] === last[same]) same++;
      if (end > 0 && same === RANK) continue;
      if (same < RANKS_NAME) flush();
      for (; same < RANK; same++) last[same] = rows[at + same]!;
      rests[end++] = last[RANKS_NAME]!;
      rests[end++] = last[RANKS_NAME + 1]!;
    }
  }
  flush();
}

/** The first rank that a record of kind `ranks` may have, by its key. */
export const firstRankOf = (key: Uint8Array): number =>
  (u32At(key, KIND) % 2 ** 31) * 2 ** 32 + key[KIND + 4]! * 2 ** 24 + key[KIND + 5]! * 2 ** 16;

/** Whether its ranks are those of the later documents of pairs. */
export const areLater = (key: Uint8Array): boolean => (key[KIND]! & LATER_BIT) !== 0;

/** A stage that finds the ranks which `name` adds of the records of some kinds, each once. */
function ranksOf(
  kinds: readonly number[],
  name: (record: RecordSource, rows: RankRows) => void,
): StreamStage {
  return {
    kinds,
    shuffles: ['ranks'],
    prefix: RANKS_NAME,
    row: () => RANK,
    map(input, out) {
      const rows = new RankRows(out);
      while (input.next()) name(input, rows);
      rows.flush();
    },
    reduce: reduceRanks,
  };
}

export const pairRanks = ranksOf([KINDS.pair], ({ key }, rows) => {
  rows.add(key, KIND);
  rows.add(key, KIND + RANK, true);
});

/** The members of large and hot buckets, or all members of classes but the first ones. */
export const memberRanks = ranksOf([KINDS.crowd, KINDS.member], ({ key }, rows) => {
  if (key[0] === KINDS.crowd) rows.add(key, KIND);
  else if (!isFirstMember(key)) rows.add(key, KIND + RANK);
});

/** The representatives of clusters. */
export const rootRanks = ranksOf([KINDS.node], ({ key }, rows) => rows.add(key, KIND));

/** The second documents of rows. */
export const rowRanks = ranksOf(
  [KINDS.member, KINDS.dropped, KINDS.row, ...EVIDENCE_KINDS],
  ({ key, value }, rows) => {
    if (key[0] === KINDS.dropped) rows.add(value, 0);
    else if (key[0] === KINDS.member) {
      if (!isFirstMember(key)) rows.add(key, KIND + RANK);
    } else if (key[0] === KINDS.row) rows.add(key, KIND + 1 + RANK);
    else {
      const from = namesAt(key);
      const isAhead = compareKeys(key.subarray(from, from + RANK), key.subarray(from + RANK)) < 0;
      rows.add(key, isAhead ? from + RANK : from);
    }
  },
);
