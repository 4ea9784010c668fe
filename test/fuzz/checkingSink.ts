/** A sink that keeps the readers' promises: calls in their order, no text beyond the limit, codes of documents alone. */
import type { TextSink } from '../../src/blocks/documents.js';
import { ERRORS, type ErrorCode } from '../../src/errors.js';

export class CheckingSink implements TextSink {
  /** A line for every document and skip, to compare two readings by. */
  readonly told: string[] = [];
  readonly #most: number;
  #open: string | null = null;
  #text: Uint8Array[] = [];
  #size = 0;

  /** @param most bytes of a text */
  constructor(most: number) {
    this.#most = most;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (this.#open !== null) throw new Error('begin within a document');
    if (file !== 0 || !Number.isInteger(record) || record < -1)
      throw new Error(`no place: ${file} ${record}`);
    this.#open = `${record} ${idOf(id)}`;
    this.#text = [];
    this.#size = 0;
    return true;
  }

  text(bytes: Uint8Array): void {
    if (this.#open === null) throw new Error('text outside a document');
    if (bytes.length === 0) throw new Error('an empty piece');
    this.#size += bytes.length;
    if (this.#size > this.#most) throw new Error(`a text of ${this.#size} bytes`);
    this.#text.push(bytes.slice());
  }

  end(repaired: boolean): void {
    if (this.#open === null) throw new Error('end outside a document');
    const text = Buffer.concat(this.#text).toString('latin1');
    this.told.push(`${this.#open} ${repaired ? 'repaired ' : ''}${text}`);
    this.#open = null;
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.begin(file, record, id);
    if (text.length > 0) this.text(text);
    this.end(repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    if (file !== 0 || record < -1) throw new Error(`no place: ${file} ${record}`);
    if (ERRORS[code]?.scope !== 'document') throw new Error(`${code} is no reason to skip a document`);
    this.#open = null;
    this.told.push(`${record} ${idOf(id)} ${code}`);
  }

  /** After the reader has returned. */
  close(): void {
    if (this.#open !== null) throw new Error('a document was begun and never ended');
  }
}

function idOf(id: Uint8Array | null): string {
  return id === null ? '-' : Buffer.from(id).toString('latin1');
}
