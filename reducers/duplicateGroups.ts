/**
 * Reduce by content key: documents with the same token sequence become duplicate groups. Works on document numbers, which are in
 * keep order, so the first member of a group is the one that is kept; only first members go on to bands.
 */
import { numbersBelow } from '../src/arrays/growable.js';
import { newArray } from '../src/arrays/ownPages.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import { PUNCTUATION_WORD } from '../src/text/keys/textKey.js';

/**
 * The groups of two or more documents: group g has the members `members[offsets[g] .. offsets[g + 1])`, ascending; groups ascend by
 * their first member.
 */
export interface DuplicateGroups {
  /** The first member of the group of each document, or the document itself if it is not in a group. */
  readonly firstOf: Uint32Array;
  /** One more entry than there are groups. */
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  /** By position in `members`: the first member with the same text, byte for byte. */
  readonly texts: Uint32Array;
  /** By position in `members`: the key of the punctuation of the text; 0 if all texts of the group are the same. */
  readonly punctuation: Uint32Array;
}

/** Documents that may be in a group. */
export interface KeyedDocuments {
  /** Their numbers, in any order. */
  readonly numbers: Uint32Array;
  /** Their 128-bit content keys, four uint32 each. */
  readonly keys: Uint32Array;
  /** The keys of their texts, four uint32 each; null: sets, which have no texts, so that all members count as identical. */
  readonly textKeys: Uint32Array | null;
}

/**
 * Groups documents by their content keys, by radix sort: linear for any keys.
 *
 * @param documents all documents
 * @param parts documents with equal keys are in the same part, each document once
 */
export function duplicateGroups(documents: number, parts: Iterable<KeyedDocuments>): DuplicateGroups {
  const firstOf = numbersBelow(documents);
  const textOf = numbersBelow(documents);
  const punctuationOf = newArray(Uint32Array, documents);
  for (const { numbers, keys, textKeys } of parts) {
    const rows = numbersBelow(numbers.length);
    eachRun(keys, rows, (run, from, to) => {
      nameAfterLeast(numbers, run, from, to, firstOf);
      if (textKeys === null || areEqual(textKeys, run, from, to))
        nameAfterLeast(numbers, run, from, to, textOf);
      else {
        for (let i = from; i < to; i++)
          punctuationOf[numbers[run[i]!]!] = textKeys[4 * run[i]! + PUNCTUATION_WORD]!;
        eachRun(textKeys, run.subarray(from, to), (same, first, end) =>
          nameAfterLeast(numbers, same, first, end, textOf),
        );
      }
    });
  }
  return { firstOf, ...groupsOf(firstOf, textOf, punctuationOf) };
}

/** Writes the smallest number of each run of equal keys for all documents of the run. */
function nameAfterLeast(
  numbers: Uint32Array,
  rows: Uint32Array,
  from: number,
  to: number,
  names: Uint32Array,
): void {
  let least = numbers[rows[from]!]!;
  for (let i = from + 1; i < to; i++) least = Math.min(least, numbers[rows[i]!]!);
  for (let i = from; i < to; i++) names[numbers[rows[i]!]!] = least;
}

function groupsOf(
  firstOf: Uint32Array,
  textOf: Uint32Array,
  punctuationOf: Uint32Array,
): Omit<DuplicateGroups, 'firstOf'> {
  // By first member: the number of its later members; then the position of the next one.
  const place = newArray(Uint32Array, firstOf.length);
  let [groups, later] = [0, 0];
  for (let document = 0; document < firstOf.length; document++) {
    const first = firstOf[document]!;
    if (first === document) continue;
    if (place[first]!++ === 0) groups++;
    later++;
  }
  const offsets = new Uint32Array(groups + 1);
  const members = newArray(Uint32Array, later + groups);
  for (let document = 0, group = 0; document < firstOf.length; document++) {
    const first = firstOf[document]!;
    if (first !== document) members[place[first]!++] = document;
    else if (place[document]! > 0) {
      const from = offsets[group++]!;
      offsets[group] = from + 1 + place[document]!;
      members[from] = document;
      place[document] = from + 1;
    }
  }
  const texts = newArray(Uint32Array, members.length);
  const punctuation = newArray(Uint32Array, members.length);
  for (let i = 0; i < members.length; i++) {
    texts[i] = textOf[members[i]!]!;
    punctuation[i] = punctuationOf[members[i]!]!;
  }
  return { offsets, members, texts, punctuation };
}

/** Sorts rows by their keys, and visits each run [from, to) of two or more equal ones. */
function eachRun(
  keys: Uint32Array,
  rows: Uint32Array,
  visit: (rows: Uint32Array, from: number, to: number) => void,
): void {
  const high = sortByHalf(keys, rows, 2);
  for (let from = 0, to = 0; from < rows.length; from = to) {
    to = endOfRun(high, from, rows.length);
    if (to - from < 2) continue;
    if (areEqual(keys, rows, from, to)) {
      visit(rows, from, to);
      continue;
    }
    const some = rows.subarray(from, to);
    const low = sortByHalf(keys, some, 0);
    for (let first = 0, end = 0; first < some.length; first = end) {
      end = endOfRun(low, first, some.length);
      if (end - first > 1) visit(some, first, end);
    }
  }
}

/** Sorts rows by the 64 bits of their keys from `word` on; returns these bits in that order. */
function sortByHalf(keys: Uint32Array, rows: Uint32Array, word: 0 | 2): Uint32Array {
  const halves = newArray(Uint32Array, 2 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    halves[2 * i] = keys[4 * rows[i]! + word]!;
    halves[2 * i + 1] = keys[4 * rows[i]! + word + 1]!;
  }
  sortByKey64(halves, rows, rows.length);
  return halves;
}

function endOfRun(halves: Uint32Array, from: number, count: number): number {
  let to = from + 1;
  while (to < count && halves[2 * to] === halves[2 * from] && halves[2 * to + 1] === halves[2 * from + 1])
    to++;
  return to;
}

/** Whether the rows [from, to) all have the same key. */
function areEqual(keys: Uint32Array, rows: Uint32Array, from: number, to: number): boolean {
  const first = 4 * rows[from]!;
  for (let i = from + 1; i < to; i++)
    for (let word = 0; word < 4; word++) if (keys[4 * rows[i]! + word] !== keys[first + word]) return false;
  return true;
}
