/**
 * The texts of a few documents by their ids, for showing them. Floor 2; must never know results or
 * signatures.
 */
import type { Readable } from 'node:stream';
import type { ErrorCode } from '../errors.js';
import { streamChunks } from './chunks.js';
import { isUtf8 } from './encodings.js';
import { fileListOf } from './fileList.js';
import { indexOfId } from './filePlaces.js';
import type { FileTable } from './fileTable.js';
import { formatOfKind } from './formats.js';
import { binaryOfBytes, bytesOf } from './ids.js';
import type { Inputs } from './inputs.js';
import { readSource } from './reader.js';
import { type DocumentSink, type ReadParams, readBuffers } from './readerSink.js';

/** How ids are told: `met` of each document that is looked at, and why it is not read (null: it is). */
export interface Finding {
  readonly stdin?: Readable | undefined;
  readonly met?: (id: string, code: ErrorCode | null) => void;
  /** An id as it stands where the wanted ones come from; default as it is. */
  readonly shown?: (id: string) => string;
}

/**
 * The raw bytes of the texts of the documents wanted. Ids are resolved as in a run (src/pipeline/repeatedIds.ts): the
 * document whose place it is, if its record names no other; else the first, in the order of files and records, of those
 * that name it; else the one in this place, which the run calls so because the id of its record repeats. What is not found
 * is not in the map, nor is anything from standard input unless `stdin` is given: it cannot be read twice.
 *
 * @param wanted ids as binary strings
 */
export async function findDocuments(
  { files }: Pick<Inputs, 'files'>,
  params: ReadParams,
  wanted: ReadonlySet<string>,
  finding: Finding = {},
): Promise<Map<string, Uint8Array>> {
  const { stdin } = finding;
  const finder = new Finder(files, wanted, finding);
  const buffers = readBuffers();
  for (let index = 0; index < files.length && !finder.isDone; index++) {
    if (formatOfKind(files.kinds[index]!) === 'text' && !finder.wantsFile(index)) continue;
    const file = files.file(index);
    // Sets are no texts: findSets.ts reads them.
    if ((file.stdin && stdin === undefined) || file.format === 'sets') continue;
    finder.firstLine = null;
    if (file.format !== 'jsonl') {
      const list = fileListOf(files, Uint32Array.of(index));
      readSource({ kind: 'files', list }, params, finder, buffers);
    } else if (file.stdin || file.gzip || !isUtf8(params.encoding)) {
      for await (const chunk of streamChunks(file, params, stdin)) {
        if ('fault' in chunk) {
          finding.met?.(file.id, chunk.fault);
          continue;
        }
        finder.firstLine = chunk.firstLine;
        const { bytes, firstLine } = chunk;
        readSource({ kind: 'chunk', index, id: file.id, firstLine, bytes }, params, finder, buffers);
      }
    } else {
      finder.firstLine = 0;
      readSource({ kind: 'range', file, index, from: 0, to: file.bytes }, params, finder, buffers);
    }
  }
  return finder.found();
}

/** Behind a place that some record has for its own id. */
const NUMBERED = /~[1-9]\d*$/;

/** Keeps the texts of documents that may be wanted ones. */
class Finder implements DocumentSink {
  /** The line that the source begins with; null where records are not lines. */
  firstLine: number | null = null;
  readonly #files: FileTable;
  readonly #wanted: ReadonlySet<string>;
  readonly #places: ReadonlySet<string>;
  readonly #met: NonNullable<Finding['met']>;
  readonly #shown: NonNullable<Finding['shown']>;
  /** By id: of the document whose place it is and that names none, of the first that names it, and of the one in this place. */
  readonly #own = new Map<string, Uint8Array>();
  readonly #named = new Map<string, Uint8Array>();
  readonly #placed = new Map<string, Uint8Array>();
  /** Where the text of the document that was begun goes. */
  #into: (readonly [Map<string, Uint8Array>, string])[] = [];
  #pieces: Uint8Array[] = [];

  constructor(files: FileTable, wanted: ReadonlySet<string>, { met, shown }: Finding) {
    this.#files = files;
    this.#wanted = wanted;
    this.#places = new Set([...wanted].flatMap((id) => [id, id.replace(NUMBERED, '')]));
    this.#met = met ?? (() => undefined);
    this.#shown = shown ?? ((id) => id);
  }

  /** Every text that is wanted was met, and no other has a better right to its id. */
  get isDone(): boolean {
    for (const id of this.#wanted) {
      if (!this.#own.has(id) && (!this.#named.has(id) || this.#mayBePlace(id))) return false;
    }
    return true;
  }

  wantsFile(index: number): boolean {
    return this.#places.has(this.#shown(this.#files.place(index, -1)));
  }

  found(): Map<string, Uint8Array> {
    const texts = new Map<string, Uint8Array>();
    for (const id of this.#wanted) {
      const placed = this.#placed.get(id) ?? this.#placed.get(id.replace(NUMBERED, ''));
      const text = this.#own.get(id) ?? this.#named.get(id) ?? placed;
      if (text !== undefined) texts.set(id, text);
    }
    return texts;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    const place = this.#place(file, record);
    const name = id === null ? place : this.#shown(binaryOfBytes(id));
    this.#met(name, null);
    this.#pieces = [];
    this.#into = [];
    if (id !== null && this.#wanted.has(name) && !this.#named.has(name)) this.#into.push([this.#named, name]);
    if (this.#places.has(place)) this.#into.push([id === null ? this.#own : this.#placed, place]);
    return this.#into.length > 0;
  }

  text(bytes: Uint8Array): void {
    this.#pieces.push(bytes.slice());
  }

  end(_repaired: boolean): void {
    const text = Buffer.concat(this.#pieces);
    for (const [texts, id] of this.#into) if (!texts.has(id)) texts.set(id, text);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!this.begin(file, record, id)) return;
    if (text.length > 0) this.text(text);
    this.end(repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.#met(id === null ? this.#place(file, record) : this.#shown(binaryOfBytes(id)), code);
    this.#pieces = [];
    this.#into = [];
  }

  #place(file: number, record: number): string {
    const number = record < 0 || this.firstLine === null ? record : this.firstLine + record + 1;
    return this.#shown(this.#files.place(file, number));
  }

  /** Whether a file is there that this id may be a place of. Of an id that is shown otherwise than it is, nobody knows. */
  #mayBePlace(id: string): boolean {
    if (id.includes('\xef\xbf\xbd')) return true;
    const { ids } = this.#files;
    const file = id.replace(/#\d*$/, '');
    return indexOfId(ids, bytesOf(id)) >= 0 || indexOfId(ids, bytesOf(file)) >= 0;
  }
}
