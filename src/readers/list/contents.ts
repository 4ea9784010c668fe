/**
 * The formats of files by their first bytes, if their names are not enough: files of records that are compressed or UTF-16 under a
 * plain name, JSON lines in files called `.json`, arrays in files called `.jsonl`, files whose names have no ending, and tables among texts.
 *
 * Opening a file costs as much as reading a small one. So texts with an ending are not opened (their reader sees the first bytes), and
 * files without an ending only if they are few.
 */
import type { InputFormat } from '../../sketch/formatNames.js';
import type { LoopTurns } from '../../store/turns.js';
import { isBinary } from '../bytes/binaryKinds.js';
import { codecNamed, codecOf, codecOfKind, decompressedHead } from '../bytes/codecs.js';
import { isUtf8, utf16Of } from '../bytes/encodings.js';
import { readInto, withInput } from '../bytes/wholeFiles.js';
import type { ReadParams } from '../documentSink.js';
import { firstRecordsIn, firstRecordsOf, HEAD_BYTES, textIn } from '../firstRecords.js';
import { isObject, type JsonRecord, parsedJson } from '../formats/json/json.js';
import { beginsMbox } from '../formats/mail.js';
import { beginsWarc } from '../formats/web/warcRecords.js';
import { type Codec, type FileKind, STDIN, UTF16 } from './fileList.js';
import type { FileTable } from './fileTable.js';
import {
  type FormatParams,
  fileKind,
  formatNamed,
  formatOfKind,
  formatWith,
  hasValues,
  isWhole,
  withoutCodec,
} from './formats.js';
import { nameOf } from './pathIds.js';

/** If there are more files without an ending, or of records among texts, none of them is opened. */
const MOST_OPENED = 4096;
/** First bytes that show a codec, UTF-16 and an array. */
const FEW_BYTES = 64;
/** The longest first line that is looked at. */
const MOST_HEAD_BYTES = 16 << 20;

type ContentParams = ReadParams & FormatParams;

/** Opens these files, and notes their formats in the table. */
export async function detectFormats(
  files: FileTable,
  params: ContentParams,
  turns: LoopTurns,
): Promise<void> {
  const bare = params.input === 'auto' ? unclearFiles(files) : [];
  const opened = new Set(bare.length > MOST_OPENED ? [] : bare);
  for (const index of opened) {
    files.kinds[index] = kindOfBare(files, index, params);
    await turns.give();
  }
  const isLines = (kind: FileKind): boolean => params.input === 'auto' && formatOfKind(kind).name === 'jsonl';
  const isCut = (kind: FileKind): boolean =>
    !isWhole(formatOfKind(kind)) && (codecOfKind(kind) === null || isLines(kind));
  const isJson = (kind: FileKind): boolean =>
    params.records === undefined &&
    (params.input === 'auto' || params.input === 'json') &&
    hasValues(formatOfKind(kind));
  for (const index of files.ofKind((kind) => (kind & STDIN) === 0 && (isCut(kind) || isJson(kind)))) {
    if (opened.has(index)) continue;
    const kind = files.kinds[index]!;
    if (isJson(kind)) {
      const lines = kindOfLines(files, index, params);
      if (lines !== null) files.kinds[index] = lines;
    } else {
      const beginning = beginningOf(files, index, codecOfKind(kind) === null ? FEW_BYTES : HEAD_BYTES);
      const { codec, isUtf16 } = beginning;
      if (isLines(kind) && textOf(beginning, params).startsWith('['))
        files.kinds[index] = kindOf('json', beginning);
      else if (isUtf8(params.encoding) && codec !== null)
        files.kinds[index] = fileKind(formatOfKind(kind).name, codec);
      else if (isUtf8(params.encoding) && isUtf16) files.kinds[index] = kind | UTF16;
    }
    await turns.give();
  }
  await detectTables(files, params, turns);
}

/**
 * Files of records without the text field become texts, as a `.json` without it is, if no option names the field and there are other
 * files. If there are none, the check of the fields rejects them and names the fields that exist.
 */
async function detectTables(files: FileTable, params: ContentParams, turns: LoopTurns): Promise<void> {
  if (params.input !== 'auto' || params.textFieldGiven) return;
  const tables: number[] = [];
  // A reference, and what is compared with it, are two corpora.
  const others = [0, 0];
  const sideOf = (index: number): number => (files.isReference(index) ? 0 : 1);
  for (let index = 0; index < files.length; index++) {
    const kind = files.kinds[index]!;
    const { holds, isBinary } = formatOfKind(kind);
    if (isBinary || holds === 'either') continue;
    if (holds !== 'records' || (kind & STDIN) !== 0 || files.isNamed(index)) others[sideOf(index)]!++;
    else if (tables.push(index) > MOST_OPENED) return;
  }
  const without: number[] = [];
  for (const index of tables) {
    await turns.give();
    const records = firstRecordsOf(files.file(index), params) ?? [];
    if (records.length > 0 && textIn(records, params.textField) === 'none') without.push(index);
    else others[sideOf(index)]!++;
  }
  for (const index of without) {
    if (others[sideOf(index)]! > 0)
      files.kinds[index] = fileKind('records-as-text', codecOfKind(files.kinds[index]!));
  }
}

