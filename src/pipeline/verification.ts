/**
 * Stage 3: candidate pairs get their evidence: signature agreement, and in exact mode the resemblance of the sets.
 *
 * Exact mode takes the sets of the pairs at or above a margin (exactEvidence). A document whose content key is not the one of the first reading is withdrawn:
 * the next member of its class takes its place in the pairs already made, checked by its own reading.
 *
 * Floor 4.
 */
import type { Pairs } from '../../reducers/candidatePairs.js';
import { type IdentityClasses, identityClasses } from '../../reducers/identityClasses.js';
import { estimatedPairs, unverifiedPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { idText } from '../blocks/idTable.js';
import { ERRORS, MinHashError } from '../errors.js';
import { leastAgreement } from '../sketch/agreement.js';
import type { Corpus } from './corpus.js';
import { ExactEvidence } from './exactEvidence.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { SetReader } from './secondReading.js';
import { heirsOf, inheritedPairs, NONE } from './withdrawal.js';

/** Pairs a task looks at. */
const PAIRS_PER_TASK = 1 << 18;

/** Turns pairs into verified pairs, round after round. */
export class Verifier {
  classes: IdentityClasses;
  /** 1: withdrawn, because it changed between the readings. */
  readonly withdrawn: Uint8Array;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly evidence: ExactEvidence;
  /** By document of the corpus: who stands for it by now, over all withdrawals; null before the first. */
  private heir: Uint32Array | null = null;
  private calls = 0;
  /** Pairs of earlier rounds: progress tells those of the whole stage. */
  private pairsBefore = 0;

  constructor(run: Run, corpus: Corpus, reader: SetReader) {
    this.run = run;
    this.corpus = corpus;
    this.classes = identityClasses(corpus.contentKeys, corpus.empty);
    this.withdrawn = new Uint8Array(corpus.documents);
    const { threshold, sketch } = run.params;
    const margin = leastAgreement(threshold, sketch.hashes, sketch.sketch);
    this.evidence = new ExactEvidence(run, reader, margin);
    const { blockOf, columnOf } = corpus;
    run.put('places', encodeBlock('documents', {}, { blockOf, columnOf }, true));
  }

  /** Documents read a second time. */
  get documentsReadAgain(): number {
    return this.evidence.documentsReadAgain;
  }

  /** Evidence for pairs that were not looked at before; sorted and distinct by (a, b) as they came. */
  async verify(pairs: Pairs): Promise<VerifiedPairs> {
    const { params } = this.run;
    const agreement = await this.agreements(pairs);
    if (params.verify !== 'exact') {
      const verified = estimatedPairs(pairs, agreement, params.sketch.hashes, params.threshold);
      if (params.verify === 'none') verified.accepted.fill(0);
      this.pairsBefore += pairs.count;
      return verified;
    }
    let verified = unverifiedPairs(pairs, agreement);
    for (let changed = await this.evidence.complete(verified); changed.length > 0; ) {
      verified = this.withdraw(changed, verified);
      changed = await this.evidence.complete(verified);
    }
    this.pairsBefore += pairs.count;
    if (pairs.count > 0) this.run.progress(this.pairsBefore, this.pairsBefore, 'pairs');
    return verified;
  }

  /** Pairs verified earlier, with heirs in the places of documents that were withdrawn since. */
  current(pairs: VerifiedPairs): VerifiedPairs {
    return this.heir === null ? pairs : inheritedPairs(pairs, this.heir);
  }

  private async agreements(pairs: Pairs): Promise<Uint16Array> {
    const out = new Uint16Array(pairs.count);
    if (pairs.count === 0) return out;
    const { store, parallelism } = this.run.engine;
    const blocks = this.corpus.tables.map((_, k) => `signatures/${k}`);
    const call = this.calls++;
    const list = `pairs/${call}`;
    const columns = { a: pairs.a.subarray(0, pairs.count), b: pairs.b.subarray(0, pairs.count) };
    this.run.put(list, encodeBlock('pairs', {}, columns, true));
    const starts: number[] = [];
    for (let from = 0; from < pairs.count; from += PAIRS_PER_TASK) starts.push(from);
    const results = inOrder(starts, parallelism + 1, async (from) => {
      const to = Math.min(pairs.count, from + PAIRS_PER_TASK);
      const name = `agreement/${call}/${from}`;
      await this.run.task({
        stage: 'agreement',
        label: `pairs ${from}..${to}`,
        params: { name, pairs: list, from, to, blocks },
        inputs: [list, 'places', ...blocks],
      });
      return { name, from, to };
    });
    for await (const { name, from, to } of results) {
      out.set(decodeBlock(store.get(name), 'pairs', name).columns.agreement as Uint16Array, from);
      store.delete(name);
      this.run.progress(this.pairsBefore + to, this.pairsBefore + pairs.count, 'pairs');
    }
    store.delete(list);
    return out;
  }

  /**
   * Withdraws documents; the next member of each class takes the place of the first in `pairs`. An heir has the
   * content, and so the signature, of the one it stands for: agreements stay.
   */
  private withdraw(changed: Uint32Array, pairs: VerifiedPairs): VerifiedPairs {
    if (this.run.params.onError === 'fail') {
      const detail = `${idText(this.corpus.ids, changed[0]!)}: ${ERRORS.CHANGED.text}`;
      throw new MinHashError({ code: 'INPUT_REFUSED', detail });
    }
    const before = this.classes.first;
    for (const document of changed) this.withdrawn[document] = 1;
    const out = this.corpus.empty.map((empty, d) => empty | this.withdrawn[d]!);
    this.classes = identityClasses(this.corpus.contentKeys, out);
    const heir = heirsOf(before, this.classes.first, this.withdrawn);
    this.heir = this.heir === null ? heir : this.heir.map((d) => (d === NONE ? NONE : heir[d]!));
    // What stands for a withdrawn document has to be read itself before its pairs are believed.
    for (let i = 0; i < pairs.count; i++) {
      if (this.withdrawn[pairs.a[i]!] === 1 || this.withdrawn[pairs.b[i]!] === 1) {
        pairs.jaccard[i] = Number.NaN;
        pairs.accepted[i] = 0;
      }
    }
    return inheritedPairs(pairs, heir);
  }
}
