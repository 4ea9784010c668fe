/**
 * Finds the name somebody may have meant.
 *
 * Pure; knows no option.
 */

/** Fewer letters begin too many names. */
const LEAST_BEGINNING = 4;

/**
 * The name nearest to a mistyped one, or null when none is near: at most one edit in three characters,
 * letters only (so `max-document` finds `maxDocument`). Ties: the first of the list. Where none is near as a whole, the only name
 * whose beginning is (so `tresh` finds `threshold`).
 */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const wanted = lettersOf(typed);
  return nearestWhole(wanted, names) ?? nearestBeginning(wanted, names);
}

/** Behind a word that is none of these names: the one that may have been meant; empty where none is near. */
export function meantName(typed: string, names: readonly string[]): string {
  const near = nearestName(typed, names);
  return near === null ? '' : `, did you mean ${near}?`;
}

function nearestBeginning(wanted: string, names: readonly string[]): string | null {
  if (wanted.length < LEAST_BEGINNING) return null;
  const limit = Math.floor(wanted.length / 3) + 1;
  const near = names.filter((name) => {
    const letters = lettersOf(name);
    return [-1, 0, 1].some(
      (more) => editDistance(wanted, letters.slice(0, wanted.length + more), limit) < limit,
    );
  });
  return near.length === 1 ? near[0]! : null;
}

function nearestWhole(wanted: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let least = Math.floor(wanted.length / 3) + 1;
  for (const name of names) {
    const distance = editDistance(wanted, lettersOf(name), least);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

function lettersOf(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that make one text of the other (optimal string
 * alignment); `limit` when the lengths alone already ask for as much.
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, older[j - 2]! + 1);
      row.push(cost);
    }
    older = previous;
    previous = row;
  }
  return previous[b.length]!;
}

/** By the name of an option that a command does not have: what there is instead, behind the words that there is no such option. */
export const INSTEAD_OF_OPTIONS: Readonly<Record<string, string>> = {
  decisions:
    ': decisions change a drop list, which is made when all documents are known; expected with run, apply or view',
  format:
    ': results are TSV, and mr-minhash export RESULT --format csv (or jsonl, parquet, arrow) makes the other forms',
};
