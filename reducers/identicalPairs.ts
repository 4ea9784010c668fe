/**
 * Reduce classes of documents with the same tokens to pairs of these documents for whoever reads the result: of a class of k
 * documents k - 1 pairs, which connect it.
 *
 * Let f be the first member, and g the first member of another group. The k - 1 pairs are f with each member of another group, and
 * g with each other member of f's group: each pair is of two groups. Without groups every document is a group of its own.
 */
import type { DuplicateGroups } from './identityClasses.js';

/** Called with a pair, the earlier document first, and whether both have the same text, byte for byte. */
type PairSink = (earlier: number, later: number, isSameText: boolean) => void;

/** Makes the pairs of one class after the other, whose members come one by one. */
class ClassPairs {
  private readonly pair: PairSink;
  /** f, its group and its text; -1: it has not come. */
  private first = -1;
  private group = 0;
  private text = 0;
  private other = -1;
  private otherText = 0;

  constructor(pair: PairSink) {
    this.pair = pair;
  }

  /** Begins a class. `other`: g, and its text; -1: all members are of one group. */
  begin(other: number, otherText: number): void {
    this.first = -1;
    this.other = other;
    this.otherText = otherText;
  }

  /** Adds the next member, in the order of places. Equal texts have equal numbers. */
  member(document: number, group: number, text: number): void {
    if (this.first < 0) {
      this.first = document;
      this.group = group;
      this.text = text;
    } else if (this.other >= 0) {
      if (group !== this.group) this.pair(this.first, document, text === this.text);
      else this.pair(Math.min(this.other, document), Math.max(this.other, document), text === this.otherText);
    }
  }
}

/** Pairs of documents with the same tokens, sorted by (a, b), a < b. */
export interface IdenticalPairs {
  readonly count: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** 1: both documents have the same text, byte for byte. */
  readonly isSame: Uint8Array;
}

/** The number of pairs of all classes, each of which must have members of two groups. */
function identicalPairCount({ offsets, members }: Pick<DuplicateGroups, 'offsets' | 'members'>): number {
  return members.length - (offsets.length - 1);
}

/**
 * The pairs of all classes.
 *
 * @param group by document its group; null: every document is a group of its own
 */
export function identicalPairs(
  classes: Omit<DuplicateGroups, 'firsts'>,
  group: Uint32Array | null,
): IdenticalPairs {
  const count = identicalPairCount(classes);
  const [a, b, isSame] = [new Uint32Array(count), new Uint32Array(count), new Uint8Array(count)];
  // By document: where its pairs with later ones begin. Each document is in one class, where its partners come in their order.
  const next = new Uint32Array(classes.members.reduce((most, document) => Math.max(most, document), 0) + 2);
  eachPair(classes, group, (earlier) => {
    next[earlier + 1]!++;
  });
  for (let document = 1; document < next.length; document++) next[document]! += next[document - 1]!;
  eachPair(classes, group, (earlier, later, isSameText) => {
    const row = next[earlier]!++;
    a[row] = earlier;
    b[row] = later;
    isSame[row] = isSameText ? 1 : 0;
  });
  return { count, a, b, isSame };
}

function eachPair(
  { offsets, members, texts }: Omit<DuplicateGroups, 'firsts'>,
  group: Uint32Array | null,
  pair: PairSink,
): void {
  const pairs = new ClassPairs(pair);
  const groupOf = (document: number): number => (group === null ? document : group[document]!);
  for (let c = 0; c + 1 < offsets.length; c++) {
    const [from, to] = [offsets[c]!, offsets[c + 1]!];
    const own = groupOf(members[from]!);
    let other = from;
    while (other < to && groupOf(members[other]!) === own) other++;
    if (other === to) pairs.begin(-1, 0);
    else pairs.begin(members[other]!, texts[other]!);
    for (let i = from; i < to; i++) pairs.member(members[i]!, groupOf(members[i]!), texts[i]!);
  }
}
