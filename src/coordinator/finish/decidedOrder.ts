/**
 * Decisions of a person in the order of survivors of a run: documents to keep come before all others and are protected, documents to drop come
 * last, and pairs that were told apart drop nothing. Decisions against protected documents have no effect.
 */
import type { DropList, Precedence } from '../../../reducers/dropList.js';
import { IdIndex, type IdTable } from '../../blocks/ids.js';
import { decidedFates } from '../../options/decisionLines.js';
import { idTableOf } from '../../output/tables/escaping.js';
import type { DecisionRow } from '../../sketch/params.js';

/** The decisions that a run can take. */
export interface DecidedOrder {
  readonly precedence: Precedence;
  /** Decisions that name a document that is not in the input. */
  readonly unknown: number;
  /** Documents that were decided to go. */
  readonly toGo: readonly number[];
}

/** The numbers of ids (binary strings), in one pass over the table; unknown ids have no entry. */
function numbersOf(ids: IdTable, wanted: readonly string[]): ReadonlyMap<string, number> {
  const index = IdIndex.of(idTableOf(wanted));
  const found = new Map<string, number>();
  const { offsets, bytes } = ids;
  for (let d = 0; d + 1 < offsets.length; d++) {
    const own = index.find(bytes, offsets[d]!, offsets[d + 1]!);
    if (own >= 0) found.set(wanted[own]!, d);
  }
  return found;
}

/** The order of survivors after decisions. */
export function decidedOrder(
  before: Precedence,
  ids: IdTable,
  decisions: readonly DecisionRow[],
): DecidedOrder {
  const { fates } = decidedFates(decisions);
  const named = [...new Set(decisions.flatMap(({ document, other }) => [document, other]))];
  const numbers = numbersOf(
    ids,
    named.filter((id) => id !== ''),
  );
  const documents = ids.offsets.length - 1;
  const isProtected = before.isProtected?.slice() ?? new Uint8Array(documents);
  const [first, last] = [new Set<number>(), new Set<number>()];
  for (const [id, { stays }] of fates) {
    const document = numbers.get(id);
    if (document === undefined) continue;
    if (stays) first.add(document);
    else if (isProtected[document] === 0) last.add(document);
  }
  for (const document of first) isProtected[document] = 1;
  const apart: (readonly [number, number])[] = [];
  let unknown = 0;
  for (const { kind, document, other } of decisions) {
    const [one, two] = [numbers.get(document), other === '' ? undefined : numbers.get(other)];
    if (one === undefined || (other !== '' && two === undefined)) unknown++;
    else if (kind === 'both') apart.push([one, two!]);
  }
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
