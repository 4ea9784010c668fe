/**
 * The texts of a result's documents for `view`: read once from the inputs into a temporary file, from which lists show titles and first
 * words, and pages show whole texts. A separate thread (viewThread.ts) fills the store; each text can be shown as soon as it is read.
 */
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ResultSource, whyUnread } from '../analysis/result/pairTexts.js';
import { IdIndex, type IdTable } from '../blocks/ids.js';
import { readInto } from '../readers/bytes/wholeFiles.js';
import { eachDocument, type MetDocument } from '../readers/find.js';
import type { Inputs } from '../readers/list/inputs.js';
import { bytesOf } from '../readers/list/pathIds.js';
import type { IndexColumns } from '../result/resultIndex.js';
import { quietly } from '../store/files.js';
import { UnitCutter, unitMark } from '../text/units.js';
import { clustersOf, lowered } from './wordSearch.js';

/** Why texts are not read, or null. */
export function whyUnsearched(result: ResultSource): string | null {
  if (result.manifest.parameters.sets !== undefined) return 'sets have no texts';
  const why = whyUnread(result);
  return why === null ? null : `texts are not read: ${why}; use --corpus PATH to find them`;
}

const GONE =
  'no input of the result is where the run read it (standard input is not stored): use `mr-minhash view RESULT --corpus PATH` if the inputs were moved';

/** The store: an open file without a name, and what it has of each document. The memory is shared by threads. */
export interface TextStore {
  readonly descriptor: number;
  /** Where the title begins in the file; the text follows it. */
  readonly from: Float64Array<SharedArrayBuffer>;
  /** Bytes of the title. */
  readonly titles: Uint8Array<SharedArrayBuffer>;
  /** Bytes of the text in the file, + 1; 0 if it is not read. */
  readonly stored: Int32Array<SharedArrayBuffer>;
  /** Bytes of the whole text. */
  readonly bytes: Float64Array<SharedArrayBuffer>;
}

/** Most bytes of whole texts in the file; of other texts it has the beginning. */
const MOST_STORED = 2e9;
/** Bytes of a beginning, and of the longest title. */
const BEGINNING = 400;
const LONGEST_TITLE = 200;
/** UTF-16 units of a beginning that a row shows. */
const SHOWN = 160;
const TITLE_FIELD = 'title';

export function newStore(documents: number): TextStore {
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-view-'));
  try {
    return {
      // Only this process reads the file, which is deleted when the process ends.
      descriptor: openSync(join(scratch, 'texts'), 'wx+', 0o600),
      from: new Float64Array(new SharedArrayBuffer(8 * documents)),
      titles: new Uint8Array(new SharedArrayBuffer(documents)),
      stored: new Int32Array(new SharedArrayBuffer(4 * documents)),
      bytes: new Float64Array(new SharedArrayBuffer(8 * documents)),
    };
  } finally {
    quietly(() => rmSync(scratch, { recursive: true, force: true }));
  }
}

/** A result and its inputs. */
export interface ReadTexts {
  readonly result: ResultSource;
  /** The locations of the documents. */
  readonly locations: IdTable;
  readonly inputs: Inputs;
  /** Called with the share of the inputs that is read, 0..1. */
  readonly onProgress: (share: number) => void;
}

/** Reads all inputs into the store. @throws Error if they have none of the documents; the platform's error if the disk is full */
export async function fillStore(
  read: ReadTexts,
  { descriptor, from, titles, stored, bytes }: TextStore,
): Promise<void> {
  const piece = Buffer.alloc(1 << 20);
  let [at, filled] = [0, 0];
  const waiting: (readonly [document: number, stored: number])[] = [];
  const flush = (): void => {
    writeSync(descriptor, piece, 0, filled, at);
    at += filled;
    filled = 0;
    // From here on other threads may read the text.
    for (const [document, length] of waiting) Atomics.store(stored, document, length + 1);
    waiting.length = 0;
  };
  const append = (data: Uint8Array): void => {
    if (data.length > piece.length - filled) flush();
    if (data.length <= piece.length) {
      piece.set(data, filled);
      filled += data.length;
    } else {
      writeSync(descriptor, data, 0, data.length, at);
      at += data.length;
    }
  };
  await eachText(read, (document, text, title) => {
    const isComplete = at + filled + text.length <= MOST_STORED;
    const own = isComplete ? text : text.subarray(0, BEGINNING);
    if (title.length > piece.length - filled) flush();
    from[document] = at + filled;
    titles[document] = title.length;
    bytes[document] = text.length;
    append(title);
    append(own);
    waiting.push([document, own.length]);
  });
  flush();
}

