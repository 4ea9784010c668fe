/**
 * The rows of identical documents in `pairs/` where only documents of two different groups are pairs: of a class of k
 * documents k - 1 rows, or all pairs of two groups.
 *
 * Let f be the first member, and g the first member that is not of f's group. The k - 1 rows are f with each member of another
 * group, and g with each other member of f's group: each row is of two groups, and together they connect the class. As in
 * pairTable.ts one entry represents all partners of a document that follow one another in `members`.
 */
import type { DuplicateGroups } from '../../../reducers/identityClasses.js';
import { Uint32Column } from '../../arrays/growable.js';
import type { IdentityRuns, KindRows } from './pairTable.js';

/** Classes of identical documents of two groups or more, one after the other. */
type Classes = Omit<DuplicateGroups, 'firsts'>;

/** Growing columns: entries, each with its document and the partners that it represents. */
class GrowingRuns {
  private readonly a = new Uint32Column();
  private readonly start = new Uint32Column();
  private readonly end = new Uint32Column();
  private readonly textOf = new Uint32Column();
  private readonly members = new Uint32Column();
  private readonly texts = new Uint32Column();

  get length(): number {
    return this.members.length;
  }

  partner(document: number, text: number): void {
    this.members.push(document);
    this.texts.push(text);
  }

  entry(document: number, text: number, start: number, end: number): void {
    if (start === end) return;
    this.a.push(document);
    this.textOf.push(text);
    this.start.push(start);
    this.end.push(end);
  }

  /** The entries, sorted by document. */
  sorted(): IdentityRuns {
    const a = this.a.view;
    const order = Uint32Array.from(a.keys()).sort((i, j) => a[i]! - a[j]!);
    const by = ({ view }: Uint32Column): Uint32Array => order.map((i) => view[i]!);
    return {
      a: by(this.a),
      start: by(this.start),
      end: by(this.end),
      textOf: by(this.textOf),
      members: this.members.view.slice(),
      texts: this.texts.view.slice(),
    };
  }
}

/**
 * The entries of classes. `group`: the group of each document. With `expand` the memory of a class grows with its members times
 * its groups: see `crossRunBytes`.
 */
export function crossRuns(classes: Classes, group: Uint32Array, expand: boolean): IdentityRuns {
  const runs = new GrowingRuns();
  for (let c = 0; c + 1 < classes.offsets.length; c++) {
    if (expand) addAll(runs, classes, group, c);
    else addSome(runs, classes, group, c);
  }
  return runs.sorted();
}

function addSome(runs: GrowingRuns, { offsets, members, texts }: Classes, group: Uint32Array, c: number) {
  const from = offsets[c]!;
  const to = offsets[c + 1]!;
  const own = group[members[from]!]!;
  const others = runs.length;
  let g = from;
  for (let i = to - 1; i > from; i--) if (group[members[i]!] !== own) g = i;
  for (let i = g; i < to; i++) if (group[members[i]!] !== own) runs.partner(members[i]!, texts[i]!);
  runs.entry(members[from]!, texts[from]!, others, runs.length);
  // Members of f's group before g have the partner g, which is the first of `others`.
  for (let i = from + 1; i < g; i++) runs.entry(members[i]!, texts[i]!, others, others + 1);
  const ofOwn = runs.length;
  for (let i = g + 1; i < to; i++) if (group[members[i]!] === own) runs.partner(members[i]!, texts[i]!);
  runs.entry(members[g]!, texts[g]!, ofOwn, runs.length);
}

function addAll(runs: GrowingRuns, { offsets, members, texts }: Classes, group: Uint32Array, c: number) {
  const from = offsets[c]!;
  const to = offsets[c + 1]!;
  for (const own of new Set(groupsIn(members, group, from, to))) {
    const others = runs.length;
    for (let i = from; i < to; i++) if (group[members[i]!] !== own) runs.partner(members[i]!, texts[i]!);
    let start = others;
    for (let i = from; i < to; i++) {
      if (group[members[i]!] !== own) start++;
      else runs.entry(members[i]!, texts[i]!, start, runs.length);
    }
  }
}

function groupsIn(members: Uint32Array, group: Uint32Array, from: number, to: number): Uint32Array {
  return members.subarray(from, to).map((d) => group[d]!);
}

/** Bytes of the entries of `crossRuns`; with `expand` each group of a class lists all members of its other groups. */
export function crossRunBytes({ offsets, members }: Classes, group: Uint32Array, expand: boolean): number {
  let places = 2 * members.length;
  for (let c = 0; expand && c + 1 < offsets.length; c++) {
    const [from, to] = [offsets[c]!, offsets[c + 1]!];
    places += new Set(groupsIn(members, group, from, to)).size * (to - from);
  }
  return 16 * places;
}

/** `kindRows` for pairs of two groups, without enumerating the rows of `expand`. */
export function crossKindRows(
  { offsets, members, texts }: Classes,
  group: Uint32Array,
  expand: boolean,
  counted: (document: number) => boolean = () => true,
): KindRows {
  const rows = { identical: 0, sameTokens: 0 };
  for (let c = 0; c + 1 < offsets.length; c++) {
    const [from, to] = [offsets[c]!, offsets[c + 1]!];
    if (expand) {
      const some = Uint32Array.from({ length: to - from }, (_, i) => from + i).filter((i) =>
        counted(members[i]!),
      );
      const all = pairsOfTwo(
        some,
        (i) => group[members[i]!]!,
        () => 0,
      );
      const identical = pairsOfTwo(
        some,
        (i) => group[members[i]!]!,
        (i) => texts[i]!,
      );
      rows.identical += identical;
      rows.sameTokens += all - identical;
      continue;
    }
    const own = group[members[from]!];
    let g = from;
    while (group[members[g]!] === own) g++;
    for (let i = from + 1; i < to; i++) {
      const partner = group[members[i]!] === own ? g : from;
      if (!counted(members[i]!) || !counted(members[partner]!)) continue;
      if (texts[i] === texts[partner]) rows.identical++;
      else rows.sameTokens++;
    }
  }
  return rows;
}

/** How many pairs of these are of two groups and of one kind. */
function pairsOfTwo(
  some: Uint32Array,
  groupOf: (i: number) => number,
  kindOf: (i: number) => number,
): number {
  const ofKind = new Map<number, { all: number; readonly groups: Map<number, number> }>();
  let pairs = 0;
  for (const i of some) {
    const kind = ofKind.get(kindOf(i)) ?? { all: 0, groups: new Map<number, number>() };
    const own = kind.groups.get(groupOf(i)) ?? 0;
    pairs += kind.all - own;
    kind.all++;
    kind.groups.set(groupOf(i), own + 1);
    ofKind.set(kindOf(i), kind);
  }
  return pairs;
}
