/** Random signatures, and the candidate pairs that follow from them by the definitions alone, in quadratic time. */
import { leaderList } from '../../../reducers/leaderPairs.js';
import { autoCap, SIZE_CLASSES } from '../../../src/sketch/bucketCap.js';
import { randomWords } from '../../data/randomHashes.js';

export interface PairCase {
  readonly bands: number;
  readonly rows: number;
  readonly hashes: number;
  /** By row, its slots of 16 bits. */
  readonly signatures: readonly Uint16Array[];
  /** By row, whether it is compared. */
  readonly takesPart: readonly boolean[];
  /** By row; null: the number is the row. */
  readonly numberOf: readonly number[] | null;
  readonly references: number;
  readonly onlyAgainst: boolean;
  readonly cutoff: number;
  readonly near: number;
  readonly hotBucket: number | 'auto';
}

export interface CaseShape extends Omit<PairCase, 'signatures' | 'takesPart' | 'numberOf' | 'hashes'> {
  readonly documents: number;
  readonly families: number;
  /** Slots after the last band. */
  readonly more: number;
  readonly isNumbered: boolean;
  readonly seed: number;
}

/**
 * Families of near copies: a slot of a document is that of its family, that of all documents (a template), or its own. So buckets have all
 * sizes.
 */
export function pairCase({ documents, families, more, isNumbered, seed, ...rest }: CaseShape): PairCase {
  const hashes = rest.bands * rest.rows + more;
  const next = randomWords(seed);
  const random = (below: number): number => next() % below;
  const template = Array.from({ length: hashes }, () => random(65536));
  const pages = Array.from({ length: families }, () =>
    template.map((slot) => (random(3) === 0 ? slot : random(65536))),
  );
  const signatures = Array.from({ length: documents }, () => {
    const page = pages[random(families)]!;
    const edits = random(8);
    return Uint16Array.from(page, (slot) => (random(12) < edits ? random(65536) : slot));
  });
  const numbers = Array.from({ length: documents }, (_, row) => row);
  for (let i = documents - 1; i > 0; i--) {
    const j = random(i + 1);
    [numbers[i], numbers[j]] = [numbers[j]!, numbers[i]!];
  }
  const takesPart = signatures.map(() => random(10) > 0);
  return { ...rest, hashes, signatures, takesPart, numberOf: isNumbered ? numbers : null };
}

export interface PlainPairs {
  readonly pairs: readonly (readonly [a: number, b: number, agreement: number])[];
  readonly tally: readonly number[];
  readonly cap: number;
  readonly largeBuckets: number;
  readonly largeMembers: number;
  readonly unmatched: number;
}

export function plainPairs(given: PairCase): PlainPairs {
  const { bands, rows, hashes, signatures, takesPart, numberOf, references, onlyAgainst } = given;
  const { cutoff, near, hotBucket } = given;
  const byNumber = new Map(signatures.map((slots, row) => [numberOf?.[row] ?? row, slots]));
  const rowsByNumber = new Map(signatures.map((_, row) => [numberOf?.[row] ?? row, row]));
  const documents = [...byNumber.keys()]
    .sort((x, y) => x - y)
    .filter((number) => takesPart[rowsByNumber.get(number)!]);
  const counts = (a: number, b: number): boolean => b >= references && (!onlyAgainst || a < references);
  const agreementOf = (x: Uint16Array, y: Uint16Array): number => {
    let equal = 0;
    for (let slot = 0; slot < hashes; slot++) if (x[slot] === y[slot]) equal++;
    return equal;
  };
  const buckets: number[][] = [];
  for (let band = 0; band < bands; band++) {
    const ofBand = new Map<string, number[]>();
    for (const number of documents) {
      const key = byNumber
        .get(number)!
        .subarray(band * rows, (band + 1) * rows)
        .join();
      const bucket = ofBand.get(key);
      if (bucket === undefined) ofBand.set(key, [number]);
      else bucket.push(number);
    }
    buckets.push(...ofBand.values());
  }
  const sizes = new Float64Array(SIZE_CLASSES);
  const countedIn = (bucket: readonly number[]): number => {
    let counted = 0;
    for (let j = 1; j < bucket.length; j++)
      for (let i = 0; i < j; i++) if (counts(bucket[i]!, bucket[j]!)) counted++;
    return counted;
  };
  const withPairs = buckets.filter((bucket) => bucket.length > 1 && countedIn(bucket) > 0);
  for (const bucket of withPairs) sizes[Math.ceil(Math.log2(bucket.length))]! += countedIn(bucket);
  const cap = hotBucket === 'auto' ? autoCap(sizes, signatures.length) : hotBucket;

  const tally = new Array<number>(hashes + 1).fill(0);
  const pairs = new Map<number, readonly [number, number, number]>();
  const compared = new Set<number>();
  for (const bucket of withPairs.filter(({ length }) => length <= cap)) {
    for (let j = 1; j < bucket.length; j++) {
      for (let i = 0; i < j; i++) {
        const [a, b] = [bucket[i]!, bucket[j]!];
        const pair = a * 65536 + b;
        if (!counts(a, b) || compared.has(pair)) continue;
        compared.add(pair);
        const agreement = agreementOf(byNumber.get(a)!, byNumber.get(b)!);
        if (agreement < cutoff) tally[agreement]!++;
        else pairs.set(pair, [a, b, agreement]);
      }
    }
  }
  const large = withPairs.filter(({ length }) => length > cap);
  let unmatched = 0;
  for (const bucket of large) {
    const list = leaderList({ references, onlyAgainst, cutoff, near }, agreementOf);
    for (const b of bucket)
      for (const { leader: a, agreement } of list.follow(b, byNumber.get(b)!))
        pairs.set(a * 65536 + b, [a, b, agreement]);
    unmatched += list.unmatched;
  }
  return {
    pairs: [...pairs.values()].sort(([a, b], [c, d]) => a - c || b - d),
    tally,
    cap,
    largeBuckets: large.length,
    largeMembers: large.reduce((sum, { length }) => sum + length, 0),
    unmatched,
  };
}
