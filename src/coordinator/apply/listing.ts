/**
 * Locations of the documents that a result keeps or drops, as bytes: one per line, or each ended by a NUL. No file is
 * changed.
 */

import { ByteColumn } from '../../arrays/growable.js';
import { eachDocument, type MetDocument } from '../../readers/find.js';
import { textOf } from '../../readers/list/pathIds.js';
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
  const out = new ByteColumn();
  const take = (_: Uint8Array, { file, number, location }: MetDocument): void => {
    if (valueIn(drops, { file, number }) !== undefined) return;
    out.appendBinary(location());
    out.push(end);
  };
  await eachDocument({ files }, parameters, take, {
    isWanted: (file) => !files.isReference(file),
    pause: () => (out.length >= ENOUGH ? passLines(out, give) : undefined),
  });
  await passLines(out, give);
}

async function passLines(out: ByteColumn, give: GiveLines): Promise<void> {
  if (out.length > 0) await give(out.view);
  out.truncate(0);
}
