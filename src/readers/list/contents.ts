/**
 * The formats of files by their first bytes, if their names are not enough: files of records that are packed or UTF-16 under a
 * plain name, JSON lines in files called `.json`, and files whose names have no ending.
 *
 * A look costs as much as reading a small file. So texts with an ending are not opened here (their reader sees the first bytes),
 * and at most so many of the files without an ending are.
 */
import type { Stepwise } from '../../arrays/stepwise.js';
import type { InputFormat } from '../../sketch/formatNames.js';
import { tellTables } from '../ahead/tablesAmongTexts.js';
import { isBinary } from '../bytes/binaryKinds.js';
import { isUtf8, utf16Of } from '../bytes/encodings.js';
import { PACKING_PROBE, packingNamed, packingOf, packingOfKind } from '../bytes/packings.js';
import { readInto, withInput } from '../bytes/wholeFiles.js';
import type { ReadParams } from '../documentSink.js';
import { beginsWarc } from '../formats/web/warcRecords.js';
import { type FileKind, type Packing, STDIN, UTF16 } from './fileList.js';
import type { FileTable } from './fileTable.js';
import { type FormatParams, fileKind, formatOfKind, hasValues, isWhole, withoutPacking } from './formats.js';
import { nameOf } from './pathIds.js';

/** Of more files without an ending, all are texts. */
const MOST_WITHOUT_ENDING = 4096;

/** Bytes of a file that are read: the first record should end in them. */
const HEAD_BYTES = 64 << 10;

type ContentParams = ReadParams & FormatParams;

function bareFiles(files: FileTable, { input }: ContentParams): number[] {
  const bare = input === 'auto' ? filesWithoutEnding(files) : [];
  return bare.length > MOST_WITHOUT_ENDING ? [] : bare;
}

/** Opens those files, and notes their formats in the table. */
export function* tellContents(files: FileTable, params: ContentParams): Stepwise<void> {
  const told = new Set(bareFiles(files, params));
  for (const index of told) {
    tellBare(files, index, params);
    yield;
  }
  if (params.input === 'auto' || params.input === 'json') yield* tellJsonLines(files, told, params);
  if (isUtf8(params.encoding)) yield* tellPacked(files, told);
  yield* tellTables(files, params);
}

/** Records that are packed or UTF-16 under a plain name. `told`: files that were opened. */
function* tellPacked(files: FileTable, told: ReadonlySet<number>): Stepwise<void> {
  const areBare = (kind: FileKind): boolean =>
    !isWhole(formatOfKind(kind)) && (kind & STDIN) === 0 && packingOfKind(kind) === null;
  for (const index of files.ofKind(areBare)) {
    if (told.has(index)) continue;
    const kind = files.kinds[index]!;
    const head = headOf(files, index, PACKING_PROBE);
    if (utf16Of(head) !== null) files.kinds[index] = kind | UTF16;
    else if (packingOf(head) !== null)
      files.kinds[index] = fileKind(formatOfKind(kind).name, packingOf(head));
    yield;
  }
}

/** The longest first line that is looked at. */
const MOST_HEAD_BYTES = 16 << 20;

/** JSON lines in files called `.json`: their first two lines are objects. */
function* tellJsonLines(files: FileTable, told: ReadonlySet<number>, params: ContentParams): Stepwise<void> {
  const areJson = (kind: FileKind): boolean => hasValues(formatOfKind(kind)) && (kind & STDIN) === 0;
  for (const index of files.ofKind(areJson)) {
    if (told.has(index)) continue;
    const packing = packingOfKind(files.kinds[index]!);
    for (let size = HEAD_BYTES; size <= MOST_HEAD_BYTES; size *= 16) {
      const head = headOf(files, index, size);
      const bytes = packing === null ? head : packingNamed(packing).head(head);
      const isCut = head.length === size;
      const encoding = utf16Of(bytes) ?? params.encoding;
      const text = new TextDecoder(encoding).decode(bytes).trimStart();
      if (areObjectLines(text, isCut)) {
        const isUtf16 = packing === null && utf16Of(head) !== null;
        files.kinds[index] = fileKind('jsonl', packing) | (isUtf16 ? UTF16 : 0);
      }
      if (!isCut || !text.startsWith('{') || text.includes('\n')) break;
    }
    yield;
  }
}

