/**
 * Files that are read one by one: texts, and JSON that is one object or one array.
 *
 * A plain text is read in pieces; JSON, packed files and other encodings are held whole. None of them has ranges of
 * lines.
 */
import type { ErrorCode } from '../../errors.js';
import { isBinary } from '../bytes/binaryKinds.js';
import { decoded, isUtf8, utf16Of } from '../bytes/encodings.js';
import { packingNamed, packingOf, packingOfKind } from '../bytes/packings.js';
import { lookAtInput, readWholeFile } from '../bytes/wholeFiles.js';
import { type ReadParams, refusesBinary, takesRawBytes } from '../documentSink.js';
import { type FileList, PACKING_BITS, type Packing, PLAIN_TEXT, pathIn } from '../list/fileList.js';
import { heldBytes, lineLimit, refuseRecord } from '../recordRoom.js';
import type { ElementsSplit } from '../split.js';
import { giveHeldText } from './heldText.js';
import { MOST_JSON } from './json/json.js';
import { JsonLines } from './json/jsonLines.js';
import { giveMail } from './mail.js';
import type { FormatReading, ListedFile } from './reading.js';
import { readTextPart, TextFiles } from './textFiles.js';
import { givePage, isPage, readsPages } from './web/pages.js';

/** Gives a text as one document; where its first bytes show a page of HTML, gives the visible text. */
export function readText(file: ListedFile | ElementsSplit, reading: FormatReading): void {
  if (file.kind === 'elements') {
    readTextPart(file, reading);
    return;
  }
  const { list, i } = file;
  const isPlain = (list.kinds[i]! & PACKING_BITS) === 0 && takesRawBytes(reading.params);
  if (isPlain && new TextFiles(reading).give(list, i)) return;
  giveHeld(list.indexes[i]!, wholeBytes(file, reading), reading);
}

/**
 * Gives the texts of a list from file `i` on that only their bytes can show to be pages, as `readText` does. Returns the number
 * of the first file that is no such text.
 */
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

/** Gives a text whose bytes are in memory, as they stand in its file, as `readText` gives it. */
export function readHeldText(
  index: number,
  raw: Uint8Array,
  packing: Packing | null,
  reading: FormatReading,
): void {
  const { params } = reading;
  const isPlain = packing === null && takesRawBytes(params);
  const tooLarge = raw.length > (isPlain ? params.maxDocument : mostHeld(params));
  giveHeld(index, tooLarge ? 'TOO_LARGE' : unpackedBytes(raw, packing, params, null), reading);
}

function giveHeld(index: number, text: Uint8Array | ErrorCode, reading: FormatReading): void {
  const { params, sink } = reading;
  if (typeof text === 'string') sink.skip(index, -1, text, null);
  else {
    const held = { file: index, record: -1, id: null, bytes: text };
    if (isPage(headIn(text, params), params)) givePage(held, reading);
    else giveHeldText(held, encodingOf(text, params), reading);
  }
}

/** Bytes of a text in another encoding that are decoded to recognise it. */
const LOOKED_AT = 16 << 10;

/** The beginning of a text in UTF-8. */
function headIn(text: Uint8Array, params: ReadParams): Uint8Array {
  const encoding = encodingOf(text, params);
  return isUtf8(encoding) ? text : decoded(text.subarray(0, LOOKED_AT), encoding).text;
}

/** Gives the visible text of a page of HTML, or its source where options say so. */
export function readPage(file: ListedFile, reading: FormatReading): void {
  if (!readsPages(reading.params)) {
    readText(file, reading);
    return;
  }
  const index = file.list.indexes[file.i]!;
  const bytes = wholeBytes(file, reading);
  if (typeof bytes === 'string') reading.sink.skip(index, -1, bytes, null);
  else givePage({ file: index, record: -1, id: null, bytes }, reading);
}

/** Gives the text of a mail. */
export function readMail(file: ListedFile, reading: FormatReading): void {
  const index = file.list.indexes[file.i]!;
  const bytes = wholeBytes(file, reading);
  if (typeof bytes === 'string') reading.sink.skip(index, -1, bytes, null);
  else giveMail({ file: index, record: -1, bytes, isOfMbox: false }, reading);
}

/** The most bytes of a file that is held, packed or in another encoding. */
const mostHeld = (params: ReadParams): number => Math.min(2 * params.maxDocument + 1024, lineLimit(params));

