/**
 * Counts the elements that a document shares with each base: shingles, or the fingerprints that a method selects.
 */

import { concatenated } from '../../../arrays/growable.js';
import { FingerprintTable } from '../../../arrays/hashTable.js';
import { DistinctKeys, KeyOwners, keyOwnerColumns } from '../../../arrays/keyOwners.js';
import { containmentOf } from '../../../sketch/similarity.js';
import type { ShingleSink } from '../../../text/shingles.js';
import type { Matcher, MatchSink } from '../method.js';

/** Computes values from the numbers of elements of a base, of a document, and of both (at least 1). */
export interface ElementMeasure {
  /**
   * Whether the first value may reach `least`. `isWithin(n)` returns whether the document has at most n distinct
   * elements.
   */
  mayReach(common: number, base: number, least: number, isWithin: (most: number) => boolean): boolean;
  write(common: number, base: number, document: number, into: Float64Array): void;
}

/**
 * Counts the elements that documents share with bases. Memory: about 30 bytes per element of the bases, and 8 per
 * distinct element of the longest document.
 */
export class SharedElements implements Matcher {
  private readonly measure: ElementMeasure;
  private readonly least: number;
  private readonly bases: KeyOwners;
  /** By element: the last document that has it. */
  private readonly met: Uint32Array;
  private document = 0;
  /** By base: elements shared with the document. */
  private readonly common: Uint32Array;
  private isShared = false;
  private readonly keys = new DistinctKeys();
  private readonly row: Float64Array;
  private readonly few = new FingerprintTable();

  /**
   * @param least see Method.prepare
   * @param values the number of values that the measure writes
   */
  constructor(bases: readonly Uint32Array[], least: number, values: number, measure: ElementMeasure) {
    this.row = new Float64Array(values);
    this.measure = measure;
    this.least = least;
    this.bases = new KeyOwners(keyOwnerColumns(bases));
    this.met = new Uint32Array(this.bases.size);
    this.common = new Uint32Array(bases.length);
  }

  begin(): void {
    this.document++;
    if (this.isShared) this.common.fill(0);
    this.isShared = false;
    this.keys.clear();
  }

  take(hashes: Uint32Array, count: number): void {
    this.keys.add(hashes, count);
    this.bases.eachOwned(hashes, count, this.meets);
  }

  end(sink: MatchSink): void {
    if (!this.isShared) return;
    const { common, bases, row, measure, least } = this;
    let size = 0;
    for (let base = 0; base < common.length; base++) {
      const shared = common[base]!;
      if (shared === 0) continue;
      // Nearly all texts of a language share a phrase, so this check comes before the elements are sorted.
      if (size === 0 && !measure.mayReach(shared, bases.sizeOf(base), least, this.isWithin)) continue;
      if (size === 0) size = this.keys.distinct();
      measure.write(shared, bases.sizeOf(base), size, row);
      sink(base, row);
    }
  }

  /** Whether the document has at most `most` distinct elements; stops soon after more are found. */
  private readonly isWithin = (most: number): boolean => {
    const { few, keys } = this;
    if (keys.held <= most) return true;
    few.clear();
    const { view } = keys;
    for (let i = 0; i < view.length; i += 2) {
      few.add(view[i]!, view[i + 1]!);
      if (few.size > most) return false;
    }
    return true;
  };

  /** The distinct elements of the document, sorted as unsigned numbers; valid while `end` calls its sink. */
  get sorted(): Uint32Array {
    return this.keys.view;
  }

  private readonly meets = (element: number): void => {
    if (this.met[element] === this.document) return;
    this.met[element] = this.document;
    this.isShared = true;
    const { offsets, owners } = this.bases;
    for (let i = offsets[element]!; i < offsets[element + 1]!; i++) this.common[owners[i]!]!++;
  };
}

/**
 * The most elements that a set may have for `common` to be the share `least` of it, plus one, because the quotient is
 * rounded.
 */
export const mostOf = (common: number, least: number): number => common / least + 1;

/** The `mayReach` of measures whose first value is the larger of both shares. */
export const largerShareMayReach: ElementMeasure['mayReach'] = (common, base, least, isWithin) =>
  common / base >= least || isWithin(mostOf(common, least));

/** Selects the elements of a document that are compared. Not re-entrant. */
export interface Selection {
  begin(): void;
  /** As Matcher.take. */
  take(hashes: Uint32Array, count: number): void;
  /** Passes on the last selected elements. */
  end(): void;
}

/** Creates a selector that passes on the selected elements. */
export type Selector = (pass: ShingleSink) => Selection;

function selectedOf(elements: Uint32Array, select: Selector): Uint32Array {
  const parts: Uint32Array[] = [];
  const selection = select((hashes, count) => parts.push(hashes.slice(0, 2 * count)));
  selection.begin();
  selection.take(elements, elements.length / 2);
  selection.end();
  return concatenated(parts);
}

/** Compares the selected elements of documents and bases by `shares`; a text without selected elements matches nothing. */
export function selectedMatcher(bases: readonly Uint32Array[], least: number, select: Selector): Matcher {
  const selected = bases.map((elements) => selectedOf(elements, select));
  const shared = new SharedElements(selected, least, SHARES.length, shares);
  const selection = select((hashes, count) => shared.take(hashes, count));
  return {
    barren: selected.flatMap(({ length }, base) => (length === 0 ? [base] : [])),
    begin() {
      shared.begin();
      selection.begin();
    },
    take: (hashes, count) => selection.take(hashes, count),
    end(sink) {
      selection.end();
      shared.end(sink);
    },
  };
}

/** Names of the values of `shares`. */
export const SHARES = ['containment', 'base_in_document', 'document_in_base'] as const;

/**
 * The share of the base's elements that the document has, and of the document's that the base has; the larger one comes
 * first.
 */
export const shares: ElementMeasure = {
  mayReach: largerShareMayReach,
  write(common, base, document, into) {
    into[1] = containmentOf(common, base);
    into[2] = containmentOf(common, document);
    into[0] = Math.max(into[1], into[2]);
  },
};
