/** Gives a text that is held whole as a document, unchanged. */
import { AS_TEXT, type TextSink } from '../../blocks/documents.js';
import { decodeText, isUtf8 } from '../bytes/encodings.js';
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

/**
 * Skipped: TOO_LARGE.
 *
 * @param isRecords the file holds records, and is compared as a text
 */
export function giveHeldText(
  { file, record, id, bytes }: HeldText,
  encoding: string,
  { params, sink }: TextTaker,
  isRecords = false,
): void {
  const { maxDocument, shingle } = params;
  const isRaw = shingle.unit === 'bytes' || isUtf8(encoding);
  const skip = (): void => sink.skip(file, record, 'TOO_LARGE', id);
  if (isRaw && bytes.length > maxDocument) skip();
  else if (isRaw && !isRecords) sink.whole(file, record, id, bytes, false);
  else if (sink.begin(file, record, id)) {
    if (isRecords && bytes.length > 0) sink.is?.(AS_TEXT);
    let size = 0;
    const give = (piece: Uint8Array): void => {
      size += piece.length;
      if (piece.length > 0 && size <= maxDocument) sink.text(piece);
    };
    if (isRaw) give(bytes);
    const repaired = !isRaw && decodeText(bytes, encoding, give);
    if (size > maxDocument) skip();
    else sink.end(repaired);
  }
}
