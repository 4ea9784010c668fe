/**
 * Documents given in memory: a block of their ids and texts, read like any other source.
 *
 * Record numbers count from 0 in the order given; the file number is 0.
 */

import { ByteColumn, Float64Column } from '../../arrays/growable.js';
import { type Block, encodeBlock } from '../../blocks/block.js';
import type { DocumentSink } from '../../blocks/documents.js';

/** A text with its name. A string is taken as its UTF-8 bytes. */
export interface MemoryDocument {
  readonly id: string;
  readonly text: string | Uint8Array;
}

/** Bytes of text after which a block of documents is closed. */
const BLOCK_BYTES = 4 << 20;

/** @throws TypeError for what is no document: callers need not write TypeScript */
function checkDocument(document: MemoryDocument, index: number): void {
  const { id, text } = (document ?? {}) as Partial<Record<keyof MemoryDocument, unknown>>;
  if (typeof id === 'string' && (typeof text === 'string' || text instanceof Uint8Array)) return;
  throw new TypeError(`document ${index}: expected { id: string, text: string or Uint8Array }`);
}

/** Packs documents into blocks of kind `text` of about 4 MB each; `firstRecord` goes on from block to block. */
export function* packDocuments(documents: Iterable<MemoryDocument>): Generator<Block> {
  const encoder = new TextEncoder();
  let idBytes = new ByteColumn();
  let textBytes = new ByteColumn();
  let idEnds = new Float64Column();
  let textEnds = new Float64Column();
  let firstRecord = 0;
  const close = (): Block => {
    const block = encodeBlock(
      'text',
      { firstRecord },
      { idBytes: idBytes.view, idEnds: idEnds.view, textBytes: textBytes.view, textEnds: textEnds.view },
      true,
    );
    firstRecord += idEnds.length;
    idBytes = new ByteColumn();
    textBytes = new ByteColumn();
    idEnds = new Float64Column();
    textEnds = new Float64Column();
    return block;
  };
  for (const document of documents) {
    checkDocument(document, firstRecord + idEnds.length);
    idBytes.append(encoder.encode(document.id));
    idEnds.push(idBytes.length);
    textBytes.append(typeof document.text === 'string' ? encoder.encode(document.text) : document.text);
    textEnds.push(textBytes.length);
    if (textBytes.length >= BLOCK_BYTES) yield close();
  }
  if (idEnds.length > 0) yield close();
}

/** Reads a block made by packDocuments; `from` and `to`: positions among its documents. */
export function memoryDocuments(block: Block, sink: DocumentSink, from = 0, to = memoryCount(block)): void {
  const textBytes = block.columns.textBytes as Uint8Array;
  const textEnds = block.columns.textEnds as Float64Array;
  for (let i = from; i < to; i++) {
    const { record, id } = memoryPlace(block, i);
    if (!sink.begin(0, record, id)) continue;
    sink.text(textBytes.subarray(i === 0 ? 0 : textEnds[i - 1]!, textEnds[i]!));
    sink.end(false);
  }
}

/** Documents in a block made by packDocuments. */
export function memoryCount({ columns }: Block): number {
  return columns.idEnds!.length;
}

/** Record number and id of a document by its position in the block. */
export function memoryPlace({ columns, meta }: Block, i: number): { record: number; id: Uint8Array } {
  const ends = columns.idEnds as Float64Array;
  const id = (columns.idBytes as Uint8Array).subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]!);
  return { record: (meta.firstRecord as number) + i, id };
}
