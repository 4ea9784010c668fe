/**
 * Answers questions of `view` about all texts of the corpus: the bytes of the documents to drop of each cluster, the clusters with
 * documents that have some words, and the drops of each source. Each answer takes one reading of the inputs, in a thread of its own
 * (viewThread.ts).
 */
import { type AskedResult, whyUnread } from '../analysis/result/pairTexts.js';
import { IdIndex } from '../blocks/ids.js';
import { firstRecordsOf } from '../readers/ahead/firstRecords.js';
import { eachDocument, type MetDocument } from '../readers/find.js';
import { STDIN } from '../readers/list/fileList.js';
import { formatOfKind } from '../readers/list/formats.js';
import type { Inputs } from '../readers/list/inputs.js';
import { binaryOfBytes, bytesOf } from '../readers/list/pathIds.js';
import { clusterCount, idTable, mostFirst, NONE, type ResultIndex } from '../result/resultIndex.js';
import { clustersOf, lowered } from './wordSearch.js';

/** Why texts cannot be searched; null: they can. */
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
  /** Called with the share of the inputs that is read, 0..1. */
  readonly onProgress: (share: number) => void;
}

/** By cluster (from 0): the bytes of text of its documents that can be dropped; `order`: the clusters sorted by these. */
export interface BytesToWin {
  readonly bytes: Float64Array;
  readonly order: Uint32Array;
}

/** The bytes to win of every cluster; documents that the inputs no longer have count as 0. */
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
 * By cluster (from 0), 1: the text of one of its documents has all words. Blanks separate the words; case of ASCII letters does not
 * matter.
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

const MOST_SOURCES = 10_000;

/** The source of a place: for a record its file, else the first folder. */
function sourceOf(path: string): string {
  const record = /^(.*)#\d+$/s.exec(path);
  if (record !== null) return record[1] === '' ? path : record[1]!;
  const slash = path.indexOf('/');
  return slash > 0 ? `${path.slice(0, slash)}/` : './';
}

/** The rules by which documents belong to sources. */
export type SourceRule =
  /** The file of records, or the first folder. */
  | { readonly by: 'place' }
  /** The part of the id before the characters `upTo`; all ids without these are one source. */
  | { readonly by: 'id'; readonly upTo: string }
  | { readonly by: 'field'; readonly name: string };

/**
 * Documents, bytes and words of a source (a binary string), and how much of it is dropped; null: documents without a
 * source, or of further sources.
 */
export interface SourceShare {
  readonly source: string | null;
  readonly documents: number;
  readonly bytes: number;
  /** Number of words, which blanks separate. */
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
  /** The fields of the first records of the first files; empty where there are no records. */
  readonly fields: readonly string[];
}

/** Bounds of `fields`: most files whose first records are read, most fields, and the most characters of a name in a request. */
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

/**
 * The drops of each source, the most dropped documents first; of more than 10,000 sources the later ones are counted
 * together.
 */
export async function countedSources(scanned: ScannedTexts, rule: SourceRule): Promise<CountedSources> {
  const { index } = scanned;
  // Documents come in the order of the corpus, each from another page of the column.
  const keeper = index.keeper.subarray(0, index.documents);
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
    if (document < 0 || keeper[document] === NONE) return;
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

/**
 * Calls `take` for every text with the number of its document; -1: the document is in no cluster or pair. Holds all ids of the index,
 * to look up each document of the corpus.
 */
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
  // Of documents with equal ids the first keeps its id; the ids of the others are their places.
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
  // Without a single document the zeros would look like an answer.
  if (count === 0 && index.manifest.counts.documents > 0) throw new Error(GONE);
}
