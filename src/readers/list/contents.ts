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
import { codecOfKind } from '../bytes/codecs.js';
import { isUtf8, utf16Of } from '../bytes/encodings.js';
import type { ReadParams } from '../documentSink.js';
import {
  firstRecordsIn,
  firstRecordsOf,
  HEAD_BYTES,
  type Head,
  headOfLines,
  headsOf,
  textIn,
  utf8Of,
} from '../firstRecords.js';
import { isObject, OPEN_ARRAY, OPEN_OBJECT, parsedJson, skipSpace } from '../formats/json/json.js';
import { beginsMbox } from '../formats/mail.js';
import { beginsWarc } from '../formats/web/warcRecords.js';
import { type FileKind, STDIN, UTF16 } from './fileList.js';
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

type ContentParams = ReadParams & FormatParams;

/** Opens these files, and notes their formats in the table. */
export async function detectFormats(
  files: FileTable,
  params: ContentParams,
  turns: LoopTurns,
): Promise<void> {
  const { input, records } = params;
  const unclear = input === 'auto' ? unclearFiles(files) : [];
  const opened = new Set(unclear.length > MOST_OPENED ? [] : unclear);
  for (const index of opened) {
    files.kinds[index] = kindOfText(files, index, params);
    await turns.give();
  }
  const isOpened = (kind: FileKind): boolean => {
    const format = formatOfKind(kind);
    if ((kind & STDIN) !== 0) return false;
    if (isWhole(format))
      return hasValues(format) && records === undefined && (input === 'auto' || input === 'json');
    return codecOfKind(kind) === null || (format.name === 'jsonl' && input === 'auto');
  };
  for (const index of files.ofKind(isOpened)) {
    if (opened.has(index)) continue;
    files.kinds[index] = kindOfRecords(files, index, params);
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
  const unclear: number[] = [];
  for (let index = 0; index < files.length && unclear.length <= MOST_OPENED; index++) {
    const kind = files.kinds[index]!;
    // No string is made for texts with an ending, which are nearly all files of a large corpus.
    const isNamed = files.isNamed(index);
    if (!isNamed && hasDot(files, index) && codecOfKind(kind) === null) continue;
    if (formatOfKind(kind).name !== 'text' || (kind & STDIN) !== 0) continue;
    if (isNamed || !hasEnding(files, index)) unclear.push(index);
  }
  return unclear;
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

const hasEnding = (files: FileTable, index: number): boolean =>
  withoutCodec(nameOf(files.id(index))).inner.includes('.', 1);

/** The kind of a text by its content. One with an ending that is a PATH changes only if it is lines of records with the text field. */
function kindOfText(files: FileTable, index: number, params: ContentParams): FileKind {
  const kind = files.kinds[index]!;
  for (const head of headsOf(files.path(index), codecOfKind(kind))) {
    const format = formatIn(head, params);
    if (hasEnding(files, index)) {
      const records =
        format === 'jsonl' ? firstRecordsIn(utf8Of(head, params), format, params, head.isWhole) : [];
      if (textIn(records ?? [], params.textField) !== 'text') return kind;
    }
    return format === 'text' ? kind : kindOf(format, head);
  }
  return kind;
}

/** The kind of a file of records, or of JSON, by its content. */
function kindOfRecords(files: FileTable, index: number, params: ContentParams): FileKind {
  const kind = files.kinds[index]!;
  const [path, codec, format] = [files.path(index), codecOfKind(kind), formatOfKind(kind)];
  if (hasValues(format)) {
    const head = headOfLines(path, codec, params);
    return head === null ? kind : kindOf('jsonl', head);
  }
  for (const head of headsOf(path, codec, codec === null ? FEW_BYTES : HEAD_BYTES)) {
    const bytes = utf8Of(head, params);
    const isArray = bytes[skipSpace(bytes, 0, bytes.length)] === OPEN_ARRAY;
    if (isArray && format.name === 'jsonl' && params.input === 'auto') return kindOf('json', head);
    return isUtf8(params.encoding) ? kindOf(format.name, head) : kind;
  }
  return kind;
}

function kindOf(format: InputFormat, { bytes, codec }: Head): FileKind {
  const kind = fileKind(format, codec);
  const isUtf16 = codec === null && utf16Of(bytes) !== null;
  return isUtf16 && !isWhole(formatOfKind(kind)) ? kind | UTF16 : kind;
}

/** The format of a file by its beginning. */
function formatIn(head: Head, params: ContentParams): InputFormat {
  const { bytes } = head;
  if (beginsParquet(bytes)) return 'parquet';
  if (beginsWarc(bytes)) return 'warc';
  if (beginsMbox(bytes)) return 'mbox';
  if (utf16Of(bytes) === null && isBinary(bytes)) return 'text';
  const text = utf8Of(head, params);
  const from = skipSpace(text, 0, text.length);
  if (text[from] !== OPEN_ARRAY && text[from] !== OPEN_OBJECT) return 'text';
  const feed = text.indexOf('\n', from);
  // A line that is an object by itself begins lines of them; one that is all of the file may be either.
  const isLine = isObject(parsedJson(text, from, feed < 0 ? text.length : feed));
  return formatWith(formatNamed(isLine ? 'jsonl' : 'json-or-text'), params);
}

const beginsParquet = (bytes: Uint8Array): boolean =>
  bytes.length > 4 && [0x50, 0x41, 0x52, 0x31].every((byte, i) => bytes[i] === byte);
