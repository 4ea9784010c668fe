/**
 * The whole pipeline against brute force: every reported number, the recall, the drop list's law, the
 * clusters.
 *
 * Truth is taken by the definitions over all pairs, from sets of strings; the measures of the library (which do not
 * share a line with bands, signatures or reducers) are compared with it for every reported pair.
 */
import test, { type ExecutionContext } from 'ava';
import { containment, resemblance } from '../../../src/analysis/measures.js';
import type { RunOptions } from '../../../src/options/check.js';
import { probabilityOfCandidate } from '../../../src/sketch/banding.js';
import { canonicalTokens } from '../../../src/text/tokens.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Finished, finished, pairNames } from './finished.js';

type Texts = Readonly<Record<string, string>>;

/**
 * Families of near copies of different sizes, exact copies, strangers, short and empty texts; 120 documents.
 */
function randomCorpus(seed: number): Texts {
  const random = randomFrom(seed);
  const texts: Record<string, string> = {};
  const add = (words: readonly string[], family: number): void => {
    // Names in an order of their own, so that families are not neighbours in id order.
    texts[`d${Math.floor(random() * 1e9)}-${family}`] = words.join(' ');
  };
  for (let family = 0; family < 12; family++) {
    let words = wordsFrom(random, 30 + Math.floor(random() * 120));
    for (let copy = 0; copy < 8; copy++) {
      add(words, family);
      // Half of the copies are of a copy: chains, in which resemblance is not transitive.
      const next = edited(random, words, Math.floor(random() * 7));
      if (random() < 0.5) words = next;
      else add(next, family);
    }
  }
  for (let alone = 0; alone < 12; alone++) add(wordsFrom(random, Math.floor(random() * 7)), 12 + alone);
  return texts;
}

const familyOf = (id: string): string => id.slice(id.indexOf('-') + 1);

interface Truth {
  readonly ids: readonly string[];
  /** By `a b` with a before b. */
  readonly jaccard: ReadonlyMap<string, number>;
  readonly identical: ReadonlySet<string>;
}

/** The different shingles of five words; of fewer words their one shingle, and none of none. */
function naiveShingles(words: readonly string[]): Set<string> {
  if (words.length === 0) return new Set();
  if (words.length < 5) return new Set([words.join(' ')]);
  return new Set(words.slice(4).map((_, i) => words.slice(i, i + 5).join(' ')));
}

/** Of two empty sets 0, as in the library: a document without tokens resembles nothing. */
function naiveResemblance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const shingle of a) if (b.has(shingle)) common++;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}

function truthOf(texts: Texts): Truth {
  const ids = Object.keys(texts).sort();
  const words = ids.map((id) => canonicalTokens(Buffer.from(texts[id]!), { unit: 'words' }));
  const tokens = new Map(ids.map((id, i) => [id, words[i]!.join(' ')]));
  const sets = new Map(ids.map((id, i) => [id, naiveShingles(words[i]!)]));
  const jaccard = new Map<string, number>();
  const identical = new Set<string>();
  ids.forEach((a, i) => {
    for (const b of ids.slice(i + 1)) {
      jaccard.set(`${a} ${b}`, naiveResemblance(sets.get(a)!, sets.get(b)!));
      if (tokens.get(a) === tokens.get(b) && tokens.get(a) !== '') identical.add(`${a} ${b}`);
    }
  });
  return { ids, jaccard, identical };
}

const SEEDS = [1, 2, 3];
const corpora = SEEDS.map((seed) => {
  const texts = randomCorpus(seed);
  return { texts, truth: truthOf(texts) };
});

/** First member by id of every document's duplicate group. */
function firstsOf(truth: Truth): Map<string, string> {
  const first = new Map(truth.ids.map((id) => [id, id]));
  for (const pair of [...truth.identical].sort()) {
    const [a, b] = pair.split(' ') as [string, string];
    if (first.get(b) === b) first.set(b, first.get(a)!);
  }
  return first;
}

/** What several tests look at is run once; the tables of a result are in memory when its folder goes. */
const results = new Map<string, Promise<Finished>>();

