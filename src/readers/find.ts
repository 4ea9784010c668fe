/** Reads the texts of a few documents by id or location, and all texts one by one. */

import type { Readable } from 'node:stream';
import type { Block } from '../blocks/block.js';
import { type TextSink, WHOLE_FILE } from '../blocks/documents.js';
import { type FieldValues, NUMBER, TEXT } from '../blocks/fieldValues.js';
import type { RowSink } from '../blocks/sets.js';
import type { ErrorCode } from '../errors.js';
import { type RowRuleParams, rowRuleOf, type Unit } from '../sketch/params.js';
import { combined, contributionOf, copiesOf, MOST_COPIES, NOTHING, type RowRule } from '../text/elements.js';
import { unitOfId, unitOfText } from '../text/units.js';
import type { ChunkProblem } from './bytes/chunkCutter.js';
import { isStream, streamChunks } from './bytes/chunks.js';
import { PIECE_BYTES, type PieceParams, type ReadParams, readBuffers } from './documentSink.js';
import { FormatReading } from './formats/reading.js';
import { type InputFile, STDIN } from './list/fileList.js';
import type { FileTable } from './list/fileTable.js';
import { formatOfKind, isWhole } from './list/formats.js';
import type { Inputs } from './list/inputs.js';
import { binaryOfBytes, bytesOf, filesOfPlace, textOf } from './list/pathIds.js';
import { readSplit, readWhole, SetLineReader } from './reader.js';
import { SetHeaders } from './setHeaders.js';
import { chunkSplit, type LinesSplit, lineBytes, linesBlock } from './split.js';

/** Callbacks of a search. `met`: for each document, with the reason why it is skipped (null: it is not). */
interface Finding {
  readonly stdin?: Readable | undefined;
  readonly met?: (id: string, code: ErrorCode | null) => void;
  /** Called with the id (the location if there is none) and the location of every document. */
  readonly located?: (id: string, place: string) => void;
  /** Whether the wanted names are locations: then other files are not read. */
  readonly areLocations?: boolean;
}

/** How documents are read, and which part of them is compared; absent: all of it. */
type FoundParams = ReadParams & { readonly unit?: Unit };

/**
 * The raw bytes of the wanted texts: of documents, or of the units that a run compared. See `findWhole`.
 *
 * @param wanted ids as binary strings
 */
export async function findDocuments(
  inputs: Pick<Inputs, 'files'>,
  params: FoundParams,
  wanted: ReadonlySet<string>,
  finding: Finding = {},
): Promise<Map<string, Uint8Array>> {
  const { unit = 'document' } = params;
  if (unit === 'document') return findWhole(inputs, params, wanted, finding);
  const places = new Map([...wanted].map((id) => [id, unitOfId(id, unit)]));
  const names = new Set([...places.values()].flatMap((place) => (place === null ? [] : [place.name])));
  const texts = await findWhole(inputs, params, names, finding);
  const found = new Map<string, Uint8Array>();
  for (const [id, place] of places) {
    const text = place === null ? undefined : texts.get(place.name);
    const bytes = text === undefined ? null : unitOfText(text, unit, place!.number);
    if (bytes !== null) found.set(id, bytes);
  }
  return found;
}

/**
 * The raw bytes of the texts of the wanted documents. A name is resolved as in a run (src/coordinator/documentList.ts): the document whose
 * location it is, else the first one, in the order of files and records, whose id it is. A document that is not found is not in the map,
 * nor is anything from standard input unless `stdin` is given: it cannot be read twice.
 *
 * @param wanted ids as binary strings
 */
