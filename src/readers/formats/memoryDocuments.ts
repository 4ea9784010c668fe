/**
 * Documents given in memory: a block of their ids and texts, read like any other source.
 *
 * Record numbers count from 0 in the order given; the file number is 0.
 */

import { ByteColumn, Float64Column } from '../../arrays/growable.js';
import { type Block, encodeBlock, typedColumns } from '../../blocks/block.js';
import type { TextSink } from '../../blocks/documents.js';
import { kindOf, MinHashError } from '../../errors.js';
import { binaryOfId, bytesOf } from '../list/pathIds.js';

/** A text with its id. */
export interface MemoryDocument {
  /** Its id; of documents with equal ids the first is kept. */
  readonly id: string;
  /** A string is taken as its UTF-8 bytes. */
  readonly text: string | Uint8Array;
}

/** A document, or a text alone, whose id is its position: `0`, `1` and so on. */
export type GivenDocument = MemoryDocument | string | Uint8Array;

/** Bytes of text after which a block of documents is closed. */
const BLOCK_BYTES = 4 << 20;

export const isText = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

function invalid(index: number, problem: string): MinHashError {
  return new MinHashError({ code: 'DOCUMENT_INVALID', detail: `document ${index}: ${problem}` });
}

const newColumns = () => ({
  idBytes: new ByteColumn(),
  idEnds: new Float64Column(),
  textBytes: new ByteColumn(),
  textEnds: new Float64Column(),
});

/**
 * Packs documents into blocks of kind `text` of about 4 MB each; `firstRecord` continues from block to block.
 */
export class DocumentPacker {
  private readonly encoder = new TextEncoder();
  private columns = newColumns();
  private firstRecord = 0;
  /** Whether texts come without ids; null before the first. */
  private placed: boolean | null = null;

  /** Number of documents. */
  get count(): number {
    return this.firstRecord + this.columns.idEnds.length;
  }

  /**
   * Adds a document; returns the block that is full with it, else null. @throws MinHashError DOCUMENT_INVALID
   */
  add(document: unknown): Block | null {
    const { id, text } = this.checked(document);
    const { idBytes, idEnds, textBytes, textEnds } = this.columns;
    idBytes.append(/[\ud800-\udfff]/.test(id) ? bytesOf(binaryOfId(id)) : this.encoder.encode(id));
    idEnds.push(idBytes.length);
    textBytes.append(typeof text === 'string' ? this.encoder.encode(text) : text);
    textEnds.push(textBytes.length);
    return textBytes.length >= BLOCK_BYTES ? this.close() : null;
  }

  /** The last block; null if it is empty. */
  end(): Block | null {
    return this.columns.idEnds.length > 0 ? this.close() : null;
  }

  private checked(document: unknown): MemoryDocument {
    const index = this.count;
    const placed = isText(document);
    if (placed || (typeof document === 'object' && document !== null && !Array.isArray(document))) {
      this.placed ??= placed;
      if (this.placed !== placed) {
        const expected = this.placed ? 'a text alone as those' : '{ id, text } as those';
        throw invalid(index, `expected ${expected} before it, got ${placed ? 'a text alone' : 'an object'}`);
      }
      if (placed) return { id: String(index), text: document };
      const { id, text } = document as Partial<Record<keyof MemoryDocument, unknown>>;
      if (typeof id === 'string' && isText(text)) return { id, text };
      const [name, expected, got] =
        typeof id === 'string' ? ['text', 'a string or Uint8Array', text] : ['id', 'a string', id];
      throw invalid(index, `expected its ${name} to be ${expected}, got ${kindOf(got)}`);
    }
    throw invalid(index, `expected a string, a Uint8Array or { id, text }, got ${kindOf(document)}`);
  }

  private close(): Block {
    const { idBytes, idEnds, textBytes, textEnds } = this.columns;
    const columns = {
      ...{ idBytes: idBytes.view, idEnds: idEnds.view },
      ...{ textBytes: textBytes.view, textEnds: textEnds.view },
    };
    const block = encodeBlock('text', { firstRecord: this.firstRecord }, columns, true);
    this.firstRecord += idEnds.length;
    this.columns = newColumns();
    return block;
  }
}

/** Reads a block of a DocumentPacker. */
export function memoryDocuments(block: Block, sink: Pick<TextSink, 'whole'>): void {
  const types = { textBytes: 'u8', textEnds: 'f64', idBytes: 'u8', idEnds: 'f64' } as const;
  const { textBytes, textEnds, idBytes, idEnds } = typedColumns(block, types);
  for (let i = 0; i < idEnds.length; i++) {
    const id = idBytes.subarray(i === 0 ? 0 : idEnds[i - 1]!, idEnds[i]!);
    const text = textBytes.subarray(i === 0 ? 0 : textEnds[i - 1]!, textEnds[i]!);
    sink.whole(0, (block.meta.firstRecord as number) + i, id, text, false);
  }
}
