/**
 * Bytes of a document -> its shingle hashes and content hash: the reference of the kernel. This file connects the stages; each hash
 * is defined in the file that computes it.
 *
 *      bytes -> CanonicalText -> WordTokens | LineTokens -> TokenShingles -------\
 *                             -> CharacterTokens ---------> CharacterShingles ----> HashColumn -> sink
 *      bytes ---------------------------------------------> CharacterShingles ---/
 *      bytes -> TextHash, if the caller has one
 *
 * If the parameters have `normalize`, the text is prepared first (preparedText.ts).
 */

import { concatenated } from '../arrays/growable.js';
import { FingerprintTable } from '../arrays/hashTable.js';
import { sortUnique64 } from '../arrays/sort.js';

import { ContentKey } from './keys/contentKey.js';
import type { TextHash } from './keys/textKey.js';
import { OccurrenceLabels } from './labels.js';
import {
  canonicalStream,
  type Normalization,
  prepared,
  preparedBytes,
  StagedStream,
  TextStream,
} from './preparedText.js';
import { CharacterShingles, HashColumn, type ShingleSink, TokenShingles } from './rolling.js';
import { CharacterTokens, LineTokens, WordTokens } from './tokenizers.js';

/** The unit that shingles are made of. */
export type ShingleUnit = 'words' | 'chars' | 'bytes' | 'lines' | 'stopwords';

/** How a document becomes a set of 64-bit shingle hashes. */
export interface ShingleParams {
  readonly unit: ShingleUnit;
  /** Tokens per shingle, 1..63. */
  readonly size: number;
  /** Broder's option A: the n-th occurrence of a shingle is a distinct element. */
  readonly bag: boolean;
  /** For `stopwords`: one word per entry, canonicalised like the text; ignored by other units. */
  readonly stopWords: readonly string[];
  /** 0..2^53-1; seed of all hash functions. */
  readonly seed: number;
  /** How texts are normalized; absent: NFC and simple lower case only. */
  readonly normalize?: Normalization;
}

export type { ShingleSink };

/** Results for a document: valid from its end until the next document begins. */
export interface TextFacts {
  /** Number of tokens of the document: words, code points, bytes or lines. */
  readonly tokens: number;
  /** Number of shingles passed to the sink, repeated ones counted every time. */
  readonly occurrences: number;
  /** Whether an invalid byte sequence was replaced, or a run of combining marks was cut. */
  readonly repaired: boolean;
  /**
   * 128-bit hash of the token sequence as four uint32, each 64-bit half low word first; equal for documents
   * with equal token sequences. The array is reused for all documents.
   */
  readonly contentKey: Uint32Array;
  /** The key of the text, four uint32: equal for equal texts (textKey.ts). Zeros if the stream has no `TextHash`. */
  readonly textKey: Uint32Array;
}

/**
 * Turns texts (UTF-8, or any bytes for `bytes`) into shingle hashes. `end` passes the last hashes to the sink and sets the results. A
 * document without tokens has no shingles; a document with fewer than k tokens (or without a token that may start a shingle) has one
 * shingle of all its tokens.
 */
export abstract class ShingleStream extends TextStream implements TextFacts {
  /** Memory into which readers put texts, which `whole` reads without a copy; absent: there is no such memory. */
  readonly texts?: TextRows;
  tokens = 0;
  occurrences = 0;
  repaired = false;
  readonly contentKey = new Uint32Array(4);
  readonly textKey = new Uint32Array(4);

  /** Copies the results of another stream for this document. */
  protected found({ tokens, occurrences, repaired, contentKey, textKey }: TextFacts): void {
    this.tokens = tokens;
    this.occurrences = occurrences;
    this.repaired = repaired;
    this.contentKey.set(contentKey);
    this.textKey.set(textKey);
  }

  /** Ends the hash of the bytes of this document, and copies it. */
  protected hashed(text: TextHash): void {
    text.end();
    this.textKey.set(text.key);
  }
}

/** Memory for a text: `most` bytes from `at` on. It may grow with each text, which detaches views of it. */
export interface TextRoom {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly most: number;
}

/** Results of `TextRows.take`. Only TAKEN adds a row; after FULL the caller retries, after others it uses `begin`, `push`, `end`. */
export const TAKEN = 0;
/** There is no room for another row: call `close`, then `open`. */
export const FULL = 1;
/** One of the probed bytes is 0, or they may begin an HTML page (`<` after white space). */
export const DOUBTFUL = 2;
/** The text has tokens, but fewer than the minimum. */
export const TOO_SHORT = 3;

