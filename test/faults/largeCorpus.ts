/** A corpus of JSON lines from a seed, as large as wanted, written in pieces: it never stands in memory. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { randomFrom, wordsFrom } from '../data/seededTexts.js';

const SENTENCES = 20_000;
const WORDS_A_SENTENCE = 8;
const PIECE = 8e6;

/**
 * Writes `records` records `{"id": ..., "text": ...}` of `sentences` sentences each; of ten records one is a near copy of
 * an earlier one, of fifty one an identical copy. Returns the bytes written.
 */
export function writeCorpus(path: string, seed: number, records: number, sentences: number): number {
  const random = randomFrom(seed);
  const stock = Array.from({ length: SENTENCES }, () =>
    Buffer.from(`${wordsFrom(random, WORDS_A_SENTENCE).join(' ')}. `),
  );
  /** Of the last thousand records: which sentences they are. */
  const recent: Uint16Array[] = [];
  const file = openSync(path, 'w');
  let total = 0;
  let piece = Buffer.allocUnsafe(2 * PIECE);
  let used = 0;
  const flush = (): void => {
    for (let at = 0; at < used; ) at += writeSync(file, piece, at, used - at);
    total += used;
    used = 0;
  };
  for (let record = 0; record < records; record++) {
    const kind = record % 50 === 49 ? 'identical' : record % 10 === 5 ? 'near' : 'own';
    const earlier = recent[Math.floor(random() * recent.length)];
    const chosen = Uint16Array.from(
      { length: sentences },
      (_, i) => (kind === 'own' ? undefined : earlier?.[i]) ?? Math.floor(random() * SENTENCES),
    );
    const edits = kind === 'near' ? Math.ceil(sentences / 20) : 0;
    for (let edit = 0; edit < edits; edit++) {
      chosen[Math.floor(random() * sentences)] = Math.floor(random() * SENTENCES);
    }
    if (kind === 'own') recent[record % 1000] = chosen;
    used += piece.write(`{"id": "r${String(record).padStart(9, '0')}", "text": "`, used);
    for (const sentence of chosen) used += stock[sentence]!.copy(piece, used);
    used += piece.write('"}\n', used);
    if (used > PIECE) flush();
  }
  flush();
  closeSync(file);
  piece = Buffer.alloc(0);
  return total;
}
