/** The passages that two texts share: runs of equal words, with their positions in both original texts. */

import type { Normalization } from '../../text/preparedText.js';
import { canonicalText } from '../../text/tokens.js';
import {
  CLASS,
  codePointTable,
  IGNORABLE,
  MARK,
  SEPARATOR,
  STANDALONE,
} from '../../text/unicode/codePoints.js';
import { codePointAt, utf8SequenceLength } from '../../text/unicode/utf8.js';

/** The position of a passage in one text. Ends are exclusive. */
export interface PassagePlace {
  /** Words, from 0. */
  readonly wordFrom: number;
  readonly wordTo: number;
  /** Bytes of the text as it was read: decompressed, in UTF-8, extracted from JSON. */
  readonly byteFrom: number;
  readonly byteTo: number;
  /** These bytes as text. */
  readonly text: string;
}

/** A run of words in both texts; layout, case and punctuation between them may differ. */
export interface Passage {
  readonly words: number;
  readonly base: PassagePlace;
  readonly document: PassagePlace;
}

/** The words of a text: numbers that are equal for equal words, and the bytes of each. */
interface PlacedWords {
  readonly numbers: Uint32Array;
  /** Word i is bytes [from[i], to[i]). */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/**
 * Positions of the base that are compared for each start of a run: only the first ones of a phrase that is repeated
 * more often.
 */
const MOST_PLACES = 64;

/**
 * The shared passages of at least `least` words (from 1), longest first, equal ones in document order. A word of the
 * document is in one passage at most; a word of the base may be in several. Linear in both texts except for repeated
 * phrases.
 */
export function sharedPassages(
  base: Uint8Array,
  document: Uint8Array,
  least: number,
  normalize?: Normalization,
): Passage[] {
  const numbers = new Map<string, number>();
  const a = placedWords(base, numbers, normalize);
  const b = placedWords(document, numbers, normalize);
  return tiled(maximalRuns(a.numbers, b.numbers, least), b.numbers.length, least).map(
    ({ from, at, length }) => ({
      words: length,
      base: placeOf(base, a, from, length),
      document: placeOf(document, b, at, length),
    }),
  );
}

/** Words [from, from + length) of the base are words [at, at + length) of the document. */
interface WordRun {
  readonly from: number;
  readonly at: number;
  readonly length: number;
}

/** All maximal runs of equal words: they cannot be extended on either side. */
function maximalRuns(base: Uint32Array, document: Uint32Array, least: number): WordRun[] {
  const places = new Map<string, number[]>();
  for (let from = 0; from + least <= base.length; from++) {
    const key = base.subarray(from, from + least).join(' ');
    const list = places.get(key);
    if (list === undefined) places.set(key, [from]);
    else if (list.length < MOST_PLACES) list.push(from);
  }
  const runs: WordRun[] = [];
  // Ends of the runs so far, by the difference of their two starts: no new run starts within a run.
  const ends = new Map<number, number>();
  for (let at = 0; at + least <= document.length; at++) {
    for (const from of places.get(document.subarray(at, at + least).join(' ')) ?? []) {
      if ((ends.get(at - from) ?? 0) > at) continue;
      let length = least;
      while (
        from + length < base.length &&
        at + length < document.length &&
        base[from + length] === document[at + length]
      ) {
        length++;
      }
      ends.set(at - from, at + length);
      runs.push({ from, at, length });
    }
  }
  return runs;
}

/** Longest first. Words of the document that a longer run covers are removed from shorter ones. */
function tiled(runs: readonly WordRun[], words: number, least: number): WordRun[] {
  const covered = new Uint8Array(words);
  const tiles: WordRun[] = [];
  const order = (x: WordRun, y: WordRun): number => y.length - x.length || x.at - y.at || x.from - y.from;
  for (const { from, at, length } of [...runs].sort(order)) {
    for (let i = 0; i < length; ) {
      while (i < length && covered[at + i] === 1) i++;
      const begin = i;
      while (i < length && covered[at + i] === 0) i++;
      if (i - begin < least) continue;
      covered.fill(1, at + begin, at + i);
      tiles.push({ from: from + begin, at: at + begin, length: i - begin });
    }
  }
  return tiles.sort(order);
}

function placeOf(text: Uint8Array, { from, to }: PlacedWords, first: number, length: number): PassagePlace {
  const byteFrom = from[first]!;
  const byteTo = to[first + length - 1]!;
  return {
    wordFrom: first,
    wordTo: first + length,
    byteFrom,
    byteTo,
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(text.slice(byteFrom, byteTo)),
  };
}

/**
 * The words of a text with their positions. Words are cut in the original text and normalized one by one: NFC and
 * lower case do not move a character across the end of a word. A word that `normalize` splits counts as one; a word that
 * becomes empty is skipped.
 */
function placedWords(
  text: Uint8Array,
  known: Map<string, number>,
  normalize: Normalization | undefined,
): PlacedWords {
  const numbers: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  eachWord(text, (from, to) => {
    const word = canonicalWord(text, from, to, normalize);
    if (word === '') return;
    let number = known.get(word);
    if (number === undefined) {
      number = known.size;
      known.set(word, number);
    }
    numbers.push(number);
    starts.push(from);
    ends.push(to);
  });
  return { numbers: Uint32Array.from(numbers), from: Uint32Array.from(starts), to: Uint32Array.from(ends) };
}

/** The replacement for a byte that is not valid UTF-8. */
const REPLACEMENT = 0xfffd;

/** Longer words use the general path, because fromCodePoint cannot take an argument per character. */
const LONGEST_PLAIN = 1000;

function canonicalWord(
  text: Uint8Array,
  from: number,
  to: number,
  normalize: Normalization | undefined,
): string {
  let isPlain = normalize === undefined && to - from <= LONGEST_PLAIN;
  for (let i = from; i < to && isPlain; i++) isPlain = text[i]! < 0x80;
  const word = text.subarray(from, to);
  return isPlain ? String.fromCharCode(...word).toLowerCase() : canonicalText(word.slice(), normalize);
}

/** Bytes [from, to) of every word of a text, in order: maximal runs of letters, marks and numbers. */
function eachWord(text: Uint8Array, word: (from: number, to: number) => void): void {
  const { flags } = codePointTable();
  let start = -1;
  let isStandalone = false;
  const close = (at: number): void => {
    if (start >= 0) word(start, at);
    start = -1;
  };
  for (let at = 0; at < text.length; ) {
    const length = text[at]! < 0x80 ? 1 : utf8SequenceLength(text, at, text.length);
    const own = flags[length === 0 ? REPLACEMENT : codePointAt(text, at)]!;
    if (own === IGNORABLE) {
      at += length;
      continue;
    }
    const kind = own & CLASS;
    if (kind === SEPARATOR) close(at);
    else {
      if (kind !== MARK) {
        if (kind === STANDALONE || isStandalone) close(at);
        isStandalone = kind === STANDALONE;
      } else if (start < 0) isStandalone = false;
      if (start < 0) start = at;
    }
    at += Math.max(1, length);
  }
  close(text.length);
}
