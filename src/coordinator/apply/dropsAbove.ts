/**
 * The drop list of a finished result at a higher threshold, computed from its pairs by the rule of the run
 * (reducers/dropList.ts): a document without a pair with an earlier kept document is kept; any other is dropped for the
 * most similar one.
 */

import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import type { Manifest } from '../../result/manifest.js';
import { readStats } from '../../result/readManifest.js';
import { type DropRow, tableRows } from '../../result/readResult.js';

/** @param threshold at least that of the result */
export async function dropsAbove(
  folder: string,
  { parameters }: Manifest,
  threshold: number,
): Promise<readonly DropRow[]> {
  if (parameters.groups?.only === true) return await droppedForReference(folder, threshold);
  const isReference = parameters.groups === null ? () => false : referenceTest(folder);
  const documents = new Documents(isReference);
  const pairs = await nearPairs(folder, threshold, documents);
  const drops = documents.drops(pairs);
  return [...drops].map(([document, { kept, jaccard }]) => ({
    ...{ document: documents.ids[document]!, kept: documents.ids[kept]! },
    ...{ jaccard, containment: null, place: documents.places[document]!, keptPlace: documents.places[kept]! },
  }));
}

/**
 * Each row drops a document for the reference document that is most similar, or that it contains. Reference documents
 * are never dropped.
 */
async function droppedForReference(folder: string, threshold: number): Promise<readonly DropRow[]> {
  const rows: DropRow[] = [];
  for await (const row of tableRows(folder, 'duplicates'))
    if ((row.jaccard ?? row.containment ?? 0) >= threshold) rows.push(row);
  return rows;
}

/** Returns whether a location is of the reference: below none of the other PATHs. */
function referenceTest(folder: string): (place: string) => boolean {
  const own = readStats(folder).places.filter(({ isReference }) => isReference !== true);
  const begins = own.map(({ prefix, kind }) => binaryOf(prefix) + (kind === 'folder' ? '/' : '#'));
  return (place) => !begins.some((begin) => place.startsWith(begin) || `${place}#` === begin);
}

interface NearPairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly jaccard: Float64Array;
}

/** The near pairs that reach the threshold. Adds all documents and duplicate groups to `documents`. */
async function nearPairs(folder: string, threshold: number, documents: Documents): Promise<NearPairs> {
  const [a, b, jaccard] = [new Uint32Column(), new Uint32Column(), new Float64Column()];
  for await (const row of tableRows(folder, 'pairs')) {
    const isNear = row.kind === 'near';
    if (isNear && (row.jaccard ?? 0) < threshold) continue;
    const one = documents.of(row.a, row.aLocation, true);
    const other = documents.of(row.b, row.bLocation, false);
    if (!isNear) documents.join(one, other);
    else {
      a.push(one);
      b.push(other);
      jaccard.push(row.jaccard ?? 0);
    }
  }
  return { a: a.view, b: b.view, jaccard: jaccard.view };
}

interface Best {
  readonly kept: number;
  readonly jaccard: number;
}

/** The documents of pairs, numbered by first occurrence. */
class Documents {
  readonly ids: string[] = [];
  readonly places: string[] = [];
  /**
   * By document: its rank in the keep order. A document that is never first in a pair drops no other and has no rank.
   */
  readonly #rank: number[] = [];
  readonly #firstOf: number[] = [];
  readonly #known = new Map<string, number>();
  readonly #isReference: (place: string) => boolean;
  #ranks = 0;

  constructor(isReference: (place: string) => boolean) {
    this.#isReference = isReference;
  }

  /** Rows are in keep order of their first documents. */
  of(id: string, place: string, isFirst: boolean): number {
    let number = this.#known.get(place);
    if (number === undefined) {
      number = this.ids.push(id) - 1;
      this.#known.set(place, number);
      this.places.push(place);
      this.#firstOf.push(number);
      this.#rank.push(Number.POSITIVE_INFINITY);
    }
    if (isFirst && this.#rank[number] === Number.POSITIVE_INFINITY) this.#rank[number] = this.#ranks++;
    return number;
  }

  /**
   * The second document has the same tokens. The first may be a later member of the group, because it is of the
   * reference.
   */
  join(one: number, other: number): void {
    if (this.#firstOf[other] === other) this.#firstOf[other] = this.#firstOf[one]!;
  }

  /** By dropped document: the most similar kept one. Near pairs are between groups, under their first documents. */
  drops({ a, b, jaccard }: NearPairs): Map<number, Best> {
    const { ids, places } = this;
    const order = Uint32Array.from(ids.keys()).sort((x, y) => this.#compare(x, y));
    const place = new Uint32Array(ids.length);
    for (const [i, document] of order.entries()) place[document] = i;
    const rows = Uint32Array.from(a.keys());
    const keys = new Uint32Array(2 * rows.length);
    for (let i = 0; i < rows.length; i++) {
      const [one, other] = [place[this.#firstOf[a[i]!]!]!, place[this.#firstOf[b[i]!]!]!];
      keys[2 * i] = Math.max(one, other);
      keys[2 * i + 1] = Math.min(one, other);
    }
    sortByKey64(keys, rows, rows.length);
    // By first document of a group.
    const best = new Map<number, Best>();
    for (let i = 0; i < rows.length; i++) {
      const [document, kept] = [order[keys[2 * i]!]!, order[keys[2 * i + 1]!]!];
      if (best.has(kept) || this.#isReference(places[document]!)) continue;
      const similarity = jaccard[rows[i]!]!;
      if (similarity > (best.get(document)?.jaccard ?? -1)) best.set(document, { kept, jaccard: similarity });
    }
    const dropped = new Map(best);
    for (const [document, first] of this.#firstOf.entries()) {
      if (first === document || this.#isReference(places[document]!)) continue;
      dropped.set(document, best.get(first) ?? { kept: first, jaccard: 1 });
    }
    return dropped;
  }

  #compare(x: number, y: number): number {
    const [one, other] = [this.#rank[x]!, this.#rank[y]!];
    return one === other ? x - y : one - other;
  }
}
