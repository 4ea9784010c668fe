/**
 * Elimination of popular shingles: fingerprints in more than N documents (Broder, Glassman, Manasse, Zweig
 * 1997, section 4).
 *
 * Such shingles say little about resemblance and make counting pairs by shared fingerprints quadratic.
 * Sketches without them find candidates; exact values stay those of the full sets.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortByKey64 } from '../../arrays/sort.js';

interface PopularFingerprints {
  /** Pairs (low, high), sorted. */
  readonly fingerprints: Uint32Array;
  /** In how many documents each occurs, more than N. */
  readonly documents: Uint32Array;
  readonly size: number;
}

/** Row i: fingerprint i (a pair) occurs in document documents[i]. */
export interface FingerprintRows {
  readonly fingerprints: Uint32Array;
  readonly documents: Uint32Array;
  /** Rows in use, from the first. */
  readonly count: number;
}

function isRising(numbers: Uint32Array, count: number): boolean {
  for (let i = 1; i < count; i++) if (numbers[i]! < numbers[i - 1]!) return false;
  return true;
}

/** A copy of the rows sorted by (fingerprint, document). */
function sortedRows(rows: FingerprintRows): [fingerprints: Uint32Array, documents: Uint32Array] {
  const { count } = rows;
  const fingerprints = rows.fingerprints.slice(0, 2 * count);
  const documents = rows.documents.slice(0, count);
  if (!isRising(documents, count)) {
    // The sort is stable, so the documents are put in order first.
    const keys = new Uint32Array(2 * count);
    const places = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      keys[2 * i] = documents[i]!;
      places[i] = i;
    }
    sortByKey64(keys, places, count);
    for (let i = 0; i < count; i++) {
      const row = places[i]!;
      documents[i] = rows.documents[row]!;
      fingerprints[2 * i] = rows.fingerprints[2 * row]!;
      fingerprints[2 * i + 1] = rows.fingerprints[2 * row + 1]!;
    }
  }
  sortByKey64(fingerprints, documents, count);
  return [fingerprints, documents];
}

/**
 * The fingerprints that occur in more than `most` (>= 0) documents. Rows may come in any order and repeat; a
 * fingerprint counts once a document. The rows are not changed. Linear time, some 24 bytes of memory a row
 * and 36 where documents do not come in order.
 */
export function popularFingerprints(rows: FingerprintRows, most: number): PopularFingerprints {
  const { count } = rows;
  const [fingerprints, documents] = sortedRows(rows);
  const found = new FingerprintTable();
  const counts = new Uint32Array(Math.floor(count / (most + 1)));
  for (let from = 0, to = 0; from < count; from = to) {
    let distinct = 1;
    for (to = from + 1; to < count; to++) {
      if (fingerprints[2 * to] !== fingerprints[2 * from]) break;
      if (fingerprints[2 * to + 1] !== fingerprints[2 * from + 1]) break;
      if (documents[to] !== documents[to - 1]) distinct++;
    }
    if (distinct > most) {
      counts[found.add(fingerprints[2 * from]!, fingerprints[2 * from + 1]!)] = distinct;
    }
  }
  const { size } = found;
  return { fingerprints: found.keys.slice(0, 2 * size), documents: counts.slice(0, size), size };
}

/** The rows without the popular fingerprints, in the same order, as new columns. */
export function withoutPopular(rows: FingerprintRows, popular: PopularFingerprints): FingerprintRows {
  const table = new FingerprintTable();
  for (let i = 0; i < 2 * popular.size; i += 2) {
    table.add(popular.fingerprints[i]!, popular.fingerprints[i + 1]!);
  }
  const fingerprints = new Uint32Array(2 * rows.count);
  const documents = new Uint32Array(rows.count);
  let count = 0;
  for (let i = 0; i < rows.count; i++) {
    const low = rows.fingerprints[2 * i]!;
    const high = rows.fingerprints[2 * i + 1]!;
    if (table.numberOf(low, high) >= 0) continue;
    fingerprints[2 * count] = low;
    fingerprints[2 * count + 1] = high;
    documents[count++] = rows.documents[i]!;
  }
  return { fingerprints: fingerprints.slice(0, 2 * count), documents: documents.slice(0, count), count };
}
