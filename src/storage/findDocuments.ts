/**
 * The texts of a few documents by their ids, for showing them. Floor 2; must never know results or
 * signatures.
 */
import type { Readable } from 'node:stream';
import type { ErrorCode } from '../errors.js';
import { streamChunks } from './chunks.js';
import { isUtf8 } from './encodings.js';
import { fileListOf } from './fileList.js';
import { formatOfKind } from './formats.js';
import { binaryOfBytes, recordId } from './ids.js';
import type { InputFile, Inputs } from './inputs.js';
import { readSource } from './reader.js';
import { type DocumentSink, type ReadParams, readBuffers } from './readerSink.js';

/**
 * The raw bytes of the texts of the documents wanted. Ids are resolved as in a run: what the id field says,
 * else recordId; of equal ids the document first in the order of files and records. What is not found is not
 * in the map, nor is anything from standard input unless `stdin` is given: it cannot be read twice.
 *
 * @param wanted ids as binary strings
 * @param met told of each document that is looked at, by its id, and why it is not read (null: it is)
 */
export async function findDocuments(
  inputs: Pick<Inputs, 'files'>,
  params: ReadParams,
  wanted: ReadonlySet<string>,
  stdin?: Readable,
  met: (id: string, code: ErrorCode | null) => void = () => undefined,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const buffers = readBuffers();
  const { files } = inputs;
  for (let index = 0; index < files.length && found.size < wanted.size; index++) {
    if (formatOfKind(files.kinds[index]!) === 'text' && !wanted.has(files.id(index))) continue;
    const file = files.file(index);
    if (file.stdin && stdin === undefined) continue;
    const sink = new Finder(file, wanted, found, met);
    // Sets are no texts: findSets.ts reads them.
    if (file.format === 'sets') continue;
    if (file.format !== 'jsonl') {
      const list = fileListOf(files, Uint32Array.of(index));
      readSource({ kind: 'files', list }, params, sink, buffers);
    } else if (file.stdin || file.gzip || !isUtf8(params.encoding)) {
      for await (const chunk of streamChunks(file, params, stdin)) {
        if ('fault' in chunk) {
          met(file.id, chunk.fault);
          continue;
        }
        sink.firstLine = chunk.firstLine;
        const { bytes, firstLine } = chunk;
        readSource({ kind: 'chunk', index, id: file.id, firstLine, bytes }, params, sink, buffers);
      }
    } else {
      readSource({ kind: 'range', file, index, from: 0, to: file.bytes }, params, sink, buffers);
    }
  }
  return found;
}

/** Keeps the texts of wanted documents of one file. */
class Finder implements DocumentSink {
  firstLine = 0;
  readonly #file: InputFile;
  readonly #wanted: ReadonlySet<string>;
  readonly #found: Map<string, Uint8Array>;
  readonly #met: (id: string, code: ErrorCode | null) => void;
  #id = '';
  #pieces: Uint8Array[] = [];

  constructor(
    file: InputFile,
    wanted: ReadonlySet<string>,
    found: Map<string, Uint8Array>,
    met: (id: string, code: ErrorCode | null) => void,
  ) {
    this.#file = file;
    this.#wanted = wanted;
    this.#found = found;
    this.#met = met;
  }

  begin(_file: number, record: number, id: Uint8Array | null): boolean {
    this.#id = this.#idOf(record, id);
    this.#met(this.#id, null);
    this.#pieces = [];
    return this.#wanted.has(this.#id) && !this.#found.has(this.#id);
  }

  text(bytes: Uint8Array): void {
    this.#pieces.push(bytes.slice());
  }

  end(_repaired: boolean): void {
    this.#found.set(this.#id, Buffer.concat(this.#pieces));
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!this.begin(file, record, id)) return;
    if (text.length > 0) this.text(text);
    this.end(repaired);
  }

  skip(_file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.#met(this.#idOf(record, id), code);
    this.#pieces = [];
  }

  #idOf(record: number, id: Uint8Array | null): string {
    const number = record < 0 ? record : record + this.firstLine;
    return id === null ? recordId(this.#file, number) : binaryOfBytes(id);
  }
}
