/** Two documents of which the sets alone are many times the budget: their exact resemblance, within the budget. */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { rowsOf } from '../coordinator/runs/resultFiles.js';
import type { FaultResult } from './main.js';
import { watchedRun } from './watchedRun.js';

const NAME = 'two texts of 30,000,000 words with --memory 140MB';
const WORDS = 30_000_000;
const MEMORY = 140e6;
/** What the program takes beside its budget. */
const BESIDE = 150e6;
/** One word in so many is another one in the second text, each far from the next. */
const CHANGED = 100;
const SHINGLE = 5;

export async function* largePair(place: string, only: string): AsyncGenerator<FaultResult> {
  if (!NAME.includes(only)) return;
  const folder = join(place, 'large');
  try {
    yield await compared(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compared(folder: string): Promise<FaultResult> {
  const texts = join(folder, 'texts');
  const out = join(folder, 'out');
  mkdirSync(texts, { recursive: true });
  writeTexts(texts);
  const words = ['run', texts, '--out', out, '--threads', '2', '--memory', String(MEMORY)];
  const { code, stderr, peakBytes, seconds } = await watchedRun(words, 900);
  const faults: string[] = [];
  if (code !== 0) faults.push(`ended with ${code}: ${stderr}`);
  else {
    // No shingle is there twice: words are drawn from 300 million.
    const shingles = WORDS - SHINGLE + 1;
    const common = shingles - (SHINGLE * WORDS) / CHANGED;
    const expected = (common / (2 * shingles - common)).toFixed(6);
    const pairs = rowsOf(out, 'pairs').map(({ jaccard }) => jaccard);
    if (pairs.join() !== expected) faults.push(`found ${pairs.join() || 'no pair'}, expected ${expected}`);
  }
  if (peakBytes > MEMORY + BESIDE) faults.push(`took ${Math.round(peakBytes / 1e6)} MB`);
  const said = `sets of ${Math.round((16 * WORDS) / 1e6)} MB`;
  return { name: NAME, peakBytes, seconds, said, faults };
}

/** The same words in both, drawn by a generator that does not come back to where it was. */
function writeTexts(folder: string): void {
  const letters = 6;
  const stride = letters + 1;
  const batch = 60_000;
  const files = ['a.txt', 'b.txt'].map((name) => openSync(join(folder, name), 'w'));
  const pages = files.map(() => Buffer.alloc(batch * stride));
  let state = 12345;
  for (let done = 0; done < WORDS; done += batch) {
    for (let word = 0; word < batch; word++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const mixed = state ^ (state >>> 15);
      for (const page of pages) {
        for (let i = 0; i < letters; i++) page[stride * word + i] = 97 + (((mixed >>> (5 * i)) & 31) % 26);
        page[stride * word + letters] = 0x20;
      }
      if ((done + word) % CHANGED === CHANGED / 2) pages[1]![stride * word] = 0x30;
    }
    files.forEach((file, i) => {
      writeSync(file, pages[i]!);
    });
  }
  for (const file of files) closeSync(file);
}
