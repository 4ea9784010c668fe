/**
 * How an id stands in a result file, and back: TSV, CSV and JSON lines.
 *
 * Floor 2. An id is bytes; a result file is valid UTF-8. So a byte that is no part of valid UTF-8 is written
 * as `\xNN` (lower case) and a backslash is doubled, in every format, which makes decoding unambiguous.
 * Beyond that:
 *   tsv    tab, LF, CR are `\t \n \r`; other control bytes (0x00-0x1f, 0x7f) `\xNN`; no quotes
 *   csv    tab, LF, CR stand as they are; other control bytes `\xNN`; the cell is quoted (RFC 4180, quotes
 *          doubled) when it has a quote, comma, CR or LF, or begins or ends with a blank or tab
 *   jsonl  a JSON string of the text with its backslashes doubled: control bytes as JSON escapes them
 */
import { type CellEscapes, QUOTED } from '../../kernel/rowFormat.js';
import type { ResultFormat } from '../../sketch/params.js';
import type { ByteWriter } from './byteWriter.js';

/** What is written for a byte: null, itself. */
interface Escapes {
  readonly ascii: readonly (Uint8Array | null)[];
  readonly invalid: readonly Uint8Array[];
}

const QUOTE = 0x22;
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
  if (byte === 0x5c) return format === 'jsonl' ? '\\\\\\\\' : '\\\\';
  if (byte === QUOTE) return format === 'jsonl' ? '\\"' : format === 'csv' ? '""' : null;
  if (!isControl(byte)) return null;
  if (format === 'jsonl') return JSON_SHORT[byte] ?? `\\u00${hex(byte)}`;
  if (format === 'tsv') return TSV_SHORT[byte] ?? `\\x${hex(byte)}`;
  return byte === 9 || byte === 10 || byte === 13 ? null : `\\x${hex(byte)}`;
}

function escapesOf(format: ResultFormat): Escapes {
  const ascii = Array.from({ length: 128 }, (_, byte) => {
    const text = asciiText(format, byte);
    return text === null ? null : Buffer.from(text, 'latin1');
  });
  const backslash = format === 'jsonl' ? '\\\\' : '\\';
  const invalid = Array.from({ length: 256 }, (_, byte) =>
    Buffer.from(`${backslash}x${hex(byte)}`, 'latin1'),
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
  return { replacements: [...ascii, ...invalid.slice(0x80)], quoted };
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
    if (length === 0) at = put(target, at, invalid[bytes[i++]!]!);
    for (let end = i + length; length > 0 && i < end; i++) target[at++] = bytes[i]!;
  }
  if (quoted) target[at++] = QUOTE;
  out.length = at;
}

const TSV_ESCAPE = /\\(?:([tnr\\])|x([0-9a-fA-F]{2}))/g;
const OTHER_ESCAPE = /\\(?:(\\)|x([0-9a-fA-F]{2}))/g;
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
  if (!cell.includes('\\')) return cell;
  return cell.replace(
    format === 'tsv' ? TSV_ESCAPE : OTHER_ESCAPE,
    (_, letter: string | undefined, digits: string | undefined) =>
      letter === undefined ? String.fromCharCode(Number.parseInt(digits!, 16)) : TSV_MEANING[letter]!,
  );
}