/** Texts that are PATHs, and those whose names have no ending except that of a codec. A dot that begins a name is not an ending. */
function unclearFiles(files: FileTable): number[] {
  const found: number[] = [];
  for (let index = 0; index < files.length && found.length <= MOST_OPENED; index++) {
    const kind = files.kinds[index]!;
    // No string is made for texts with an ending, which are nearly all files of a large corpus.
    const isNamed = files.isNamed(index);
    if (!isNamed && hasDot(files, index) && codecOfKind(kind) === null) continue;
    if (formatOfKind(kind).name !== 'text' || (kind & STDIN) !== 0) continue;
    if (isNamed || !withoutCodec(nameOf(files.id(index))).inner.includes('.', 1)) found.push(index);
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

function kindOfBare(files: FileTable, index: number, params: ContentParams): FileKind {
  const beginning = beginningOf(files, index, HEAD_BYTES);
  const format = formatIn(beginning, params);
  const hasEnding = withoutCodec(nameOf(files.id(index))).inner.includes('.', 1);
  // A text with an ending that is a PATH: lines of records, if they have the text field.
  const isKept =
    hasEnding && !(format === 'jsonl' && textIn(firstLines(beginning, params), params.textField) === 'text');
  return format === 'text' || isKept ? files.kinds[index]! : kindOf(format, beginning);
}

function firstLines({ bytes, isCut }: Beginning, params: ContentParams): readonly JsonRecord[] {
  return firstRecordsIn(bytes, 'jsonl', params, !isCut) ?? [];
}

/** The kind of a file called `.json` whose first two lines are objects; null: they are not. */
function kindOfLines(files: FileTable, index: number, params: ContentParams): FileKind | null {
  for (let size = HEAD_BYTES; size <= MOST_HEAD_BYTES; size *= 16) {
    const beginning = beginningOf(files, index, size);
    const text = textOf(beginning, params);
    const [, first, second] = /^(\{[^\n]*)\s*\n\s*(\{[^\n]*)/.exec(text) ?? [];
    // Of a text that is cut the second line may be, too.
    const mayBeCut = beginning.isCut && second !== undefined && text.endsWith(second);
    if (
      first !== undefined &&
      second !== undefined &&
      isObjectLine(first) &&
      (isObjectLine(second) || mayBeCut)
    )
      return kindOf('jsonl', beginning);
    if (!beginning.isCut || !text.startsWith('{') || text.includes('\n')) return null;
  }
  return null;
}

function kindOf(format: InputFormat, { codec, isUtf16 }: Beginning): FileKind {
  const kind = fileKind(format, codec);
  return isUtf16 && !isWhole(formatOfKind(kind)) ? kind | UTF16 : kind;
}

/** The format of bytes that begin a file. */
function formatIn(beginning: Beginning, params: ContentParams): InputFormat {
  const { bytes } = beginning;
  if (beginsParquet(bytes)) return 'parquet';
  if (beginsWarc(bytes)) return 'warc';
  if (beginsMbox(bytes)) return 'mbox';
  if (utf16Of(bytes) === null && isBinary(bytes)) return 'text';
  const text = textOf(beginning, params);
  if (!text.startsWith('[') && !text.startsWith('{')) return 'text';
  const feed = text.indexOf('\n');
  // A line that is an object by itself begins lines of them; one that is all of the file may be either.
  const isLine = text.startsWith('{') && isObjectLine(feed < 0 ? text : text.slice(0, feed));
  return formatWith(formatNamed(isLine ? 'jsonl' : 'json-or-text'), params);
}

const beginsParquet = (bytes: Uint8Array): boolean =>
  bytes.length > 4 && [0x50, 0x41, 0x52, 0x31].every((byte, i) => bytes[i] === byte);

function isObjectLine(line: string): boolean {
  const bytes = Buffer.from(line);
  return isObject(parsedJson(bytes, 0, bytes.length));
}

/** The first bytes of a file, decompressed. */
interface Beginning {
  readonly bytes: Uint8Array;
  readonly codec: Codec | null;
  /** Plain bytes that begin with a mark of UTF-16. */
  readonly isUtf16: boolean;
  /** The file has more bytes. */
  readonly isCut: boolean;
}

function textOf({ bytes }: Beginning, { encoding }: ContentParams): string {
  return new TextDecoder(utf16Of(bytes) ?? encoding).decode(bytes).trimStart();
}

/** The beginning of a file; empty if it cannot be read, which its reader reports. Of a compressed file enough is read to decompress some. */
function beginningOf(files: FileTable, index: number, most: number): Beginning {
  const read = (size: number): Uint8Array => {
    const head = new Uint8Array(size);
    const fill = (descriptor: number): number => readInto(descriptor, head, 0, 0);
    return head.subarray(
      0,
      Math.max(
        0,
        withInput(files.pathBytes(index), fill, () => 0),
      ),
    );
  };
  const head = read(most);
  const codec = codecOfKind(files.kinds[index]!) ?? codecOf(head);
  if (codec === null)
    return { bytes: head, codec, isUtf16: utf16Of(head) !== null, isCut: head.length === most };
  if (most < HEAD_BYTES) return { bytes: new Uint8Array(0), codec, isUtf16: false, isCut: true };
  const size = Math.max(most, codecNamed(codec).headBytes);
  const compressed = size > most ? read(size) : head;
  return {
    bytes: decompressedHead(codec, compressed),
    codec,
    isUtf16: false,
    isCut: compressed.length === size,
  };
}
