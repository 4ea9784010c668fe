/**
 * The table of documents that a filter does not pass on, as TSV rows with the escapes of result files.
 *
 *      document   id of the record, or its location
 *      kept       id of the most similar document; empty for a document of --against that was not read
 *      jaccard    six decimals, or empty
 *      reason     identical, same-tokens, near, or code and text of the error
 *      place      line of the stream, `-#` and its number from 1; of a document of --against its location
 *      kept_place location of the kept document
 */
import { ERRORS, type ErrorCode } from '../../errors.js';
import { binaryOf, binaryOfBytes, bytesOf } from '../../readers/list/pathIds.js';
import { ByteWriter, millionthsOf } from '../../result/tables/escaping.js';
import { type DocumentIdentity, locationOf } from './batch.js';
import type { Decision } from './documentFilter.js';

const encoder = new TextEncoder();
const TAB = encoder.encode('\t');
const NEW_LINE = encoder.encode('\n');

export class DroppedTable {
  readonly #out = new ByteWriter();

  constructor() {
    this.#out.append(encoder.encode('document\tkept\tjaccard\treason\tplace\tkept_place\n'));
  }

  /** The number of rows that were not taken yet. */
  get length(): number {
    return this.#out.length;
  }

  /** The rows since the last call, valid until the next row. */
  take(): Uint8Array {
    const rows = this.#out.written();
    this.#out.clear();
    return rows;
  }

  drop(document: DocumentIdentity, { jaccard, kind, like }: Decision): void {
    const out = this.#out;
    this.#cell(document.id);
    this.#cell(like!.id);
    out.appendMillionths(millionthsOf(jaccard));
    this.#end(kind, locationOf(document), locationOf(like!));
  }

  /** A document of --against that was not read. */
  skip(document: Uint8Array, code: ErrorCode): void {
    this.#cell(document);
    this.#out.append(TAB);
    this.#end(binaryOf(`${code}: ${ERRORS[code].text}`), binaryOfBytes(document), '');
  }

  /** The cells after the similarity. */
  #end(...cells: readonly string[]): void {
    for (const text of cells) {
      this.#out.append(TAB);
      const bytes = bytesOf(text);
      this.#out.appendEscaped(bytes, 0, bytes.length);
    }
    this.#out.append(NEW_LINE);
  }

  #cell(id: Uint8Array): void {
    this.#out.appendEscaped(id, 0, id.length);
    this.#out.append(TAB);
  }
}
