/**
 * The files from which documents, paragraphs and lines can be taken out, as far as their form decides it: known before a run, after it, and before
 * an apply.
 */
import { isUtf8 } from '../../../readers/bytes/encodings.js';
import type { CutParams } from '../../../readers/cutting.js';
import { readsPages } from '../../../readers/formats/web/pages.js';
import { UTF16 } from '../../../readers/list/fileList.js';
import type { FileTable } from '../../../readers/list/fileTable.js';
import { type Format, formatOfKind } from '../../../readers/list/formats.js';
import { textOf } from '../../../readers/list/pathIds.js';

/** The reason for pages, however they were recognised. */
export const OF_PAGES =
  'what was compared is what is seen of the page, not its source; --text-format text compares that';

/** The reason for a file that its first bytes show to be UTF-16. */
export const OF_UTF16 = 'it is UTF-16, in which nothing is cut; make it UTF-8';

/** The reason for an array, whose drop list names elements. */
export const OF_ARRAYS =
  'units are taken out of a file of JSON that is one object, not out of an array; make it JSON lines';

/** Encodings in which a byte of ASCII may be a part of a letter, so that bytes alone show neither brackets nor quotes. */
const AMBIGUOUS = ['shift_jis', 'gbk', 'gb18030', 'big5', 'iso-2022-jp'];

/** Why records cannot be taken out of files of a format; null: they can. */
export function whyRecordsUncut({ name, applied }: Format, params: CutParams): string | null {
  const { encoding } = new TextDecoder(params.encoding);
  return applied?.hasMarks === true && AMBIGUOUS.includes(encoding)
    ? `records of ${name} in ${encoding} cannot be cut by their bytes; make it UTF-8 first`
    : null;
}

/** Why units cannot be taken out of files of a format; null: they can. */
export function whyUnitsUncut(format: Format, params: CutParams): string | null {
  const units = `${params.unit}s`;
  const { name, applied } = format;
  if (!isUtf8(params.encoding)) return `${units} are taken out of UTF-8 only; make it UTF-8`;
  if (name === 'html' && readsPages(params)) return OF_PAGES;
  return applied?.units === true
    ? null
    : `${units} are taken out of texts and JSON only, not of ${name}; make it JSON lines`;
}

/** The same for files of a kind. */
export function whyKindUncut(kind: number, params: CutParams): string | null {
  if (isUtf8(params.encoding) && (kind & UTF16) !== 0) return OF_UTF16;
  return whyUnitsUncut(formatOfKind(kind), params);
}

/** Inputs from which units cannot be taken, by their places, each with the reason; those of a reference stay as they are. */
export function* uncutFiles(files: FileTable, params: CutParams): Generator<string> {
  for (let i = 0; i < files.length; i++) {
    const why = files.isReference(i) ? null : whyKindUncut(files.kinds[i]!, params);
    if (why !== null) yield `${textOf(files.id(i))}: ${why}`;
  }
}
