/** The rule "m of n slots agree", from the options to the result, against its probability. */
import test from 'ava';
import { passesRule } from '../../../src/analysis/tune/setting.js';
import { findDuplicates } from '../../../src/index.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished } from './finished.js';

const LECTURE = { sketch: 'classic', hashes: 100, verify: 'signature', agree: 90 } as const;

/** `count` pairs of texts of 100 words in all, of which both have `common`; no word is in two pairs. */
function pairsOf(count: number, common: number): { id: string; text: string }[] {
  const own = (100 - common) / 2;
  const words = (name: string, size: number): string[] =>
    Array.from({ length: size }, (_, i) => `${name}${i}`);
  return Array.from({ length: count }, (_, pair) => {
    const shared = words(`s${common}x${pair}x`, common);
    return ['a', 'b'].map((side) => {
      const id = `${String(pair).padStart(4, '0')}${side}`;
      return { id, text: [...shared, ...words(`${side}${common}x${pair}x`, own)].join(' ') };
    });
  }).flat();
}

test('90 of 100 slots agree as often as p(r) says', async (t) => {
  const pairs = 800;
  for (const common of [80, 90, 96]) {
    // A band a slot: a pair is missed only if no slot at all agrees, 1e-70 at 0.8.
    const options = { ...LECTURE, shingle: 'words:1', bands: 100, rows: 1 } as const;
    const found = await findDuplicates(pairsOf(pairs, common), options);
    const probability = passesRule(common / 100, 90, 100);
    // Pairs share no word, so the number of those that pass is binomial. Five standard deviations.
    const expected = pairs * probability;
    const tolerance = 5 * Math.sqrt(expected * (1 - probability)) + 1;
    const passed = found.pairs.length;
    t.true(
      Math.abs(passed - expected) <= tolerance,
      `${common}: ${passed}, expected ${expected} +- ${tolerance}`,
    );
    t.true(found.pairs.every(({ agreement, kind }) => agreement >= 0.9 && kind === 'near'));
  }
});

test('the rule is in the manifest, the summary and the candidates', async (t) => {
  const random = randomFrom(5);
  const page = wordsFrom(random, 200);
  const texts = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`${i}.txt`, edited(random, page, i % 9).join(' ')]),
  );
  const result = await finished(t, texts, LECTURE);
  const { parameters, s_curve: curve } = result.manifest;
  t.is(parameters.agree, 90);
  t.is(parameters.threshold, 0.9);
  t.is(curve.agreement_share, 0.583156);
  t.true(result.candidates.length > result.pairs.length && result.pairs.length > 0);
  for (const { agreement, accepted } of result.candidates) {
    t.is(accepted, Math.round(Number(agreement) * 100) >= 90 ? 'yes' : 'no');
  }
  const byThreshold = await finished(t, texts, { ...LECTURE, agree: undefined, threshold: 0.9 } as object);
  t.deepEqual(byThreshold.pairs, result.pairs);
});
