/**
 * Stage 3: candidate pairs get their evidence: signature agreement, and in exact mode the resemblance of the sets.
 *
 * Exact mode reads the text of a document again only if it is in a candidate pair at or above the margin, once, and
 * keeps its shingle set for later rounds. A document whose content key is not the one of the first reading is withdrawn:
 * the next member of its class takes its place in the pairs already made, checked by its own reading.
 *
 * Floor 4.
 */
import { type IdentityClasses, identityClasses } from '../../reducers/identityClasses.js';
import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import { idText } from '../blocks/idTable.js';
import { ERRORS, MinHashError } from '../errors.js';
import { leastAgreement } from '../sketch/agreement.js';
import type { AgreeingPairs } from '../sketch/pairs.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';
import type { SetReader } from './secondReading.js';
import { heirsOf, inheritedPairs, NONE } from './withdrawal.js';

/** Pairs a task looks at. */
const PAIRS_PER_TASK = 1 << 18;

/** Turns pairs into verified pairs, round after round; owns the shingle sets read so far. */
export class Verifier {
  classes: IdentityClasses;
  /** 1: withdrawn, because it changed between the readings. */
  readonly withdrawn: Uint8Array;
  /** Documents read a second time. */
  documentsReadAgain = 0;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly reader: SetReader;
  /** By document: block and index of its shingle set; NONE before it was read. */
  private readonly setBlock: Uint32Array;
  private readonly setIndex: Uint32Array;
  private readonly setBlocks: string[] = [];
  private readonly margin: number;
  /** By document of the corpus: who stands for it by now, over all withdrawals; null before the first. */
  heir: Uint32Array | null = null;
  /** How often documents were withdrawn. */
  withdrawals = 0;
  private calls = 0;

  constructor(run: Run, corpus: Corpus, reader: SetReader) {
    this.run = run;
    this.corpus = corpus;
    this.reader = reader;
    this.classes = identityClasses(corpus.contentKeys, corpus.empty);
    this.withdrawn = new Uint8Array(corpus.documents);
    this.setBlock = new Uint32Array(corpus.documents).fill(NONE);
    this.setIndex = new Uint32Array(corpus.documents);
    const { threshold, sketch } = run.params;
    this.margin = leastAgreement(threshold, sketch.hashes, sketch.sketch);
  }

  /** Evidence for pairs that were not looked at before; sorted and distinct by (a, b) as they came. */
  async verify(pairs: AgreeingPairs): Promise<VerifiedPairs> {
    if (this.run.params.verify !== 'exact') return { ...pairs, exact: null };
    for (let changed = await this.readSets(pairs); changed.length > 0; ) {
      pairs = this.withdraw(changed, pairs);
      changed = await this.readSets(pairs);
    }
    return this.exact(pairs);
  }

  /** Pairs verified earlier, with heirs in the places of documents that were withdrawn since. */
  current(pairs: VerifiedPairs): VerifiedPairs {
    return this.heir === null ? pairs : inheritedPairs(pairs, this.heir);
  }

  private async exact(pairs: AgreeingPairs): Promise<VerifiedPairs> {
    const { setBlock, setIndex } = this;
    this.run.put('setPlaces', encodeBlock('documents', {}, { setBlock, setIndex }, true));
    const jaccard = new Float64Array(pairs.count);
    const containmentAB = new Float64Array(pairs.count);
    const containmentBA = new Float64Array(pairs.count);
    const accepted = new Uint8Array(pairs.count);
    const blocks = this.setBlocks;
    const params = { blocks, leastAgreement: this.margin };
    await this.overPairs('verified', pairs, ['setPlaces', ...blocks], params, (columns, from) => {
      jaccard.set(columns.jaccard as Float64Array, from);
      containmentAB.set(columns.containmentAB as Float64Array, from);
      containmentBA.set(columns.containmentBA as Float64Array, from);
      accepted.set(columns.accepted as Uint8Array, from);
    });
    this.run.engine.store.delete('setPlaces');
    return { ...pairs, accepted, exact: { jaccard, containmentAB, containmentBA } };
  }

