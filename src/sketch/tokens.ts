/**
 * The tokens of a document as strings: for a person to read, and for tests to compare the fast path with.
 *
 * Floor 0. Written apart from wordTokens, lineTokens and characterTokens, on strings, so that agreement means
 * something. It makes a string a token: never for a corpus.
 */
import { CanonicalText } from './canonicalText.js';
import type { ShingleParams } from './params.js';
import { CLASS, codePointTable, MARK, SEPARATOR, STANDALONE, WHITE_SPACE } from './unicode/codePoints.js';

/** Canonical text of a document: NFC and simple lower case. */
export function canonicalText(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  // A piece is whole code points, so it can be decoded by itself.
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
      // A letter by itself ends the word before it, and nothing but marks joins it.
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
