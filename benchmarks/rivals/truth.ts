/**
 * Which pairs reach the threshold, exactly: of all documents, or of a sample.
 *
 * Of all documents: by our command in exact mode, with so many bands and so low a threshold that a pair at the
 * threshold is missed with a probability below 10^-9. Some documents are then compared with all others by brute force,
 * which must give the same pairs. If most documents are slightly similar, such as the pages of one generator, nearly
 * all pairs become candidates; then truth is brute force over a sample of documents.
 *
 * Truth is cached in the working folder, for the same input and threshold.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measured } from '../measure/process.js';
import { COMMAND } from '../measure/product.js';
import { pairsOfSample } from './bruteForce.js';
import type { Prepared } from './prepared.js';
import { pairOf, type Truth } from './scoring.js';
import { resultRows } from './tools.js';

const HASHES = 1000;
const MOST_LOST = 1e-9;
const BELOW = 0.05;
const TIMEOUT = 7200;
/** Number of documents that check the truth of all. */
const CHECKED = 40;

/** The most rows per band at which a pair at the threshold is missed with less than the allowed probability. */
function bandingFor(threshold: number): { bands: number; rows: number } {
  for (let rows = 16; rows > 1; rows--) {
    const bands = Math.floor(HASHES / rows);
    if ((1 - threshold ** rows) ** bands < MOST_LOST) return { bands, rows };
  }
  return { bands: HASHES, rows: 1 };
}

/** `count` documents at even distances among the first documents with their words. */
export function evenSample({ firsts }: Pick<Prepared, 'firsts'>, count: number): Set<number> {
  const distinct = firsts.filter((first, position) => first === position);
  const sample = new Set<number>();
  for (let i = 0; i < count; i++) {
    const first = distinct[Math.floor(((i + 0.5) * distinct.length) / count)];
    if (first !== undefined) sample.add(first);
  }
  return sample;
}

/** Half of the checked documents are in a pair, as far as there are enough. */
function checkedOf(prepared: Prepared, near: ReadonlySet<number>): Set<number> {
  const checked = evenSample(prepared, CHECKED);
  const step = Math.max(1, Math.floor((2 * near.size) / CHECKED));
  let i = 0;
  for (const pair of near) {
    if (i++ % step === 0 && checked.size < 1.5 * CHECKED) {
      checked.add(Math.floor(pair / prepared.firsts.length));
    }
  }
  return checked;
}

async function check(prepared: Prepared, near: ReadonlySet<number>, threshold: number): Promise<void> {
  const checked = checkedOf(prepared, near);
  const expected = await pairsOfSample(prepared, checked, threshold);
  const n = prepared.firsts.length;
  for (const pair of near) {
    if ((checked.has(Math.floor(pair / n)) || checked.has(pair % n)) && !expected.has(pair))
      throw new Error(
        `${prepared.ids[Math.floor(pair / n)]} and ${prepared.ids[pair % n]} are not a true pair`,
      );
  }
  for (const pair of expected) {
    if (!near.has(pair))
      throw new Error(`the pair ${prepared.ids[Math.floor(pair / n)]} and ${prepared.ids[pair % n]} is lost`);
  }
}

async function pairsOfAll(prepared: Prepared, threshold: number, folder: string): Promise<Set<number>> {
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
  if (code !== 0) throw new Error(`the truth cannot be computed: ${stderr}`);
  const near = new Set<number>();
  for await (const [a, b, jaccard] of resultRows(out)) {
    const pair = pairOf(prepared, prepared.positions.get(a!)!, prepared.positions.get(b!)!);
    if (pair >= 0 && Number(jaccard) >= threshold) near.add(pair);
  }
  await check(prepared, near, threshold);
  return near;
}

/** The true pairs of the prepared input; with `sampled` those of so many documents. */
export async function exactTruth(
  prepared: Prepared,
  threshold: number,
  sampled: number | null,
  folder: string,
): Promise<Truth> {
  const sample = sampled === null ? null : evenSample(prepared, sampled);
  const name = `truth-${prepared.digest.slice(0, 16)}-${threshold}-${sampled ?? 'all'}.json`;
  const cached = join(folder, name);
  let near: ReadonlySet<number>;
  if (existsSync(cached)) near = new Set(JSON.parse(readFileSync(cached, 'utf8')) as number[]);
  else {
    near = await (sample === null
      ? pairsOfAll(prepared, threshold, folder)
      : pairsOfSample(prepared, sample, threshold));
    writeFileSync(cached, JSON.stringify([...near]));
  }
  const copies = prepared.firsts.filter((first, i) => first !== i && (sample === null || sample.has(first)));
  return { near, identical: copies.length, sample };
}