  /** Runs a stage over ranges of the pairs and hands its columns to `take`. */
  private async overPairs(
    stage: string,
    pairs: AgreeingPairs,
    inputs: readonly string[],
    params: { readonly blocks: readonly string[]; readonly leastAgreement: number },
    take: (columns: Readonly<Record<string, unknown>>, from: number) => void,
  ): Promise<void> {
    if (pairs.count === 0) return;
    const call = this.calls++;
    const list = `pairs/${call}`;
    const { a, b, agreement } = pairs;
    this.run.put(list, encodeBlock('pairs', {}, { a, b, agreement }, true));
    const starts: number[] = [];
    for (let from = 0; from < pairs.count; from += PAIRS_PER_TASK) starts.push(from);
    const results = inOrder(starts, this.run.engine.parallelism + 1, async (from) => {
      const to = Math.min(pairs.count, from + PAIRS_PER_TASK);
      const name = `${stage}/${call}/${from}`;
      const { report } = await this.run.task({
        stage,
        label: `pairs ${from}..${to}`,
        params: { name, pairs: list, from, to, ...params },
        inputs: [list, ...inputs],
      });
      const missing = (report as { missing?: number } | null)?.missing ?? 0;
      return { name, from, to, missing };
    });
    for await (const { name, from, to, missing } of results) {
      // Every document above the margin was read, or withdrawn with its pairs; else pairs would be lost in silence.
      if (missing > 0) {
        const detail = `${missing} pairs at or above the margin have no shingle set`;
        throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
      }
      take(decodeBlock(this.run.engine.store.get(name), 'pairs', name).columns, from);
      this.run.engine.store.delete(name);
      this.run.progress(to, pairs.count, 'pairs');
    }
    this.run.engine.store.delete(list);
  }

  /** Reads what the pairs at or above the margin still lack; returns the documents that changed, ascending. */
  private async readSets(pairs: AgreeingPairs): Promise<Uint32Array> {
    const wanted = new Uint8Array(this.corpus.documents);
    for (let i = 0; i < pairs.count; i++) {
      if (pairs.agreement[i]! < this.margin) continue;
      if (this.setBlock[pairs.a[i]!] === NONE) wanted[pairs.a[i]!] = 1;
      if (this.setBlock[pairs.b[i]!] === NONE) wanted[pairs.b[i]!] = 1;
    }
    const changed: number[] = [];
    for await (const sets of this.reader.read(wanted)) {
      const position = sets.name === null ? NONE : this.setBlocks.push(sets.name) - 1;
      for (let i = 0; i < sets.documents.length; i++) {
        const document = sets.documents[i]!;
        if (sets.unchanged[i] === 0) {
          changed.push(document);
          continue;
        }
        this.setBlock[document] = position;
        this.setIndex[document] = sets.indexes[i]!;
        this.documentsReadAgain++;
      }
    }
    return Uint32Array.from(changed).sort();
  }

  /** Withdraws documents; the next member of each class takes the place of the first in `pairs`. */
  private withdraw(changed: Uint32Array, pairs: AgreeingPairs): AgreeingPairs {
    if (this.run.params.onError === 'fail') {
      const detail = `${idText(this.corpus.ids, changed[0]!)}: ${ERRORS.CHANGED.text}`;
      throw new MinHashError({ code: 'INPUT_REFUSED', detail });
    }
    const before = this.classes.first;
    for (const document of changed) this.withdrawn[document] = 1;
    const out = this.corpus.empty.slice();
    for (let d = 0; d < out.length; d++) out[d] = out[d]! | this.withdrawn[d]!;
    this.classes = identityClasses(this.corpus.contentKeys, out);
    const heir = heirsOf(before, this.classes.first, this.withdrawn);
    this.heir = this.heir === null ? heir : this.heir.map((d) => (d === NONE ? NONE : heir[d]!));
    this.withdrawals++;
    // An heir has the token sequence of the one it stands for, hence its signature and its agreements.
    return inheritedPairs({ ...pairs, exact: null }, heir);
  }
}