/** Results for texts, as columns of a document table (src/blocks/documents.ts) with one row per text: valid until the next text. */
export interface RowColumns {
  readonly file: Uint32Array;
  readonly tokens: Uint32Array;
  readonly occurrences: Float64Array;
  readonly textBytes: Float64Array;
  readonly flags: Uint8Array;
  readonly contentKey: Uint32Array;
  readonly textKey: Uint32Array;
  /** By row, the end of its id in `idBytes`, which begins where that of the row before ends. */
  readonly idEnds: Uint32Array;
  readonly idBytes: Uint8Array;
}

/** Rows of scanned JSON lines, with the positions of their texts and ids, in the memory of a kernel. */
export interface PlacedRows {
  /** The memory. */
  readonly bytes: Uint8Array;
  /** The address of the row of line 0. */
  readonly at: number;
}

/** Lines [from, to) of a scan, for `takeLines`. */
export interface ScannedLines extends PlacedRows {
  readonly from: number;
  readonly to: number;
  /** The number of their file, and the number of the record in line 0. */
  readonly file: number;
  readonly first: number;
  /** Bytes of the longest text. */
  readonly longest: number;
  /** Whether to stop at a text that may be an HTML page. */
  readonly seeksPages: boolean;
}

/** Processes a whole text per call, like begin, push, end, and collects the results as rows. */
export interface TextRows extends TextRoom {
  /** Number of rows. */
  readonly count: number;
  /** Processes the text of `length` bytes at `at`, the document of file number `file`. `probed`: number of first bytes to probe. */
  take(length: number, file: number, probed: number): number;
  /**
   * Processes the texts of lines, as many as it can; returns their number. It stops before a line that is not a record, is too long, may
   * be an HTML page, or needs `begin`, `push`, `end`; 0 if the lines are in other memory.
   */
  takeLines(lines: ScannedLines): number;
  /** Makes room for rows. `least`: minimum number of tokens of a text that has any. */
  open(least: number): void;
  /** Returns the rows, or null without rows. Call `open` before the next text. */
  close(): RowColumns | null;
}

/** One of the chains in the diagram above, without the column; its end writes the content key. */
interface Chain {
  readonly stream: TextStream;
  /** Counts tokens. */
  readonly shingles: Pick<TokenShingles, 'tokens'>;
}

function chainOf(params: ShingleParams, column: HashColumn, key: ContentKey, out: Uint32Array): Chain {
  const { unit, size, seed } = params;
  if (unit === 'chars' || unit === 'bytes') {
    const shingles = new CharacterShingles(seed, size, column);
    const finished = { begin: () => key.begin(), end: () => key.finishBytes(out) };
    if (unit === 'bytes') {
      const push = (bytes: Uint8Array): void => {
        key.takeBytes(bytes, bytes.length);
        shingles.push(bytes, bytes.length);
      };
      return { stream: new StagedStream({ push, repaired: false }, [shingles, finished]), shingles };
    }
    const characters = new CharacterTokens((codePoints, count, bytes, byteCount) => {
      key.takeBytes(bytes, byteCount);
      shingles.push(codePoints, count);
    });
    return { stream: canonicalStream(characters, [shingles, finished]), shingles };
  }
  const starts =
    unit === 'stopwords' ? FingerprintTable.of(hashesOfWords(params.stopWords, seed)) : undefined;
  const shingles = new TokenShingles(seed, size, column, starts);
  const sink: ShingleSink = (hashes, count) => {
    key.takeHashes(hashes, count);
    shingles.push(hashes, count);
  };
  const tokens = unit === 'lines' ? new LineTokens(seed, sink) : new WordTokens(seed, sink);
  const finished = { begin: () => key.begin(), end: () => key.finishHashes(out) };
  return { stream: canonicalStream(tokens, [shingles, finished]), shingles };
}

/** The hashes of the words of a list, canonicalised like the text: two words each. */
export function hashesOfWords(words: readonly string[], seed: number): number[] {
  const hashes: number[] = [];
  const tokens = new WordTokens(seed, (column, count) => {
    hashes.push(...column.subarray(0, 2 * count));
  });
  canonicalStream(tokens, []).whole(new TextEncoder().encode(words.join('\n')));
  return hashes;
}

