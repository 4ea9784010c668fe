/**
 * How an id stands in a result file, and back: TSV, CSV and JSON lines.
 *
 * Floor 2. An id is bytes; a result file is valid UTF-8.
 *   tsv    tab, LF, CR and the backslash are `\t \n \r \\`; other control bytes (0x00-0x1f, 0x7f) and bytes that are
 *          no part of valid UTF-8 `\xNN` (lower case), which makes decoding unambiguous; no quotes
 *   csv    the id itself; the cell is quoted (RFC 4180, quotes doubled) when it has a quote, comma, CR or LF, or begins or
 *          ends with a blank or tab
 *   jsonl  the id itself as a JSON string: quote, backslash and control bytes as JSON escapes them
 * In csv and jsonl U+FFFD stands for bytes that are no part of valid UTF-8, one for as many as the Encoding Standard
 * replaces at once, so that decoding a path with replacement elsewhere gives the same id. Places (`a.txt#3`, what to
 * delete) say there too which bytes these are, see `appendPlace`.
 */
import type { ByteColumn } from '../../blocks/growable.js';
import type { IdTable } from '../../blocks/idTable.js';
import { type CellEscapes, QUOTED } from '../../kernel/rowFormat.js';
import type { ResultFormat } from '../../sketch/params.js';
import type { ByteWriter } from './byteWriter.js';

/** What is written for a byte: null, itself. */
interface Escapes {
  readonly ascii: readonly (Uint8Array | null)[];
  readonly invalid: readonly Uint8Array[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const JSON_SHORT: Readonly<Record<number, string>> = {
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
};
const TSV_SHORT: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r' };

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

function asciiText(format: ResultFormat, byte: number): string | null {
  if (format === 'csv') return byte === QUOTE ? '""' : null;
  if (byte === BACKSLASH) return '\\\\';
  if (byte === QUOTE) return format === 'jsonl' ? '\\"' : null;
  if (!isControl(byte)) return null;
  if (format === 'jsonl') return JSON_SHORT[byte] ?? `\\u00${hex(byte)}`;
  return TSV_SHORT[byte] ?? `\\x${hex(byte)}`;
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);

function escapesOf(format: ResultFormat): Escapes {
  const ascii = Array.from({ length: 128 }, (_, byte) => {
    const text = asciiText(format, byte);
    return text === null ? null : Buffer.from(text, 'latin1');
  });
  const invalid = Array.from({ length: 256 }, (_, byte) =>
    format === 'tsv' ? Buffer.from(`\\x${hex(byte)}`, 'latin1') : REPLACEMENT,
  );
  return { ascii, invalid };
}

const ESCAPES: Readonly<Record<ResultFormat, Escapes>> = {
  tsv: escapesOf('tsv'),
  csv: escapesOf('csv'),
  jsonl: escapesOf('jsonl'),
};

/** What a format writes for every byte, and when it quotes a cell: for whoever escapes many ids at once. */
export const CELL_ESCAPES: Readonly<Record<ResultFormat, CellEscapes>> = {
  tsv: cellEscapesOf('tsv', QUOTED.never),
  csv: cellEscapesOf('csv', QUOTED.separated),
  jsonl: cellEscapesOf('jsonl', QUOTED.always),
};

function cellEscapesOf(format: ResultFormat, quoted: CellEscapes['quoted']): CellEscapes {
  const { ascii, invalid } = ESCAPES[format];
  return { replacements: [...ascii, ...invalid.slice(0x80)], runs: format !== 'tsv', quoted };
}

/** Longest escape of one byte: a JSON \u0000. */
const WORST = 6;

/**
 * Bytes of the valid UTF-8 sequence that starts at `at` and ends before `to`: 2..4, or 0 where none does (RFC
 * 3629: no overlong forms, no surrogates, nothing above U+10FFFF). Only for a first byte >= 0x80.
 */
export function utf8SequenceLength(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at]!;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > to) return 0;
  const second = bytes[at + 1]!;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}

/**
 * Bytes from `at` on that one U+FFFD stands for where no valid sequence starts: as many as begin one, at least one (the
 * Encoding Standard: "maximal subpart").
 */
export function invalidLength(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at]!;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  let found = 1;
  while (found < length && at + found < to) {
    const byte = bytes[at + found]!;
    const least = found > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const most = found > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (byte < least || byte > most) return found;
    found++;
  }
  return found;
}

/** Whether `bytes[from .. to)` are valid UTF-8. */
function isUtf8(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, to);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** Ids that are not UTF-8. */
export function countNotUtf8({ offsets, bytes }: IdTable): number {
  let count = 0;
  for (let i = 0; i + 1 < offsets.length; i++) if (!isUtf8(bytes, offsets[i]!, offsets[i + 1]!)) count++;
  return count;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}

