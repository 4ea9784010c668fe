/**
 * The pairs of identical documents, in order, without holding one of them.
 *
 * Floor 2. A class of k identical documents has k - 1 rows (first, member), or all k(k-1)/2 when expanded:
 * 10^5 equal files are 5 * 10^9 rows. But the partners of one document are always a stretch of its class's
 * members, so one entry a document says them all.
 */

/**
 * Classes of two or more documents: members of class c are `members[offsets[c] .. offsets[c + 1])`,
 * ascending; those with the same number in `texts` are the same text, byte for byte.
 */
export interface IdentityClasses {
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  readonly texts: Uint32Array;
}

/**
 * Run r: document `a[r]`, which is `members[start[r] - 1]`, pairs with each of `members[start[r] .. end[r])`. Runs ascend by
 * `a`; none is empty. `texts` as in classes.
 */
export interface IdentityRuns {
  readonly a: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly members: Uint32Array;
  readonly texts: Uint32Array;
}

/**
 * The runs of the classes, in any order of classes: one a class (its first member), or with `expand` one for
 * every member but the last. Linear in the members and the largest document number.
 */
export function identityRuns(classes: IdentityClasses, expand: boolean): IdentityRuns {
  const { offsets, members, texts } = classes;
  let documents = 0;
  for (let i = 0; i < members.length; i++) documents = Math.max(documents, members[i]! + 1);
  // By document: where its partners start and end. Reading these in order sorts the runs.
  const startOf = new Uint32Array(documents);
  const endOf = new Uint32Array(documents);
  let runs = 0;
  for (let c = 0; c + 1 < offsets.length; c++) {
    const first = offsets[c]!;
    const end = offsets[c + 1]!;
    const last = expand ? end - 1 : Math.min(first + 1, end - 1);
    for (let at = first; at < last; at++) {
      startOf[members[at]!] = at + 1;
      endOf[members[at]!] = end;
      runs++;
    }
  }
  const a = new Uint32Array(runs);
  const start = new Uint32Array(runs);
  const end = new Uint32Array(runs);
  let run = 0;
  for (let document = 0; document < documents; document++) {
    if (endOf[document] === 0) continue;
    a[run] = document;
    start[run] = startOf[document]!;
    end[run++] = endOf[document]!;
  }
  return { a, start, end, members, texts };
}

/** Rows that the runs stand for. */
export function identityRowCount(runs: IdentityRuns): number {
  let rows = 0;
  for (let r = 0; r < runs.a.length; r++) rows += runs.end[r]! - runs.start[r]!;
  return rows;
}

/** Rows of the classes by their kind. */
export interface KindRows {
  readonly identical: number;
  readonly sameTokens: number;
}

/**
 * How many rows of each kind the classes have, without making one. `counted`: absent, or which documents a row must be
 * about, both of them.
 */
export function kindRows(
  { offsets, members, texts }: IdentityClasses,
  expand: boolean,
  counted: (document: number) => boolean = () => true,
): KindRows {
  let rows = 0;
  let identical = 0;
  for (let c = 0; c + 1 < offsets.length; c++) {
    const from = offsets[c]!;
    // A row needs the first of its class, unless every pair has one.
    if (!expand && !counted(members[from]!)) continue;
    // By text: how many there were; with a row of the first alone there is nothing to know of others.
    const met = expand ? new Map<number, number>() : null;
    let before = 0;
    for (let i = from; i < offsets[c + 1]!; i++) {
      if (!counted(members[i]!)) continue;
      if (met === null) {
        rows += Math.min(before, 1);
        if (i > from && texts[i] === texts[from]) identical++;
      } else {
        const same = met.get(texts[i]!) ?? 0;
        rows += before;
        identical += same;
        met.set(texts[i]!, same + 1);
      }
      before++;
    }
  }
  return { identical, sameTokens: rows - identical };
}
