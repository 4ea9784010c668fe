/**
 * What a file is, by its name and the options alone. It must never look into a file.
 */
import type { InputKind } from '../../sketch/params.js';

/**
 * `text`: the file is one document. `jsonl`: one JSON object a line. `json`: one object, or an array of
 * objects. `json-or-text`: `json` where it holds the text field, else `text`. `sets`: a set and an element a line.
 */
export type InputFormat = 'text' | 'jsonl' | 'json' | 'json-or-text' | 'sets';

interface FormatParams {
  readonly input: InputKind;
  readonly textFieldGiven: boolean;
}

/**
 * Format and packing of a file. The ending `.gz` (any case) means gzip, and the name before it decides the
 * format; `--input` other than `auto` overrides the name.
 *
 * @param name a file's name or path as a binary string
 */
export function formatOf(name: string, params: FormatParams): { format: InputFormat; gzip: boolean } {
  const lower = name.toLowerCase();
  const gzip = lower.endsWith('.gz');
  if (params.input !== 'auto') return { format: params.input, gzip };
  const inner = gzip ? lower.slice(0, -3) : lower;
  if (inner.endsWith('.jsonl') || inner.endsWith('.ndjson')) return { format: 'jsonl', gzip };
  if (!inner.endsWith('.json')) return { format: 'text', gzip };
  return { format: params.textFieldGiven ? 'json' : 'json-or-text', gzip };
}

/**
 * Format and flags of a file in one byte, as columns of files hold them: the place of the format in FORMATS,
 * and GZIP and STDIN. PLAIN_TEXT is the byte of a text that is no more than that.
 */
export type FileKind = number;
export const FORMATS: readonly InputFormat[] = ['text', 'jsonl', 'json', 'json-or-text', 'sets'];
export const PLAIN_TEXT = 0;
export const GZIP = 8;
export const STDIN = 16;

export function fileKind(format: InputFormat, gzip: boolean, stdin = false): FileKind {
  return FORMATS.indexOf(format) | (gzip ? GZIP : 0) | (stdin ? STDIN : 0);
}

/** Whether the records of a file are its lines, so that it can be cut between any two of them. */
export function holdsLines(format: InputFormat): boolean {
  return format === 'jsonl' || format === 'sets';
}

export function formatOfKind(kind: FileKind): InputFormat {
  return FORMATS[kind & 7]!;
}

/** formatOf as a byte; most names are told by their last letter, without a string made for them. */
export function fileKindOf(name: string, params: FormatParams): FileKind {
  const last = name.charCodeAt(name.length - 1) | 0x20;
  const hasEnding = last === 0x7a || (params.input === 'auto' && (last === 0x6c || last === 0x6e));
  if (!hasEnding) return params.input === 'auto' ? PLAIN_TEXT : fileKind(params.input, false);
  const { format, gzip } = formatOf(name, params);
  return fileKind(format, gzip);
}
