/**
 * The tokens of a document as strings: for people to read, and for tests to compare the fast path with.
 *
 * Written on strings and independently of tokenizers.ts, so that agreement is evidence. It allocates a string
 * per token: never use it for a corpus.
 */

import { CanonicalText } from './canonicalText.js';
import type { ShingleParams, ShingleUnit } from './shingles.js';
import { createShingleStream } from './shingles.js';
import { CLASS, codePointTable, MARK, SEPARATOR, STANDALONE, WHITE_SPACE } from './unicode/codePoints.js';

/** Canonical text of a document: NFC and simple lower case. */
export function canonicalText(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  // A piece holds whole code points, so it can be decoded by itself.
  const text = new CanonicalText((piece, count) => pieces.push(decoder.decode(piece.subarray(0, count))));
  text.push(bytes);
  text.end();
  return pieces.join('');
}

/**
 * The token sequence of a document: words (also for `stopwords`), lines or characters in canonical form, or
 * every byte as two hexadecimal digits. Empty for a document without tokens.
 */
export function canonicalTokens(bytes: Uint8Array, params: Pick<ShingleParams, 'unit'>): string[] {
  if (params.unit === 'bytes') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const text = canonicalText(bytes);
  if (params.unit === 'chars') return charactersOf(text);
  return params.unit === 'lines' ? linesOf(text) : wordsOf(text);
}

function flagsOf(character: string): number {
  return codePointTable().flags[character.codePointAt(0)!]!;
}

function isWhiteSpace(character: string): boolean {
  return (flagsOf(character) & WHITE_SPACE) !== 0;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  let standalone = false;
  const close = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const character of text) {
    const kind = flagsOf(character) & CLASS;
    if (kind === SEPARATOR) {
      close();
      continue;
    }
    if (kind !== MARK) {
      // A standalone letter ends the word before it, and only marks join it.
      if (kind === STANDALONE || standalone) close();
      standalone = kind === STANDALONE;
    } else if (word === '') {
      standalone = false;
    }
    word += character;
  }
  close();
  return words;
}

function charactersOf(text: string): string[] {
  const characters: string[] = [];
  for (const character of text) {
    if (!isWhiteSpace(character)) characters.push(character);
    else if (characters.length > 0 && characters.at(-1) !== ' ') characters.push(' ');
  }
  if (characters.at(-1) === ' ') characters.pop();
  return characters;
}

function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const characters = Array.from(line);
    let from = 0;
    let to = characters.length;
    while (from < to && isWhiteSpace(characters[from]!)) from++;
    while (to > from && isWhiteSpace(characters[to - 1]!)) to--;
    if (to > from) lines.push(characters.slice(from, to).join(''));
  }
  return lines;
}

/** Separator between the tokens of a shingle. */
export const TOKEN_JOINTS: Readonly<Record<ShingleUnit, string>> = {
  words: ' ',
  stopwords: ' ',
  bytes: ' ',
  lines: '\n',
  chars: '',
};

/** Longer texts are cut: tokens may be lines of any length. In UTF-16 units. */
const LONGEST = 200;

/** The hashes of a document in their order, repeated ones too. */
function hashesInOrder(text: Uint8Array, params: ShingleParams): Uint32Array {
  const parts: Uint32Array[] = [];
  const stream = createShingleStream(params, (hashes, count) => {
    parts.push(hashes.slice(0, 2 * count));
  });
  stream.push(text);
  stream.end();
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The tokens at which shingles start, in order. */
function startsOf(tokens: readonly string[], { unit, size, stopWords }: ShingleParams): number[] {
  const all = Array.from({ length: Math.max(0, tokens.length - size + 1) }, (_, start) => start);
  if (unit !== 'stopwords') return all;
  const stops = new Set(canonicalTokens(new TextEncoder().encode(stopWords.join('\n')), { unit: 'words' }));
  return all.filter((start) => stops.has(tokens[start]!));
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  // Not within a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[LONGEST - 1]!) ? LONGEST - 1 : LONGEST;
  return `${text.slice(0, end)}…`;
}

/**
 * The text of each of some distinct hashes (pairs), in their order; empty where the document does not have
 * the shingle. Words and bytes (hexadecimal) are separated by blanks, lines by line feeds. It allocates a
 * string per token: for the few shingles that people read.
 */
export function shingleWords(text: Uint8Array, params: ShingleParams, wanted: Uint32Array): string[] {
  const tokens = canonicalTokens(text, { unit: params.unit });
  const starts = startsOf(tokens, params);
  const found = hashesInOrder(text, params);
  const places = new Map<string, number>();
  for (let i = 0; i < wanted.length; i += 2) places.set(`${wanted[i]} ${wanted[i + 1]}`, i / 2);
  const words = Array.from({ length: wanted.length / 2 }, () => '');
  for (let i = 0; i < found.length; i += 2) {
    const place = places.get(`${found[i]} ${found[i + 1]}`);
    if (place === undefined || words[place] !== '') continue;
    // A document without a full shingle has one, all its tokens.
    const start = starts[i / 2];
    const own = start === undefined ? tokens : tokens.slice(start, start + params.size);
    words[place] = cut(own.join(TOKEN_JOINTS[params.unit]));
  }
  return words;
}
