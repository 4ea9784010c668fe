/**
 * Small random corpora and the rules of the reducers written down as plainly as possible, over documents and
 * not over classes: slow, obvious, and apart from the code they check.
 */
import fc from 'fast-check';
import { type IdentityClasses, identityClasses } from '../../reducers/identityClasses.js';
import type { NearPairs } from '../../reducers/verifiedPairs.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import type { Pairs } from '../../src/blocks/pairs.js';

/** Documents with a content label, some of them empty, and near pairs between labels. */
export interface Corpus {
  readonly labels: readonly number[];
  readonly empty: readonly boolean[];
  /** Resemblance of two different labels where it is a verified pair. */
  readonly near: ReadonlyMap<string, number>;
}

const nameOf = (x: number, y: number): string => (x < y ? `${x} ${y}` : `${y} ${x}`);

/**
 * Up to 40 documents; few labels, so that classes are common; few values of resemblance, so that ties are.
 */
export const corpora: fc.Arbitrary<Corpus> = fc.integer({ min: 0, max: 40 }).chain((count) =>
  fc.integer({ min: 1, max: 40 }).chain((labels) =>
    fc.record({
      labels: fc.array(fc.nat(labels - 1), { minLength: count, maxLength: count }),
      empty: fc.array(
        fc.nat(9).map((x) => x === 0),
        { minLength: count, maxLength: count },
      ),
      near: fc
        .array(fc.tuple(fc.nat(labels - 1), fc.nat(labels - 1), fc.constantFrom(0.8, 0.85, 0.9, 0.95, 1)), {
          maxLength: 60,
        })
        .map((rows) => {
          const near = new Map<string, number>();
          for (const [x, y, jaccard] of rows) if (x !== y) near.set(nameOf(x, y), jaccard);
          return near;
        }),
    }),
  ),
);

/** The identity classes of a corpus by the reducer itself. */
export function classesOf(corpus: Corpus): IdentityClasses {
  const keys = new Uint32Array(4 * corpus.labels.length);
  corpus.labels.forEach((label, d) => {
    keys.set([label & 1, (label >> 1) & 1, (label >> 2) & 1, label >> 3], 4 * d);
  });
  return atOnce(
    identityClasses(
      keys,
      Uint8Array.from(corpus.empty, (flag) => Number(flag)),
    ),
  );
}

/** Resemblance of a verified pair of documents: 1 for identical ones; undefined where it is none. */
export function verified(corpus: Corpus, d: number, e: number): number | undefined {
  if (corpus.empty[d] || corpus.empty[e]) return undefined;
  const x = corpus.labels[d]!;
  const y = corpus.labels[e]!;
  return x === y ? 1 : corpus.near.get(nameOf(x, y));
}

/** Whether two documents are in one identity class. */
export function identical(corpus: Corpus, d: number, e: number): boolean {
  return d === e || (!corpus.empty[d] && !corpus.empty[e] && corpus.labels[d] === corpus.labels[e]);
}

/** The near pairs as the reducers get them: over first members, sorted. */
export function nearPairsOf(corpus: Corpus): NearPairs {
  const rows: [number, number, number][] = [];
  const isFirst = (d: number): boolean =>
    !corpus.empty[d] && !corpus.labels.some((_, e) => e < d && identical(corpus, d, e));
  for (let a = 0; a < corpus.labels.length; a++) {
    for (let b = a + 1; b < corpus.labels.length; b++) {
      const jaccard = verified(corpus, a, b);
      if (jaccard !== undefined && isFirst(a) && isFirst(b)) rows.push([a, b, jaccard]);
    }
  }
  return {
    a: Uint32Array.from(rows, (row) => row[0]),
    b: Uint32Array.from(rows, (row) => row[1]),
    jaccard: Float64Array.from(rows, (row) => row[2]),
    count: rows.length,
  };
}

/** Pairs as an array, in their order. */
export function listOf(pairs: Pairs): [number, number][] {
  return Array.from({ length: pairs.count }, (_, i) => [pairs.a[i]!, pairs.b[i]!]);
}

/** Pairs as sorted distinct text, for comparison of sets. */
export function setOf(pairs: Iterable<readonly [number, number]>): string[] {
  return [...new Set([...pairs].map(([a, b]) => `${a} ${b}`))].sort();
}

/** Columns from an array of pairs. */
export function pairsOf(rows: readonly (readonly [number, number])[]): Pairs {
  return {
    a: Uint32Array.from(rows, (row) => row[0]),
    b: Uint32Array.from(rows, (row) => row[1]),
    count: rows.length,
  };
}