async function findWhole(
  { files }: Pick<Inputs, 'files'>,
  params: ReadParams,
  wanted: ReadonlySet<string>,
  finding: Finding = {},
): Promise<Map<string, Uint8Array>> {
  const { stdin } = finding;
  const finder = new Finder(files, wanted, finding);
  const reading = new FormatReading(params, finder, readBuffers());
  const among = finding.areLocations === true ? filesOfPlaces(files, wanted) : null;
  function* mayHoldThem(): Generator<number> {
    for (let index = 0; index < files.length && !finder.isDone; index++) {
      if (among?.has(index) === false) continue;
      const kind = files.kinds[index]!;
      const { holds } = formatOfKind(kind);
      // Sets are read by `findSets`.
      if (holds === 'rows' || (holds === 'text' && !finder.wantsFile(index))) continue;
      if ((kind & STDIN) === 0 || stdin !== undefined) yield index;
    }
  }
  for await (const part of readParts(files, mayHoldThem(), params, reading, finder, stdin))
    if (typeof part !== 'number') finding.met?.(files.id(part.index), part.problem);
  return finder.found();
}

function filesOfPlaces(files: FileTable, places: ReadonlySet<string>): ReadonlySet<number> {
  return new Set([...places].flatMap(filesOfPlace).map((name) => files.indexOf(bytesOf(name))));
}

/** A document that was read. */
export interface MetDocument {
  readonly file: number;
  /** The id in its record (a binary string); null: it has none. */
  readonly id: string | null;
  readonly place: () => string;
  /** Its number in its location, from 1; WHOLE_FILE if it is a file. */
  readonly number: number;
  /** The value of its record in the first of `ReadParams.fields` (a binary string); null: it has none, or no field is read. */
  readonly value: string | null;
}

/**
 * Passes on the whole texts of all documents that a run would read, in reading order; each is scratch memory. Skipped documents,
 * standard input and lines of sets are skipped.
 *
 * @param isWanted which files are read; default: all
 * @param pause awaited after every few megabytes, with their number of bytes
 */
export async function eachDocument(
  { files }: Pick<Inputs, 'files'>,
  params: ReadParams,
  take: (text: Uint8Array, document: MetDocument) => void,
  pause: (bytes: number) => Promise<void> | undefined = () => undefined,
  isWanted: (file: number) => boolean = () => true,
): Promise<void> {
  const sink = new WholeTexts(files, take);
  const reading = new FormatReading(params, sink, readBuffers());
  function* read(): Generator<number> {
    for (const file of files.ofKind((kind) => formatOfKind(kind).holds !== 'rows' && (kind & STDIN) === 0))
      if (isWanted(file)) yield file;
  }
  for await (const part of readParts(files, read(), params, reading, sink))
    if (typeof part === 'number') await pause(part);
}

/** Joins texts that come in pieces. */
export abstract class JoinedTexts implements TextSink {
  /** Number of the first line of the current split; 0 if records are not lines. */
  firstLine = 0;
  protected readonly files: FileTable;
  #pieces: Uint8Array[] = [];

  constructor(files: FileTable) {
    this.files = files;
  }

  abstract begin(file: number, record: number, id: Uint8Array | null): boolean;
  /** Takes the text of a document that `begin` wanted; it is scratch memory. */
  protected abstract joined(text: Uint8Array): void;

  text(bytes: Uint8Array): void {
    this.#pieces.push(Buffer.from(bytes));
  }