/** Whether a text begins with two lines that are objects of JSON; of a text that is cut the second line may be, too. */
function areObjectLines(text: string, isCut: boolean): boolean {
  const [, first, second] = /^(\{[^\n]*)\s*\n\s*(\{[^\n]*)/.exec(text) ?? [];
  if (first === undefined || second === undefined || !isObject(first)) return false;
  const isLast = text.endsWith(second);
  return isObject(second) || (isCut && isLast);
}

/** Texts whose names have no ending but that of a packing; one dot at most begins a name. */
function filesWithoutEnding(files: FileTable): number[] {
  const found: number[] = [];
  for (let index = 0; index < files.length && found.length <= MOST_WITHOUT_ENDING; index++) {
    const kind = files.kinds[index]!;
    // Nearly all files of a large corpus are texts with an ending: no string is made for them.
    if (hasDot(files, index) && packingOfKind(kind) === null) continue;
    if (formatOfKind(kind).name !== 'text' || (kind & STDIN) !== 0) continue;
    if (!withoutPacking(nameOf(files.id(index))).inner.includes('.', 1)) found.push(index);
  }
  return found;
}

const DOT = 0x2e;
const SLASH = 0x2f;

/** Whether a name has a dot behind its first character. */
function hasDot({ ids: { bytes, offsets } }: FileTable, index: number): boolean {
  const start = offsets[index]!;
  for (let at = offsets[index + 1]! - 1; at > start && bytes[at] !== SLASH; at--) {
    if (bytes[at] === DOT && bytes[at - 1] !== SLASH) return true;
  }
  return false;
}

function tellBare(files: FileTable, index: number, params: ContentParams): void {
  const head = headOf(files, index, HEAD_BYTES);
  const packing = files.file(index).packing ?? packingOf(head);
  const bytes = packing === null ? head : unpackedHead(files, index, packing);
  const format = formatIn(bytes, params);
  if (format === 'text') return;
  const isUtf16 = packing === null && utf16Of(head) !== null;
  files.kinds[index] =
    fileKind(format, packing) | (isUtf16 && !isWhole(formatOfKind(fileKind(format, null))) ? UTF16 : 0);
}

/** The beginning of a packed file, of which much may have to be read before any of it can be unpacked. */
function unpackedHead(files: FileTable, index: number, packing: Packing): Uint8Array {
  const { head, headBytes } = packingNamed(packing);
  return head(headOf(files, index, headBytes));
}

/** The format of bytes that begin a file. */
function formatIn(bytes: Uint8Array, { textFieldGiven, encoding }: ContentParams): InputFormat {
  if (beginsParquet(bytes)) return 'parquet';
  if (beginsWarc(bytes)) return 'warc';
  const utf16 = utf16Of(bytes);
  if (utf16 === null && isBinary(bytes)) return 'text';
  const text = new TextDecoder(utf16 ?? encoding).decode(bytes).trimStart();
  const first = text[0];
  if (first === '[') return textFieldGiven ? 'json' : 'json-or-text';
  if (first !== '{') return 'text';
  const feed = text.indexOf('\n');
  // A line that is an object by itself begins lines of them; one that is all of the file may be either.
  return isObject(feed < 0 ? text : text.slice(0, feed)) ? 'jsonl' : textFieldGiven ? 'json' : 'json-or-text';
}

const beginsParquet = (bytes: Uint8Array): boolean =>
  bytes.length > 4 && [0x50, 0x41, 0x52, 0x31].every((byte, i) => bytes[i] === byte);

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line.replace(/-?\b(?:NaN|Infinity)\b/g, '0'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** The first bytes of a file; none where it cannot be read, which its reader will report. */
function headOf(files: FileTable, index: number, most: number): Uint8Array {
  const head = new Uint8Array(most);
  const end = withInput(
    files.pathBytes(index),
    (descriptor) => readInto(descriptor, head, 0, 0),
    () => 0,
  );
  return head.subarray(0, Math.max(0, end));
}
