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
import { agreeingRows, unverifiedPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { idText } from '../blocks/idTable.js';
import { ERRORS, MinHashError } from '../errors.js';
import { type AgreeingPairs, agreementsFor } from '../sketch/pairs.js';
import type { Corpus } from './corpus.js';
import { ExactEvidence } from './exactEvidence.js';
import { aheadOfLikely, EVIDENCE_BYTES, LOOKED_AT_BYTES } from './pairMemory.js';
import type { Run } from './run.js';
import type { SetSource } from './setSource.js';
import { marginOf } from './unsketched.js';
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
  /** Least agreement of pairs whose sets are looked at. */
  private readonly margin: number;

  constructor(run: Run, corpus: Corpus, reader: SetSource) {
    this.run = run;
    this.corpus = corpus;
    this.reader = reader;
    this.classes = identityClasses(corpus.contentKeys, corpus.empty, corpus.textKeys);
    this.withdrawn = new Uint8Array(corpus.documents);
    this.margin = marginOf(run.params);
    this.evidence = new ExactEvidence(run, reader, this.margin);
  }

  /** Documents read a second time. */
  get documentsReadAgain(): number {
    return this.evidence.documentsReadAgain;
  }

  /** Pairs whose evidence an earlier attempt at this run left. */
  get pairsRecalled(): number {
    return this.evidence.pairsRecalled;
  }

  /**
   * Evidence for pairs that were not looked at before; sorted and distinct by (a, b) as they came. Its bytes are taken from
   * those of tables.
   *
   * @throws MinHashError DISK_FULL where the rows of the candidates have no room
   */
  async verify(pairs: AgreeingPairs): Promise<VerifiedPairs> {
    this.run.disk?.expectCandidates(pairs.count, this.corpus.ids);
    if (this.run.params.verify !== 'exact') return { ...pairs, exact: null };
    const { tables } = this.run;
    const rows = agreeingRows(pairs, this.margin);
    const looked = rows.length === pairs.count ? 0 : LOOKED_AT_BYTES * rows.length;
    const bytes = EVIDENCE_BYTES * rows.length + looked;
    tables.take(`${rows.length} pairs with exact evidence`, bytes, () => aheadOfLikely(rows.length, false));
    let verified = unverifiedPairs(pairs, rows);
    for (let changed = await this.complete(verified); changed.length > 0; ) {
      verified = this.withdraw(changed, verified);
      changed = await this.complete(verified);
    }
    tables.give(looked);
    return verified;
  }

  /** Pairs verified earlier, with heirs in the places of documents that were withdrawn since. */
  current(pairs: VerifiedPairs): VerifiedPairs {
    return this.heir === null ? pairs : inheritedPairs(pairs, this.heir);
  }

  /** Fills in what the sets say of the rows at or above the margin; returns the documents that changed. */
  private async complete(pairs: VerifiedPairs): Promise<Uint32Array> {
    const { rows, ...evidence } = pairs.exact!;
    const count = rows.length;
    if (count === pairs.count) return this.evidence.complete({ ...pairs, ...evidence });
    const looked = {
      a: new Uint32Array(count),
      b: new Uint32Array(count),
      count,
      agreement: agreementsFor(pairs.agreement, count),
      accepted: new Uint8Array(count),
    };
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      looked.a[i] = pairs.a[row]!;
      looked.b[i] = pairs.b[row]!;
      looked.agreement[i] = pairs.agreement[row]!;
      looked.accepted[i] = pairs.accepted[row]!;
    }
    const changed = await this.evidence.complete({ ...looked, ...evidence });
    for (let i = 0; i < count; i++) pairs.accepted[rows[i]!] = looked.accepted[i]!;
    return changed;
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
    this.classes = identityClasses(this.corpus.contentKeys, out, this.corpus.textKeys);
    const heir = heirsOf(before, this.classes.first, this.withdrawn);
    this.heir = this.heir === null ? heir : this.heir.map((d) => (d === NONE ? NONE : heir[d]!));
    this.withdrawals++;
    // What stands for a withdrawn document has to be read itself before its pairs are believed.
    const { rows, jaccard } = pairs.exact!;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (this.withdrawn[pairs.a[row]!] === 1 || this.withdrawn[pairs.b[row]!] === 1) {
        jaccard[i] = Number.NaN;
        pairs.accepted[row] = 0;
      }
    }
    return inheritedPairs(pairs, heir);
  }
}
