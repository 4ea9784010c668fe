/**
 * Files that are read one by one: texts, pages, mails, and JSON that is one object or one array. A plain text is read in pieces; all
 * other files are held whole.
 */
import type { ErrorCode } from '../../errors.js';
import { binaryCode, isBinary } from '../bytes/binaryKinds.js';
import { codecNamed, codecOf, codecOfKind } from '../bytes/codecs.js';
import { decoded, isUtf8, utf16Of } from '../bytes/encodings.js';
import { lookAtInput, readWholeFile } from '../bytes/wholeFiles.js';
import { type ReadParams, refusesBinary, takesRawBytes } from '../documentSink.js';
import { CODEC_BITS, type FileList, PLAIN_TEXT, pathIn } from '../list/fileList.js';
import { heldBytes, lineLimit, refuseRecord } from '../recordRoom.js';
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
  giveHeld(list.indexes[i]!, wholeBytes(file, reading), reading);
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
    if (texts === null || !texts.give(list, i)) {
      giveHeld(indexes[i]!, wholeBytes({ kind: 'file', list, i }, reading), reading);
    }
  }
  return i;
}

/** Gives a file of records as one document. */
export function readRecordsAsText(file: ListedFile, reading: FormatReading): void {
  giveHeld(file.list.indexes[file.i]!, wholeBytes(file, reading), reading, true);
}

function giveHeld(
  index: number,
  text: Uint8Array | ErrorCode,
  reading: FormatReading,
  isRecords = false,
): void {
  const { params, sink } = reading;
  if (typeof text === 'string') sink.skip(index, -1, text, null);
  else {
    const held = { file: index, record: -1, id: null, bytes: text };
    if (isPage(headIn(text, params), params)) givePage({ ...held, isRecords }, reading);
    else giveHeldText(held, encodingOf(text, params), reading, isRecords);
  }
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

/** Passes on the bytes of a file, or skips it. */
function giveWhole(
  file: ListedFile,
  reading: FormatReading,
  give: (file: Pick<HeldText, 'file' | 'record' | 'bytes'>) => void,
): void {
  const index = file.list.indexes[file.i]!;
  const bytes = wholeBytes(file, reading);
  if (typeof bytes === 'string') reading.sink.skip(index, -1, bytes, null);
  else give({ file: index, record: -1, bytes });
}

/** The most bytes of a file that is held, compressed or in another encoding. */
const mostHeld = (params: ReadParams): number => Math.min(2 * params.maxDocument + 1024, lineLimit(params));

/** The bytes of a file that is not JSON, decompressed, or why it cannot be read. */
function wholeBytes(file: ListedFile, reading: FormatReading): Uint8Array | ErrorCode {
  const { params } = reading;
  return decompressedBytes(storedBytes(file, mostHeld(params), reading), file, params);
}

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
  const bytes = decompressedBytes(stored, file, params, MOST_JSON);
  if (typeof bytes === 'string') {
    const code = bytes === 'TOO_LARGE' ? 'JSON_LARGE' : bytes;
    const isDamaged = typeof stored !== 'string' && /_(TRUNCATED|DAMAGED)$/.test(code);
    const codec = isDamaged ? (codecOfKind(file.list.kinds[file.i]!) ?? codecOf(stored)) : null;
    const before = codec === null ? null : codecNamed(codec).beforeDamage(stored as Uint8Array, MOST_JSON);
    if (before === null || !records.beforeDamage(index, before, code, new JsonLines(reading)))
      sink.skip(index, -1, code, null);
    return;
  }
  const encoding = encodingOf(bytes, params);
  const json = isUtf8(encoding) ? bytes : decoded(bytes, encoding).text;
  if (!records.file(index, json, orText, new JsonLines(reading)))
    giveHeldText({ file: index, record: -1, id: null, bytes }, encoding, reading, true);
}

/** Decompresses a file if its name or its first bytes show a codec. Binary bytes are rejected, except UTF-16 with its mark. */
function decompressedBytes(
  stored: Uint8Array | ErrorCode,
  { list, i }: ListedFile,
  params: ReadParams,
  most = params.maxDocument,
): Uint8Array | ErrorCode {
  if (typeof stored === 'string') return stored;
  const codec = codecOfKind(list.kinds[i]!) ?? (refusesBinary(params) ? codecOf(stored) : null);
  const limit = heldBytes(params, most);
  const bytes = codec === null ? stored : codecNamed(codec).whole(stored, limit);
  if (bytes === 'TOO_LARGE' && limit < most)
    refuseRecord(params, `${Buffer.from(pathIn(list, i)).toString()}, decompressed,`, limit + 1);
  if (typeof bytes === 'string') return bytes;
  if (!refusesBinary(params) || utf16Of(bytes) !== null) return bytes;
  return isBinary(bytes) ? binaryCode(bytes) : bytes;
}

/** The encoding of a text: --encoding, or UTF-16 if that is UTF-8 and the text begins with a mark of UTF-16. */
function encodingOf(bytes: Uint8Array, params: ReadParams): string {
  return (isUtf8(params.encoding) ? utf16Of(bytes) : null) ?? params.encoding;
}
