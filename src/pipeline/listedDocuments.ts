/**
 * Documents that were read and are named all the same: repaired ones, and those without a token.
 *
 * Floor 4.
 */
import { EMPTY, REPAIRED } from '../blocks/documents.js';
import { LISTED_CODES } from '../errors.js';
import type { Corpus } from './corpus.js';

/** In the order of their numbers, and of the names of the codes. */
export interface ListedDocuments {
  /** Document numbers. */
  readonly rows: Uint32Array;
  /** Indices into LISTED_CODES. */
  readonly codes: Uint8Array;
}

/** A row: a number and a code. */
const ROW_BYTES = 5;

/** Bytes of so many rows, which are copied once for the task that writes them. */
export function listedBytes(rows: number): number {
  return 2 * ROW_BYTES * rows;
}

/** @param isSets sets are told in words of their own */
export function listedDocuments(
  { documents, tables, blockOf, columnOf }: Corpus,
  withdrawn: Uint8Array,
  isSets: boolean,
): ListedDocuments {
  const empty = LISTED_CODES.indexOf(isSets ? 'SETS_EMPTY' : 'EMPTY');
  const repaired = LISTED_CODES.indexOf(isSets ? 'SETS_REPAIRED' : 'REPAIRED');
  const flagsOf = (d: number): number =>
    withdrawn[d] === 1 ? 0 : tables[blockOf[d]!]!.columns.flags[columnOf[d]!]!;
  let length = 0;
  for (let d = 0; d < documents; d++) {
    const flags = flagsOf(d);
    if (flags & EMPTY) length++;
    if (flags & REPAIRED) length++;
  }
  const rows = new Uint32Array(length);
  const codes = new Uint8Array(length);
  const add = (d: number, code: number): void => {
    rows[--length] = d;
    codes[length] = code;
  };
  for (let d = documents - 1; length > 0; d--) {
    const flags = flagsOf(d);
    if (flags & REPAIRED) add(d, repaired);
    if (flags & EMPTY) add(d, empty);
  }
  return { rows, codes };
}
