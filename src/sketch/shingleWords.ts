/**
 * Which text a shingle hash stands for: the tokens of its first occurrence in a document.
 *
 * Floor 0. Makes a string of every token: for the few shingles that a person looks at.
 */
import type { ShingleParams, ShingleUnit } from './params.js';
import { createShingleStream } from './shingles.js';
import { canonicalTokens } from './tokens.js';

/** What stands between tokens in text. */
export const TOKEN_JOINTS: Readonly<Record<ShingleUnit, string>> = {
  words: ' ',
  stopwords: ' ',
  bytes: ' ',
  lines: '\n',
  chars: '',
};

/** Longer ones are cut: tokens may be lines of any length. In UTF-16 units. */
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
 * The text of each of some distinct hashes (pairs), in their order; empty where the document does not have it. Words and bytes
 * (hexadecimal) have blanks between them, lines line feeds.
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