function resultOver(t: ExecutionContext, index: number, options: RunOptions): Promise<Finished> {
  const key = JSON.stringify([index, options]);
  const result = results.get(key) ?? finished(t, corpora[index]!.texts, options);
  results.set(key, result);
  return result;
}

/** Runs over corpus `index`; the brute force's truth with it. */
async function checked(
  t: ExecutionContext,
  index: number,
  options: RunOptions,
): Promise<{ result: Finished; truth: Truth; texts: Texts; first: Map<string, string> }> {
  const { texts, truth } = corpora[index]!;
  return { result: await resultOver(t, index, options), truth, texts, first: firstsOf(truth) };
}

for (const threshold of [0.5, 0.8]) {
  test(`pairs reported at ${threshold} are true to six decimals, and no identical one is missing`, async (t) => {
    for (const index of corpora.keys()) {
      const { result, truth, texts, first } = await checked(t, index, { threshold });
      const identical = new Set<string>();
      for (const pair of result.pairs) {
        const { a, b } = pair as { a: string; b: string };
        const name = `${a} ${b}`;
        t.true(a < b);
        if (pair.kind !== 'near') {
          t.is(pair.kind, texts[a] === texts[b] ? 'identical' : 'same-tokens');
          identical.add(name);
          t.is(first.get(b), a);
          t.true(truth.identical.has(name));
          t.is(pair.jaccard, '1.000000');
          continue;
        }
        t.true(truth.jaccard.get(name)! >= threshold, name);
        t.is(pair.jaccard, truth.jaccard.get(name)!.toFixed(6));
        t.is(resemblance(texts[a]!, texts[b]!), truth.jaccard.get(name)!);
        t.is(pair.containment_a_in_b, containment(texts[a]!, texts[b]!).toFixed(6));
        t.is(pair.containment_b_in_a, containment(texts[b]!, texts[a]!).toFixed(6));
        t.deepEqual([first.get(a), first.get(b)], [a, b]);
      }
      t.is(identical.size, truth.ids.filter((id) => first.get(id) !== id).length);
    }
  });

  test(`every candidate at ${threshold} says what it was judged by`, async (t) => {
    const { result, truth } = await checked(t, 0, { threshold });
    const accepted = new Set(pairNames(result.pairs.filter(({ kind }) => kind === 'near')));
    for (const { a, b, jaccard, accepted: said } of result.candidates) {
      const exact = truth.jaccard.get(`${a} ${b}`)!;
      t.is(said, accepted.has(`${a} ${b} near`) ? 'yes' : 'no');
      if (jaccard !== '') t.is(jaccard, exact.toFixed(6));
      if (jaccard !== '') t.is(said === 'yes', exact >= threshold);
    }
    t.is(result.candidates.filter(({ accepted: said }) => said === 'yes').length, accepted.size);
  });

  test(`recall at ${threshold} is what the S-curve gives`, async (t) => {
    let expected = 0;
    let found = 0;
    // Families share no shingle, so they are independent; pairs of one family may depend on one another in
    // any way, and the standard deviation of their sum is at most the sum of theirs.
    const deviations = new Map<string, number>();
    for (const index of corpora.keys()) {
      const { result, truth, first } = await checked(t, index, { threshold });
      const { bands, rows } = result.manifest.parameters.banding!;
      const reported = new Set(pairNames(result.pairs));
      for (const [name, jaccard] of truth.jaccard) {
        const [a, b] = name.split(' ') as [string, string];
        if (jaccard < threshold || first.get(a) !== a || first.get(b) !== b) continue;
        const probability = probabilityOfCandidate(jaccard, bands, rows);
        const family = `${index} ${familyOf(a)}`;
        const deviation = Math.sqrt(probability * (1 - probability));
        deviations.set(family, (deviations.get(family) ?? 0) + deviation);
        expected += probability;
        if (reported.has(`${name} near`)) found++;
      }
    }
    // Four standard deviations, and one pair for the margin, which loses fewer than 1 in 10,000.
    const variance = [...deviations.values()].reduce((sum, deviation) => sum + deviation ** 2, 0);
    const tolerance = 4 * Math.sqrt(variance) + 1;
    t.true(expected > 50 && tolerance < 0.25 * expected, `${expected} expected, tolerance ${tolerance}`);
    t.true(found >= expected - tolerance, `${found} found, ${expected} expected, tolerance ${tolerance}`);
  });

  test(`the drop list at ${threshold} drops only what has its like and keeps no verified pair`, async (t) => {
    for (const index of corpora.keys()) {
      const { result, truth, first } = await checked(t, index, { threshold });
      const near = new Map<string, number>();
      for (const { a, b, jaccard, kind } of result.pairs) {
        if (kind === 'near') near.set(`${a} ${b}`, Number(jaccard));
      }
      const alike = (a: string, b: string): number | undefined => {
        const [x, y] = [first.get(a)!, first.get(b)!];
        return x === y ? 1 : near.get(x < y ? `${x} ${y}` : `${y} ${x}`);
      };
      const keepers = new Map(result.dropped.map(({ document, kept }) => [document!, kept!]));
      for (const { document, kept, jaccard } of result.dropped) {
        t.true(kept! < document! && !keepers.has(kept!));
        t.is(jaccard, truth.jaccard.get(`${kept} ${document}`)!.toFixed(6));
        const best = truth.ids
          .filter((id) => id < document! && !keepers.has(id) && alike(id, document!) !== undefined)
          .reduce((x, y) => (alike(y, document!)! > alike(x, document!)! ? y : x));
        t.is(kept, best);
      }
      const left = truth.ids.filter((id) => !keepers.has(id));
      for (const [i, a] of left.entries()) {
        for (const b of left.slice(i + 1)) t.is(alike(a, b), undefined, `${a} ${b}`);
      }
      t.is(result.manifest.counts.kept, left.length);
    }
  });
}