/** The bytes of a file that is no JSON, whole and unpacked, or the code why not. */
function wholeBytes({ list, i }: ListedFile, reading: FormatReading): Uint8Array | ErrorCode {
  const { params, buffers } = reading;
  const { index, bytes, path } = { index: list.indexes[i]!, bytes: list.sizes[i]!, path: pathIn(list, i) };
  const note = (at: number): void => reading.opened?.note(index, at);
  const raw = heldFile({ path, bytes }, mostHeld(params), params, buffers.piece, note);
  return unpackedBytes(raw, packingOfKind(list.kinds[i]!), params, path);
}

/** A file as readWholeFile gives it. @throws MinHashError MEMORY_RECORD where it may have so many bytes and memory has no room for them */
function heldFile(
  file: { readonly path: Uint8Array; readonly bytes: number },
  most: number,
  params: ReadParams,
  scratch: Uint8Array,
  note: (descriptor: number) => void,
): Uint8Array | ErrorCode {
  const limit = heldBytes(params, most);
  const raw = readWholeFile(file, limit, scratch, note);
  if (raw !== 'TOO_LARGE' || limit === most) return raw;
  const bytes = lookAtInput(file.path)?.size ?? most;
  return bytes > most ? raw : refuseRecord(params, Buffer.from(file.path).toString(), bytes);
}

/** Gives the documents of a file of JSON: an object, or the elements of an array. `orText`: it is a text where it lacks the text field. */
export function readJson({ list, i }: ListedFile, reading: FormatReading, orText: boolean): void {
  const { params, sink, buffers } = reading;
  const index = list.indexes[i]!;
  const path = pathIn(list, i);
  const note = (descriptor: number): void => reading.opened?.note(index, descriptor);
  const raw = heldFile({ path, bytes: list.sizes[i]! }, MOST_JSON, params, buffers.piece, note);
  const packing = packingOfKind(list.kinds[i]!);
  const bytes = unpackedBytes(raw, packing, params, path, MOST_JSON);
  if (typeof bytes === 'string') {
    const code = bytes === 'TOO_LARGE' ? 'JSON_LARGE' : bytes;
    const isDamaged = typeof raw !== 'string' && /_(TRUNCATED|DAMAGED)$/.test(code);
    const named = isDamaged ? (packing ?? packingOf(raw)) : null;
    const before = named === null ? null : packingNamed(named).beforeDamage(raw as Uint8Array, MOST_JSON);
    if (before === null || !reading.records.beforeDamage(index, before, code, new JsonLines(reading)))
      sink.skip(index, -1, code, null);
    return;
  }
  const encoding = encodingOf(bytes, params);
  const json = isUtf8(encoding) ? bytes : decoded(bytes, encoding).text;
  if (!reading.records.file(index, json, orText, new JsonLines(reading)))
    giveHeldText({ file: index, record: -1, id: null, bytes }, encoding, reading, true);
}

/** Unpacks a file that its name or its first bytes show to be packed; UTF-16 with its mark and all texts pass, other bytes are refused. */
function unpackedBytes(
  raw: Uint8Array | ErrorCode,
  named: Packing | null,
  params: ReadParams,
  path: Uint8Array | null,
  most = params.maxDocument,
): Uint8Array | ErrorCode {
  if (typeof raw === 'string') return raw;
  const packing = named ?? (refusesBinary(params) ? packingOf(raw) : null);
  const limit = heldBytes(params, most);
  const bytes = packing === null ? raw : packingNamed(packing).whole(raw, limit);
  if (bytes === 'TOO_LARGE' && limit < most) {
    const told = packing === 'gzip' ? gzipSize(raw) : 0;
    // Several members, or another packing: only the bound is known.
    const isBound = told <= limit;
    const size = isBound ? most : Math.min(told, most);
    refuseRecord(params, `${Buffer.from(path ?? []).toString()}, unpacked,`, size, isBound);
  }
  if (typeof bytes === 'string') return bytes;
  if (!refusesBinary(params) || utf16Of(bytes) !== null) return bytes;
  return isBinary(bytes) ? 'BINARY' : bytes;
}

/** The unpacked bytes of gzip data of one member, below 4 GiB: its last four bytes. */
function gzipSize(packed: Uint8Array): number {
  return Buffer.from(packed.buffer, packed.byteOffset, packed.length).readUInt32LE(packed.length - 4);
}

/** The encoding of a text: that of --encoding, unless it is UTF-8 and a mark says UTF-16. */
function encodingOf(bytes: Uint8Array, params: ReadParams): string {
  return (isUtf8(params.encoding) ? utf16Of(bytes) : null) ?? params.encoding;
}
