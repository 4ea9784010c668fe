/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Floor 4. Everything is in columns by document number; ids come in only where files are written.
 */
import type { Clusters } from '../../reducers/clusters.js';
import { containedDropList, containedPairs } from '../../reducers/containedDropList.js';
import { type DropList, dropList } from '../../reducers/dropList.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import {
  countAccepted,
  measuredEvidence,
  nearPairs,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import { agreementUnits, sampleParams } from '../sketch/sketchKind.js';
import type { PairingCounts } from './comparedPairs.js';
import { compareSamples } from './comparedSamples.js';
import { compareSignatures } from './comparedSignatures.js';
import type { Corpus } from './corpus.js';
import { RESEMBLANCE_BYTES, WRITTEN_BYTES } from './pairMemory.js';
import type { Run } from './run.js';
import type { SetReader } from './secondReading.js';
import { Verifier } from './verification.js';

export interface Outcome {
  readonly classes: IdentityClasses;
  /** Every candidate pair of all rounds with its evidence, sorted by (a, b). */
  readonly verified: VerifiedPairs;
  readonly clusters: Clusters;
  readonly drop: DropList;
  /** 1: left out because it changed while the run was reading. */
  readonly withdrawn: Uint8Array;
  readonly counts: OutcomeCounts;
}

export interface OutcomeCounts extends PairingCounts {
  /** Classes of two or more documents with equal token sequences, and the documents in them beyond the first. */
  readonly identityClasses: number;
  readonly identicalDocuments: number;
  readonly documentsReadAgain: number;
  readonly pairsRecalled: number;
}

/** The first members of identity classes that have tokens: what is compared. */
function comparedDocuments(corpus: Corpus, classes: IdentityClasses): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 0 && classes.first[d] === d) documents[count++] = d;
  }
  return documents.subarray(0, count);
}

/** @param verifiedAll told when all pairs have their evidence, before they are clustered */
export async function findOutcome(
  run: Run,
  corpus: Corpus,
  reader: SetReader,
  verifiedAll: (verified: VerifiedPairs) => Promise<void> | void,
): Promise<Outcome> {
  const { params } = run;
  const verifier = new Verifier(run, corpus, reader);
  const documents = comparedDocuments(corpus, verifier.classes);
  const compare = sampleParams(params) === null ? compareSignatures : compareSamples;
  const { verified, counts, clustersOf } = await compare(run, corpus, verifier, documents);
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
    const byContainment = params.measure === 'containment';
    return {
      classes,
      verified,
      drop: byContainment ? containedDropList(classes, containedPairs(verified)) : dropList(classes, near),
      withdrawn,
      clusters: await clustersOf(classes, near, source),
      counts: {
        ...counts,
        identityClasses: classes.members.firsts.length,
        identicalDocuments: classes.members.members.length - classes.members.firsts.length,
        documentsReadAgain: verifier.documentsReadAgain,
        pairsRecalled: verifier.pairsRecalled,
      },
    };
  });
}