test('signature mode accepts by agreement, prints it as jaccard, and has no containment', async (t) => {
  const { result, first, truth } = await checked(t, 2, { verify: 'signature', threshold: 0.6 });
  const near = result.pairs.filter(({ kind }) => kind === 'near');
  t.true(near.length > 50);
  for (const { jaccard, agreement, containment_a_in_b, containment_b_in_a } of near) {
    t.is(jaccard, agreement);
    t.true(Number(agreement) >= 0.6);
    t.deepEqual([containment_a_in_b, containment_b_in_a], ['', '']);
  }
  for (const { agreement, jaccard, accepted } of result.candidates) {
    t.is(jaccard, '');
    t.is(accepted, Number(agreement) >= 0.6 ? 'yes' : 'no');
  }
  const identical = result.pairs.filter(({ kind }) => kind !== 'near');
  t.is(identical.length, truth.ids.filter((id) => first.get(id) !== id).length);
  t.deepEqual(new Set(identical.map(({ containment_a_in_b }) => containment_a_in_b)), new Set(['1.000000']));
  t.true(result.clusters.some(({ basis }) => basis === 'estimate'));
});

test('without verification clusters and drop list contain identical documents only', async (t) => {
  const { result, first, truth } = await checked(t, 0, { verify: 'none', threshold: 0.5 });
  t.true(result.candidates.length > 100);
  t.true(result.candidates.every(({ accepted, jaccard }) => accepted === 'no' && jaccard === ''));
  const members = truth.ids.filter((id) => first.get(id) !== id);
  t.true(members.length > 0);
  t.deepEqual(
    result.dropped.map(({ document, kept }) => `${document} ${kept}`),
    members.map((id) => `${id} ${first.get(id)}`),
  );
  t.deepEqual(pairNames(result.pairs).sort(), members.map((id) => `${first.get(id)} ${id} identical`).sort());
  t.is(result.clusters.filter(({ role }) => role === 'member').length, members.length);
  const exact = await resultOver(t, 0, { threshold: 0.5 });
  t.deepEqual(
    result.candidates.map(({ a, b, agreement }) => [a, b, agreement]),
    exact.candidates.map(({ a, b, agreement }) => [a, b, agreement]),
  );
});
