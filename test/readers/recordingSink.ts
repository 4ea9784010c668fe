/** A sink that keeps all it is given and checks the protocol, for tests of readers. */
import type { TextSink } from '../../src/blocks/documents.js';
import type { ErrorCode } from '../../src/errors.js';
import type { ReadParams } from '../../src/readers/documentSink.js';
import { binaryOfBytes } from '../../src/readers/list/pathIds.js';

export interface Recorded {
  readonly file: number;
  readonly record: number;
  readonly id: string | null;
  /** Binary string. */
  readonly text: string;
  readonly repaired: boolean;
}

export interface Skipped {
  readonly file: number;
  readonly record: number;
  readonly code: ErrorCode;
  readonly id: string | null;
}

export class RecordingSink implements TextSink {
  readonly documents: Recorded[] = [];
  readonly skips: Skipped[] = [];
  #open: { file: number; record: number; id: string | null; pieces: string[] } | null = null;

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (this.#open !== null) throw new Error('begin within a document');
    this.#open = { file, record, id: id === null ? null : binaryOfBytes(id), pieces: [] };
    return true;
  }

  text(bytes: Uint8Array): void {
    if (this.#open === null) throw new Error('text outside a document');
    if (bytes.length === 0) throw new Error('an empty piece');
    this.#open.pieces.push(binaryOfBytes(bytes));
  }

  end(repaired: boolean): void {
    if (this.#open === null) throw new Error('end outside a document');
    const { file, record, id, pieces } = this.#open;
    this.documents.push({ file, record, id, text: pieces.join(''), repaired });
    this.#open = null;
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!this.begin(file, record, id)) return;
    if (text.length > 0) this.text(text);
    this.end(repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.#open = null;
    this.skips.push({ file, record, code, id: id === null ? null : binaryOfBytes(id) });
  }

  get texts(): string[] {
    return this.documents.map((document) => document.text);
  }

  get codes(): string[] {
    return this.skips.map((skip) => `${skip.record} ${skip.code}`);
  }
}

export function readParams(
  changes: Partial<Omit<ReadParams, 'shingle'>> & { bytes?: boolean } = {},
): ReadParams {
  const { bytes = false, ...rest } = changes;
  return {
    textField: 'text',
    idField: 'id',
    input: 'auto',
    encoding: 'utf-8',
    textFormat: 'auto',
    separator: null,
    quote: null,
    maxDocument: 1 << 30,
    shingle: { unit: bytes ? 'bytes' : 'words' },
    ...rest,
  };
}
