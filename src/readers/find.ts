/**
 * The texts of a few documents by their ids, for showing them. Floor 2; must never know results or
 * signatures.
 */
import type { Readable } from 'node:stream';
import type { RowSink } from '../blocks/sets.js';
import type { ErrorCode } from '../errors.js';
import { type ResultParams, rowRuleOf } from '../sketch/params.js';
import { combined, contributionOf, copiesOf, MOST_COPIES, NOTHING, type RowRule } from '../text/elements.js';
import { streamChunks } from './bytes/chunks.js';
import { isUtf8 } from './bytes/encodings.js';
import { type ReadParams, readBuffers, type TextSink } from './documentSink.js';
import { readRange } from './formats/lineRanges.js';
import { type SetFields, SetLines, setFieldsOf } from './formats/setLines.js';
import { formatOfKind } from './list/fileKinds.js';
import { fileListOf } from './list/fileTable.js';
import type { InputFile, Inputs } from './list/inputs.js';
import { binaryOfBytes, recordId, textOf } from './list/pathIds.js';
import { firstLineOf, readFirstLine, readSource } from './source.js';

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
class Finder implements TextSink {
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

/*
 * The elements of a few sets by the names of the sets, for showing them. Floor 2; must never know results or signatures.
 */

/** Gathers what lines say of wanted sets. */
class WantedRows implements RowSink {
  readonly found = new Map<string, Map<string, number>>();
  private readonly wanted: ReadonlySet<string>;
  private readonly rule: RowRule;
  private readonly likedFrom: number;

  constructor(wanted: ReadonlySet<string>, rule: RowRule, likedFrom: number) {
    this.wanted = wanted;
    this.rule = rule;
    this.likedFrom = likedFrom;
  }

  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    elementFrom: number,
    elementTo: number,
    value: number,
  ): void {
    const name = binaryOfBytes(bytes.subarray(setFrom, setTo));
    if (!this.wanted.has(name)) return;
    const set = this.found.get(name) ?? new Map<string, number>();
    this.found.set(name, set);
    const contribution = contributionOf(this.rule, value, this.likedFrom);
    if (contribution === NOTHING) return;
    const element = binaryOfBytes(bytes.subarray(elementFrom, elementTo));
    const known = set.get(element);
    set.set(element, known === undefined ? contribution : combined(this.rule, known, contribution));
  }

  skip(_file: number, _record: number, _code: ErrorCode, _id: null): void {
    // The run named it.
  }
}

/**
 * The labelled elements of the sets wanted, in the order of the bytes of elements: `x`, and `x (2)` for its second
 * occurrence; of liked and hated items `x liked` or `x hated`. Sets that are not found are not in the map; standard input
 * cannot be read again.
 *
 * @param wanted names as binary strings
 */
export async function findSets(
  { files }: Pick<Inputs, 'files'>,
  params: ResultParams,
  wanted: ReadonlySet<string>,
): Promise<Map<string, readonly string[]>> {
  const rule = rowRuleOf(params);
  const rows = new WantedRows(wanted, rule, params.sets?.likedFrom ?? 0);
  const buffers = readBuffers();
  for (let index = 0; index < files.length; index++) {
    const file = files.file(index);
    if (file.format !== 'sets' || file.stdin) continue;
    if (file.gzip || !isUtf8(params.encoding)) {
      await readStream(file, params, rule, rows);
      continue;
    }
    const line = params.sets!.named ? readFirstLine(file.path) : new Uint8Array(0);
    const fields = typeof line === 'string' ? null : setFieldsOf(params.sets!, file.id, () => line);
    if (fields === null) continue;
    const source = { kind: 'range', file, index, from: 0, to: file.bytes } as const;
    readRange(source, params, rows, buffers, new SetLines(fields, rule, rows));
  }
  const sets = new Map<string, readonly string[]>();
  for (const [name, elements] of rows.found) sets.set(name, labelledElements(elements, rule));
  return sets;
}

async function readStream(
  file: InputFile,
  params: ResultParams,
  rule: RowRule,
  rows: WantedRows,
): Promise<void> {
  let fields: SetFields | null = null;
  for await (const chunk of streamChunks(file, params)) {
    if ('fault' in chunk) continue;
    const { bytes, firstLine } = chunk;
    fields ??= setFieldsOf(params.sets!, file.id, () => firstLineOf(bytes));
    if (fields === null) return;
    new SetLines(fields, rule, rows).run(0, 0, bytes, 0, bytes.length, firstLine === 0);
  }
}

function labelledElements(elements: ReadonlyMap<string, number>, rule: RowRule): string[] {
  return [...elements.keys()].sort().flatMap((element) => {
    const together = elements.get(element)!;
    const text = textOf(element);
    if (rule === 'liked-hated') return [`${text} ${together === 1 ? 'liked' : 'hated'}`];
    const copies = Math.min(MOST_COPIES, copiesOf(rule, together));
    return Array.from({ length: copies }, (_, i) => (i === 0 ? text : `${text} (${i + 1})`));
  });
}