function needsQuotes(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  if (isBlank(bytes[from]) || isBlank(bytes[to - 1])) return true;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte === COMMA || byte === QUOTE || byte === 10 || byte === 13) return true;
  }
  return false;
}

function put(target: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) target[at++] = bytes[i]!;
  return at;
}

/** Writes the cell of the id or text `bytes[from .. to)`, with the quotes its format asks for. */
export function appendEscaped(
  out: ByteWriter,
  format: ResultFormat,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  const { ascii, invalid } = ESCAPES[format];
  out.reserve(WORST * (to - from) + 2);
  const target = out.bytes;
  let at = out.length;
  const quoted = format === 'jsonl' || (format === 'csv' && needsQuotes(bytes, from, to));
  if (quoted) target[at++] = QUOTE;
  for (let i = from; i < to; ) {
    const byte = bytes[i]!;
    if (byte < 0x80) {
      const replacement = ascii[byte]!;
      if (replacement === null) target[at++] = byte;
      else at = put(target, at, replacement);
      i++;
      continue;
    }
    const length = utf8SequenceLength(bytes, i, to);
    if (length === 0) {
      at = put(target, at, invalid[byte]!);
      i += format === 'tsv' ? 1 : invalidLength(bytes, i, to);
    }
    for (let end = i + length; length > 0 && i < end; i++) target[at++] = bytes[i]!;
  }
  if (quoted) target[at++] = QUOTE;
  out.length = at;
}

const HEX = /^[0-9a-fA-F]$/;

/** Whether `\xNN` stands at `at`: what undoing escapes would take for one. */
function readsAsEscape(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] !== BACKSLASH || at + 4 > to || bytes[at + 1] !== 0x78) return false;
  return HEX.test(String.fromCharCode(bytes[at + 2]!)) && HEX.test(String.fromCharCode(bytes[at + 3]!));
}

/** Whether a place stands in csv and jsonl otherwise than an id does. */
export function needsPlaceForm(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    if (readsAsEscape(bytes, at, to)) return true;
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, to);
    if (length === 0) return true;
    at += length;
  }
  return false;
}

/**
 * Appends a place as it stands in csv and jsonl, before the escapes of the format: itself. Where it has bytes that are not
 * UTF-8, these are `\xNN` and its backslashes are doubled; so they are where it has `\xNN` as such. Then all that has
 * `\xNN` is to be undone, and nothing else.
 */
export function appendPlace(out: ByteColumn, bytes: Uint8Array, from: number, to: number): void {
  if (!needsPlaceForm(bytes, from, to)) {
    out.append(bytes.subarray(from, to));
    return;
  }
  for (let at = from; at < to; ) {
    const byte = bytes[at]!;
    const length = byte < 0x80 ? 1 : utf8SequenceLength(bytes, at, to);
    if (byte === BACKSLASH) out.appendBinary('\\\\');
    else if (length === 0) out.appendBinary(`\\x${hex(byte)}`);
    else out.append(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
}

const TSV_ESCAPE = /\\(?:([tnr\\])|x([0-9a-fA-F]{2}))/g;
const PLACE_ESCAPE = /\\(?:(\\)|x([0-9a-fA-F]{2}))/g;
const HAS_PLACE_ESCAPE = /\\x[0-9a-fA-F]{2}/;
const TSV_MEANING: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/**
 * The id (binary string) of a cell's text: the cell of a TSV file, or what a CSV or JSON reader makes of the
 * cell. Whatever is no escape of ours stands for itself, so an id typed by hand with a lone backslash is
 * still found.
 */
export function unescapeId(text: string, format: ResultFormat): string {
  return unescapeBytes(Buffer.from(text, 'utf8').toString('latin1'), format);
}

/** The same for a cell that was read as bytes (a binary string). */
export function unescapeBytes(cell: string, format: ResultFormat): string {
  return format === 'tsv' ? undone(cell, TSV_ESCAPE) : cell;
}

/** The place (binary string) of a cell that was read as bytes. */
export function unescapePlace(cell: string, format: ResultFormat): string {
  if (format === 'tsv') return undone(cell, TSV_ESCAPE);
  return HAS_PLACE_ESCAPE.test(cell) ? undone(cell, PLACE_ESCAPE) : cell;
}

function undone(cell: string, pattern: RegExp): string {
  if (!cell.includes('\\')) return cell;
  return cell.replace(pattern, (_, letter: string | undefined, digits: string | undefined) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(digits!, 16)) : TSV_MEANING[letter]!,
  );
}
