/**
 * Locations of the documents that a result keeps or drops, as bytes: one per line, or each ended by a NUL. No file is
 * changed.
 */

import { ByteColumn, numbersBelow } from '../../arrays/growable.js';
import { type TextSink, WHOLE_FILE } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import { readBuffers } from '../../readers/documentSink.js';
import { readParts } from '../../readers/find.js';
import { FormatReading } from '../../readers/formats/reading.js';
import { placeEnd, textOf } from '../../readers/list/pathIds.js';
import type { Manifest } from '../../result/manifest.js';
import type { DropRow } from '../../result/readResult.js';
import { checkFiles } from '../../result/verifyResult.js';
import type { CurrentCorpus } from './currentCorpus.js';
import { type DocumentValues, damagedDropList, valueIn } from './dropList.js';

/** Bytes that are passed on at once. */
const ENOUGH = 256 << 10;
const LINE_FEED = 0x0a;

export type GiveLines = (lines: Uint8Array) => Promise<void>;

/**
 * The locations of all documents that can be dropped, in the order of the drop list; for sets their names.
 *
 * @throws MinHashError RESULT_DAMAGED if a location leads out of the inputs, because the list may be used to delete
 * files
 */
export async function listDropped(
  folder: string,
  manifest: Manifest,
  rows: AsyncIterable<DropRow>,
  end: typeof LINE_FEED | 0,
  give: GiveLines,
): Promise<void> {
  await checkFiles(folder, manifest, 'duplicates.');
  const out = new ByteColumn();
  const areSets = manifest.parameters.sets !== undefined;
  for await (const { document, place = document } of rows) {
    if (!areSets && leadsOut(place))
      throw damagedDropList(folder, `${textOf(place)} is in no input of its run`);
    out.appendBinary(place);
    out.push(end);
    if (out.length >= ENOUGH) await passLines(out, give);
  }
  await passLines(out, give);
}

/** Locations are below PATHs, however PATHs were typed. */
function leadsOut(place: string): boolean {
  return place.startsWith('/') || place.split('/').includes('..');
}

/**
 * The locations of all documents that the run read and did not drop, in the order of files and records. Reads the
 * inputs.
 */
export async function listKept(
  { files }: CurrentCorpus,
  { parameters }: Manifest,
  drops: DocumentValues,
  end: typeof LINE_FEED | 0,
  give: GiveLines,
): Promise<void> {
  const lister = new KeptPlaces(files, drops, end);
  const reading = new FormatReading(parameters, lister, readBuffers());
  const own = numbersBelow(files.length).filter((index) => !files.isReference(index));
  // A document that cannot be read was not a document of the run.
  for await (const _ of readParts(files, own, parameters, reading, lister))
    if (lister.out.length >= ENOUGH) await passLines(lister.out, give);
  await passLines(lister.out, give);
}

async function passLines(out: ByteColumn, give: GiveLines): Promise<void> {
  if (out.length > 0) await give(out.view);
  out.truncate(0);
}

class KeptPlaces implements TextSink {
  readonly out = new ByteColumn();
  readonly #files: CurrentCorpus['files'];
  readonly #drops: DocumentValues;
  readonly #end: number;
  #firstLine = 0;
  /** The start of the location of the last document, and its number. */
  #from = 0;
  #file = -1;
  #record = -1;

  constructor(files: CurrentCorpus['files'], drops: DocumentValues, end: number) {
    this.#files = files;
    this.#drops = drops;
    this.#end = end;
  }

  /**
   * The line of the first record of the current part, whose records are numbered from 0; 0 if records are not lines.
   */
  set firstLine(line: number) {
    this.#firstLine = line;
    this.#file = -1;
  }

  get firstLine(): number {
    return this.#firstLine;
  }

  begin(file: number, record: number): boolean {
    this.#from = this.out.length;
    this.#file = file;
    this.#record = record;
    const number = this.#files.addressNumber(file, record, this.#firstLine);
    const document = { file, number: number < 0 ? WHOLE_FILE : number };
    if (valueIn(this.#drops, document) !== undefined) return false;
    const { bytes, offsets } = this.#files.ids;
    this.out.append(bytes.subarray(offsets[file]!, offsets[file + 1]!));
    this.out.appendBinary(placeEnd(number));
    this.out.push(this.#end);
    return false;
  }

  whole(file: number, record: number): void {
    this.begin(file, record);
  }

  text(): void {}

  end(): void {}

  /** A document that is skipped after its start is not listed. */
  skip(file: number, record: number, _code: ErrorCode): void {
    if (file === this.#file && record === this.#record) this.out.truncate(this.#from);
  }
}
