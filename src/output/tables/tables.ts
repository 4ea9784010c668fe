/**
 * How the rows of a table are cut into part files.
 *
 * Part boundaries follow from the number of rows alone, so they are the same for any threads or
 * shards.
 */

import type { Column } from '../../blocks/block.js';
import type { IdTable } from '../../blocks/ids.js';
import type { Agreements } from '../../blocks/pairs.js';
import { ERRORS, type ErrorCode, SKIP_CODES } from '../../errors.js';
import type { Measure } from '../../sketch/params.js';
import type { WrittenFile } from '../../store/files.js';
import { agreementMillionths } from './escaping.js';
import {
  emptyCell,
  millionthsCell,
  type ResultPlace,
  rowsOf,
  type TableField,
  type WritingTools,
  wordCell,
  writeRows,
  writeTable,
} from './rows.js';

/** Rows of a part; the last one of a table may have fewer. */
export const ROWS_PER_PART = 1_000_000;

/** Rows [from, to) of a table go to part number `part`. JSON, so it can be the parameter of a task. */
export interface RowRange {
  readonly part: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The parts of a table of `rows` rows. No rows: one part without any, so that the file with the column names
 * is there.
 */
export function planParts(rows: number, rowsPerPart: number = ROWS_PER_PART): RowRange[] {
  const parts: RowRange[] = [];
  for (let from = 0; from < rows; from += rowsPerPart) {
    parts.push({ part: parts.length, from, to: Math.min(rows, from + rowsPerPart) });
  }
  return parts.length > 0 ? parts : [{ part: 0, from: 0, to: 0 }];
}

/*
 * The two lists of a result: the drop list (`duplicates`) and what was left out (`skipped`), one file each.
 *
 * Never decides what is dropped or skipped. Reasons are the error table's words, never the
 * platform's.
 */

export const DUPLICATE_COLUMNS = ['document', 'kept', 'jaccard'] as const;
/** Of a run that measures containment: how much of the document is in the kept one. */
export const CONTAINED_COLUMNS = ['document', 'kept', 'containment'] as const;
export const SKIPPED_COLUMNS = ['document', 'reason'] as const;

/** The drop list as columns, sorted by document. */
export interface DroppedColumns {
  readonly document: Uint32Array;
  /** The kept document that stands for it. */
  readonly kept: Uint32Array;
  /** By the measure of the run. */
  readonly jaccard: Float64Array;
}

/** The columns of the drop list. */
export function duplicateColumns(measure: Measure): readonly string[] {
  return measure === 'containment' ? CONTAINED_COLUMNS : DUPLICATE_COLUMNS;
}

/** Writes the drop list, `listName('duplicates', format)`. @throws MinHashError WRITE_FAILED */
export function writeDuplicates(
  place: ResultPlace,
  ids: IdTable,
  { document, kept, jaccard }: DroppedColumns,
  tools?: WritingTools,
  measure: Measure = 'resemblance',
): WrittenFile {
  return writeTable(
    place,
    { names: duplicateColumns(measure), fields: [{ kind: 'id' }, { kind: 'id' }, { kind: 'fraction' }] },
    ids,
    rowsOf(0, document.length, [document, kept, jaccard]),
    tools,
  );
}

/** Skipped documents and places, in any order. */
export interface SkippedPlaces {
  /** Ids, or paths where there is no id; place i has code i. */
  readonly places: IdTable;
  /** Indices into SKIP_CODES. */
  readonly codes: Uint8Array;
}

/** `CODE: text of the error table`: the reason as it stands in the file. */
export function skipReason(code: ErrorCode): string {
  return `${code}: ${ERRORS[code].text}`;
}

/**
 * The order of the rows: by the place's bytes, then by the code's name (its number may change with the
 * table).
 */
export function skippedOrder(skipped: SkippedPlaces): Uint32Array {
  const { offsets, bytes } = skipped.places;
  const placeOf = (i: number): Uint8Array => bytes.subarray(offsets[i]!, offsets[i + 1]!);
  const order = Uint32Array.from(skipped.codes, (_, i) => i);
  return order.sort((x, y) => {
    const byPlace = Buffer.compare(placeOf(x), placeOf(y));
    if (byPlace !== 0) return byPlace;
    const codeX = SKIP_CODES[skipped.codes[x]!]!;
    const codeY = SKIP_CODES[skipped.codes[y]!]!;
    return codeX < codeY ? -1 : codeX > codeY ? 1 : 0;
  });
}

/** Writes `listName('skipped', format)`, one row a place, sorted here. @throws MinHashError WRITE_FAILED */
export function writeSkipped(
  place: ResultPlace,
  skipped: SkippedPlaces,
  tools?: Pick<WritingTools, 'door'>,
): WrittenFile {
  const { offsets, bytes } = skipped.places;
  const reasons = SKIP_CODES.map((code) => wordCell(skipReason(code), place.format));
  return writeRows(
    place,
    SKIPPED_COLUMNS,
    (rows) => {
      for (const i of skippedOrder(skipped)) {
        rows.text(bytes, offsets[i]!, offsets[i + 1]!);
        rows.word(reasons[skipped.codes[i]!]!);
        rows.endRow();
      }
    },
    tools,
  );
}

/*
 * Agreements as cells: they have few values, so each is written once.
 *
 * Knows nothing of rows.
 */

/** The cell of `count / hashes` for every count 0..hashes; the same in every format. */
export function agreementCells(hashes: number): Uint8Array[] {
  return Array.from(agreementMillionths(hashes), millionthsCell);
}

/** How a column of agreements is written: counts of `hashes` slots as cells, shares as fractions. */
export function agreementField(agreements: Agreements, hashes: number): TableField {
  if (agreements instanceof Float64Array) return { kind: 'fraction' };
  return { kind: 'cell', cells: agreementCells(hashes) };
}

/*
 * The parts of `candidates/`: every candidate pair with what became of it.
 *
 * Rows come sorted by (a, b); identity pairs are no candidates. Never judges a pair.
 */

export const CANDIDATE_COLUMNS = ['a', 'b', 'agreement', 'jaccard', 'accepted'] as const;

/** Candidate pairs as columns, sorted by (a, b), a < b. */
export interface CandidateColumns {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Equal slots of the two signatures, 0..hashes; or shares. */
  readonly agreement: Agreements;
  /** Exact Jaccard resemblance, NaN where it was not computed; null where it never was. */
  readonly jaccard: Float64Array | null;
  /** 1 = accepted, 0 = not. */
  readonly accepted: Uint8Array;
}

/**
 * Writes rows [from, to) as one part. `hashes` is the signature length that agreements are shares of; of shares 1.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function writeCandidatesPart(
  place: ResultPlace,
  ids: IdTable,
  { a, b, agreement, jaccard, accepted }: CandidateColumns,
  hashes: number,
  from: number,
  to: number,
  tools?: WritingTools,
): WrittenFile {
  const { format } = place;
  const fields: TableField[] = [
    { kind: 'id' },
    { kind: 'id' },
    agreementField(agreement, hashes),
    jaccard === null ? { kind: 'same', cell: emptyCell(format) } : { kind: 'fraction' },
    { kind: 'cell', cells: [wordCell('no', format), wordCell('yes', format)] },
  ];
  const columns: Column[] = [a, b, agreement, ...(jaccard === null ? [] : [jaccard]), accepted];
  return writeTable(place, { names: CANDIDATE_COLUMNS, fields }, ids, rowsOf(from, to, columns), tools);
}

/*
 * The parts of `clusters/`: which documents hang together, and how like each is to its representative.
 *
 * Rows come sorted by (cluster, document). Never decides who belongs where.
 */

export const CLUSTER_COLUMNS = ['cluster', 'document', 'role', 'similarity', 'basis'] as const;

/** Clusters as columns, one row a document. */
export interface ClusterColumns {
  /** From 1. */
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
  /** 0 representative, 1 member. */
  readonly role: Uint8Array;
  /** To the representative; 1 for itself. */
  readonly similarity: Float64Array;
  /** 0 exact, 1 estimate. */
  readonly basis: Uint8Array;
}

/** Writes rows [from, to) as one part. @throws MinHashError WRITE_FAILED */
export function writeClustersPart(
  place: ResultPlace,
  ids: IdTable,
  { cluster, document, role, similarity, basis }: ClusterColumns,
  from: number,
  to: number,
  tools?: WritingTools,
): WrittenFile {
  const words = (...texts: string[]): Uint8Array[] => texts.map((text) => wordCell(text, place.format));
  const fields: TableField[] = [
    { kind: 'integer' },
    { kind: 'id' },
    { kind: 'cell', cells: words('representative', 'member') },
    { kind: 'fraction' },
    { kind: 'cell', cells: words('exact', 'estimate') },
  ];
  const columns = [cluster, document, role, similarity, basis];
  return writeTable(place, { names: CLUSTER_COLUMNS, fields }, ids, rowsOf(from, to, columns), tools);
}

/*
 * The list of eliminated shingles: what occurs in too many documents to be in a sketch, the most frequent first.
 *
 * Never decides what is eliminated. A hash is written as one number of 64 bits, in 16 hexadecimal digits.
 */

export const ELIMINATED_COLUMNS = ['shingle', 'documents', 'text'] as const;

/** Eliminated shingles, sorted by hash. */
export interface EliminatedShingles {
  /** Pairs (low, high). */
  readonly hashes: Uint32Array;
  /** How many documents have each. */
  readonly documents: Uint32Array;
  /** Its tokens, as where it occurs first; no bytes where that is not known. */
  readonly texts: IdTable;
}

const digits = (word: number): string => word.toString(16).padStart(8, '0');

/** Rows by falling number of documents, then by hash. */
function eliminatedOrder(documents: Uint32Array): Uint32Array {
  return Uint32Array.from(documents, (_, i) => i).sort((x, y) => documents[y]! - documents[x]! || x - y);
}

/** Writes `listName('eliminated', format)`, one row a shingle. @throws MinHashError WRITE_FAILED */
export function writeEliminated(
  place: ResultPlace,
  { hashes, documents, texts }: EliminatedShingles,
  tools?: Pick<WritingTools, 'door'>,
): WrittenFile {
  return writeRows(
    place,
    ELIMINATED_COLUMNS,
    (rows) => {
      for (const i of eliminatedOrder(documents)) {
        rows.word(wordCell(digits(hashes[2 * i + 1]!) + digits(hashes[2 * i]!), place.format));
        rows.integer(documents[i]!);
        rows.id(texts, i);
        rows.endRow();
      }
    },
    tools,
  );
}
