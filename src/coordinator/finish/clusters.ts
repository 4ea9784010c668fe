/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Everything is in columns by document number; ids come in only where files are written.
 */
import { type Clusters, clusters } from '../../../reducers/clusters.js';
import { containedDropList, containedPairs, type DropList, dropList } from '../../../reducers/dropList.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import {
  countAccepted,
  measuredEvidence,
  nearPairs,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import type { Estimate } from '../../sketch/probability.js';
import { agreementUnits, sampleParams } from '../../sketch/sketcher.js';
import { RESEMBLANCE_BYTES, WRITTEN_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { ComparedPairs, PairingCounts } from '../pair/bandKeys.js';
import { compareSamples } from '../pair/samplePairs.js';
import { compareSignatures } from '../pair/signaturePairs.js';
import type { Corpus } from '../sketch/corpus.js';
import type { SetSource } from '../verify/tileSets.js';
import { Verifier } from '../verify/verify.js';

export interface Outcome {
  readonly classes: IdentityClasses;
  /** Every candidate pair of all rounds with its evidence, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly clusters: Clusters;
  readonly drop: DropList;
  /** 1: left out because it changed while the run was reading. */
  readonly withdrawn: Uint8Array;
  /** 1: it has tokens, but no shingle in its sketch; null: none can be so. */
  readonly unsketched: Uint8Array | null;
  /** See ComparedPairs. */
  readonly recall: Estimate | null;
  readonly counts: OutcomeCounts;
}

export interface OutcomeCounts extends PairingCounts {
  /** Classes of two or more documents with equal token sequences, and the documents in them beyond the first. */
  readonly identityClasses: number;
  readonly identicalDocuments: number;
  /** Of greedy clusters: those founded without being held against every representative. */
  readonly clustersUncompared: number;
  readonly documentsReadAgain: number;
  readonly pairsRecalled: number;
}

/** Where only identical documents are looked for. */
const NOTHING_COMPARED: ComparedPairs = {
  verified: {
    a: new Uint32Array(0),
    b: new Uint32Array(0),
    count: 0,
    agreement: new Uint16Array(0),
    accepted: new Uint8Array(0),
    exact: null,
  },
  counts: {
    buckets: 0,
    hotBuckets: 0,
    largestBucket: 0,
    rounds: 0,
    pairsSkippedAtMost: 0,
    keptUncompared: 0,
  },
  unsketched: null,
  recall: null,
  clustersOf: (classes, near, source) => {
    return { clusters: clusters(classes, near, { ...source, estimate: noEstimate }), uncompared: 0 };
  },
};

/** Members of a class need none. */
function noEstimate(): never {
  throw new Error('without sketches there are no estimates');
}

/** The candidate pairs of the kind of sketch that was asked for. */
async function comparedPairs(run: Run, corpus: Corpus, verifier: Verifier): Promise<ComparedPairs> {
  if (run.params.exactDuplicates) return NOTHING_COMPARED;
  const compare = sampleParams(run.params) === null ? compareSignatures : compareSamples;
  return compare(run, corpus, verifier);
}

/** @param verifiedAll told when all pairs have their evidence, before they are clustered */
export async function findOutcome(
  run: Run,
  corpus: Corpus,
  reader: SetSource,
  verifiedAll: (verified: VerifiedPairs) => Promise<void> | void,
): Promise<Outcome> {
  const { params } = run;
  const verifier = new Verifier(run, corpus, reader);
  const pairs = await comparedPairs(run, corpus, verifier);
  const { verified, unsketched, recall, counts } = pairs;
  return run.stage('clusters', async () => {
    const { classes, withdrawn } = verifier;
    await verifiedAll(verified);
    const accepted = countAccepted(verified);
    run.tables.take(
      `${accepted} accepted pairs`,
      RESEMBLANCE_BYTES * accepted,
      () => WRITTEN_BYTES * accepted,
    );
    const near = nearPairs(verified, agreementUnits(params));
    const exact = verified.exact && measuredEvidence(verified.exact, params.measure);
    const source = { verified: { ...verified, exact }, threshold: params.threshold };
    const clustered = await pairs.clustersOf(classes, near, source);
    const byContainment = params.measure === 'containment';
    return {
      classes,
      verified,
      drop: byContainment ? containedDropList(classes, containedPairs(verified)) : dropList(classes, near),
      withdrawn,
      unsketched,
      recall,
      clusters: clustered.clusters,
      counts: {
        ...counts,
        identityClasses: classes.members.firsts.length,
        identicalDocuments: classes.members.members.length - classes.members.firsts.length,
        clustersUncompared: clustered.uncompared,
        documentsReadAgain: verifier.documentsReadAgain,
        pairsRecalled: verifier.pairsRecalled,
      },
    };
  });
}