  end(): void {
    this.joined(Buffer.concat(this.#pieces));
    this.#pieces = [];
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array): void {
    if (this.begin(file, record, id)) this.joined(text);
  }

  skip(_file: number, _record: number, _code: ErrorCode, _id: Uint8Array | null): void {
    this.#pieces = [];
  }
}

class WholeTexts extends JoinedTexts {
  readonly #give: (text: Uint8Array, document: MetDocument) => void;
  #met: MetDocument | null = null;
  #value: string | null = null;

  constructor(files: FileTable, give: (text: Uint8Array, document: MetDocument) => void) {
    super(files);
    this.#give = give;
  }

  fields({ kinds, numbers, bytes, starts, ends }: FieldValues): void {
    if (kinds[0] === TEXT) this.#value = binaryOfBytes(bytes[0]!.subarray(starts[0]!, ends[0]!));
    else if (kinds[0] === NUMBER) this.#value = String(numbers[0]!);
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    const line = this.firstLine;
    this.#met = {
      file,
      number: Math.max(WHOLE_FILE, this.files.addressNumber(file, record, line)),
      value: this.#value,
      id: id === null ? null : binaryOfBytes(id),
      place: () => this.files.address(file, record, line),
    };
    this.#value = null;
    return true;
  }

  protected override joined(text: Uint8Array): void {
    this.#give(text, this.#met!);
  }
}

/** Receives the number of the first line of the current part, from 0; 0 if records are not lines. */
interface AtLine {
  firstLine: number;
}

/** The most whole files in a part. */
const FILES_A_PART = 64;

/**
 * Reads files in this thread in parts: some whole files, or some megabytes of the lines of one. Yields the number of bytes of each part
 * once it is read, and the problems of streams; `at` gets the first line of each. Standard input is `stdin`.
 */
export async function* readParts(
  files: FileTable,
  indexes: Iterable<number>,
  params: ReadParams,
  reading: FormatReading,
  at: AtLine,
  stdin?: Readable,
): AsyncGenerator<number | (ChunkProblem & { readonly index: number })> {
  let [whole, bytes]: [number[], number] = [[], 0];
  const readTogether = async (): Promise<number> => {
    const [some, sum] = [whole, bytes];
    [whole, bytes] = [[], 0];
    at.firstLine = 0;
    readWhole(files, Uint32Array.from(some), reading);
    return sum;
  };
  for (const index of indexes) {
    if (isWhole(formatOfKind(files.kinds[index]!))) {
      whole.push(index);
      bytes += Math.max(0, files.sizes[index]!);
      if (whole.length === FILES_A_PART || bytes >= PIECE_BYTES) yield await readTogether();
      continue;
    }
    if (whole.length > 0) yield await readTogether();
    at.firstLine = 0;
    for await (const part of linesOfFile(files.file(index), index, params, stdin)) {
      if ('problem' in part) {
        yield { ...part, index };
        continue;
      }
      const { split, block } = part;
      if (split.kind === 'chunk') at.firstLine = split.firstLine;
      const lines = readSplit(split, block, reading);
      yield lineBytes(split, () => block!);
      if (split.kind === 'range') at.firstLine += lines;
    }
  }
  if (whole.length > 0) yield await readTogether();
}

/** The splits of a file of lines, each with its block, and the problems of a stream. */
async function* linesOfFile(
  file: InputFile,
  index: number,
  params: ReadParams,
  stdin?: Readable,
): AsyncGenerator<{ readonly split: LinesSplit; readonly block: Block | null } | ChunkProblem> {
  if (!isStream(file, params)) {
    for (let from = 0; from === 0 || from < file.bytes; from += PIECE_BYTES) {
      const to = Math.min(file.bytes, from + PIECE_BYTES);
      yield { split: { kind: 'range', file, index, from, to }, block: null };
    }
    return;
  }
  for await (const chunk of streamChunks(file, params, stdin)) {
    if ('problem' in chunk) yield chunk;
    else yield { split: chunkSplit(file, index, chunk), block: linesBlock(chunk.bytes, false) };
  }
}

/** Keeps the texts of documents that may be wanted. */
class Finder extends JoinedTexts {
  readonly #wanted: ReadonlySet<string>;
  readonly #met: NonNullable<Finding['met']>;
  readonly #onLocated: Finding['located'];
  /** By name: the document whose location it is, and the first one whose id it is. */
  readonly #located = new Map<string, Uint8Array>();
  readonly #named = new Map<string, Uint8Array>();
  /** The maps that take the text of the current document. */
  #into: (readonly [Map<string, Uint8Array>, string])[] = [];

  constructor(files: FileTable, wanted: ReadonlySet<string>, { met, located }: Finding) {
    super(files);
    this.#wanted = wanted;
    this.#met = met ?? (() => undefined);
    this.#onLocated = located;
  }

