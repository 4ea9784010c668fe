/**
 * Decides from pairs: which are accepted, which documents are dropped and for which kept one, the counts at other
 * thresholds, and the clusters.
 *
 * Everything is in columns by document number, which is the keep order.
 */
import { type Clusters, componentClusters, keptClusters } from '../../reducers/clusters.js';
import {
  type DropList,
  type DropsAtThreshold,
  dropList,
  dropsAtThresholds,
} from '../../reducers/dropList.js';
import {
  countedRows,
  groupPairs,
  type IdenticalPairs,
  identicalPairs,
  type PairRules,
  type VerifiedPairs,
  type VerifiedPart,
} from '../../reducers/groupPairs.js';
import { NOT_COMPARED } from '../../reducers/intersections.js';
import { Uint32Column } from '../arrays/growable.js';
import { decidingAgreements, sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { containmentOf, resemblanceOf } from '../sketch/similarity.js';
import { PairList, type PairPart } from './pairList.js';
import type { ExactSizes } from './verify.js';

/** A part of the candidate pairs (src/coordinator/pairList.ts) and their similarities. */
export interface CandidatePart extends PairPart {
  /** The Jaccard similarity of a pair of the part, or its estimate outside exact mode; NaN if its sets were not compared. */
  similarityOf(i: number): number;
}

/** Candidate pairs and their similarities. */
export interface CandidateRows {
  readonly count: number;
  /** By row: 1 if the pair reaches the threshold. */
  readonly accepted: Uint8Array;
  /** The parts, from the one with row `from` on. */
  parts(from?: number): Iterable<CandidatePart>;
}

/** The decisions of a run. */
export interface DecidedRun {
  readonly candidates: CandidateRows;
  /** The number of accepted candidates. */
  readonly near: number;
  readonly identical: IdenticalPairs;
  readonly drop: DropList;
  /** In descending order, the threshold of the run last; empty if pairs were not verified. */
  readonly thresholds: readonly DropsAtThreshold[];
  readonly clusters: Clusters;
  /** Members whose similarity to their representative is below the threshold. */
  readonly membersBelow: number;
  /** Documents with an accepted pair with a reference document, dropped or not; null: there is no reference. */
  readonly referenceMatches: number | null;
}

/** Counts the equal signature slots of pairs of documents, which are identified by number. */
export type SignatureAgreements = (
  a: Uint32Array,
  b: Uint32Array,
) => Promise<ArrayLike<number>> | ArrayLike<number>;

/** The pairs that bands returned and that count: one pair for two duplicate groups. */
export function countedPairs(rules: PairRules, list: PairList): PairList {
  if (rules.references === 0) return list;
  // With a reference there is one part.
  const [pairs] = list.parts();
  if (pairs === undefined) return list;
  const rows = countedRows(rules, pairs);
  if (rows.length === pairs.count) return list;
  return PairList.of({
    count: rows.length,
    a: rows.map((row) => pairs.a[row]!),
    b: rows.map((row) => pairs.b[row]!),
    agreement: Uint16Array.from(rows, (row) => pairs.agreement[row]!),
  });
}

/**
 * @param pairs that count, sorted by (a, b)
 * @param exact null outside exact mode
 * @param agreementsOf estimates similarities to representatives for pairs that were not verified
 */
export async function decide(
  params: ResultParams,
  rules: PairRules,
  pairs: PairList,
  exact: ExactSizes | null,
  agreementsOf: SignatureAgreements,
): Promise<DecidedRun> {
  const candidates = candidateRows(params, pairs, exact);
  const verified = groupedParts(rules, candidates);
  const drop = dropList(rules, verified);
  const isVerified = params.verify !== 'none' && !params.exactDuplicates;
  const thresholds = isVerified
    ? dropsAtThresholds(rules, verified, params.threshold, drop.document.length)
    : [];
  const { firstOf } = rules.groups;
  const clusters =
    params.cluster === 'greedy'
      ? keptClusters(rules, drop, exact !== null)
      : componentClusters(rules, verified, exact !== null);
  await estimateMissing(clusters, firstOf, agreementsOf, () => sketchFamilyOf(params).units);
  let membersBelow = 0;
  for (const similarity of clusters.similarity) if (!(similarity >= params.threshold)) membersBelow++;
  return {
    ...{
      candidates,
      near: candidates.accepted.reduce((sum, one) => sum + one, 0),
      drop,
      thresholds,
      clusters,
      membersBelow,
    },
    identical: identicalPairs(rules),
    referenceMatches: rules.references === 0 ? null : referenceMatches(rules, verified),
  };
}

function candidateRows(params: ResultParams, pairs: PairList, exact: ExactSizes | null): CandidateRows {
  const { least } = decidingAgreements(params);
  const { units } = sketchFamilyOf(params);
  const similarityIn = ({ a, b, agreement, common }: PairPart): ((i: number) => number) => {
    if (exact === null) return (i) => agreement[i]! / units;
    const { sizes } = exact;
    return (i) => {
      if (common[i] === NOT_COMPARED) return Number.NaN;
      const [sizeA, sizeB] = [sizes[a[i]!]!, sizes[b[i]!]!];
      // With containment: the share of the reference document that the other document contains.
      return params.measure === 'containment'
        ? containmentOf(common[i]!, sizeA)
        : resemblanceOf(common[i]!, sizeA, sizeB);
    };
  };
  const accepted = new Uint8Array(pairs.count);
  for (const part of pairs.parts()) {
    const similarityOf = similarityIn(part);
    for (let i = 0; i < part.count; i++) {
      // Compares the quotient itself, so that 11 of 20 reaches 0.55.
      const isNear = exact === null ? part.agreement[i]! >= least : similarityOf(i) >= params.threshold;
      accepted[part.first + i] = isNear ? 1 : 0;
    }
  }
  return {
    ...{ count: pairs.count, accepted },
    *parts(from = 0) {
      for (const part of pairs.parts(from)) yield { ...part, similarityOf: similarityIn(part) };
    },
  };
}

/** Candidates as pairs of duplicate groups. */
function groupedParts(rules: PairRules, { accepted, parts }: CandidateRows): VerifiedPairs {
  const grouped = (part: CandidatePart): VerifiedPart => {
    const { rows, a, b, count } = groupPairs(rules, part);
    const rowOf = (i: number): number => (rows === null ? i : rows[i]!);
    return {
      ...{ a, b, count },
      similarityOf: (i) => part.similarityOf(rowOf(i)),
      isNear: (i) => accepted[part.first + rowOf(i)] === 1,
    };
  };
  // Pairs of a reference are one part in memory, which is sorted only once.
  const all = rules.references > 0 ? Array.from(parts(), grouped) : null;
  return {
    *parts() {
      if (all !== null) yield* all;
      else for (const part of parts()) yield grouped(part);
    },
  };
}

/** Fills in similarities of members whose pair with the representative was not verified. */
async function estimateMissing(
  { cluster, document, similarity }: Clusters,
  firstOf: Uint32Array,
  agreementsOf: SignatureAgreements,
  units: () => number,
): Promise<void> {
  const [rows, a, b] = [new Uint32Column(), new Uint32Column(), new Uint32Column()];
  for (let row = 0, representative = 0; row < document.length; row++) {
    if (row === 0 || cluster[row] !== cluster[row - 1]) representative = document[row]!;
    if (!Number.isNaN(similarity[row]!)) continue;
    rows.push(row);
    a.push(firstOf[representative]!);
    b.push(firstOf[document[row]!]!);
  }
  if (rows.length === 0) return;
  const agreements = await agreementsOf(a.view, b.view);
  for (const [i, row] of rows.view.entries()) similarity[row] = agreements[i]! / units();
}

/** Documents outside the reference with an accepted or identical pair with a reference document. */
function referenceMatches({ groups: { firstOf }, references }: PairRules, verified: VerifiedPairs): number {
  const isReference = new Uint8Array(firstOf.length);
  const isNear = new Uint8Array(firstOf.length);
  for (let document = 0; document < references; document++) isReference[firstOf[document]!] = 1;
  for (const pairs of verified.parts())
    for (let i = 0; i < pairs.count; i++) {
      if (!pairs.isNear(i)) continue;
      const [a, b] = [pairs.a[i]!, pairs.b[i]!];
      isNear[a]! |= isReference[b]!;
      isNear[b]! |= isReference[a]!;
    }
  let matches = 0;
  for (let document = references; document < firstOf.length; document++)
    matches += isReference[firstOf[document]!]! | isNear[firstOf[document]!]!;
  return matches;
}
