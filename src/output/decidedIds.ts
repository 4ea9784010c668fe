/** The documents that decisions name, looked up by their ids: a table of the decisions, none of the documents. */
import { IdIndex } from '../blocks/ids.js';
import { decidedFates } from '../options/decisionLines.js';
import type { DecisionRow } from '../sketch/params.js';
import { idTableOf } from './tables/escaping.js';

/** What decisions say of a document: whether it stays or goes, or neither. Its place in the order of survivors follows. */
export const TIERS = { first: 0, between: 1, last: 2 } as const;

export class DecidedIds {
  /** Ids that decisions name (binary strings), distinct. */
  readonly ids: readonly string[];
  /** By id. */
  private readonly tiers: Uint8Array;
  private readonly index: IdIndex;

  constructor(decisions: readonly DecisionRow[]) {
    const { fates } = decidedFates(decisions);
    const named = new Set(decisions.flatMap(({ document, other }) => [document, other]));
    this.ids = [...named].filter((id) => id !== '');
    this.tiers = Uint8Array.from(this.ids, (id) => {
      const fate = fates.get(id);
      return fate === undefined ? TIERS.between : fate.stays ? TIERS.first : TIERS.last;
    });
    this.index = IdIndex.of(idTableOf(this.ids));
  }

  /** The number of the id that stands in some bytes; -1: no decision names it. */
  find(bytes: Uint8Array, from = 0, to = bytes.length): number {
    return this.index.find(bytes, from, to);
  }

  /** Where a document comes; a protected one never comes last. `number`: that of its id, or -1. */
  tierOf(number: number, isProtected: boolean): number {
    const tier = this.tiers[number] ?? TIERS.between;
    return tier === TIERS.last && isProtected ? TIERS.between : tier;
  }
}

/** What decisions come to in a corpus, its documents called by their numbers or ranks. */
export interface DecidedPairs {
  /** Pairs of documents that are told apart, the earlier first. */
  readonly apart: readonly (readonly [earlier: number, later: number])[];
  /** Decisions that name a document that is not in the input. */
  readonly unknown: number;
}

/** @param numbers by id, the number or rank of its document; ids that are not in the input have none */
export function decidedPairs(
  decisions: readonly DecisionRow[],
  numbers: ReadonlyMap<string, number>,
): DecidedPairs {
  const apart: (readonly [number, number])[] = [];
  let unknown = 0;
  for (const { kind, document, other } of decisions) {
    const [one, two] = [numbers.get(document), other === '' ? undefined : numbers.get(other)];
    if (one === undefined || (other !== '' && two === undefined)) unknown++;
    else if (kind === 'both') apart.push([Math.min(one, two!), Math.max(one, two!)]);
  }
  return { apart, unknown };
}
