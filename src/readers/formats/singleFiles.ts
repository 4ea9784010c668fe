/**
 * Files that are read one by one: texts, pages, mails, and JSON that is one object or one array. A plain text is read in pieces; all
 * other files are held whole.
 */
import type { ErrorCode } from '../../errors.js';
import { binaryCode, isBinary } from '../bytes/binaryKinds.js';
import { codecNamed, codecOf, codecOfKind, type Unpacked } from '../bytes/codecs.js';
import { decoded, isUtf8, utf16Of } from '../bytes/encodings.js';
import { lookAtInput, readWholeFile } from '../bytes/wholeFiles.js';
import {
  heldBytes,
  lineLimit,
  type ReadParams,
  refuseRecord,
  refusesBinary,
  takesRawBytes,
} from '../documentSink.js';
import { CODEC_BITS, type FileList, PLAIN_TEXT, pathIn } from '../list/fileList.js';
import type { ElementsSplit } from '../split.js';
import { giveHeldText, type HeldText } from './heldText.js';
import { MOST_JSON } from './json/json.js';
import { JsonLines } from './json/jsonLines.js';
import { giveMail } from './mail.js';
import type { FormatReading, ListedFile } from './reading.js';
import { readTextPart, TextFiles } from './textFiles.js';
import { givePage, isPage, readsPages } from './web/pages.js';

/** Gives a text as one document; of a page of HTML, which its first bytes show, the visible text. */
export function readText(file: ListedFile | ElementsSplit, reading: FormatReading): void {
  if (file.kind === 'elements') {
    readTextPart(file, reading);
    return;
  }
  const { list, i } = file;
  const isPlain = (list.kinds[i]! & CODEC_BITS) === 0 && takesRawBytes(reading.params);
  if (isPlain && new TextFiles(reading).give(list, i)) return;
  giveHeld(file, reading);
}

/** Gives the plain texts of a list from file `i` on, as `readText` does; returns the number of the first file that is something else. */
export function readTexts(list: FileList, i: number, reading: FormatReading): number {
  const { kinds, indexes } = list;
  const { sink } = reading;
  const texts = takesRawBytes(reading.params) ? new TextFiles(reading) : null;
  for (; i < kinds.length && kinds[i] === PLAIN_TEXT; i++) {
    if (texts !== null) i = texts.giveSmall(list, i);
    if (i === kinds.length || kinds[i] !== PLAIN_TEXT) return i;
    if (sink.opensFile?.(indexes[i]!) === false) continue;
    if (texts === null || !texts.give(list, i)) giveHeld({ kind: 'file', list, i }, reading);
  }
  return i;
}

/** Gives a file of records as one document. */
export function readRecordsAsText(file: ListedFile, reading: FormatReading): void {
  giveHeld(file, reading, true);
}

function giveHeld(file: ListedFile, reading: FormatReading, isRecords = false): void {
  giveWhole(file, reading, (text) => giveTextOrPage({ ...text, id: null }, reading, isRecords));
}

function giveTextOrPage(held: HeldText, reading: FormatReading, isRecords: boolean): void {
  const { params } = reading;
  if (isPage(headIn(held.bytes, params), params)) givePage({ ...held, isRecords }, reading);
  else giveHeldText(held, encodingOf(held.bytes, params), reading, isRecords);
}

/** Bytes of a text in another encoding that are decoded to recognize a page. */
const LOOKED_AT = 16 << 10;

/** The beginning of a text in UTF-8. */
function headIn(text: Uint8Array, params: ReadParams): Uint8Array {
  const encoding = encodingOf(text, params);
  return isUtf8(encoding) ? text : decoded(text.subarray(0, LOOKED_AT), encoding).text;
}

/** Gives the visible text of a page of HTML, or its source if options ask for it. */
export function readPage(file: ListedFile, reading: FormatReading): void {
  if (readsPages(reading.params))
    giveWhole(file, reading, (page) => givePage({ ...page, id: null }, reading));
  else readText(file, reading);
}

/** Gives the text of a mail. */
export function readMail(file: ListedFile, reading: FormatReading): void {
  giveWhole(file, reading, (mail) => giveMail({ ...mail, isOfMbox: false }, reading));
}

