/** As sameAnswer.test.ts, over many random corpora and options. */
import test from 'ava';
import type { RunOptions } from '../../../src/options/check.js';
import { randomFrom } from '../../data/seededTexts.js';
import {
  randomCase,
  randomOrder,
  sameAnswer,
  setsCase,
  withDecisions,
  withGroups,
  withSamples,
  withUnits,
} from './randomCases.js';

const FIRST = Number(process.env.FIRST_SEED ?? 100);
const SEEDS = Number(process.env.SEEDS ?? 40);

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const { files, options, shape, placed } = randomCase(randomFrom(seed), seed);
  test(`seed ${seed}: ${JSON.stringify({ ...options, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, options, shape, placed);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const random = randomFrom(seed + 7);
  const { files, options, shape, placed } = randomCase(random, seed);
  const hasFields =
    options.idField !== undefined && Object.keys(files).every((name) => !name.endsWith('.txt'));
  const all = { ...options, exclude: [], ...randomOrder(random, files, hasFields) };
  test(`order, seed ${seed}: ${JSON.stringify({ ...all, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, all, shape, placed);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS / 2; seed++) {
  const random = randomFrom(seed + 9);
  const { files, options, shape, placed } = randomCase(random, seed);
  const { expandIdentical, minTokens = 0, shingle, seed: own = 1, idField } = options;
  const kept = { expandIdentical, minTokens, shingle, seed: own, ...(idField && { idField }) };
  const all = { ...kept, exactDuplicates: true, ...randomOrder(random, files, false) } as RunOptions;
  test(`tokens alone, seed ${seed}: ${JSON.stringify({ ...all, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, all, shape, placed);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const random = randomFrom(seed + 11);
  const { files, options, shape, placed } = withGroups(random, randomCase(random, seed));
  const all = { ...options, ...(random() < 0.4 && randomOrder(random, files, false)) };
  test(`groups, seed ${seed}: ${JSON.stringify({ ...all, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, all, shape, placed);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const random = randomFrom(seed + 13);
  const grouped = random() < 0.3 ? withGroups(random, randomCase(random, seed)) : randomCase(random, seed);
  const { files, options, shape, placed } = withUnits(random, grouped);
  const all = { ...options, ...(random() < 0.4 && randomOrder(random, files, false)) };
  test(`units, seed ${seed}: ${JSON.stringify({ ...all, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, all, shape, placed);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const random = randomFrom(seed + 17);
  const plain = randomCase(random, seed);
  const { files, options, shape } = random() < 0.3 ? withUnits(random, plain) : plain;
  const { expandIdentical, hashes, idField, exclude, ...others } = options;
  const ofTokens = { exactDuplicates: true, expandIdentical, ...(idField && { idField }) } as RunOptions;
  const asked = random() < 0.1 ? ofTokens : { ...others, ...options, exclude: [] };
  const all = { ...asked, ...(random() < 0.4 && randomOrder(random, files, false)) };
  test(`decisions, seed ${seed}: ${JSON.stringify({ ...all, ...shape })}`, async (t) => {
    await sameAnswer(t, files, await withDecisions(t, random, files, all), shape);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const { files, options, shape, placed } = setsCase(randomFrom(seed + 19));
  test(`sets, seed ${seed}: ${JSON.stringify({ ...options, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, options, shape, placed);
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const random = randomFrom(seed + 23);
  const sampled = withSamples(random, randomCase(random, seed));
  const { files, options, shape, placed } = random() < 0.5 ? withGroups(random, sampled) : sampled;
  const all = { ...options, ...(random() < 0.3 && randomOrder(random, files, false, options.measure)) };
  test(`samples, seed ${seed}: ${JSON.stringify({ ...all, ...shape, placed })}`, async (t) => {
    await sameAnswer(t, files, all, shape, placed);
  });
}
