/**
 * The numbers that people report of a run, as manifest and report have them, and whether their sums balance.
 */

import type { Medians } from '../facts.js';

/** Documents, and what is in them. */
export interface Amount {
  readonly documents: number;
  /** Of their texts: unpacked, out of their JSON, in UTF-8. Absent for sets. */
  readonly bytes?: number;
  /** Of the unit of the shingles: words, characters, bytes or lines; of sets elements, copies counted. */
  readonly tokens: number;
}

/** What is kept and dropped of one source. */
export interface SourceNumbers {
  /** Of several PATHs the prefix of its places, else the first part of these; null: the sources that are not told. */
  readonly source: string | null;
  readonly kept: Amount;
  readonly dropped: Amount;
}

/** What the drop list would drop at another threshold, from the pairs of this run. */
export interface DropsAtThreshold {
  readonly threshold: number;
  readonly dropped: number;
}

/** The numbers that people report of a run, with its medians. */
export interface ReportedNumbers extends Medians {
  readonly kept: Amount;
  readonly dropped: Amount;
  /** The dropped ones, by how they resemble the kept documents that are named for them. */
  readonly reasons: {
    /** The same text, byte for byte. */
    readonly identical: Amount;
    /** The same tokens in other bytes. */
    readonly same_tokens: Amount;
    readonly near: Amount;
  };
  /** Those with the most dropped documents first, 100 at most, and behind them all others as one; none of sets. */
  readonly sources: readonly SourceNumbers[];
  /** How many sources are in that last row; 0: there is none. */
  readonly other_sources: number;
  /** Descending, the threshold of the run last; none where pairs were not verified. */
  readonly thresholds: readonly DropsAtThreshold[];
}

/** The counts of a manifest that the numbers divide. */
interface NumberedCounts {
  readonly kept: number;
  readonly dropped: number;
  /** Absent for sets. */
  readonly kept_bytes?: number;
  readonly dropped_bytes?: number;
}

/** The numbers against the counts, and the parts of the numbers against their sums. */
export function numberBalances(
  counts: NumberedCounts,
  { kept, dropped, reasons, sources, thresholds }: ReportedNumbers,
): (readonly [what: string, got: number, expected: number])[] {
  const balances: (readonly [string, number, number])[] = [
    ['numbers of kept documents', kept.documents, counts.kept],
    ['numbers of dropped documents', dropped.documents, counts.dropped],
  ];
  if (counts.kept_bytes !== undefined && counts.dropped_bytes !== undefined) {
    balances.push(['numbers of kept bytes', kept.bytes ?? 0, counts.kept_bytes]);
    balances.push(['numbers of dropped bytes', dropped.bytes ?? 0, counts.dropped_bytes]);
  }
  const add = (what: string, parts: readonly Amount[], whole: Amount): void => {
    for (const unit of ['documents', 'bytes', 'tokens'] as const) {
      const sum = parts.reduce((all, part) => all + (part[unit] ?? 0), 0);
      balances.push([`numbers of ${unit} ${what}`, sum, whole[unit] ?? 0]);
    }
  };
  add('dropped, by reason', Object.values(reasons), dropped);
  if (sources.length > 0) {
    add(
      'kept, by source',
      sources.map((source) => source.kept),
      kept,
    );
    add(
      'dropped, by source',
      sources.map((source) => source.dropped),
      dropped,
    );
  }
  const own = thresholds.at(-1);
  if (own !== undefined) balances.push(['dropped at the threshold', own.dropped, counts.dropped]);
  return balances;
}
