/** The rule for edits of a drop list: every listed document has a kept near-duplicate, unless its text may be lost. */
import type { Manifest } from '../result/manifest.js';
import { clusterOf, type IndexPart, NONE, partOf, type ResultIndex } from '../result/resultIndex.js';
import { Likeness } from './likeness.js';

/** Why the drop list of a result cannot be edited, or null. */
export function whyUnedited({ parameters }: Pick<Manifest, 'parameters'>): string | null {
  const { measure, groups } = parameters;
  if (measure === 'containment') return 'containment replaces only one of two documents by the other';
  return groups === null ? null : 'the documents of a reference (--against) are never dropped';
}

/** What happens to a document: the number of the kept document that replaces it; its own number if its text is lost; NONE if it is kept. */
export interface KeeperFate {
  readonly keeper: number;
  /** The similarity to that document; NaN if there is none. */
  readonly similarity: number;
}

/** Documents to keep and to drop, by number. */
export interface Edit {
  readonly keep: readonly number[];
  readonly drop: readonly number[];
}

/** The changes of an edit, and the documents of the edit that resemble no kept one. */
export interface Edited {
  readonly fates: ReadonlyMap<number, KeeperFate>;
  readonly lost: readonly number[];
}

/**
 * Edits the drop list of one part of a result. A document whose replacement is dropped gets the most similar kept document, or is
 * kept if there is none, so that only texts of `drop` can be lost.
 *
 * @param keeperOf by document of the part, its replacement before the edit (see KeeperFate)
 */
export function editedPart(
  part: IndexPart,
  keeperOf: (document: number) => number,
  { keep, drop }: Edit,
): Edited {
  const likeness = new Likeness(part);
  const fates = new Map<number, KeeperFate>();
  const [kept, dropped] = [new Set(keep), new Set(drop)];
  const isKept = (d: number): boolean =>
    !dropped.has(d) && (kept.has(d) || (fates.get(d)?.keeper ?? keeperOf(d)) === NONE);
  const fateOf = (d: number): KeeperFate | null => {
    const keeper = likeness.mostAlike(d, isKept);
    return keeper < 0 ? null : { keeper, similarity: likeness.of(d, keeper) };
  };
  for (const d of kept) if (keeperOf(d) !== NONE) fates.set(d, STAYS);
  for (let d = 0; d < part.documents; d++) {
    const own = keeperOf(d);
    if (kept.has(d) || own >= part.documents || !dropped.has(own) || dropped.has(d)) continue;
    fates.set(d, fateOf(d) ?? STAYS);
  }
  const lost: number[] = [];
  for (const d of dropped) {
    const fate = fateOf(d);
    if (fate === null) lost.push(d);
    fates.set(d, fate ?? { keeper: d, similarity: Number.NaN });
  }
  return { fates, lost };
}

const STAYS: KeeperFate = { keeper: NONE, similarity: Number.NaN };

/** Edits a cluster of a result; numbers of documents are those of the result. */
export function editedCluster(
  index: ResultIndex,
  keeperOf: (document: number) => number,
  cluster: number,
  { keep, drop }: Edit,
): Edited {
  const { part, first } = partOf(index, cluster);
  const isInside = (d: number): boolean => d >= first && d < first + part.documents;
  const own = (d: number): number => (isInside(d) ? d - first : d);
  const { fates, lost } = editedPart(part, (d) => own(keeperOf(d + first)), {
    keep: keep.filter(isInside).map(own),
    drop: drop.filter(isInside).map(own),
  });
  const back = new Map<number, KeeperFate>();
  for (const [d, { keeper, similarity }] of fates)
    back.set(d + first, { keeper: keeper < part.documents ? keeper + first : keeper, similarity });
  return { fates: back, lost: lost.map((d) => d + first) };
}

/** A request of a page as an edit; null if it is invalid. */
export function editOf(index: ResultIndex, request: unknown): Edit | null {
  if (typeof request !== 'object' || request === null) return null;
  const listed = (numbers: unknown): number[] | null => {
    const isValid = (n: unknown): n is number =>
      typeof n === 'number' && Number.isInteger(n) && n >= 0 && n < index.clustered;
    return Array.isArray(numbers) && numbers.every(isValid) ? numbers : null;
  };
  const keep = 'keep' in request ? listed(request.keep) : [];
  const drop = 'drop' in request ? listed(request.drop) : [];
  if (keep === null || drop === null || keep.length + drop.length === 0) return null;
  return keep.some((d) => drop.includes(d)) ? null : { keep, drop };
}

/** The dropped documents of a cluster without a kept near-duplicate, ascending. */
export function lostIn(
  index: ResultIndex,
  keeperOf: (document: number) => number,
  cluster: number,
): number[] {
  const { part, first } = partOf(index, cluster);
  const likeness = new Likeness(part);
  const isKept = (d: number): boolean => keeperOf(d + first) === NONE;
  const lost: number[] = [];
  for (let d = 0; d < part.documents; d++)
    if (!isKept(d) && likeness.mostAlike(d, isKept) < 0) lost.push(d + first);
  return lost;
}

/** The clusters of documents, ascending. */
export function clustersIn(index: ResultIndex, documents: readonly number[]): number[] {
  const clusters = new Set(documents.map((d) => clusterOf(index, d)));
  return [...clusters].sort((x, y) => x - y);
}
