/**
 * Questions of a view about all texts of the corpus: how many bytes the documents to drop of each cluster have, which clusters have
 * documents with some words, and what is dropped of which source. Each is one reading of the inputs, by a thread of its own (viewThread.ts).
 */
import { type AskedResult, whyUnread } from '../analysis/result/pairTexts.js';
import { IdIndex } from '../blocks/ids.js';
import { clusterCount, idTable, mostFirst, NONE, type ResultIndex } from '../output/resultIndex.js';
import { firstRecordsOf } from '../readers/ahead/firstRecords.js';
import { eachDocument, type MetDocument } from '../readers/find.js';
import { STDIN } from '../readers/list/fileList.js';
import { formatOfKind } from '../readers/list/formats.js';
import type { Inputs } from '../readers/list/inputs.js';
import { binaryOfBytes, bytesOf } from '../readers/list/pathIds.js';
import { MOST_SOURCES, sourceOf } from './pageFacts.js';
import { clustersOf, lowered } from './wordSearch.js';

/** Why texts are not searched; null: they are. */
export function whyUnsearched(result: AskedResult): string | null {
  const { sets, unit = 'document' } = result.manifest.parameters;
  if (sets !== undefined) return 'sets have no texts';
  if (unit !== 'document') return `a ${unit} is searched by the id of its document`;
  const why = whyUnread(result);
  return why === null ? null : `texts are not read: ${why}; --corpus PATH says where they are`;
}

const GONE =
  'none of the texts of the result is where its run read it (those of standard input are nowhere): `mr-minhash view RESULT --corpus PATH` says where they are now';

/** A result and its inputs. */
export interface ScannedTexts {
  readonly result: AskedResult;
  readonly index: ResultIndex;
  readonly inputs: Inputs;
  /** Told how far the reading is, 0..1. */
  readonly onProgress: (share: number) => void;
}

/** By cluster (from 0) the bytes of text of the documents that can be dropped, and clusters by them. */
export interface BytesToWin {
  readonly bytes: Float64Array;
  readonly order: Uint32Array;
}

/** By cluster (from 0) the amounts of its documents to drop; nothing for those that are no longer found. */
export async function bytesToWin(scanned: ScannedTexts): Promise<BytesToWin> {
  const { index } = scanned;
  const sizes = new Float64Array(index.documents);
  await eachText(scanned, (document, text) => {
    if (document >= 0) sizes[document] = text.length;
  });
  const bytes = new Float64Array(clusterCount(index));
  for (let c = 0; c < bytes.length; c++)
    for (let d = index.starts.at(c)!; d < index.starts.at(c + 1)!; d++)
      if (index.keeper.at(d) !== NONE) bytes[c]! += sizes[d]!;
  return { bytes, order: mostFirst(bytes.length, (c) => bytes[c]!) };
}

/**
 * By cluster (from 0), 1: all words (what has blanks between it) stand in the text of one of its documents, in large letters of ASCII or in
 * small ones.
 */
export async function clustersHaving(scanned: ScannedTexts, words: string): Promise<Uint8Array> {
  const wanted = words
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const bytes = Buffer.from(word);
      lowered(bytes, bytes);
      return bytes;
    });
  const found = new Uint8Array(scanned.index.documents);
  let small = Buffer.alloc(1 << 16);
  await eachText(scanned, (document, text) => {
    if (document < 0) return;
    if (small.length < text.length) small = Buffer.alloc(2 * text.length);
    const own = small.subarray(0, text.length);
    lowered(text, own);
    if (wanted.every((word) => own.includes(word))) found[document] = 1;
  });
  return clustersOf(scanned.index, found);
}

/** The rules by which documents belong to sources. */
export type SourceRule =
  /** The file of records, or the first folder. */
  | { readonly by: 'place' }
  /** The id up to some characters, which are none of it; ids without them are one source. */
  | { readonly by: 'id'; readonly upTo: string }
  | { readonly by: 'field'; readonly name: string };

/** A source (a binary string); null: none, or one of those that are too many. */
export interface SourceShare {
  readonly source: string | null;
  readonly documents: number;
  readonly bytes: number;
  /** Words are separated by blanks. */
  readonly words: number;
  readonly droppedDocuments: number;
  readonly droppedBytes: number;
  readonly droppedWords: number;
}

