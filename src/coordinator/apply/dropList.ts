/** The drop list of a result as columns, by file and record number. Rows are matched by location, never by id. */

import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import { rowsByKey } from '../../arrays/rowsByKey.js';
import { firstWhere } from '../../arrays/search.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { WHOLE_FILE } from '../../blocks/documents.js';
import { MinHashError } from '../../errors.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import { bytesOf, textOf } from '../../readers/list/pathIds.js';
import type { Manifest } from '../../result/manifest.js';
import { tableRows } from '../../result/readResult.js';
import { checkFiles } from '../../result/verifyResult.js';
import type { Unit } from '../../sketch/params.js';
import { unitOfId } from '../../text/units.js';
import type { AppliedDrops } from './appliedDrops.js';

/** A document: its file, and its number there (WHOLE_FILE: it is the file). */
export interface PlacedDocument {
  readonly file: number;
  readonly number: number;
}

/**
 * What follows the id of a file: nothing, a number, or an empty number for a whole file whose id looks like a record.
 */
const NUMBERED = /^(.*)#(\d*)$/s;

/** Values of documents in these files. */
class PlacedValues {
  readonly #files: FileTable;
  readonly #unit: Unit;
  readonly #file = new Uint32Column();
  readonly #number = new Float64Column();
  readonly #unitNumber = new Float64Column();
  readonly #value = new Float64Column();
  /** The file of the previous location, because rows of one file are mostly contiguous. */
  #last: { readonly name: string; readonly file: number } | null = null;

  constructor(files: FileTable, unit: Unit = 'document') {
    this.#files = files;
    this.#unit = unit;
  }

  /** Adds the value of a document; false: it is in none of the files. @param place binary string */
  add(place: string, value: number): boolean {
    const cut = this.#unit === 'document' ? { name: place, number: 0 } : unitOfId(place, this.#unit);
    const document = cut === null ? null : this.#documentAt(cut.name);
    if (document === null) return false;
    this.#file.push(document.file);
    this.#number.push(document.number);
    this.#unitNumber.push(cut!.number);
    this.#value.push(value);
    return true;
  }

  /** The document at a location (src/readers/list/pathIds.ts describes locations); null: it is in none of the files. */
  #documentAt(place: string): PlacedDocument | null {
    const files = this.#files;
    const [, name, digits] = NUMBERED.exec(place) ?? [];
    if (name !== undefined) {
      if (name !== this.#last?.name) this.#last = { name, file: files.indexOf(bytesOf(name)) };
      const { file } = this.#last;
      if (file >= 0 && digits === '') return { file, number: WHOLE_FILE };
      const hasRecords = file >= 0 && formatOfKind(files.kinds[file]!).holds !== 'text';
      if (hasRecords && Number.isSafeInteger(Number(digits))) return { file, number: Number(digits) };
    }
    const whole = files.indexOf(bytesOf(place));
    return whole < 0 ? null : { file: whole, number: WHOLE_FILE };
  }

  sorted(): DocumentValues {
    const [file, number, value] = [this.#file.view, this.#number.view, this.#value.view];
    const unit = this.#unitNumber.view;
    const order = Uint32Array.from(file, (_, i) => i);
    // Sorts by the least significant column first, because sorts are stable.
    for (const column of [unit, number]) sortBy(column, order);
    const { starts, rows } = rowsByKey(this.#files.length, (give) => {
      for (const row of order) give(file[row]!, row);
    });
    return {
      starts,
      numbers: Float64Array.from(rows, (row) => number[row]!),
      units: Float64Array.from(rows, (row) => unit[row]!),
      values: Float64Array.from(rows, (row) => value[row]!),
    };
  }
}

