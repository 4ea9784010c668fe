/**
 * Decisions of a person in the order of survivors of a run: documents to keep come before all others and are protected, documents to drop come
 * last, and pairs that were told apart drop nothing. Decisions against protected documents have no effect.
 */
import type { DropList, Precedence } from '../../../reducers/dropList.js';
import type { IdTable } from '../../blocks/ids.js';
import { DecidedIds, decidedPairs, TIERS } from '../../output/decidedIds.js';
import type { DecisionRow } from '../../sketch/params.js';

/** The decisions that a run can take. */
export interface DecidedOrder {
  readonly precedence: Precedence;
  /** Decisions that name a document that is not in the input. */
  readonly unknown: number;
  /** Documents that were decided to go. */
  readonly toGo: readonly number[];
}

/** The order of survivors after decisions. */
export function decidedOrder(
  before: Precedence,
  ids: IdTable,
  decisions: readonly DecisionRow[],
): DecidedOrder {
  const decided = new DecidedIds(decisions);
  const { offsets, bytes } = ids;
  const documents = offsets.length - 1;
  const isProtected = before.isProtected?.slice() ?? new Uint8Array(documents);
  const [first, last] = [new Set<number>(), new Set<number>()];
  const numbers = new Map<string, number>();
  for (let d = 0; d < documents; d++) {
    const own = decided.find(bytes, offsets[d]!, offsets[d + 1]!);
    if (own < 0) continue;
    numbers.set(decided.ids[own]!, d);
    const tier = decided.tierOf(own, isProtected[d] === 1);
    if (tier === TIERS.first) first.add(d);
    else if (tier === TIERS.last) last.add(d);
  }
  for (const document of first) isProtected[document] = 1;
  const { apart, unknown } = decidedPairs(decisions, numbers);
  const isMoved = first.size + last.size > 0;
  return {
    precedence: {
      ...before,
      rank: isMoved ? movedRanks(before.rank, documents, first, last) : before.rank,
      isProtected: isMoved || before.isProtected !== null ? isProtected : null,
      apart,
    },
    unknown,
    toGo: [...last],
  };
}

/** The order with some documents moved to its beginning and some to its end. */
function movedRanks(
  rank: Uint32Array | null,
  documents: number,
  first: ReadonlySet<number>,
  last: ReadonlySet<number>,
): Uint32Array {
  const order = new Uint32Array(documents);
  for (let d = 0; d < documents; d++) order[rank === null ? d : rank[d]!] = d;
  const ranks = new Uint32Array(documents);
  const next = new Uint32Array([0, first.size, documents - last.size]);
  for (const d of order) {
    const tier = first.has(d) ? 0 : last.has(d) ? 2 : 1;
    ranks[d] = next[tier]!++;
  }
  return ranks;
}

/** How many documents are kept although they were decided to go: no kept one resembles them. */
export function staysThough({ toGo }: DecidedOrder, { kept }: DropList): number {
  return toGo.reduce((sum, document) => sum + kept[document]!, 0);
}
