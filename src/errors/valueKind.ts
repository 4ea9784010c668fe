/**
 * What a value is, for messages about values of a wrong kind.
 *
 * Floor 0: imports nothing.
 */

const LONGEST = 40;

/** `null`, `the number 5`, `the string "abc"`, `an Array`, `an object`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') {
    return `the string ${JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value)}`;
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return `the ${typeof value} ${String(value)}`;
  // By its name: one of another realm is none of our class.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? 'an object' : `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
