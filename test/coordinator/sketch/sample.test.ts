/** `--sample N`: sketches of a part of the shingles; exact values of all of them. */
import test from 'ava';
import { shingleParams } from '../../../src/analysis/measures.js';
import { findDuplicates, resemblance, sampledStandardError } from '../../../src/index.js';
import { shingleSet } from '../../../src/text/shingles.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { createThinning } from '../../kernel/referenceThinning.js';
import { finished } from '../runs/finished.js';

/** The sampled shingles of a text, each as a string. */
function sampleOf(text: string, sample: number, size = 5): Set<string> {
  const set = shingleSet(Buffer.from(text), shingleParams({ size }));
  const kept = createThinning({ sample, seed: 1, eliminated: new Uint32Array(0) }).keep(set, set.length / 2);
  return new Set(Array.from({ length: kept }, (_, i) => `${set[2 * i]} ${set[2 * i + 1]}`));
}

/** Families of near copies, and texts of a few words. */
function corpus(): Record<string, string> {
  const random = randomFrom(11);
  const texts: Record<string, string> = {};
  for (let family = 0; family < 30; family++) {
    const page = wordsFrom(random, 150 + 10 * family);
    for (let copy = 0; copy < 4; copy++)
      texts[`f${family}-${copy}.txt`] = edited(random, page, 6 * copy).join(' ');
  }
  for (let i = 0; i < 20; i++) {
    texts[`short${i}.txt`] = wordsFrom(random, 6).join(' ');
    texts[`short${i}b.txt`] = `${texts[`short${i}.txt`]!.toUpperCase()}.`;
  }
  return texts;
}

test('every reported resemblance is that of the full sets, and no sample is lost in silence', async (t) => {
  const texts = corpus();
  const sample = 8;
  // A band a slot: whoever shares a sampled shingle is likely to be a candidate.
  const result = await finished(t, texts, { sample, threshold: 0.5, bands: 128, rows: 1 });
  const unsketched = Object.keys(texts).filter((id) => sampleOf(texts[id]!, sample).size === 0);
  t.is(result.manifest.counts.unsketched, unsketched.length);
  t.true(unsketched.length > 10);
  t.is(result.manifest.parameters.sample, sample);
  t.regex(
    result.summary,
    new RegExp(`${unsketched.length} documents have tokens but no shingle left in the sketch`),
  );
  t.regex(
    result.summary,
    /Sketches are of one shingle in 8 \(--sample 8\): .* similarities are of the full sets/,
  );
  for (const { a, b, jaccard, kind } of result.pairs) {
    t.is(jaccard, resemblance(texts[a!]!, texts[b!]!).toFixed(6));
    t.is(kind, Number(jaccard) === 1 && a!.startsWith('short') ? 'same-tokens' : 'near');
  }
  // Every candidate was looked at, however little the samples agree in.
  t.true(result.candidates.every(({ jaccard }) => jaccard !== ''));
  t.true(result.candidates.some(({ agreement }) => Number(agreement) < 0.3));
  for (const { a, b } of result.candidates) t.false(unsketched.includes(a!) || unsketched.includes(b!));
  // Identity needs no sketch.
  t.is(result.manifest.counts.identity_classes, 20);
});

test('candidates are those of the samples: brute force', async (t) => {
  const texts = corpus();
  const sample = 4;
  const result = await finished(t, texts, { sample, threshold: 0.8, bands: 128, rows: 1 });
  const samples = Object.fromEntries(Object.keys(texts).map((id) => [id, sampleOf(texts[id]!, sample)]));
  const candidates = new Set(result.candidates.map(({ a, b }) => `${a} ${b}`));
  const ids = Object.keys(texts).sort();
  let missed = 0;
  for (const [i, a] of ids.entries()) {
    for (const b of ids.slice(i + 1)) {
      const shared = [...samples[a]!].filter((hash) => samples[b]!.has(hash)).length;
      if (shared === 0) t.false(candidates.has(`${a} ${b}`), `${a} ${b}`);
      // Of 128 bands none is shared with probability (1-J)^128: below 2e-10 from 0.16 on.
      const isLike = shared / (samples[a]!.size + samples[b]!.size - shared) > 0.16;
      const isIdentical = texts[a]!.toLowerCase() === texts[b]!.toLowerCase().replace('.', '');
      if (isLike && !isIdentical && !candidates.has(`${a} ${b}`)) missed++;
    }
  }
  t.is(missed, 0);
  t.true(candidates.size > 100);
});

test('in signature mode the estimate spreads by slots and sample, as sampledStandardError says', async (t) => {
  const pairs = 600;
  const [common, own] = [400, 50];
  const words = (name: string, size: number): string[] =>
    Array.from({ length: size }, (_, i) => `${name}${i}`);
  const documents = Array.from({ length: pairs }, (_, pair) => {
    const shared = words(`s${pair}x`, common);
    return ['a', 'b'].map((side) => ({
      id: `${String(pair).padStart(4, '0')}${side}`,
      text: [...shared, ...words(`${side}${pair}x`, own)].join(' '),
    }));
  }).flat();
  const options = {
    sample: 8,
    verify: 'signature',
    threshold: 0.05,
    sketch: 'classic',
    hashes: 256,
  } as const;
  const found = await findDuplicates(documents, { ...options, shingle: 'words:1', bands: 256, rows: 1 });
  t.is(found.pairs.length, pairs);
  const mean = found.pairs.reduce((sum, { jaccard }) => sum + jaccard, 0) / pairs;
  const variance = found.pairs.reduce((sum, { jaccard }) => sum + (jaccard - 0.8) ** 2, 0) / pairs;
  const expected = sampledStandardError(256, 0.8, 8, common + 2 * own);
  t.true(expected > 2 * sampledStandardError(256, 0.8, 1, common + 2 * own));
  // Five standard errors of the mean; of a variance of 600 values the standard error is sqrt(2/600) = 5.8 % of it, to
  // which the formula itself adds up to 10 % (the size of a sample varies).
  t.true(Math.abs(mean - 0.8) < (5 * expected) / Math.sqrt(pairs), `mean ${mean}`);
  t.true(Math.abs(variance / expected ** 2 - 1) < 0.4, `${Math.sqrt(variance)}, expected ${expected}`);
});

test('sampledStandardError by hand', (t) => {
  t.is(sampledStandardError(128, 0.8, 1, 1000), Math.sqrt(0.16 / 128));
  t.is(sampledStandardError(128, 0.8, 16, 1000).toFixed(4), '0.0604');
  t.is(sampledStandardError(128, 1, 16, 10), 0);
});
