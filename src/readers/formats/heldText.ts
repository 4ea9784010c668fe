/** Gives a text that is held whole as a document, unchanged. */
import { AS_TEXT, type TextSink } from '../../blocks/documents.js';
import { decoded, isUtf8 } from '../bytes/encodings.js';
import type { ReadParams } from '../documentSink.js';

/** The text of one document. */
export interface HeldText {
  /** In Inputs.files. */
  readonly file: number;
  readonly record: number;
  readonly id: Uint8Array | null;
  readonly bytes: Uint8Array;
}

/** The sink of the document, and how it is read. */
export interface TextTaker {
  readonly params: ReadParams;
  readonly sink: TextSink;
}

/** A text in UTF-8, or in bytes if these are compared; null: it is larger than --max-document. */
export function heldText(
  bytes: Uint8Array,
  encoding: string,
  { shingle, maxDocument }: ReadParams,
): { readonly text: Uint8Array; readonly repaired: boolean } | null {
  const isRaw = shingle.unit === 'bytes' || isUtf8(encoding);
  const found = isRaw ? { text: bytes, repaired: false } : decoded(bytes, encoding);
  return found.text.length > maxDocument ? null : found;
}

/**
 * Skipped: TOO_LARGE.
 *
 * @param isRecords the file holds records, and is compared as a text
 */
export function giveHeldText(
  held: HeldText,
  encoding: string,
  { params, sink }: TextTaker,
  isRecords = false,
): void {
  const { file, record, id } = held;
  const found = heldText(held.bytes, encoding, params);
  if (found === null) sink.skip(file, record, 'TOO_LARGE', id);
  else if (!isRecords || found.text.length === 0) sink.whole(file, record, id, found.text, found.repaired);
  else if (sink.begin(file, record, id)) {
    sink.is?.(AS_TEXT);
    sink.text(found.text);
    sink.end(found.repaired);
  }
}
