/**
 * What a file is, by its name and the options alone. Floor 2; must never look into a file.
 */
import type { InputKind } from '../sketch/params.js';

/**
 * `text`: the file is one document. `jsonl`: one JSON object a line. `json`: one object, or an array of
 * objects. `json-or-text`: `json` where it holds the text field, else `text`.
 */
export type InputFormat = 'text' | 'jsonl' | 'json' | 'json-or-text';

export interface FormatParams {
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
