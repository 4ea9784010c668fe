/**
 * Stage 3: candidate pairs with their agreements get the rest of their evidence.
 *
 * Exact mode takes the shingle sets of the pairs at or above a margin (exactEvidence). A document whose content key is
 * not the one of the first reading is withdrawn, and its pairs are void. The other members of its class stay, each alone.
 */

import { type IdentityClasses, identityClasses } from '../../../reducers/identityClasses.js';
import {
  countAccepted,
  type RowEvidence,
  unverifiedPairs,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import { columnAt, countFrom, rowsFrom } from '../../arrays/chosenRows.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { atOnce } from '../../arrays/stepwise.js';
import { encodeBlock } from '../../blocks/block.js';
import { idText } from '../../blocks/ids.js';
import { ONE } from '../../blocks/names.js';
import { type AgreeingPairs, pairsAt } from '../../blocks/pairs.js';
import { ERRORS, MinHashError } from '../../errors.js';
import { leastListed } from '../../sketch/family.js';
import { aheadOfAccepted, EVIDENCE_BYTES, LOOKED_AT_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import { comparedGroups } from './crossIdentity.js';
import { ExactEvidence } from './exactEvidence.js';
import type { SetSource } from './tileSets.js';

/** Instead of a document: its pairs are void. */
const NONE = 0xffffffff;

export function remainingPairs(pairs: VerifiedPairs, withdrawn: Uint8Array): VerifiedPairs {
  const a = pairs.a.slice(0, pairs.count);
  for (let i = 0; i < pairs.count; i++) {
    if (withdrawn[a[i]!] === 1 || withdrawn[pairs.b[i]!] === 1) a[i] = NONE;
  }
  return renamedPairs(pairs, { a, b: pairs.b });
}

/**
 * Pairs under other documents, row by row, sorted by (a, b); a row with NONE is void. Each new document has the content of the one it
 * replaces, so the evidence stays true.
 */
export function renamedPairs(
  pairs: VerifiedPairs,
  names: { readonly a: Uint32Array; readonly b: Uint32Array },
): VerifiedPairs {
  const keys = new Uint32Array(2 * pairs.count);
  const rows = new Uint32Array(pairs.count);
  let count = 0;
  for (let i = 0; i < pairs.count; i++) {
    const [x, y] = [names.a[i]!, names.b[i]!];
    if (x === NONE || y === NONE) continue;
    keys[2 * count] = Math.max(x, y);
    keys[2 * count + 1] = Math.min(x, y);
    rows[count++] = i;
  }
  sortByKey64(keys, rows, count);
  const { exact } = pairs;
  const order = rows.subarray(0, count);
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  for (let row = 0; row < count; row++) {
    a[row] = keys[2 * row + 1]!;
    b[row] = keys[2 * row]!;
  }
  // A row is turned round where the new name of its earlier document is the later one.
  const turned = (row: number): boolean => names.a[order[row]!] !== a[row];
  return {
    count,
    a,
    b,
    agreement: atOnce(columnAt(pairs.agreement, order)),
    accepted: atOnce(columnAt(pairs.accepted, order)),
    exact: exact && renamedEvidence(exact, pairs.count, order, turned),
  };
}

/** The evidence of `count` rows for the rows `order`; where `turned`, the documents of the pair changed places. */
function renamedEvidence(
  exact: RowEvidence,
  count: number,
  order: Uint32Array,
  turned: (row: number) => boolean,
): RowEvidence {
  const positions = new Uint32Array(count).fill(NONE);
  for (let i = 0; i < exact.rows.length; i++) positions[exact.rows[i]!] = i;
  const rows = new Uint32Array(order.length);
  let some = 0;
  for (let row = 0; row < order.length; row++) if (positions[order[row]!] !== NONE) rows[some++] = row;
  const pick = (from: Float64Array, other: Float64Array): Float64Array => {
    const out = new Float64Array(some);
    for (let i = 0; i < some; i++) {
      const row = rows[i]!;
      out[i] = (turned(row) ? other : from)[positions[order[row]!]!]!;
    }
    return out;
  };
  return {
    rows: rows.slice(0, some),
    jaccard: pick(exact.jaccard, exact.jaccard),
    containmentAB: pick(exact.containmentAB, exact.containmentBA),
    containmentBA: pick(exact.containmentBA, exact.containmentAB),
  };
}

/** The groups by which classes are compared, in memory that the tasks share. */
function groupsOfTasks(run: Run, classes: IdentityClasses, group: Uint32Array): Groups {
  run.tables.take(`groups of ${group.length} documents`, 4 * group.length);
  const block = encodeBlock('documents', {}, { groups: group }, true);
  run.put(ONE.groups, block);
  return comparedGroups(classes, group, block.columns.groups as Uint32Array);
}

/** Turns pairs into verified pairs, round after round. */
export class Verifier {
  classes: IdentityClasses;
  /** By first member of a class: the group by which it is compared, in a block for the pairing tasks; null: there are no groups. */
  readonly groups: Groups | null;
  /** 1: withdrawn, because it changed between the readings. */
  readonly withdrawn: Uint8Array;
  withdrawals = 0;
  /** Documents with the tokens of a withdrawn one: they stay, compared with nothing. */
  copiesOfWithdrawn = 0;
  /** 1: in no class with others: empty, withdrawn, or with the tokens of a withdrawn one. */
  private readonly alone: Uint8Array;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly reader: SetSource;
  private readonly evidence: ExactEvidence;
  /** Least agreement of pairs whose sets are compared. */
  private readonly margin: number;

  constructor(run: Run, corpus: Corpus, reader: SetSource, classes: IdentityClasses) {
    this.run = run;
    this.corpus = corpus;
    this.reader = reader;
    this.classes = classes;
    this.groups = corpus.group === null ? null : groupsOfTasks(run, this.classes, corpus.group);
    this.withdrawn = new Uint8Array(corpus.documents);
    this.alone = corpus.empty.slice();
    this.margin = run.family.margin();
    this.evidence = new ExactEvidence(run, reader, this.margin);
  }

  /** Documents read a second time. */
  get documentsReadAgain(): number {
    return this.evidence.documentsReadAgain;
  }

  /**
   * Adds evidence to pairs that were not verified before; sorted and distinct by (a, b) as given. Its bytes are taken from
   * the memory of tables.
   *
   * @throws MinHashError DISK_FULL where the rows of the candidates have no room
   */
  async verify(pairs: AgreeingPairs): Promise<VerifiedPairs> {
    const { disk, params } = this.run;
    if (params.verify !== 'exact') {
      const least = leastListed(params);
      const listed = disk && (await this.run.turns.through(countFrom(pairs.agreement, pairs.count, least)));
      disk?.expectCandidates(listed ?? 0, this.corpus.ids);
      return { ...pairs, exact: null };
    }
    const { tables, turns } = this.run;
    const rows = await turns.through(rowsFrom(pairs.agreement, pairs.count, this.margin));
    const looked = rows.length === pairs.count ? 0 : LOOKED_AT_BYTES * rows.length;
    const bytes = EVIDENCE_BYTES * rows.length + looked;
    tables.take(`${rows.length} pairs with exact evidence`, bytes, () => {
      const accepted = atOnce(countFrom(pairs.agreement, pairs.count, this.run.family.usual()));
      return Math.max(0, aheadOfAccepted(accepted) - looked);
    });
    const all = await turns.through(unverifiedPairs(pairs, rows));
    const changed = await this.complete(all);
    if (changed.length > 0) await this.withdraw(changed);
    const verified = this.current(all);
    tables.give(looked);
    // At least these are listed.
    if (params.candidates !== 'none') disk?.expectCandidates(countAccepted(verified), this.corpus.ids);
    return verified;
  }

  /** Gives up the sets, once all pairs are verified. */
  forgetSets(): void {
    this.evidence.drop();
    this.reader.forget();
  }

  /** The pairs without those of documents withdrawn by now. */
  current(pairs: VerifiedPairs): VerifiedPairs {
    return this.withdrawals === 0 ? pairs : remainingPairs(pairs, this.withdrawn);
  }

  /** Fills in the evidence from sets for rows at or above the margin; returns the documents that changed. */
  private async complete(pairs: VerifiedPairs): Promise<Uint32Array> {
    const { rows, ...evidence } = pairs.exact!;
    const count = rows.length;
    if (count === pairs.count) return this.evidence.complete({ ...pairs, ...evidence });
    const looked = await this.run.turns.through(pairsAt(pairs, rows));
    const changed = await this.evidence.complete({ ...looked, ...evidence });
    for (let i = 0; i < count; i++) pairs.accepted[rows[i]!] = looked.accepted[i]!;
    return changed;
  }

  /** Withdraws documents, first members of their classes: what was read of the other members is not known to be so still. */
  private async withdraw(changed: Uint32Array): Promise<void> {
    if (this.run.params.onError === 'fail') {
      const detail = `${idText(this.corpus.ids, changed[0]!)}: ${ERRORS[this.reader.reasonOf(changed[0]!)].text}`;
      throw new MinHashError({ code: 'INPUT_REFUSED', detail });
    }
    for (const document of changed) this.withdrawn[document] = 1;
    const { first } = this.classes;
    for (let d = 0; d < first.length; d++) {
      if (this.withdrawn[first[d]!] === 0 || this.alone[d] === 1) continue;
      this.alone[d] = 1;
      if (this.withdrawn[d] === 0) this.copiesOfWithdrawn++;
    }
    const { contentKeys, textKeys } = this.corpus;
    this.classes = await this.run.turns.through(identityClasses(contentKeys, this.alone, textKeys));
    // Tasks read the groups of classes from shared memory.
    const { groups } = this;
    if (groups !== null) comparedGroups(this.classes, this.corpus.group!, groups.of);
    this.withdrawals += changed.length;
  }
}
