/**
 * Which files documents, paragraphs and lines can be removed from, as far as the file format decides it. Used before a
 * run, after it, and before an apply.
 */
import { isUtf8 } from '../../../readers/bytes/encodings.js';
import type { CutParams } from '../../../readers/cutting.js';
import { readsPages } from '../../../readers/formats/web/pages.js';
import { UTF16 } from '../../../readers/list/fileList.js';
import type { FileTable } from '../../../readers/list/fileTable.js';
import { type Format, formatOfKind } from '../../../readers/list/formats.js';
import { textOf } from '../../../readers/list/pathIds.js';

/** The reason for HTML pages, by extension or by content. */
export const OF_PAGES =
  'the visible text of HTML pages was compared, not their source; --text-format text compares the source';

/** The reason for a file that begins as UTF-16. */
export const OF_UTF16 = 'it is UTF-16, which cannot be cut; convert it to UTF-8';

/** The reason for a JSON array, whose drop list refers to elements. */
export const OF_ARRAYS =
  'units can be removed from a JSON file with one object, not from an array; convert it to JSON lines';

/**
 * Encodings in which an ASCII byte may be a part of a letter, so that brackets and quotes cannot be found by bytes
 * alone.
 */
const AMBIGUOUS = ['shift_jis', 'gbk', 'gb18030', 'big5', 'iso-2022-jp'];

/** Why records cannot be removed from files of a format; null: they can. */
export function whyRecordsUncut({ name, applied }: Format, params: CutParams): string | null {
  const { encoding } = new TextDecoder(params.encoding);
  return applied?.hasMarks === true && AMBIGUOUS.includes(encoding)
    ? `records of ${name} in ${encoding} cannot be cut by their bytes; convert it to UTF-8 first`
    : null;
}

/** Why units cannot be removed from files of a format; null: they can. */
export function whyUnitsUncut(format: Format, params: CutParams): string | null {
  const units = `${params.unit}s`;
  const { name, applied } = format;
  if (!isUtf8(params.encoding)) return `${units} can be removed from UTF-8 only; convert it to UTF-8`;
  if (name === 'html' && readsPages(params)) return OF_PAGES;
  return applied?.units === true
    ? null
    : `${units} can be removed from texts and JSON only, not from ${name}; convert it to JSON lines`;
}

/** The same for a kind of file. */
export function whyKindUncut(kind: number, params: CutParams): string | null {
  if (isUtf8(params.encoding) && (kind & UTF16) !== 0) return OF_UTF16;
  return whyUnitsUncut(formatOfKind(kind), params);
}

/**
 * Inputs from which units cannot be removed, by location, each with the reason; files of a reference are never changed.
 */
export function* uncutFiles(files: FileTable, params: CutParams): Generator<string> {
  for (let i = 0; i < files.length; i++) {
    const why = files.isReference(i) ? null : whyKindUncut(files.kinds[i]!, params);
    if (why !== null) yield `${textOf(files.id(i))}: ${why}`;
  }
}
