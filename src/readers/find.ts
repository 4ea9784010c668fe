/** Reads the texts of a few documents by id or location, and all texts one by one. */

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

interface Finding {
  /** Called for each document that is read, by its id (the location if it has none), with the reason why it is skipped (null: it is not). */
  readonly met?: (id: string, location: string, code: ErrorCode | null) => void;
  /** Whether the wanted names are locations: then other files are not read. */
  readonly areLocations?: boolean;
}

/**
 * The raw bytes of the texts of the wanted documents, or of the units that a run compared. A name is resolved as in a run
 * (src/coordinator/documentList.ts): the document whose location it is, else the first one, in the order of files and records, whose id it
 * is. A document that is not found is not in the map, nor is anything from standard input.
 *
 * @param wanted ids as binary strings
 */
export async function findDocuments(
  inputs: Pick<Inputs, 'files'>,
  params: ReadParams & { readonly unit?: Unit },
  wanted: ReadonlySet<string>,
  finding: Finding = {},
): Promise<Map<string, Uint8Array>> {
  const { unit = 'document' } = params;
  if (unit === 'document') return findWhole(inputs, params, wanted, finding);
  const units = new Map([...wanted].map((id) => [id, unitOfId(id, unit)]));
  const names = new Set([...units.values()].flatMap((unitId) => (unitId === null ? [] : [unitId.name])));
  const documents = await findWhole(inputs, params, names, finding);
  const texts = new Map<string, Uint8Array>();
  for (const [id, unitId] of units) {
    const document = unitId === null ? undefined : documents.get(unitId.name);
    const text = document === undefined ? null : unitOfText(document, unit, unitId!.number);
    if (text !== null) texts.set(id, text);
  }
  return texts;
}

async function findWhole(
  { files }: Pick<Inputs, 'files'>,
  params: ReadParams,
  wanted: ReadonlySet<string>,
  { met, areLocations = false }: Finding,
): Promise<Map<string, Uint8Array>> {
  const texts = new Map<string, Uint8Array>();
  /** Names whose documents are at the location of that name. */
  const located = new Set<string>();
  const indexesOf = (name: string): number[] => filesOfPlace(name).map((id) => files.indexOf(bytesOf(id)));
  const isFinal = (name: string): boolean =>
    located.has(name) || (texts.has(name) && indexesOf(name).every((index) => index < 0));
  const isDone = (): boolean => {
    for (const name of wanted) if (!isFinal(name)) return false;
    return true;
  };
  const among = areLocations ? new Set([...wanted].flatMap(indexesOf)) : null;
  const isWanted = (file: number): boolean => {
    if (among?.has(file) === false || isDone()) return false;
    const { holds } = formatOfKind(files.kinds[file]!);
    return holds !== 'text' || wanted.has(files.address(file, -1, 0));
  };
  let names: string[] = [];
  let location = '';
  const begins = (document: MetDocument, code: ErrorCode | null): boolean => {
    const { id } = document;
    location = document.location();
    met?.(id ?? location, location, code);
    names = [];
    if (code !== null) return false;
    if (id !== null && wanted.has(id) && !texts.has(id)) names.push(id);
    if (wanted.has(location) && !located.has(location)) names.push(location);
    return names.length > 0;
  };
  const take = (scratch: Uint8Array): void => {
    const text = Buffer.from(scratch);
    for (const name of names) texts.set(name, text);
    if (wanted.has(location)) located.add(location);
  };
  await eachDocument({ files }, params, take, { isWanted, begins });
  return texts;
}

/** A document that was read. */
export interface MetDocument {
  readonly file: number;
  /** The id in its record (a binary string); null: it has none. */
  readonly id: string | null;
  /** Its location. */
  readonly location: () => string;
  /** Its number in its location, from 1; WHOLE_FILE if it is a file. */
  readonly number: number;
  /** The value of its record in the first of `ReadParams.fields` (a binary string); null: it has none, or no field is read. */
  readonly value: string | null;
}

interface EachOptions {
  /** Which files are read; default: all. Called just before a file is read. */
  readonly isWanted?: (file: number) => boolean;
  /** Which documents are taken; default: all. Called also for skipped ones, with the reason. */
  readonly begins?: (document: MetDocument, code: ErrorCode | null) => boolean;
  /** Awaited after every few megabytes, with their number of bytes. */
  readonly pause?: (bytes: number) => Promise<void> | undefined;
}

/**
 * Passes on the whole texts of all documents that a run would read, in reading order; each is scratch memory. Standard input and lines of
 * sets are skipped.
 */
