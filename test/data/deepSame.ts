/**
 * t.deepEqual for values with long typed arrays: it makes a string of every index of them, which takes far longer than what
 * is tested. Where the values differ, it is asked nevertheless, to show how.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ExecutionContext } from 'ava';

export function deepSame<T>(t: ExecutionContext, actual: T, expected: T, message?: string): void {
  if (isDeepStrictEqual(actual, expected)) t.pass();
  else t.deepEqual(actual, expected, message);
}
