/**
 * Spans of time as a user writes them.
 *
 * Floor 4. Knows no option by name.
 */

/** Milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  '': 1000,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};
const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|min|h)?$/i;

/** What a duration has to be, to follow "expected". */
export const DURATION_EXPECTED = 'a duration such as 30s, 10m, 1.5h or a number of seconds, or 0';

/**
 * Milliseconds, rounded, or null where it is no duration: a number of seconds, or a text such as `30s`, `10 m`, `1.5h`,
 * `500ms`, `90`.
 */
export function parseDuration(value: unknown): number | null {
  const match = DURATION.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  if (match === null) return null;
  const milliseconds = Math.round(Number(match[1]) * UNITS[(match[2] ?? '').toLowerCase()]!);
  return Number.isSafeInteger(milliseconds) ? milliseconds : null;
}