export async function eachDocument(
  { files }: Pick<Inputs, 'files'>,
  params: ReadParams,
  take: (text: Uint8Array, document: MetDocument) => void,
  { isWanted = () => true, begins = () => true, pause }: EachOptions = {},
): Promise<void> {
  const sink = new WholeTexts(files, take, begins);
  const reading = new FormatReading(params, sink, readBuffers());
  function* read(): Generator<number> {
    for (const file of files.ofKind((kind) => formatOfKind(kind).holds !== 'rows' && (kind & STDIN) === 0))
      if (isWanted(file)) yield file;
  }
  for await (const part of readParts(files, read(), params, reading, sink)) {
    if (typeof part === 'number') await pause?.(part);
    else sink.skip(part.index, -1, part.problem, null);
  }
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
  readonly #begins: (document: MetDocument, code: ErrorCode | null) => boolean;
  #document: MetDocument | null = null;
  #value: string | null = null;

  constructor(
    files: FileTable,
    give: (text: Uint8Array, document: MetDocument) => void,
    begins: (document: MetDocument, code: ErrorCode | null) => boolean,
  ) {
    super(files);
    this.#give = give;
    this.#begins = begins;
  }

  fields({ kinds, numbers, bytes, starts, ends }: FieldValues): void {
    if (kinds[0] === TEXT) this.#value = binaryOfBytes(bytes[0]!.subarray(starts[0]!, ends[0]!));
    else if (kinds[0] === NUMBER) this.#value = String(numbers[0]!);
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.#document = this.#met(file, record, id);
    return this.#begins(this.#document, null);
  }

  protected override joined(text: Uint8Array): void {
    this.#give(text, this.#document!);
  }

  override skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    super.skip(file, record, code, id);
    this.#begins(this.#met(file, record, id), code);
  }

  #met(file: number, record: number, id: Uint8Array | null): MetDocument {
    const [line, value] = [this.firstLine, this.#value];
    this.#value = null;
    return {
      ...{ file, value },
      number: Math.max(WHOLE_FILE, this.files.addressNumber(file, record, line)),
      id: id === null ? null : binaryOfBytes(id),
      location: () => this.files.address(file, record, line),
    };
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
 * once it is read, and the problems of streams; `at` gets the first line of each.
 */
export async function* readParts(
  files: FileTable,
  indexes: Iterable<number>,
  params: ReadParams,
  reading: FormatReading,
  at: AtLine,
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
    for await (const part of linesOfFile(files.file(index), index, params)) {
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
): AsyncGenerator<{ readonly split: LinesSplit; readonly block: Block | null } | ChunkProblem> {
  if (!isStream(file, params)) {
    for (let from = 0; from === 0 || from < file.bytes; from += PIECE_BYTES) {
      const to = Math.min(file.bytes, from + PIECE_BYTES);
      yield { split: { kind: 'range', file, index, from, to }, block: null };
    }
    return;
  }
  for await (const chunk of streamChunks(file, params)) {
    if ('problem' in chunk) yield chunk;
    else yield { split: chunkSplit(file, index, chunk), block: linesBlock(chunk.bytes, false) };
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
  const sets = new Map<string, Map<string, number>>();
  const rows: RowSink = {
    row(bytes, setFrom, setTo, elementFrom, elementTo, value) {
      const name = binaryOfBytes(bytes.subarray(setFrom, setTo));
      if (!wanted.has(name)) return null;
      const set = sets.get(name) ?? new Map<string, number>();
      sets.set(name, set);
      const contribution = contributionOf(rule, value, params.sets?.likedFrom ?? 0);
      if (contribution === NOTHING) return null;
      const element = binaryOfBytes(bytes.subarray(elementFrom, elementTo));
      const known = set.get(element);
      set.set(element, known === undefined ? contribution : combined(rule, known, contribution));
      return null;
    },
    // The run has reported the problem.
    skip: () => {},
  };
  const reader = new SetLineReader();
  const headers = new SetHeaders(params);
  for (const index of files.ofKind((kind) => formatOfKind(kind).holds === 'rows' && (kind & STDIN) === 0)) {
    for await (const part of linesOfFile(files.file(index), index, params)) {
      if ('problem' in part) continue;
      const fields = headers.of(part.split, () => part.block!);
      if (fields === null) break;
      reader.read(part.split, part.block, params, fields, rule, rows);
    }
  }
  return new Map(Array.from(sets, ([name, elements]) => [name, labelledElements(elements, rule)]));
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
