/**
 * From a sketched corpus to the answer: identity, candidates, evidence, hot-bucket rounds, clusters, drop list.
 *
 * Floor 4. Everything is in columns by document number; ids come in only where files are written.
 */
import type { Pairs } from '../../reducers/candidatePairs.js';
import { type Clusters, clusters } from '../../reducers/clusters.js';
import { type DropList, dropList } from '../../reducers/dropList.js';
import { type RoundOutcome, runRounds } from '../../reducers/hotBuckets.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import { mergeVerified, nearPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { agreementOf } from '../sketch/agreement.js';
import { bucketDocuments, CorpusBands } from './candidates.js';
import type { Corpus } from './corpus.js';
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

export interface OutcomeCounts {
  /** Classes of two or more documents with equal token sequences, and the documents in them beyond the first. */
  readonly identityClasses: number;
  readonly identicalDocuments: number;
  readonly buckets: number;
  readonly hotBuckets: number;
  readonly largestBucket: number;
  readonly rounds: number;
  readonly pairsSkippedAtMost: number;
  readonly keptUncompared: number;
  readonly documentsReadAgain: number;
}

/** The first members of identity classes that have tokens: what is bucketed. */
function bucketedDocuments(corpus: Corpus, classes: IdentityClasses): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 0 && classes.first[d] === d) documents[count++] = d;
  }
  return documents.subarray(0, count);
}

export async function findOutcome(run: Run, corpus: Corpus, reader: SetReader): Promise<Outcome> {
  const verifier = new Verifier(run, corpus, reader);
  const bands = new CorpusBands(run, corpus);
  const bucketing = await run.stage('bands', () =>
    bucketDocuments(run, corpus, bucketedDocuments(corpus, verifier.classes), bands),
  );
  const hot = withTheirClasses(bucketing.hotDocuments, verifier.classes);
  let drop: DropList | null = null;
  let verified: VerifiedPairs | null = null;
  const compare = async (pairs: Pairs): Promise<RoundOutcome> => {
    const found = await verifier.verify(pairs);
    verified = verified === null ? found : mergeVerified(verifier.current(verified), found);
    const near = nearPairs(verified);
    drop = dropList(verifier.classes, near);
    const accepted = found.accepted.reduce((sum, flag) => sum + flag, 0);
    const kept = drop.kept.map((flag, d) => (verifier.withdrawn[d] === 1 ? 0 : flag));
    return { accepted, kept, compared: verified, near };
  };
  const rounds = await run.stage('verify', async () =>
    runRounds(
      {
        source: bands,
        hotBucket: run.params.hotBucket,
        hot,
        rounds: 1,
        outcome: await compare(bucketing.pairs),
      },
      compare,
    ),
  );
  return run.stage('clusters', () => {
    const { classes, withdrawn } = verifier;
    const pairs = verified!;
    return {
      classes,
      verified: pairs,
      drop: drop!,
      withdrawn,
      clusters: clusters(classes, nearPairs(pairs), {
        verified: run.params.verify === 'exact' ? pairs : null,
        estimate: (a, b) => bands.estimate(a, b, agreementOf),
        threshold: run.params.threshold,
      }),
      counts: {
        identityClasses: classes.members.firsts.length,
        identicalDocuments: classes.members.members.length - classes.members.firsts.length,
        buckets: bucketing.buckets,
        hotBuckets: bucketing.hotBuckets,
        largestBucket: bucketing.largestBucket,
        rounds: rounds.rounds,
        pairsSkippedAtMost: bucketing.pairsSkippedAtMost,
        keptUncompared: rounds.keptUncompared,
        documentsReadAgain: verifier.documentsReadAgain,
      },
    };
  });
}

/**
 * The documents and all members of their classes, ascending: a member that is not the first is never kept,
 * unless those before it are withdrawn.
 */
function withTheirClasses(documents: Uint32Array, { first }: IdentityClasses): Uint32Array {
  const wanted = new Uint8Array(first.length);
  for (const d of documents) wanted[d] = 1;
  let count = 0;
  const out = new Uint32Array(first.length);
  for (let d = 0; d < first.length; d++) if (wanted[first[d]!] === 1) out[count++] = d;
  return out.slice(0, count);
}
