/**
 * JSON with one spelling: keys sorted by code unit, indent of two blanks, one LF at the end.
 *
 * Floor 2. For our own small values only (it recurses on their depth). Knows nothing of what they mean.
 */

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** The canonical text. Keys that look like array indices would be moved by the language: we have none. */
export function canonicalJson(value: object): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/** The same as UTF-8 bytes. */
export function canonicalJsonBytes(value: object): Uint8Array {
  return Buffer.from(canonicalJson(value), 'utf8');
}
