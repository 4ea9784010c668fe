/** As sameAnswer.test.ts, over many random corpora and options. */
import test from 'ava';
import { randomFrom } from '../../data/seededTexts.js';
import { randomCase, sameAnswer } from './randomCases.js';

const FIRST = Number(process.env.FIRST_SEED ?? 100);
const SEEDS = Number(process.env.SEEDS ?? 40);

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  const { files, options, shape, severalPaths } = randomCase(randomFrom(seed), seed);
  test(`seed ${seed}: ${JSON.stringify({ ...options, ...shape, severalPaths })}`, async (t) => {
    await sameAnswer(t, files, options, shape, severalPaths);
  });
}
