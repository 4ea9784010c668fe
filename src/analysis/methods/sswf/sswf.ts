/**
 * SSWF, the sequence of selected words fingerprint (Gupta and Singla). The fingerprint of a base is the sequence of
 * some of its rarer words. A document resembles the base to the degree that it has the same words in the same order.
 */

import { FingerprintTable } from '../../../arrays/hashTable.js';
import { wordRule } from '../elementStreams.js';
import type { Matcher, MatchSink, Method, MethodParams } from '../method.js';
import { stopWordsOf } from '../words/sharedWords.js';
import { CodedWords } from './codedWords.js';
import { type Matches, removeNoise } from './noise.js';
import { CorrectionMemory, type Ends, StringCorrection } from './stringCorrection.js';
import { selectedWords } from './wordChoice.js';

/** Shorter runs of matches are always noise. */
const LEAST_RUN = 3;
/** Least symbols of a piece: in a piece of three all matches would be noise. */
const LEAST_PIECE = 4;
/**
 * A base with fewer selected words matches nothing. Among license texts that reach 0.8 for a base with one selected
 * word, 93 % have less than 0.3 of its shingles of three words; with two words 62 %, with three 23 %, with four 1 %,
 * with more 0 %.
 */
const LEAST_WORDS = 3;
/** Bound of the codes: the most words that can be selected. */
const CODES = 1024;
/**
 * In the paper's experiments the highest value by chance or from a shared name is 0.105 (table 7), the lowest of shared
 * text 0.115 (table 3).
 */
const THRESHOLD = 0.11;

/** A part of the fingerprint of a base that is matched on its own. */
interface Piece {
  readonly length: number;
  readonly correction: StringCorrection;
}

class Base {
  readonly fingerprint: Uint16Array;
  private readonly pieces: readonly Piece[];
  /** All runs of three codes. */
  private readonly series = new FingerprintTable();
  /** A bit for each symbol of the document: 1 if it is matched. */
  private taken = new Uint32Array(16);

  /** @param pieces 1: the fingerprint is matched as a whole */
  constructor(fingerprint: Uint16Array, words: number, pieces: number, memory: CorrectionMemory) {
    this.fingerprint = fingerprint;
    for (let i = LEAST_RUN; i <= fingerprint.length; i++) {
      this.series.add(seriesAt(fingerprint, i - LEAST_RUN), 0);
    }
    const count = Math.max(1, Math.min(pieces, Math.floor(fingerprint.length / LEAST_PIECE)));
    const ends: Ends = pieces === 1 ? 'whole' : 'part';
    this.pieces = Array.from({ length: count }, (_, n) => {
      const cut = (at: number): number => Math.floor((at * fingerprint.length) / count);
      const piece = fingerprint.slice(cut(n), cut(n + 1));
      return { length: piece.length, correction: new StringCorrection(piece, words, ends, memory) };
    });
  }

  /**
   * Writes the number of matches and the distance. Returns false if all matches are noise, or the resemblance is below
   * `least`.
   */
  compare(document: Uint16Array, least: number, into: { matches: number; distance: number }): boolean {
    into.matches = 0;
    into.distance = 0;
    const P = this.fingerprint.length;
    const most = Math.min(P, this.inSeries(document));
    if (most === 0 || most / Math.max(P, document.length) < least) return false;
    if (areEqual(this.fingerprint, document)) {
      into.matches = document.length;
      return true;
    }
    if (this.pieces.length > 1) this.clear(document.length);
    for (const { length, correction } of this.pieces) {
      const correctionResult = correction.correct(document);
      into.distance += correctionResult.distance;
      const left = removeNoise(correctionResult, length, document.length);
      into.matches += this.pieces.length > 1 ? this.newlyTaken(correctionResult) : left;
    }
    return into.matches > 0;
  }

  /**
   * Number of symbols of the document in runs of three that the base has too. Every match that is not noise is in such
   * a run, so this is an upper bound of the matches of an alignment, which takes far longer.
   */
  private inSeries(document: Uint16Array): number {
    let symbols = 0;
    for (let end = LEAST_RUN, counted = 0; end <= document.length; end++) {
      if (this.series.numberOf(seriesAt(document, end - LEAST_RUN), 0) < 0) continue;
      symbols += end - Math.max(counted, end - LEAST_RUN);
      counted = end;
    }
    return symbols;
  }

