/**
 * Stage 3: candidate pairs with their agreements get the rest of their evidence.
 *
 * Exact mode takes the shingle sets of the pairs at or above a margin (exactEvidence). A document whose content key is
 * not the one of the first reading is withdrawn: the next member of its class takes its place in the pairs already
 * made, checked by its own reading.
 *
 * Floor 4.
 */
import { type IdentityClasses, identityClasses } from '../../reducers/identityClasses.js';
import { unverifiedPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { idText } from '../blocks/idTable.js';
import { ERRORS, MinHashError } from '../errors.js';
import { leastAgreement } from '../sketch/agreement.js';
import type { AgreeingPairs } from '../sketch/pairs.js';
import type { Corpus } from './corpus.js';
import { ExactEvidence } from './exactEvidence.js';
import type { Run } from './run.js';
import type { SetSource } from './setSource.js';
import { heirsOf, inheritedPairs, NONE } from './withdrawal.js';

/** Turns pairs into verified pairs, round after round. */
export class Verifier {
  classes: IdentityClasses;
  /** 1: withdrawn, because it changed between the readings. */
  readonly withdrawn: Uint8Array;
  /** By document of the corpus: who stands for it by now, over all withdrawals; null before the first. */
  heir: Uint32Array | null = null;
  /** How often documents were withdrawn. */
  withdrawals = 0;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly reader: SetSource;
  private readonly evidence: ExactEvidence;

  constructor(run: Run, corpus: Corpus, reader: SetSource) {
    this.run = run;
    this.corpus = corpus;
    this.reader = reader;
    this.classes = identityClasses(corpus.contentKeys, corpus.empty);
    this.withdrawn = new Uint8Array(corpus.documents);
    const { threshold, sketch } = run.params;
    const margin = leastAgreement(threshold, sketch.hashes, sketch.sketch);
    this.evidence = new ExactEvidence(run, reader, margin);
  }

  /** Documents read a second time. */
  get documentsReadAgain(): number {
    return this.evidence.documentsReadAgain;
  }

  /** Evidence for pairs that were not looked at before; sorted and distinct by (a, b) as they came. */
  async verify(pairs: AgreeingPairs): Promise<VerifiedPairs> {
    if (this.run.params.verify !== 'exact') return { ...pairs, exact: null };
    let verified = unverifiedPairs(pairs);
    for (let changed = await this.complete(verified); changed.length > 0; ) {
      verified = this.withdraw(changed, verified);
      changed = await this.complete(verified);
    }
    return verified;
  }

  /** Pairs verified earlier, with heirs in the places of documents that were withdrawn since. */
  current(pairs: VerifiedPairs): VerifiedPairs {
    return this.heir === null ? pairs : inheritedPairs(pairs, this.heir);
  }

  /** Fills in what the sets say; returns the documents that changed. */
  private complete({ a, b, count, agreement, accepted, exact }: VerifiedPairs): Promise<Uint32Array> {
    return this.evidence.complete({ a, b, count, agreement, accepted, ...exact! });
  }

  /**
   * Withdraws documents; the next member of each class takes the place of the first in `pairs`. An heir has the
   * token sequence of the one it stands for, hence its signature and its agreements.
   */
  private withdraw(changed: Uint32Array, pairs: VerifiedPairs): VerifiedPairs {
    if (this.run.params.onError === 'fail') {
      const detail = `${idText(this.corpus.ids, changed[0]!)}: ${ERRORS[this.reader.reasonOf(changed[0]!)].text}`;
      throw new MinHashError({ code: 'INPUT_REFUSED', detail });
    }
    const before = this.classes.first;
    for (const document of changed) this.withdrawn[document] = 1;
    const out = this.corpus.empty.map((empty, d) => empty | this.withdrawn[d]!);
    this.classes = identityClasses(this.corpus.contentKeys, out);
    const heir = heirsOf(before, this.classes.first, this.withdrawn);
    this.heir = this.heir === null ? heir : this.heir.map((d) => (d === NONE ? NONE : heir[d]!));
    this.withdrawals++;
    // What stands for a withdrawn document has to be read itself before its pairs are believed.
    for (let i = 0; i < pairs.count; i++) {
      if (this.withdrawn[pairs.a[i]!] === 1 || this.withdrawn[pairs.b[i]!] === 1) {
        pairs.exact!.jaccard[i] = Number.NaN;
        pairs.accepted[i] = 0;
      }
    }
    return inheritedPairs(pairs, heir);
  }
}
