/**
 * Stage 3: candidate pairs with their agreements get the rest of their evidence.
 *
 * Exact mode takes the shingle sets of the pairs at or above a margin (exactEvidence). A document whose content key is
 * not the one of the first reading is withdrawn: the next member of its class takes its place in the pairs already
 * made, checked by its own reading.
 */

import { type IdentityClasses, identityClasses } from '../../../reducers/identityClasses.js';
import {
  agreeingCount,
  agreeingRows,
  countAccepted,
  type RowEvidence,
  unverifiedPairs,
  type VerifiedPairs,
} from '../../../reducers/verifiedPairs.js';
import { areOfOneGroup, type Groups } from '../../arrays/groupCounts.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { atOnce } from '../../arrays/stepwise.js';
import { encodeBlock } from '../../blocks/block.js';
import { idText } from '../../blocks/ids.js';
import { ONE } from '../../blocks/names.js';
import { type AgreeingPairs, type HotMembers, pairsAt } from '../../blocks/pairs.js';
import { ERRORS, MinHashError } from '../../errors.js';
import { leastListed } from '../../sketch/family.js';
import { aheadOfAccepted, EVIDENCE_BYTES, LOOKED_AT_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import { comparedGroups, groupCount } from './crossIdentity.js';
import { ExactEvidence } from './exactPairs.js';
import type { SetSource } from './tileSets.js';

/*
 * Documents that changed between the readings are withdrawn, and heirs take their places in pairs.
 */

/** No heir: the class of the document is gone. */
export const NONE = 0xffffffff;

/**
 * By document: its heir in pairs once the documents flagged in `withdrawn` are gone: itself, the
 * next member of its class for a withdrawn first member, NONE where none is left.
 *
 * @param before first member of every document's class before the withdrawal
 * @param after the same after it
 */
export function heirsOf(before: Uint32Array, after: Uint32Array, withdrawn: Uint8Array): Uint32Array {
  const heir = new Uint32Array(before.length);
  for (let d = 0; d < before.length; d++) heir[d] = withdrawn[d] === 1 ? NONE : d;
  for (let d = 0; d < before.length; d++) {
    if (withdrawn[d] === 0 && withdrawn[before[d]!] === 1) heir[before[d]!] = after[d]!;
  }
  return heir;
}

/**
 * The pairs with the heirs in the places of the withdrawn documents, sorted by (a, b); pairs of a class that is gone
 * are void, and so are pairs within one group. An heir has the content of its predecessor, so the evidence stays true.
 */
export function inheritedPairs(
  pairs: VerifiedPairs,
  heir: Uint32Array,
  groups: Groups | null = null,
): VerifiedPairs {
  const a = new Uint32Array(pairs.count);
  const b = new Uint32Array(pairs.count);
  for (let i = 0; i < pairs.count; i++) {
    a[i] = heir[pairs.a[i]!]!;
    b[i] = heir[pairs.b[i]!]!;
    if (a[i] !== NONE && b[i] !== NONE && areOfOneGroup(groups, a[i]!, b[i]!)) a[i] = NONE;
  }
  return renamedPairs(pairs, { a, b });
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
  const pick = <T extends Uint8Array | Uint16Array | Float64Array>(from: T): T => {
    const Type = from.constructor as new (length: number) => T;
    const out = new Type(count);
    for (let row = 0; row < count; row++) out[row] = from[order[row]!]!;
    return out;
  };
  return {
    count,
    a,
    b,
    agreement: pick(pairs.agreement),
    accepted: pick(pairs.accepted),
    exact: exact && inheritedEvidence(exact, pairs.count, order, turned),
  };
}

/** The evidence of `count` rows for the rows `order`; where `turned`, the documents of the pair changed places. */
function inheritedEvidence(
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

/** Members of hot buckets with heirs in the places of withdrawn documents, under the numbers of their buckets. */
export function inheritedMembers(members: HotMembers, heir: Uint32Array): HotMembers {
  const keys = new Uint32Array(2 * members.documents.length);
  const rows = new Uint32Array(members.documents.length);
  let count = 0;
  for (let i = 0; i < members.documents.length; i++) {
    const document = heir[members.documents[i]!]!;
    if (document === NONE) continue;
    keys[2 * count + 1] = document;
    rows[count++] = members.buckets[i]!;
  }
  sortByKey64(keys, rows, count);
  const documents = new Uint32Array(count);
  for (let row = 0; row < count; row++) documents[row] = keys[2 * row + 1]!;
  return { documents, buckets: rows.slice(0, count) };
}

/** The groups by which classes are compared, in memory that the tasks share. */
function groupsOfTasks(run: Run, classes: IdentityClasses, group: Uint32Array): Groups {
  const shared = groupCount(group);
  const bytes = 4 * (group.length + shared * Math.max(1, run.engine.parallelism));
  run.tables.take(`groups of ${group.length} documents`, bytes);
  const block = encodeBlock('documents', { shared }, { groups: group }, true);
  run.put(ONE.groups, block);
  return comparedGroups(classes, group, shared, block.columns.groups as Uint32Array);
}

/** Turns pairs into verified pairs, round after round. */
export class Verifier {
  classes: IdentityClasses;
  /** By first member of a class: the group by which it is compared, in a block for the pairing tasks; null: there are no groups. */
  readonly groups: Groups | null;
  /** 1: withdrawn, because it changed between the readings. */
  readonly withdrawn: Uint8Array;
  /** By document of the corpus: its heir over all withdrawals so far; null before the first. */
  heir: Uint32Array | null = null;
  /** The number of withdrawals. */
  withdrawals = 0;
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
      const listed = disk && (await this.run.turns.through(agreeingCount(pairs, least)));
      disk?.expectCandidates(listed ?? 0, this.corpus.ids);
      return { ...pairs, exact: null };
    }
    const { tables, turns } = this.run;
    const rows = await turns.through(agreeingRows(pairs, this.margin));
    const looked = rows.length === pairs.count ? 0 : LOOKED_AT_BYTES * rows.length;
    const bytes = EVIDENCE_BYTES * rows.length + looked;
    tables.take(`${rows.length} pairs with exact evidence`, bytes, () => {
      const accepted = atOnce(agreeingCount(pairs, this.run.family.usual()));
      return Math.max(0, aheadOfAccepted(accepted) - looked);
    });
    let verified = await turns.through(unverifiedPairs(pairs, rows));
    for (let changed = await this.complete(verified); changed.length > 0; ) {
      verified = await this.withdraw(changed, verified);
      changed = await this.complete(verified);
    }
    tables.give(looked);
    // At least these are listed.
    if (params.candidates !== 'none') disk?.expectCandidates(countAccepted(verified), this.corpus.ids);
    return verified;
  }

  /** Pairs verified earlier, with heirs in the places of documents withdrawn since then. */
  current(pairs: VerifiedPairs): VerifiedPairs {
    return this.heir === null ? pairs : inheritedPairs(pairs, this.heir, this.groups);
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

  /**
   * Withdraws documents; the next member of each class takes the place of the first in `pairs`. An heir has the
   * token sequence of the one it stands for, hence its signature and its agreements.
   */
  private async withdraw(changed: Uint32Array, pairs: VerifiedPairs): Promise<VerifiedPairs> {
    if (this.run.params.onError === 'fail') {
      const detail = `${idText(this.corpus.ids, changed[0]!)}: ${ERRORS[this.reader.reasonOf(changed[0]!)].text}`;
      throw new MinHashError({ code: 'INPUT_REFUSED', detail });
    }
    const before = this.classes.first;
    for (const document of changed) this.withdrawn[document] = 1;
    const out = this.corpus.empty.map((empty, d) => empty | this.withdrawn[d]!);
    const { contentKeys, textKeys } = this.corpus;
    this.classes = await this.run.turns.through(identityClasses(contentKeys, out, textKeys));
    // Withdrawn documents are in no class and in no pair; tasks read the groups of the others from shared memory.
    const { groups } = this;
    if (groups !== null) comparedGroups(this.classes, this.corpus.group!, groups.shared, groups.of);
    const heir = heirsOf(before, this.classes.first, this.withdrawn);
    this.heir = this.heir === null ? heir : this.heir.map((d) => (d === NONE ? NONE : heir[d]!));
    this.withdrawals++;
    // An heir has to be read itself before its pairs are believed.
    const { rows, jaccard } = pairs.exact!;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (this.withdrawn[pairs.a[row]!] === 1 || this.withdrawn[pairs.b[row]!] === 1) {
        jaccard[i] = Number.NaN;
        pairs.accepted[row] = 0;
      }
    }
    return inheritedPairs(pairs, heir, this.groups);
  }
}