  private clear(symbols: number): void {
    const words = Math.ceil(symbols / 32);
    if (words > this.taken.length) this.taken = new Uint32Array(2 * words);
    else this.taken.fill(0, 0, words);
  }

  /**
   * The number of matched symbols of the document that no earlier piece matched: a symbol that two pieces match counts
   * once.
   */
  private newlyTaken({ count, document }: Matches): number {
    const { taken } = this;
    let fresh = 0;
    for (let n = 0; n < count; n++) {
      const at = document[n]!;
      const bit = 1 << (at & 31);
      if ((taken[at >>> 5]! & bit) !== 0) continue;
      taken[at >>> 5]! |= bit;
      fresh++;
    }
    return fresh;
  }
}

/** Three codes of ten bits as one number. */
function seriesAt(codes: Uint16Array, at: number): number {
  return (codes[at]! * CODES + codes[at + 1]!) * CODES + codes[at + 2]!;
}

function areEqual(a: Uint16Array, b: Uint16Array): boolean {
  return a.length === b.length && a.every((code, i) => code === b[i]);
}

/** Compares documents with bases. Memory: 2 bytes for each word of a document that is a selected word of a base. */
class SelectedWordSequences implements Matcher {
  readonly barren: readonly number[];
  private readonly coded: CodedWords;
  /** Null for a base with too few selected words. */
  private readonly bases: readonly (Base | null)[];
  private readonly found = { matches: 0, distance: 0 };
  private readonly row = new Float64Array(6);
  private readonly least: number;

  constructor(bases: readonly Uint32Array[], params: MethodParams, least: number) {
    const { words, pieces } = params;
    this.least = least;
    const stopWords = stopWordsOf(params);
    const selections = bases.map((elements) => selectedWords(elements, words, stopWords));
    const memory = new CorrectionMemory();
    this.coded = new CodedWords(selections);
    this.bases = selections.map((selected, n) => {
      if (selected.length < 2 * LEAST_WORDS) return null;
      const own = new CodedWords([selected]);
      own.take(bases[n]!, bases[n]!.length / 2);
      return new Base(own.codesOf(0).slice(), selected.length / 2, pieces, memory);
    });
    this.barren = this.bases.flatMap((base, n) => (base === null ? [n] : []));
  }

  begin(): void {
    this.coded.begin();
  }

  take(hashes: Uint32Array, count: number): void {
    this.coded.take(hashes, count);
  }

  end(sink: MatchSink): void {
    const { coded, found, row } = this;
    this.bases.forEach((base, n) => {
      if (base === null || coded.lengthOf(n) < LEAST_RUN) return;
      const document = coded.codesOf(n);
      if (!base.compare(document, this.least, found)) return;
      const { fingerprint } = base;
      row[0] = found.matches / Math.max(fingerprint.length, document.length);
      row[1] = found.matches / Math.min(fingerprint.length, document.length);
      row[2] = found.matches;
      row[3] = found.distance;
      row[4] = fingerprint.length;
      row[5] = document.length;
      sink(n, row);
    });
  }
}

/**
 * Finds documents with the selected words of the base in the same order. Resemblance is the share of symbols of the
 * longer fingerprint that match, containment the share of the shorter one. The other values are the matches without
 * noise (M), the distance of the fingerprints, and their lengths (P and Q) in symbols. With pieces the distance is the
 * sum over the pieces.
 *
 * A base with fewer than three selected words (a text of fewer than about 100 words) matches nothing, not even a copy
 * of itself. Changing a symbol costs as much as deleting one, so a passage that has moved is not aligned if that takes
 * more steps than it saves: a text of which about half was moved may give 0, and so may a short passage far from its
 * original position. Pieces find both. A match of three symbols in a short fingerprint is chance or a name.
 */
export const sswf: Method = {
  name: 'sswf',
  measures: ['resemblance', 'containment', 'matches', 'distance', 'base_length', 'document_length'],
  counts: ['matches', 'distance', 'base_length', 'document_length'],
  threshold: THRESHOLD,
  leavesOutStopWords: true,
  weighing: 'none',
  elements: ({ shingle }) => wordRule(shingle),
  prepare: (bases, params, _corpus, least) => new SelectedWordSequences(bases, params, least),
};
