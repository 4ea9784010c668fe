/** Long work of one thread in steps, between which the caller may yield to the event loop; and a sort in such steps. */

/** Yields after each step, which should take less than a tenth of a second. */
export type Stepwise<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Stepwise<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Number of texts that are sorted, or merged, in a step. */
const TEXTS = 1 << 14;

/** The texts, sorted by their UTF-16 code units. */
export function* sortedTexts(texts: readonly string[]): Stepwise<string[]> {
  let sorted: string[][] = [];
  for (let from = 0; from < texts.length; from += TEXTS) {
    if (from > 0) yield;
    sorted.push(texts.slice(from, from + TEXTS).sort());
  }
  while (sorted.length > 1) {
    const longer: string[][] = [];
    for (let i = 0; i < sorted.length; i += 2)
      longer.push(i + 1 < sorted.length ? yield* merged(sorted[i]!, sorted[i + 1]!) : sorted[i]!);
    sorted = longer;
  }
  return sorted[0] ?? [];
}

function* merged(a: readonly string[], b: readonly string[]): Stepwise<string[]> {
  const both: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; yield) {
    for (let end = both.length + TEXTS; both.length < end && (i < a.length || j < b.length); )
      both.push(j === b.length || (i < a.length && a[i]! <= b[j]!) ? a[i++]! : b[j++]!);
  }
  return both;
}