/** Sorts rows by a column of integers >= -1; a column with a single value is skipped. */
function sortBy(column: Float64Array, rows: Uint32Array): void {
  const keys = new Uint32Array(2 * rows.length);
  let isSorted = true;
  for (let i = 0; i < rows.length; i++) {
    const value = column[rows[i]!]! + 1;
    keys[2 * i] = value >>> 0;
    keys[2 * i + 1] = Math.floor(value / 2 ** 32);
    if (i > 0 && value < column[rows[i - 1]!]! + 1) isSorted = false;
  }
  if (!isSorted) sortByKey64(keys, rows, rows.length);
}

/**
 * The documents of file `i` are at `starts[i]` to `starts[i + 1]`: numbers of documents, ascending, with a value each.
 */
export interface DocumentValues {
  readonly starts: Uint32Array;
  readonly numbers: Float64Array;
  /** Numbers of units in their documents, ascending in each document; 0 if whole documents were compared. */
  readonly units: Float64Array;
  /** NaN: the result has no value. */
  readonly values: Float64Array;
}

/** The value of a document; undefined: it is not listed. */
export function valueIn(
  { starts, numbers, values }: DocumentValues,
  { file, number }: PlacedDocument,
): number | undefined {
  const end = starts[file + 1]!;
  const at = firstWhere(starts[file]!, end, (row) => numbers[row]! >= number);
  return at < end && numbers[at] === number ? values[at] : undefined;
}

/**
 * The dropped documents, with their similarity to the kept one.
 *
 * @throws MinHashError RESULT_DAMAGED if the list does not match the manifest, or a location is in no input; OPTION_INVALID for such a
 * location in an edited list
 */
export async function readDropList(
  folder: string,
  { manifest, rows }: AppliedDrops,
  files: FileTable,
): Promise<DocumentValues> {
  await checkFiles(folder, manifest, 'duplicates.');
  const placed = new PlacedValues(files, manifest.parameters.unit);
  for await (const { place, jaccard, containment, at } of rows()) {
    if (placed.add(place, jaccard ?? containment ?? Number.NaN)) continue;
    if (at === undefined) throw notInInputs(folder, place);
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `${at} names no document of the result: ${textOf(place)}`,
      remedy: 'correct its location (the column place of duplicates.tsv), or remove the line',
    });
  }
  const list = placed.sorted();
  const { numbers, units, starts } = list;
  for (let i = 0; i < files.length; i++) {
    for (let at = starts[i]! + 1; at < starts[i + 1]!; at++) {
      if (numbers[at] !== numbers[at - 1] || units[at] !== units[at - 1]) continue;
      throw damagedDropList(folder, `${textOf(files.id(i))}#${numbers[at]} is listed twice`);
    }
  }
  const { dropped } = manifest.counts;
  if (numbers.length === dropped) return list;
  throw damagedDropList(folder, `it has ${numbers.length} documents, its manifest has ${dropped}`);
}

/** The clusters of a result. */
export interface ClusterFacts {
  readonly numbers: DocumentValues;
  /** By cluster number, from 1: the number of its documents. */
  readonly sizes: readonly number[];
}

/** The clusters of the result. `isPart`: some of their documents are in other files. @throws as readDropList */
export async function readClusterFacts(
  folder: string,
  manifest: Manifest,
  files: FileTable,
  isPart: boolean,
): Promise<ClusterFacts> {
  await checkFiles(folder, manifest, 'clusters/');
  const placed = new PlacedValues(files);
  const sizes = [0];
  for await (const { place, cluster } of tableRows(folder, 'clusters')) {
    if (!placed.add(place, cluster) && !isPart) throw notInInputs(folder, place);
    sizes[cluster] = (sizes[cluster] ?? 0) + 1;
  }
  return { numbers: placed.sorted(), sizes };
}

const notInInputs = (folder: string, place: string): MinHashError =>
  damagedDropList(folder, `${textOf(place)} is in no input of its run`);

export function damagedDropList(folder: string, what: string): MinHashError {
  return new MinHashError({ code: 'RESULT_DAMAGED', detail: `${folder}: the drop list: ${what}` });
}