/** Passes on the bytes of a file that is not JSON, decompressed, or those before damage; a problem is reported after them. */
function giveWhole(
  file: ListedFile,
  reading: FormatReading,
  give: (file: Pick<HeldText, 'file' | 'record' | 'bytes'>) => void,
): void {
  const { params, sink } = reading;
  const index = file.list.indexes[file.i]!;
  const stored = storedBytes(file, mostHeld(params), reading);
  const { bytes, code } = decompressedBytes(stored, file, params);
  if (code === null || bytes.length > 0) give({ file: index, record: -1, bytes });
  if (code !== null) sink.skip(index, -1, code, null);
}

/** The most bytes of a file that is held, compressed or in another encoding. */
const mostHeld = (params: ReadParams): number => Math.min(2 * params.maxDocument + 1024, lineLimit(params));

/** The bytes of a file as they are stored, or why it cannot be read. @throws MinHashError MEMORY_RECORD */
function storedBytes(
  { list, i }: ListedFile,
  most: number,
  { params, buffers, opened }: FormatReading,
): Uint8Array | ErrorCode {
  const path = pathIn(list, i);
  const limit = heldBytes(params, most);
  const note = (descriptor: number): void => opened?.note(list.indexes[i]!, descriptor);
  const stored = readWholeFile({ path, bytes: list.sizes[i]! }, limit, buffers.piece, note);
  if (stored !== 'TOO_LARGE' || limit === most) return stored;
  const bytes = lookAtInput(path)?.size ?? most;
  return bytes > most ? stored : refuseRecord(params, Buffer.from(path).toString(), bytes);
}

/** Gives the documents of a file of JSON: an object, or the elements of an array. `orText`: without the text field it is a text. */
export function readJson(file: ListedFile, reading: FormatReading, orText: boolean): void {
  const { params, sink, records } = reading;
  const index = file.list.indexes[file.i]!;
  const stored = storedBytes(file, MOST_JSON, reading);
  const { bytes, code } = decompressedBytes(stored, file, params, MOST_JSON);
  const encoding = encodingOf(bytes, params);
  const json = isUtf8(encoding) ? bytes : decoded(bytes, encoding).text;
  const buffer = Buffer.from(json.buffer, json.byteOffset, json.length);
  // Of an array that is cut off the elements before the damage are read; an object has all of its text or none.
  const isCut = code !== null && !code.endsWith('_BEHIND');
  if (isCut) records.file(index, buffer, new JsonLines(reading), code === 'TOO_LARGE' ? 'JSON_LARGE' : code);
  else if (!orText || records.areRecords(buffer)) records.file(index, buffer, new JsonLines(reading), null);
  else giveTextOrPage({ file: index, record: -1, id: null, bytes }, reading, true);
  if (code !== null && !isCut) sink.skip(index, -1, code, null);
}

/**
 * Decompresses a file if its name or its first bytes show a codec; `code`: why these are not all of its bytes. Binary bytes are rejected,
 * except UTF-16 with its mark.
 */
function decompressedBytes(
  stored: Uint8Array | ErrorCode,
  { list, i }: ListedFile,
  params: ReadParams,
  most = params.maxDocument,
): Unpacked {
  const nothing = (code: ErrorCode): Unpacked => ({ bytes: new Uint8Array(0), code });
  if (typeof stored === 'string') return nothing(stored);
  const codec = codecOfKind(list.kinds[i]!) ?? (refusesBinary(params) ? codecOf(stored) : null);
  const limit = heldBytes(params, most);
  const found = codec === null ? { bytes: stored, code: null } : codecNamed(codec).whole(stored, limit);
  if (found.code === 'TOO_LARGE' && limit < most)
    refuseRecord(params, `${Buffer.from(pathIn(list, i)).toString()}, decompressed,`, limit + 1);
  if (!refusesBinary(params) || utf16Of(found.bytes) !== null) return found;
  return isBinary(found.bytes) ? nothing(binaryCode(found.bytes)) : found;
}

/** The encoding of a text: --encoding, or UTF-16 if that is UTF-8 and the text begins with a mark of UTF-16. */
function encodingOf(bytes: Uint8Array, params: ReadParams): string {
  return (isUtf8(params.encoding) ? utf16Of(bytes) : null) ?? params.encoding;
}