/** Bytes of the text of a document from `from` on, at most `most`; null if they are not in the store. */
function readText(store: TextStore, document: number, from: number, most: number): Uint8Array | null {
  const stored = Atomics.load(store.stored, document) - 1 + store.titles[document]!;
  const out = new Uint8Array(Math.min(Math.max(0, stored - from), most));
  return readInto(store.descriptor, out, 0, store.from[document]! + from) === out.length ? out : null;
}

/** The whole text of a document; null if it is not in the store. */
export function storedText(store: TextStore, document: number): Uint8Array | null {
  const stored = Atomics.load(store.stored, document) - 1;
  if (stored < 0 || stored < store.bytes[document]!) return null;
  return readText(store, document, store.titles[document]!, stored);
}

/** The beginning of a document, on one line. */
export interface Beginning {
  /** The field `title` of its record; empty if there is none. */
  readonly title: string;
  readonly words: string;
}

/** The beginning of a document; null if it is not read yet, or is not in the inputs. */
export function storedBeginning(store: TextStore, document: number): Beginning | null {
  if (Atomics.load(store.stored, document) === 0) return null;
  const title = store.titles[document]!;
  const read = readText(store, document, 0, title + BEGINNING);
  return read && beginningOf(read.subarray(0, title), read.subarray(title));
}

function beginningOf(title: Uint8Array, text: Uint8Array): Beginning {
  const line = (bytes: Uint8Array): string =>
    Buffer.from(bytes)
      .toString()
      .replace(/\ufffd+$/, '')
      .replace(/[\s\ufeff]+/g, ' ')
      .trim()
      .slice(0, SHOWN);
  return { title: line(title), words: line(text.subarray(0, BEGINNING)) };
}

/**
 * By cluster (from 0), 1 if the title and text of one of its documents have all words. Blanks separate the words; the case of ASCII
 * letters is ignored.
 */
export function clustersWithWords(index: IndexColumns, store: TextStore, words: string): Uint8Array {
  const searched = words
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => lowered(Buffer.from(word)));
  const matches = new Uint8Array(index.clustered);
  for (let d = 0; d < index.clustered; d++) {
    const text = lowered(readText(store, d, 0, Number.POSITIVE_INFINITY) ?? new Uint8Array(0));
    if (searched.every((word) => text.includes(word))) matches[d] = 1;
  }
  return clustersOf(index, matches);
}

/**
 * Calls `take` for the text and title of every document of the index, in the order of the inputs; both are scratch memory. Keeps all
 * locations of the index in memory to look up each document of the inputs.
 */
async function eachText(
  { result, locations, inputs, onProgress }: ReadTexts,
  take: (document: number, text: Uint8Array, title: Uint8Array) => void,
): Promise<void> {
  const { parameters, counts } = result.manifest;
  const { unit } = parameters;
  const index = IdIndex.of(locations);
  const isRead = new Uint8Array(locations.offsets.length - 1);
  let count = 0;
  const totalBytes = inputs.files.sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  let passed = 0;
  const takeOne = (text: Uint8Array, met: MetDocument, end = ''): void => {
    count++;
    const number = index.find(bytesOf(met.location() + end));
    if (number < 0 || isRead[number] === 1) return;
    isRead[number] = 1;
    take(number, text, met.value === null ? NOTHING : bytesOf(met.value).subarray(0, LONGEST_TITLE));
  };
  await eachDocument(
    inputs,
    { ...parameters, fields: [TITLE_FIELD] },
    (text, met) => {
      if (unit === 'document') takeOne(text, met);
      else {
        const pieces: Uint8Array[] = [];
        const cutter = new UnitCutter(unit, {
          unit(number, bytes, _, ends) {
            pieces.push(bytes.slice());
            if (ends) takeOne(Buffer.concat(pieces.splice(0)), met, `${unitMark(unit)}${number}`);
          },
        });
        cutter.whole(text);
      }
    },
    {
      pause: (bytes) => {
        passed += bytes;
        onProgress(totalBytes === 0 ? 0 : Math.min(1, passed / totalBytes));
        return undefined;
      },
    },
  );
  // Without a single document, empty lists would look like an answer.
  if (count === 0 && counts.documents > 0) throw new Error(GONE);
}

const NOTHING = new Uint8Array(0);
