/**
 * Names of documents: which of those with one id keeps it, and how the others are named. In memory ids are found by an index
 * (src/coordinator/sketch/places.ts), engines sort them (src/tasks/stages/documents/namingStages.ts).
 *
 *      record has           place        name
 *      x                    a.jsonl#1    x            the first by place keeps it
 *      x                    b.jsonl#7    b.jsonl#7    every other is named by its place
 *      (none)               c.txt        c.txt        no other document has this place: it goes before ids that records name
 *      x                    d.jsonl#2    d.jsonl#2~1  where a record names just this place as its own id, which it keeps;
 *      d.jsonl#2            e.jsonl#1    d.jsonl#2    `~1`, or the first number that no id ends with
 *
 * Places are distinct (src/readers/list/pathIds.ts). So all names are, and only repeated ids are replaced.
 */

/** Of documents with one id the least keeps it, and the first by place among equal ones: before others the one whose place it is. */
export const claimOf = (isNamed: boolean): 0 | 1 => (isNamed ? 1 : 0);

const TILDE = 0x7e;

/** Numbers with more digits exceed the count of all ids. */
const MOST_DIGITS = 14;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Where the bytes [from, to) of an id end with `~` and a number: 16 times the number, and how many digits it has; else -1. */
export function endingOf(bytes: Uint8Array, from: number, to: number): number {
  let [at, number, unit] = [to - 1, 0, 1];
  for (; at >= from && isDigit(bytes[at]!) && to - at <= MOST_DIGITS; unit *= 10) {
    number += unit * (bytes[at--]! - 0x30);
  }
  const digits = to - 1 - at;
  return digits > 0 && at >= from && bytes[at] === TILDE ? 16 * number + digits : -1;
}

/** Finds the least number from 1 that no ending has. `most`: a bound of the count of ids, a bit each. */
export class FreeNumber {
  private readonly used: Uint8Array;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
    this.used = new Uint8Array(Math.ceil((most + 1) / 8));
  }

  /** @param ending of `endingOf`; far longer ones than the count of ids are ignored */
  add(ending: number): void {
    const [number, digits] = [Math.floor(ending / 16), ending % 16];
    if (ending < 0 || number > this.most || 10 ** (digits - 1) > 10 * this.most) return;
    this.used[number >>> 3]! |= 1 << (number & 7);
  }

  get least(): number {
    let number = 1;
    while (((this.used[number >>> 3]! >>> (number & 7)) & 1) === 1) number++;
    return number;
  }
}
