/**
 * The tokens of a document as strings: for display, and as the reference of the fast path in tests.
 *
 * Independent of tokenizers.ts, so that tests can compare both. It allocates a string per token, so it is too slow for a corpus.
 */

import { CanonicalText } from './canonicalText.js';
import { type Normalization, preparedBytes } from './preparedText.js';
import type { ShingleParams, ShingleUnit } from './shingles.js';
import { CLASS, codePointTable, MARK, SEPARATOR, STANDALONE, WHITE_SPACE } from './unicode/codePoints.js';

/** Canonical text of a document: NFC and simple lower case, after the preparation `normalize`. */
export function canonicalText(bytes: Uint8Array, normalize?: Normalization): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  // A piece holds whole code points, so it can be decoded by itself.
  const text = new CanonicalText((piece, count) => pieces.push(decoder.decode(piece.subarray(0, count))));
  text.push(normalize === undefined ? bytes : preparedBytes(bytes, normalize));
  text.end();
  return pieces.join('');
}

/**
 * The token sequence of a document: words (also for `stopwords`), lines or characters in canonical form, or
 * every byte as two hexadecimal digits. Empty for a document without tokens.
 */
export function canonicalTokens(
  bytes: Uint8Array,
  params: Pick<ShingleParams, 'unit' | 'normalize'>,
): string[] {
  if (params.unit === 'bytes') return Array.from(bytes, byteToken);
  const text = canonicalText(bytes, params.normalize);
  const tokens: string[] = [];
  eachToken(text, params.unit, (from, to) => tokens.push(tokenAt(text, params.unit, from, to)));
  return tokens;
}

/** A byte as a token. */
function byteToken(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** The token in `text[from .. to)`; for `chars`, a run of white space is one blank. */
function tokenAt(text: string, unit: ShingleUnit, from: number, to: number): string {
  const token = text.slice(from, to);
  return unit === 'chars' && isWhiteSpace(token) ? ' ' : token;
}

/** Receives the positions of tokens in UTF-16 units, in order: `text[from .. to)`. */
type TokenTaker = (from: number, to: number) => void;

/** Calls `take` with the position of every token of a canonical text, in order. Not for `bytes`, whose tokens are raw bytes. */
export function eachToken(text: string, unit: Exclude<ShingleUnit, 'bytes'>, take: TokenTaker): void {
  if (unit === 'chars') eachCharacter(text, take);
  else if (unit === 'lines') eachLine(text, take);
  else eachWord(text, take);
}

function flagsOf(character: string): number {
  return codePointTable().flags[character.codePointAt(0)!]!;
}

/** Whether the first character is white space. */
function isWhiteSpace(character: string): boolean {
  return (flagsOf(character) & WHITE_SPACE) !== 0;
}

function eachWord(text: string, take: TokenTaker): void {
  // Where the current word begins; -1: between words.
  let start = -1;
  let standalone = false;
  let at = 0;
  const close = (): void => {
    if (start >= 0) take(start, at);
    start = -1;
  };
  for (const character of text) {
    const kind = flagsOf(character) & CLASS;
    if (kind === SEPARATOR) close();
    else {
      if (kind !== MARK) {
        // A standalone letter ends the word before it, and only marks join it.
        if (kind === STANDALONE || standalone) close();
        standalone = kind === STANDALONE;
      } else if (start < 0) {
        standalone = false;
      }
      if (start < 0) start = at;
    }
    at += character.length;
  }
  close();
}

function eachCharacter(text: string, take: TokenTaker): void {
  // A run of white space that is a blank if something follows it.
  let blank = -1;
  let started = false;
  let at = 0;
  for (const character of text) {
    if (!isWhiteSpace(character)) {
      if (blank >= 0) take(blank, at);
      blank = -1;
      take(at, at + character.length);
      started = true;
    } else if (started && blank < 0) blank = at;
    at += character.length;
  }
}

function eachLine(text: string, take: TokenTaker): void {
  let at = 0;
  for (const line of text.split(/[\r\n]/)) {
    let from = -1;
    let to = -1;
    let place = at;
    for (const character of line) {
      if (!isWhiteSpace(character)) {
        if (from < 0) from = place;
        to = place + character.length;
      }
      place += character.length;
    }
    if (from >= 0) take(from, to);
    at += line.length + 1;
  }
}

/** Separator between the tokens of a shingle. */
export const TOKEN_JOINTS: Readonly<Record<ShingleUnit, string>> = {
  words: ' ',
  stopwords: ' ',
  bytes: ' ',
  lines: '\n',
  chars: '',
};

/** The numbers of the tokens at which shingles start, among `tokens` tokens; empty if the document is shorter than a shingle. */
export function startsOf(
  tokens: number,
  { unit, size }: Pick<ShingleParams, 'unit' | 'size'>,
  isStopWord: (token: number) => boolean,
): Uint32Array {
  const all = Uint32Array.from({ length: Math.max(0, tokens - size + 1) }, (_, start) => start);
  return unit === 'stopwords' ? all.filter(isStopWord) : all;
}

/** The stop words as tokens. */
export function stopWordsOf(params: Pick<ShingleParams, 'stopWords' | 'normalize'>): ReadonlySet<string> {
  const list = new TextEncoder().encode(params.stopWords.join('\n'));
  return new Set(canonicalTokens(list, { ...params, unit: 'words' }));
}
