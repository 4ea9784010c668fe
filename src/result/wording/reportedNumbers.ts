/**
 * The numbers that people report of a run, as manifest and report have them, and a check of their sums.
 */

import type { Medians } from '../facts.js';

/** A number of documents, with their bytes and tokens. */
export interface Amount {
  readonly documents: number;
  /** Bytes of their texts: unpacked, taken from their JSON, in UTF-8. Absent for sets. */
  readonly bytes?: number;
  /** Tokens of the unit of the shingles: words, characters, bytes or lines; for sets elements, copies counted. */
  readonly tokens: number;
}

/** The kept and the dropped documents of one source. */
export interface SourceNumbers {
  /** The prefix of its places, if there are several PATHs; else the first part of its places; null: all sources that have no row. */
  readonly source: string | null;
  readonly kept: Amount;
  readonly dropped: Amount;
}

/** The number of documents that the drop list would have at another threshold, from the pairs of this run. */
export interface DropsAtThreshold {
  readonly threshold: number;
  readonly dropped: number;
}

/** The numbers that people report of a run, with its medians. */
export interface ReportedNumbers extends Medians {
  readonly kept: Amount;
  readonly dropped: Amount;
  /** The dropped documents, by the kind of the pair with the kept document that replaces each. */
  readonly reasons: {
    /** The same text, byte for byte. */
    readonly identical: Amount;
    /** The same tokens in other bytes. */
    readonly same_tokens: Amount;
    readonly near: Amount;
  };
  /** At most 100 sources, those with the most dropped documents first, then all others as one row; empty for sets. */
  readonly sources: readonly SourceNumbers[];
  /** Number of sources in that last row; 0: there is no such row. */
  readonly other_sources: number;
  /** In descending order, the threshold of the run last; empty where pairs were not verified. */
  readonly thresholds: readonly DropsAtThreshold[];
}

/** The counts of a manifest of which the numbers are parts. */
interface NumberedCounts {
  readonly kept: number;
  readonly dropped: number;
  /** Absent for sets. */
  readonly kept_bytes?: number;
  readonly dropped_bytes?: number;
}

/** The checks that the numbers agree with the counts, and parts with their sums. */
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
