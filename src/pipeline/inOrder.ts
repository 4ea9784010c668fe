/**
 * Work over many items with results in the order of the items.
 *
 * Floor 4.
 */
import { runInOrder } from '../engine/ordered.js';

/** Calls `work` for the items, at most `limit` at a time, and yields the results in the order of the items; see runInOrder. */
export function inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  return runInOrder(work, limit, items);
}