  /** Every wanted text was found, and no later document can be at its location. */
  get isDone(): boolean {
    for (const id of this.#wanted) {
      if (!this.#located.has(id) && (!this.#named.has(id) || this.#mayBePlace(id))) return false;
    }
    return true;
  }

  wantsFile(index: number): boolean {
    return this.#wanted.has(this.files.address(index, -1, 0));
  }

  found(): Map<string, Uint8Array> {
    const texts = new Map<string, Uint8Array>();
    for (const id of this.#wanted) {
      const text = this.#located.get(id) ?? this.#named.get(id);
      if (text !== undefined) texts.set(id, text);
    }
    return texts;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    const place = this.#place(file, record);
    const name = id === null ? place : binaryOfBytes(id);
    this.#met(name, null);
    this.#onLocated?.(name, place);
    this.#into = [];
    if (id !== null && this.#wanted.has(name) && !this.#named.has(name)) this.#into.push([this.#named, name]);
    if (this.#wanted.has(place)) this.#into.push([this.#located, place]);
    return this.#into.length > 0;
  }

  protected override joined(scratch: Uint8Array): void {
    const text = Buffer.from(scratch);
    for (const [texts, id] of this.#into) if (!texts.has(id)) texts.set(id, text);
  }

  override skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    super.skip(file, record, code, id);
    const place = this.#place(file, record);
    const name = id === null ? place : binaryOfBytes(id);
    this.#met(name, code);
    this.#onLocated?.(name, place);
  }

  #place(file: number, record: number): string {
    return this.files.address(file, record, this.firstLine);
  }

  /** Whether this id may be a location in some file. */
  #mayBePlace(id: string): boolean {
    const file = id.replace(/#\d*$/, '');
    return this.files.indexOf(bytesOf(id)) >= 0 || this.files.indexOf(bytesOf(file)) >= 0;
  }
}

/*
 * The elements of a few sets by the names of the sets, for showing them.
 */

/** Collects the elements of wanted sets from their lines. */
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
  ): null {
    const name = binaryOfBytes(bytes.subarray(setFrom, setTo));
    if (!this.wanted.has(name)) return null;
    const set = this.found.get(name) ?? new Map<string, number>();
    this.found.set(name, set);
    const contribution = contributionOf(this.rule, value, this.likedFrom);
    if (contribution === NOTHING) return null;
    const element = binaryOfBytes(bytes.subarray(elementFrom, elementTo));
    const known = set.get(element);
    set.set(element, known === undefined ? contribution : combined(this.rule, known, contribution));
    return null;
  }

  skip(_file: number, _record: number, _code: ErrorCode, _id: null): void {
    // The run has reported the problem.
  }
}

/** How lines of sets are read into rows. */
type SetReadParams = ReadParams & PieceParams & RowRuleParams;

/**
 * The labelled elements of the wanted sets, in the order of the bytes of elements: `x`, and `x (2)` for its second
 * occurrence; of liked and hated items `x liked` or `x hated`. Sets that are not found are not in the map; standard input
 * cannot be read again.
 *
 * @param wanted names as binary strings
 */
export async function findSets(
  { files }: Pick<Inputs, 'files'>,
  params: SetReadParams,
  wanted: ReadonlySet<string>,
): Promise<Map<string, readonly string[]>> {
  const rule = rowRuleOf(params);
  const rows = new WantedRows(wanted, rule, params.sets?.likedFrom ?? 0);
  const reader = new SetLineReader();
  const headers = new SetHeaders(params);
  for (let index = 0; index < files.length; index++) {
    const kind = files.kinds[index]!;
    if (formatOfKind(kind).holds !== 'rows' || (kind & STDIN) !== 0) continue;
    for await (const found of linesOfFile(files.file(index), index, params)) {
      if ('problem' in found) continue;
      const { split, block } = found;
      const fields = headers.of(split, () => block!);
      if (fields === null) break;
      reader.read(split, block, params, fields, rule, rows);
    }
  }
  const sets = new Map<string, readonly string[]>();
  for (const [name, elements] of rows.found) sets.set(name, labelledElements(elements, rule));
  return sets;
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
