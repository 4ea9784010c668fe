/**
 * Decides from pairs: which are accepted, which documents are dropped and for which kept one, the counts at other
 * thresholds, and the clusters.
 *
 * Everything is in columns by document number, which is the keep order.
 */
import { type Clusters, clusterRows, componentRoots, keptRoots } from '../../reducers/clusters.js';
import {
  type DropList,
  type DropsAtThreshold,
  dropList,
  dropsAtThresholds,
} from '../../reducers/dropList.js';
import {
  countedRows,
  type GroupPairs,
  groupPairs,
  type IdenticalPairs,
  identicalPairs,
  type PairRules,
} from '../../reducers/groupPairs.js';
import { NOT_COMPARED } from '../../reducers/intersections.js';
import { Uint32Column } from '../arrays/growable.js';
import { decidingAgreements, sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { containmentOf, resemblanceOf } from '../sketch/similarity.js';
import type { AgreeingNumbers, ExactSizes } from './verify.js';

/** Candidate pairs and their similarities. */
export interface CandidateRows extends AgreeingNumbers {
  /** The Jaccard similarity of a row, or its estimate outside exact mode; NaN if its sets were not compared. */
  similarityOf(row: number): number;
  /** By row: 1 if the pair reaches the threshold. */
  readonly accepted: Uint8Array;
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
export function countedPairs(rules: PairRules, pairs: AgreeingNumbers): AgreeingNumbers {
  const rows = countedRows(rules, pairs);
  if (rows === null || rows.length === pairs.count) return pairs;
  return {
    count: rows.length,
    a: rows.map((row) => pairs.a[row]!),
    b: rows.map((row) => pairs.b[row]!),
    agreement: Uint16Array.from(rows, (row) => pairs.agreement[row]!),
  };
}

/**
 * @param pairs that count, sorted by (a, b)
 * @param exact null outside exact mode
 * @param agreementsOf estimates similarities to representatives for pairs that were not verified
 */
export async function decide(
  params: ResultParams,
  rules: PairRules,
  pairs: AgreeingNumbers,
  exact: ExactSizes | null,
  agreementsOf: SignatureAgreements,
): Promise<DecidedRun> {
  const candidates = candidateRows(params, pairs, exact);
  const near = nearPairs(rules, candidates);
  const drop = dropList(rules, near);
  const isVerified = params.verify !== 'none' && !params.exactDuplicates;
  const thresholds = isVerified ? dropsAtThresholds(rules, near, params.threshold, drop.document.length) : [];
  const { firstOf } = rules.groups;
  const roots = params.cluster === 'greedy' ? keptRoots(firstOf.length, drop) : componentRoots(rules, near);
  const grouped = groupPairs(rules, candidates);
  const similarityOf = (row: number): number => candidates.similarityOf(grouped.rows?.[row] ?? row);
  const clusters = clusterRows(roots, rules.groups, grouped, similarityOf, exact !== null);
  await estimateMissing(clusters, firstOf, agreementsOf, () => sketchFamilyOf(params).units);
  let membersBelow = 0;
  for (const similarity of clusters.similarity) if (!(similarity >= params.threshold)) membersBelow++;
  return {
    ...{ candidates, near: near.count, drop, thresholds, clusters, membersBelow },
    identical: identicalPairs(rules),
    referenceMatches: rules.references === 0 ? null : referenceMatches(rules, near),
  };
}

function candidateRows(
  params: ResultParams,
  pairs: AgreeingNumbers,
  exact: ExactSizes | null,
): CandidateRows {
  const { a, b, agreement, count } = pairs;
  const accepted = new Uint8Array(count);
  if (exact === null) {
    const { least } = decidingAgreements(params);
    const { units } = sketchFamilyOf(params);
    for (let i = 0; i < count; i++) accepted[i] = agreement[i]! >= least ? 1 : 0;
    return { ...pairs, accepted, similarityOf: (row) => agreement[row]! / units };
  }
  const { common, sizes } = exact;
  const similarityOf = (row: number): number => {
    if (common[row] === NOT_COMPARED) return Number.NaN;
    const [sizeA, sizeB] = [sizes[a[row]!]!, sizes[b[row]!]!];
    // With containment: the share of the reference document that the other document contains.
    return params.measure === 'containment'
      ? containmentOf(common[row]!, sizeA)
      : resemblanceOf(common[row]!, sizeA, sizeB);
  };
  // Compares the quotient itself, so that 11 of 20 reaches 0.55.
  for (let i = 0; i < count; i++) accepted[i] = similarityOf(i) >= params.threshold ? 1 : 0;
  return { ...pairs, accepted, similarityOf };
}

/** The accepted pairs, under the first members of their groups. */
function nearPairs(rules: PairRules, { a, b, count, accepted, similarityOf }: CandidateRows): GroupPairs {
  let near = 0;
  for (let i = 0; i < count; i++) near += accepted[i]!;
  const [first, second, rows] = [new Uint32Array(near), new Uint32Array(near), new Uint32Array(near)];
  for (let i = 0, row = 0; row < near; i++) {
    if (accepted[i] === 0) continue;
    first[row] = a[i]!;
    second[row] = b[i]!;
    rows[row++] = i;
  }
  const grouped = groupPairs(rules, { a: first, b: second, count: near });
  const jaccard = new Float64Array(grouped.count);
  for (let i = 0; i < grouped.count; i++) jaccard[i] = similarityOf(rows[grouped.rows?.[i] ?? i]!);
  return { a: grouped.a, b: grouped.b, count: grouped.count, jaccard };
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
function referenceMatches(
  { groups: { firstOf }, references }: PairRules,
  { a, b, count }: GroupPairs,
): number {
  const isReference = new Uint8Array(firstOf.length);
  const isNear = new Uint8Array(firstOf.length);
  for (let document = 0; document < references; document++) isReference[firstOf[document]!] = 1;
  for (let i = 0; i < count; i++) {
    isNear[a[i]!]! |= isReference[b[i]!]!;
    isNear[b[i]!]! |= isReference[a[i]!]!;
  }
  let matches = 0;
  for (let document = references; document < firstOf.length; document++)
    matches += isReference[firstOf[document]!]! | isNear[firstOf[document]!]!;
  return matches;
}
