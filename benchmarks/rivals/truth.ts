/**
 * Which pairs resemble each other by the threshold, exactly.
 *
 * They are taken from the command itself in exact mode, with so many bands at so low a threshold that it can hardly
 * lose one: chance of less than 1 in 10^9 for a pair at the threshold to be no candidate, and its margin stands 0.05
 * below. A sample of documents is then compared with every other one by sets of strings, without a hash, a sketch or
 * code of the command, and must have the very pairs.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { measured } from '../measure/process.js';
import { COMMAND } from '../measure/product.js';
import type { Prepared } from './prepared.js';
import { pairOf, type Truth } from './scoring.js';
import { resultRows } from './tools.js';

const HASHES = 1000;
const MOST_LOST = 1e-9;
const BELOW = 0.05;
const TIMEOUT = 7200;
const SAMPLE = 40;
const WORDS = 5;

/** The most rows a band at which a pair at the threshold is lost with less than the chance allowed. */
function bandingFor(threshold: number): { bands: number; rows: number } {
  for (let rows = 16; rows > 1; rows--) {
    const bands = Math.floor(HASHES / rows);
    if ((1 - threshold ** rows) ** bands < MOST_LOST) return { bands, rows };
  }
  return { bands: HASHES, rows: 1 };
}

function shinglesOf(text: string): Set<string> {
  const words = text.split(' ');
  const shingles = new Set<string>();
  for (let i = 0; i === 0 || i + WORDS <= words.length; i++)
    shingles.add(words.slice(i, i + WORDS).join(' '));
  return shingles;
}

async function* textsOf({ file }: Prepared): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    yield (JSON.parse(line) as { readonly text: string }).text;
  }
}

/** Pairs of the sampled positions with all others, by sets of strings. */
async function sampledPairs(
  prepared: Prepared,
  sample: ReadonlySet<number>,
  threshold: number,
): Promise<Set<number>> {
  const holders = new Map<string, number[]>();
  const sizes = new Map<number, number>();
  let position = 0;
  for await (const text of textsOf(prepared)) {
    if (sample.has(position)) {
      const shingles = shinglesOf(text);
      sizes.set(position, shingles.size);
      for (const shingle of shingles) holders.set(shingle, [...(holders.get(shingle) ?? []), position]);
    }
    position++;
  }
  const pairs = new Set<number>();
  position = 0;
  for await (const text of textsOf(prepared)) {
    const shingles = shinglesOf(text);
    const common = new Map<number, number>();
    for (const shingle of shingles) {
      for (const one of holders.get(shingle) ?? []) common.set(one, (common.get(one) ?? 0) + 1);
    }
    for (const [one, count] of common) {
      const pair = pairOf(prepared, one, position);
      // The command writes six decimals, so truth is rounded likewise.
      const resemblance = count / (sizes.get(one)! + shingles.size - count);
      if (pair >= 0 && Number(resemblance.toFixed(6)) >= threshold) pairs.add(pair);
    }
    position++;
  }
  return pairs;
}

/** Half of the sample are documents that are in a pair, as far as there are. */
function sampleOf({ firsts }: Prepared, near: ReadonlySet<number>): Set<number> {
  const sample = new Set<number>();
  const step = Math.max(1, Math.floor((2 * near.size) / SAMPLE));
  let i = 0;
  for (const pair of near) {
    if (i++ % step === 0 && sample.size < SAMPLE / 2) sample.add(Math.floor(pair / firsts.length));
  }
  for (let one = 0; one < SAMPLE; one++) sample.add(firsts[Math.floor((one * firsts.length) / SAMPLE)]!);
  return sample;
}

async function checkSample(prepared: Prepared, near: ReadonlySet<number>, threshold: number): Promise<void> {
  const sample = sampleOf(prepared, near);
  const expected = await sampledPairs(prepared, sample, threshold);
  const n = prepared.firsts.length;
  for (const pair of near) {
    if ((sample.has(Math.floor(pair / n)) || sample.has(pair % n)) && !expected.has(pair))
      throw new Error(`${prepared.ids[Math.floor(pair / n)]} and ${prepared.ids[pair % n]} are no true pair`);
  }
  for (const pair of expected) {
    if (!near.has(pair))
      throw new Error(`the pair ${prepared.ids[Math.floor(pair / n)]} and ${prepared.ids[pair % n]} is lost`);
  }
}

/** All true pairs of the prepared input. */
export async function exactTruth(prepared: Prepared, threshold: number, folder: string): Promise<Truth> {
  const { bands, rows } = bandingFor(threshold);
  const out = join(folder, 'truth');
  const flags = [
    `--threshold=${threshold - BELOW}`,
    `--hashes=${HASHES}`,
    `--bands=${bands}`,
    `--rows=${rows}`,
  ];
  const { code, stderr } = await measured(
    process.execPath,
    [COMMAND, 'run', prepared.file, ...flags, '--hot-bucket=1000000', `--out=${out}`, '--force', '--quiet'],
    { timeout: TIMEOUT },
  );
  if (code !== 0) throw new Error(`there is no truth: ${stderr}`);
  const near = new Set<number>();
  for await (const [a, b, jaccard] of resultRows(out)) {
    const pair = pairOf(prepared, prepared.positions.get(a!)!, prepared.positions.get(b!)!);
    if (pair >= 0 && Number(jaccard) >= threshold) near.add(pair);
  }
  await checkSample(prepared, near, threshold);
  return { near, identical: prepared.firsts.filter((first, position) => first !== position).length };
}