function sourceNamed({ id, place, value }: MetDocument, rule: SourceRule): string | null {
  if (rule.by === 'place') return sourceOf(place());
  if (rule.by === 'field') return value;
  const own = id ?? place();
  const end = own.indexOf(binaryOfBytes(Buffer.from(rule.upTo)));
  return end < 0 ? null : own.slice(0, end);
}

function wordsIn(text: Uint8Array): number {
  let [words, isBlank] = [0, true];
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    const was = isBlank;
    isBlank = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
    if (was && !isBlank) words++;
  }
  return words;
}

/** The drops of each source, and the names of fields that may name sources. */
export interface CountedSources {
  readonly shares: readonly SourceShare[];
  /** Those of the first records of the first files; none where there are no records. */
  readonly fields: readonly string[];
}

/** Of the first files that hold records; longer names than a request may have are none. */
const FILES_OF_FIELDS = 16;
const MOST_FIELDS = 100;
export const LONGEST_FIELD = 200;

function fieldsOf({ result, inputs: { files } }: ScannedTexts): string[] {
  const names = new Set<string>();
  for (let index = 0, looked = 0; index < files.length && looked < FILES_OF_FIELDS; index++) {
    const kind = files.kinds[index]!;
    if (formatOfKind(kind).holds !== 'records' || (kind & STDIN) !== 0) continue;
    looked++;
    for (const name of firstRecordsOf(files.file(index), result.manifest.parameters).fields) names.add(name);
  }
  return [...names].filter((name) => name.length <= LONGEST_FIELD).slice(0, MOST_FIELDS);
}

/** Most documents first; of more than 10,000 sources those that come later are one. */
export async function countedSources(scanned: ScannedTexts, rule: SourceRule): Promise<CountedSources> {
  const { index } = scanned;
  const none = {
    ...{ documents: 0, bytes: 0, words: 0 },
    ...{ droppedDocuments: 0, droppedBytes: 0, droppedWords: 0 },
  };
  const shares = new Map<string | null, { -readonly [Name in keyof typeof none]: number }>();
  const take = (document: number, text: Uint8Array, met: MetDocument): void => {
    const named = sourceNamed(met, rule);
    const source = shares.has(named) || shares.size < MOST_SOURCES ? named : null;
    const share = shares.get(source) ?? { ...none };
    shares.set(source, share);
    const words = wordsIn(text);
    share.documents++;
    share.bytes += text.length;
    share.words += words;
    if (document < 0 || index.keeper.at(document) === NONE) return;
    share.droppedDocuments++;
    share.droppedBytes += text.length;
    share.droppedWords += words;
  };
  await eachText(scanned, take, rule.by === 'field' ? [rule.name] : []);
  const counted = [...shares]
    .map(([source, share]) => ({ source, ...share }))
    .sort(
      (x, y) => y.droppedDocuments - x.droppedDocuments || (String(x.source) < String(y.source) ? -1 : 1),
    );
  return { shares: counted, fields: fieldsOf(scanned) };
}

/** Visits every text; -1: its document is in no cluster or pair. Ids are held meanwhile: each document of the corpus is looked up. */
async function eachText(
  { result, index, inputs, onProgress }: ScannedTexts,
  take: (document: number, text: Uint8Array, met: MetDocument) => void,
  fields: readonly string[] = [],
): Promise<void> {
  const ids = IdIndex.of(idTable(index.ids));
  const isMet = new Uint8Array(index.documents);
  let count = 0;
  const all = inputs.files.sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  let passed = 0;
  // Of equal ids the first keeps it, the others are called by their places.
  const numberOf = ({ id, place }: MetDocument): number => {
    const named = id === null ? -1 : ids.find(bytesOf(id));
    return named >= 0 && isMet[named] === 0 ? named : ids.find(bytesOf(place()));
  };
  await eachDocument(
    inputs,
    { ...result.manifest.parameters, fields },
    (text, document) => {
      const number = numberOf(document);
      if (number >= 0) isMet[number] = 1;
      count++;
      take(number, text, document);
    },
    (bytes) => {
      passed += bytes;
      onProgress(all === 0 ? 0 : Math.min(1, passed / all));
      return undefined;
    },
  );
  // Zeros would look like an answer.
  if (count === 0 && index.manifest.counts.documents > 0) throw new Error(GONE);
}
