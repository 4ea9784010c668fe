/** The drop list of a result as columns, by file and number of record: rows are found by their places, never by ids. */

import { Float64Column, Uint32Column } from '../../arrays/growable.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { WHOLE_FILE } from '../../blocks/documents.js';
import { MinHashError } from '../../errors.js';
import type { Manifest } from '../../output/manifest.js';
import { type DropRow, tableIn } from '../../output/readResult.js';
import { checkFiles } from '../../output/verifyResult.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import { bytesOf, textOf } from '../../readers/list/pathIds.js';
import type { Unit } from '../../sketch/params.js';
import { unitOfId } from '../../text/units.js';

/** A document: its file, and its number there (WHOLE_FILE: it is the file). */
export interface PlacedDocument {
  readonly file: number;
  readonly number: number;
  /** The number of a unit of it; absent or 0: the whole document. */
  readonly unit?: number;
}

/** What follows the id of a file: nothing, a number, or an empty number where the file is meant though its id looks like a record. */
const NUMBERED = /^(.*)#(\d*)$/s;

/** The file that a place named last: rows of one file mostly follow one another. */
interface LastFile {
  name: string | null;
  file: number;
}

/**
 * The document of a place (src/readers/list/pathIds.ts says how places are made); null: it is in none of these files.
 *
 * @param place binary string
 */
function documentAt(files: FileTable, place: string, last: LastFile): PlacedDocument | null {
  const [, name, digits] = NUMBERED.exec(place) ?? [];
  if (name !== undefined) {
    if (name !== last.name) last.file = files.indexOf(bytesOf(name));
    last.name = name;
    const { file } = last;
    if (file >= 0 && digits === '') return { file, number: WHOLE_FILE };
    if (
      file >= 0 &&
      formatOfKind(files.kinds[file]!).holds !== 'text' &&
      Number.isSafeInteger(Number(digits))
    )
      return { file, number: Number(digits) };
  }
  const whole = files.indexOf(bytesOf(place));
  return whole < 0 ? null : { file: whole, number: WHOLE_FILE };
}

/** Values of documents, by file and number. */
class PlacedValues {
  readonly #file = new Uint32Column();
  readonly #number = new Float64Column();
  readonly #unit = new Float64Column();
  readonly #value = new Float64Column();

  add({ file, number, unit = 0 }: PlacedDocument, value: number): void {
    this.#file.push(file);
    this.#number.push(number);
    this.#unit.push(unit);
    this.#value.push(value);
  }

  sorted(files: number): DocumentValues {
    const [file, number, value] = [this.#file.view, this.#number.view, this.#value.view];
    const unit = this.#unit.view;
    const order = Uint32Array.from(file, (_, i) => i);
    // The least significant column first: sorts are stable.
    for (const column of [unit, number, file]) sortBy(column, order);
    const starts = new Uint32Array(files + 1);
    for (const index of file) starts[index + 1]!++;
    for (let i = 0; i < files; i++) starts[i + 1]! += starts[i]!;
    return {
      starts,
      numbers: Float64Array.from(order, (row) => number[row]!),
      units: Float64Array.from(order, (row) => unit[row]!),
      values: Float64Array.from(order, (row) => value[row]!),
    };
  }
}

/** Sorts rows by a column of whole numbers from -1 on; a column with a single value is skipped. */
function sortBy(column: Float64Array | Uint32Array, rows: Uint32Array): void {
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

/** By file `i` from `starts[i]` to `starts[i + 1]`: numbers of documents, ascending, and a value each. */
export interface DocumentValues {
  readonly starts: Uint32Array;
  readonly numbers: Float64Array;
  /** Numbers of units in their documents, ascending in each; 0 where whole documents were compared. */
  readonly units: Float64Array;
  /** NaN: the result has no value. */
  readonly values: Float64Array;
}

/** The value of a document; undefined: it is none of them. */
export function valueIn(
  { starts, numbers, values }: DocumentValues,
  { file, number }: PlacedDocument,
): number | undefined {
  let low = starts[file]!;
  let high = starts[file + 1]! - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] === number) return values[middle];
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/**
 * The dropped documents, with their similarity to the kept one.
 *
 * @throws MinHashError RESULT_DAMAGED where the list is not the one of the manifest, or names what is in no input
 */
export async function readDropList(
  folder: string,
  manifest: Manifest,
  files: FileTable,
  rows: AsyncIterable<DropRow>,
): Promise<DocumentValues> {
  checkFiles(folder, manifest, 'duplicates.');
  const found = new PlacedValues();
  const last: LastFile = { name: null, file: -1 };
  const { unit } = manifest.parameters;
  for await (const { document, place, jaccard, containment } of rows) {
    found.add(placed(folder, files, place ?? document, last, unit), jaccard ?? containment ?? Number.NaN);
  }
  const list = found.sorted(files.length);
  const { numbers, units, starts } = list;
  for (let i = 0; i < files.length; i++) {
    for (let at = starts[i]! + 1; at < starts[i + 1]!; at++) {
      if (numbers[at] !== numbers[at - 1] || units[at] !== units[at - 1]) continue;
      throw damagedDropList(folder, `${textOf(files.id(i))}#${numbers[at]} stands there twice`);
    }
  }
  return list;
}

/** The documents of clusters, with the number of their cluster; `isPart`: some are in other files. @throws as readDropList */
export async function readClusterNumbers(
  folder: string,
  manifest: Manifest,
  files: FileTable,
  isPart: boolean,
): Promise<DocumentValues> {
  checkFiles(folder, manifest, 'clusters/');
  const found = new PlacedValues();
  const last: LastFile = { name: null, file: -1 };
  for await (const { document, place, cluster } of tableIn(folder, 'clusters').rows()) {
    const known = isPart
      ? documentAt(files, place ?? document, last)
      : placed(folder, files, place ?? document, last);
    if (known !== null) found.add(known, cluster);
  }
  return found.sorted(files.length);
}

function placed(
  folder: string,
  files: FileTable,
  place: string,
  last: LastFile,
  unit: Unit = 'document',
): PlacedDocument {
  const cut = unit === 'document' ? { name: place, number: 0 } : unitOfId(place, unit);
  const document = cut === null ? null : documentAt(files, cut.name, last);
  const found = document === null ? null : { ...document, unit: cut!.number };
  if (found === null) throw damagedDropList(folder, `${textOf(place)} is in no input of its run`);
  return found;
}

export function damagedDropList(folder: string, what: string): MinHashError {
  return new MinHashError({ code: 'RESULT_DAMAGED', detail: `${folder}: the drop list: ${what}` });
}