/**
 * A stream that turns one document after the other into shingle hashes.
 *
 * The sink gets at most 65,536 hashes per call: one call at the end of a short document, and none for an empty one. The result does
 * not depend on where the bytes were cut. Memory does not grow with the length of the document, except that `bag` counts every
 * distinct shingle. `params` must be valid (size 1..63).
 *
 * @param text computes the key of the text; the stream owns it from now on
 */
export function createShingleStream(
  params: ShingleParams,
  sink: ShingleSink,
  text?: TextHash,
): ShingleStream {
  return preparedShingles(
    params,
    text,
    (plain) => new PlainStream(plain, sink, params === plain ? text : undefined),
  );
}

/** A stream without preparation. Each piece passes through all stages. */
class PlainStream extends ShingleStream {
  private readonly text: TextHash | undefined;
  private readonly column: HashColumn;
  private readonly chain: Chain;

  constructor(params: ShingleParams, sink: ShingleSink, text: TextHash | undefined) {
    super();
    this.text = text;
    this.column = new HashColumn(sink, params.bag ? new OccurrenceLabels(params.seed) : undefined);
    this.chain = chainOf(params, this.column, new ContentKey(params.seed), this.contentKey);
    this.begin();
  }

  begin(): void {
    this.column.begin();
    this.text?.begin();
    this.chain.stream.begin();
  }

  push(bytes: Uint8Array): void {
    this.text?.push(bytes);
    this.chain.stream.push(bytes);
  }

  end(): void {
    const { text, column } = this;
    const { stream, shingles } = this.chain;
    stream.end();
    column.end();
    this.tokens = shingles.tokens;
    this.occurrences = column.occurrences;
    this.repaired = stream.repaired;
    if (text !== undefined) this.hashed(text);
  }
}

/** Parameters without `normalize`, for texts that are prepared already; their stop words are prepared, too. */
function plainShingles({ normalize, ...params }: ShingleParams): ShingleParams {
  if (normalize === undefined) return params;
  const words = preparedBytes(new TextEncoder().encode(params.stopWords.join('\n')), normalize);
  return { ...params, stopWords: new TextDecoder().decode(words).split('\n') };
}

/**
 * A stream of shingles that prepares texts first if the parameters have `normalize`.
 *
 * @param text computes the key of the text from its original bytes
 */
export function preparedShingles(
  params: ShingleParams,
  text: TextHash | undefined,
  make: (plain: ShingleParams) => ShingleStream,
): ShingleStream {
  const { normalize } = params;
  if (normalize === undefined) return make(params);
  return new PreparedShingles(normalize, make(plainShingles(params)), text);
}

class PreparedShingles extends ShingleStream {
  private readonly shingles: ShingleStream;
  private readonly prepared: TextStream;
  private readonly text: TextHash | undefined;

  constructor(normalize: Normalization, shingles: ShingleStream, text: TextHash | undefined) {
    super();
    this.shingles = shingles;
    this.prepared = prepared(normalize, shingles);
    this.text = text;
    this.begin();
  }

  begin(): void {
    this.text?.begin();
    this.prepared.begin();
  }

  push(bytes: Uint8Array): void {
    this.text?.push(bytes);
    this.prepared.push(bytes);
  }

  end(): void {
    this.prepared.end();
    this.found(this.shingles);
    this.repaired = this.prepared.repaired;
    if (this.text !== undefined) this.hashed(this.text);
  }
}

/**
 * The shingle set of one document: distinct 64-bit hashes as pairs (low, high), sorted as unsigned numbers;
 * empty for a document without tokens. With `bag`, the set of labelled shingles.
 */
export function shingleSet(bytes: Uint8Array, params: ShingleParams): Uint32Array {
  const hashes = shinglesInOrder(bytes, params);
  return hashes.slice(0, 2 * sortUnique64(hashes, hashes.length / 2));
}

/** The shingle hashes of a document in text order, with repetitions, as pairs (low, high). */
function shinglesInOrder(bytes: Uint8Array, params: ShingleParams): Uint32Array {
  const parts: Uint32Array[] = [];
  createShingleStream(params, (hashes, count) => void parts.push(hashes.slice(0, 2 * count))).whole(bytes);
  return concatenated(parts);
}
