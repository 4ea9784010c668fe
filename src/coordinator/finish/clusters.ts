/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Everything is in columns by document number; ids are needed only where files are written.
 */

import { type Clusters, keptClusters } from '../../../reducers/clusters.js';
import {
  type DropList,
  dropList,
  isPlain,
  type Precedence,
  pairsAmong,
  referenceMatches,
} from '../../../reducers/dropList.js';
import { type IdenticalPairs, identicalPairCount, identicalPairs } from '../../../reducers/identicalPairs.js';
import type { DuplicateGroups, IdentityClasses } from '../../../reducers/identityClasses.js';
import { dropsAtThresholds } from '../../../reducers/thresholds.js';
import {
  countAccepted,
  type NearPairs,
  nearPairs,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import type { ManifestCounts } from '../../output/facts.js';
import type { DropsAtThreshold } from '../../output/wording/reportedNumbers.js';
import type { Estimate } from '../../sketch/probability.js';
import { EVIDENCE_BYTES, PAIR_BYTES, RESEMBLANCE_BYTES, WRITTEN_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { ComparedPairs, PairingCounts } from '../pair/pairing.js';
import type { Corpus, SkipList } from '../sketch/corpus.js';
import type { Sketched } from '../sketch/sketchCorpus.js';
import { crossClasses, crossNames } from '../verify/crossIdentity.js';
import type { SetSource } from '../verify/tileSets.js';
import { renamedPairs, type Verifier } from '../verify/verify.js';

export interface Outcome {
  readonly classes: IdentityClasses;
  /** The pairs of documents with the same tokens that the result lists. */
  readonly identical: IdenticalPairs;
  /** Every candidate pair of all rounds with its evidence, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly clusters: Clusters;
  readonly drop: DropList;
  readonly thresholds: readonly DropsAtThreshold[];
  /** 1: left out because it changed while the run was reading. */
  readonly withdrawn: Uint8Array;
  /** Candidate pairs that are counted and in no list. */
  readonly unlisted: number;
  /** See ComparedPairs. */
  readonly recall: Estimate | null;
  readonly counts: OutcomeCounts;
  /** Documents that were read a second time. */
  readonly documentsReadAgain: number;
  readonly pairing: PairingCounts;
}

/** The counts of the manifest that classes and a reference give. */
type OutcomeCounts = Pick<
  ManifestCounts,
  | 'identity_classes'
  | 'identical_documents'
  | 'copies_of_changed'
  | 'reference_documents'
  | 'reference_matches'
>;

/**
 * The pairs of classes under the documents that stand for them: their first members or, where documents have groups, members of
 * two groups.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export function namedPairs(
  run: Run,
  { group }: Corpus,
  { classes }: Verifier,
  verified: VerifiedPairs,
): VerifiedPairs {
  if (group === null) return verified;
  const names = crossNames(classes, group, verified);
  if (names === null) return verified;
  const { count, exact } = verified;
  const temporary = NAMED_BYTES * count;
  const bytes = PAIR_BYTES * count + EVIDENCE_BYTES * (exact?.rows.length ?? 0);
  run.tables.take(`${count} candidate pairs of two groups`, bytes + temporary);
  const named = renamedPairs(verified, names);
  run.tables.give(temporary);
  return named;
}

/** Bytes of a pair while it is renamed: both names, keys, its row, and where its evidence is. */
const NAMED_BYTES = 32;

/**
 * Clusters and drop list from verified pairs. Documents that changed while they were read are added to `skipped`.
 *
 * @param named the pairs under the names that files have: see `namedPairs`
 */
export async function cluster(
  run: Run,
  { corpus, reader }: Pick<Sketched, 'corpus' | 'reader'>,
  verifier: Verifier,
  compared: ComparedPairs,
  named: VerifiedPairs,
  skipped: SkipList,
  precedence: Precedence,
): Promise<Outcome> {
  const { params } = run;
  const { verified, recall, counts: pairing } = compared;
  const unlisted = compared.unlisted?.reduce((sum, count) => sum + count, 0) ?? 0;
  addWithdrawn(corpus, verifier.withdrawn, reader, skipped);
  return run.stage('clusters', async () => {
    const { classes, withdrawn } = verifier;
    const near = await run.turns.through(nearOf(run, verified));
    const source = { verified, threshold: params.threshold };
    const { linked, identical } = crossClasses(classes, corpus.group, near);
    const drop = await run.turns.through(dropList(classes, near, precedence));
    checkKept(run, classes, near, drop.kept, precedence);
    const thresholds = await run.turns.through(
      dropsAtThresholds(params, { classes, precedence, near, drop }),
    );
    await run.turns.give();
    const clusters =
      params.cluster === 'greedy'
        ? await run.turns.through(keptClusters(classes, drop, verified.exact !== null))
        : await compared.clustersOf(linked, near, source);
    await run.turns.give();
    return {
      ...{ classes: identical, verified: named, drop, thresholds },
      identical: identicalOf(run, identical.members, corpus.group),
      ...{ withdrawn, unlisted, recall, pairing, clusters },
      documentsReadAgain: verifier.documentsReadAgain,
      counts: {
        ...countsOfVerifier(verifier, identical),
        ...groupCounts(classes, near, corpus.group, withdrawn),
      },
    };
  });
}

/** Bytes of a pair of identical documents, with its copy for the tasks that write it. */
const IDENTICAL_BYTES = 18;

function identicalOf(
  { tables }: Pick<Run, 'tables'>,
  members: DuplicateGroups,
  group: Uint32Array | null,
): IdenticalPairs {
  const count = identicalPairCount(members);
  tables.take(`${count} pairs of identical documents`, IDENTICAL_BYTES * count);
  return identicalPairs(members, group);
}

/** With a reference: the number of its documents, and of those that resemble one of it. */
function groupCounts(
  classes: IdentityClasses,
  near: NearPairs,
  group: Uint32Array | null,
  withdrawn: Uint8Array,
): Pick<OutcomeCounts, 'reference_documents' | 'reference_matches'> {
  if (group === null) return {};
  const inReference = group.reduce((sum, of, d) => sum + (of === 0 && withdrawn[d] === 0 ? 1 : 0), 0);
  return {
    reference_documents: inReference,
    reference_matches: referenceMatches(classes, near, group, withdrawn),
  };
}

function nearOf(run: Run, verified: VerifiedPairs): Stepwise<NearPairs> {
  const accepted = countAccepted(verified);
  run.tables.take(`${accepted} accepted pairs`, RESEMBLANCE_BYTES * accepted, () => WRITTEN_BYTES * accepted);
  return nearPairs(verified, run.family.units);
}

function countsOfVerifier(
  { copiesOfWithdrawn }: Verifier,
  { members }: Pick<IdentityClasses, 'members'>,
): Pick<OutcomeCounts, 'identity_classes' | 'identical_documents' | 'copies_of_changed'> {
  return {
    identity_classes: members.firsts.length,
    identical_documents: members.members.length,
    ...(copiesOfWithdrawn > 0 && { copies_of_changed: copiesOfWithdrawn }),
  };
}

/**
 * Checks that no verified pair is left among the kept documents.
 *
 * @throws MinHashError COUNTS_UNBALANCED: our own defect
 */
function checkKept(
  run: Run,
  classes: IdentityClasses,
  near: NearPairs,
  kept: Uint8Array,
  precedence: Precedence,
): void {
  if (!isPlain(precedence))
    run.balance('alike pairs of kept documents', pairsAmong(classes, near, kept, precedence), {});
}

function addWithdrawn({ ids }: Corpus, withdrawn: Uint8Array, reader: SetSource, skipped: SkipList): void {
  const { offsets, bytes } = ids;
  for (let d = withdrawn.indexOf(1); d >= 0; d = withdrawn.indexOf(1, d + 1)) {
    skipped.add(bytes.subarray(offsets[d]!, offsets[d + 1]!), reader.reasonOf(d));
  }
}
