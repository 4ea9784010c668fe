/**
 * Finds the name that a user may have meant by a mistyped one.
 *
 * Pure.
 */

/** Minimum length of a prefix: shorter ones match too many names. */
const LEAST_BEGINNING = 4;

/**
 * The name nearest to a mistyped one, or null if no name is near: at most one edit per three characters, letters only (so
 * `max-document` finds `maxDocument`). Ties: the first of the list. If no whole name is near, the only name with a similar
 * prefix (so `tresh` finds `threshold`).
 */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const wanted = lettersOf(typed);
  return nearestWhole(wanted, names) ?? nearestBeginning(wanted, names);
}

/** The suggestion for an unknown name, as the end of a message; empty if no name is near. */
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
 * The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other (optimal string
 * alignment); `limit` when the lengths differ by at least as much.
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
