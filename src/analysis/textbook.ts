/** MinHash and Jaccard similarity as in MMDS, for small sets. */
import { checkIterable, kindOf, MinHashError } from '../errors.js';

/**
 * The signature matrix SIG(i, c) of Mining of Massive Datasets 3.3.5, for known answers and small sets of numbers (runs
 * use blocks, not lists of numbers): `result[i][c]` is the least value of hash function i over the rows in which column
 * c has a 1; Infinity for a column without a 1.
 *
 * `columns[c]` lists the row numbers of column c, in any order. Each row is hashed once by each function, in the order
 * of row numbers. Figure 3.4: rows {0,3}, {2}, {1,3,4}, {0,2,3} under x+1 and 3x+1 mod 5 give 1 3 0 1 and 0 2 0 0.
 *
 * @throws MinHashError DOCUMENT_INVALID for a value that is not a collection, or not a function if one is expected
 */
export function minhashRows(
  columns: readonly (readonly number[])[],
  hashFunctions: readonly ((row: number) => number)[],
): number[][] {
  const columnsOfRow = new Map<number, number[]>();
  const lists = [...checkIterable(columns, 'columns')];
  const hashes = [...checkIterable(hashFunctions, 'hashFunctions')];
  for (const hash of hashes) {
    if (typeof hash === 'function') continue;
    const detail = `hashFunctions: expected functions, got ${kindOf(hash)}`;
    throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
  }
  lists.forEach((rows, column) => {
    for (const row of checkIterable(rows, `columns[${column}]`)) {
      const entry = columnsOfRow.get(row);
      if (entry === undefined) columnsOfRow.set(row, [column]);
      else entry.push(column);
    }
  });
  const signatures = hashes.map(() => lists.map(() => Number.POSITIVE_INFINITY));
  for (const row of [...columnsOfRow.keys()].sort((a, b) => a - b)) {
    hashes.forEach((hash, i) => {
      const value = hash(row);
      const signature = signatures[i]!;
      for (const column of columnsOfRow.get(row)!) {
        if (value < signature[column]!) signature[column] = value;
      }
    });
  }
  return signatures;
}

/**
 * Jaccard similarity of two collections taken as sets, 0..1; 0 if both are empty.
 *
 * @throws MinHashError DOCUMENT_INVALID for a value that is not a collection
 */
export function jaccardOf<Element>(a: Iterable<Element>, b: Iterable<Element>): number {
  const setA = new Set(checkIterable(a, 'a'));
  const setB = new Set(checkIterable(b, 'b'));
  let common = 0;
  for (const element of setA) if (setB.has(element)) common++;
  const union = setA.size + setB.size - common;
  return union === 0 ? 0 : common / union;
}
