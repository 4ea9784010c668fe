/** Lines of sets made by a seed: ratings, and sets that are very uneven. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '../corpora/random.js';

/** One rating a place. */
export interface Ratings {
  readonly user: Uint32Array;
  readonly item: Uint32Array;
  readonly stars: Uint8Array;
}

const RATINGS_A_USER = 50;
const LINES_A_WRITE = 20_000;
/** Every so many users one is a near copy of the one before. */
export const COPY_EVERY = 20;

/** `count` ratings, users one after the other. No user rates an item twice. */
export function ratings(count: number, seed: number): Ratings {
  const random = randomOf(seed);
  const items = Math.max(1000, Math.floor(count / 200));
  const user = new Uint32Array(count);
  const item = new Uint32Array(count);
  const stars = new Uint8Array(count);
  let before: [number, number][] = [];
  for (let at = 0, u = 0; at < count; u++) {
    const rated = new Map<number, number>();
    const isCopy = u % COPY_EVERY === 1;
    const size = RATINGS_A_USER / 2 + Math.floor(random() * RATINGS_A_USER);
    for (const [known, given] of isCopy ? before : []) if (random() >= 0.05) rated.set(known, given);
    while (!isCopy && rated.size < size) {
      rated.set(Math.floor(random() * random() * items), 1 + Math.floor(random() * 5));
    }
    before = [...rated];
    for (const [one, given] of before) {
      if (at === count) break;
      user[at] = u;
      item[at] = one;
      stars[at++] = given;
    }
  }
  return { user, item, stars };
}

/** Writes the ratings in an order of their own into so many files of a folder; returns their bytes. */
export function writeRatings(
  { user, item, stars }: Ratings,
  folder: string,
  files: number,
  seed: number,
): number {
  const random = randomOf(seed);
  const order = Uint32Array.from(user, (_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const other = order[j]!;
    order[j] = order[i]!;
    order[i] = other;
  }
  const size = Math.ceil(order.length / files);
  let bytes = 0;
  for (let file = 0; file < files; file++) {
    const part = order.subarray(file * size, (file + 1) * size);
    const line = (i: number): string => `user${user[part[i]!]}\titem${item[part[i]!]}\t${stars[part[i]!]}\n`;
    bytes += writeLines(join(folder, `ratings-${file}.tsv`), part.length, line);
  }
  return bytes;
}

function writeLines(path: string, count: number, line: (i: number) => string): number {
  const file = openSync(path, 'w');
  let bytes = 0;
  try {
    for (let from = 0; from < count; from += LINES_A_WRITE) {
      let text = '';
      for (let i = from; i < Math.min(count, from + LINES_A_WRITE); i++) text += line(i);
      bytes += writeSync(file, text);
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}

/**
 * Sets of which 11 in 15 are equal, the others of four elements that neighbours share; one set of 50/3 elements a set, and
 * an element that all have.
 */
export function skewedSets(path: string, sets: number): void {
  const equal = (sets * 11) / 15;
  const large = Math.floor((sets * 50) / 3);
  writeLines(path, 5 * sets + large, (i) => {
    if (i >= 5 * sets) return `giant\tg${i - 5 * sets}\n`;
    const set = Math.floor(i / 5);
    const place = i % 5;
    if (place === 4) return `set${set}\teverywhere\n`;
    return set < equal ? `set${set}\te${place}\n` : `set${set}\to${set + place}\n`;
  });
}
