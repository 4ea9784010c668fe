/**
 * Routes of ranges: the first four bytes of a range's keys, chosen so that Hadoop's BinaryPartitioner, which hashes them, gives
 * the ranges to its Reduce tasks in order.
 */

/** The Reduce task that BinaryPartitioner gives a route: WritableComparator.hashBytes over its big-endian bytes. */
function reducerOf(route: number, reducers: number): number {
  let hash = 1;
  for (let shift = 24; shift >= 0; shift -= 8) {
    const signed = ((route >>> shift) << 24) >> 24;
    hash = (Math.imul(31, hash) + signed) | 0;
  }
  return (hash & 0x7fffffff) % reducers;
}

/** Ascending; range r belongs to reducer floor(r x reducers / ranges). */
export function routesFor(ranges: number, reducers: number): readonly number[] {
  const routes: number[] = [];
  let route = 0;
  for (let range = 0; range < ranges; range++) {
    const reducer = Math.floor((range * reducers) / ranges);
    while (reducerOf(route, reducers) !== reducer) route++;
    routes.push(route++);
  }
  return routes;
}
