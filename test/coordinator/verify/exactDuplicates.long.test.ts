/** `--exact-duplicates`: identity alone, against the definition, for any execution. */
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { canonicalTokens, expectedCollisions, findDuplicates, fingerprint } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { verifyResult } from '../../../src/output/verifyResult.js';
import { hostileCorpus } from '../hostile/hostileCorpus.js';
import { finished, prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';

const TEXTS: Readonly<Record<string, string>> = {
  'a.txt': 'One two, three.',
  'b.txt': 'one TWO\n\nthree',
  'c.txt': 'one two three',
  'd.txt': 'one two three four',
  'e.txt': 'three two one',
  'f.txt': '',
  'g.txt': ' \n',
  'h.txt': 'one two three',
  'i.txt': 'One two, three.',
};

test('documents with the same tokens are a class, pairs are those with its first, and kinds say which bytes are equal', async (t) => {
  for (const unit of ['words', 'chars', 'bytes', 'lines'] as const) {
    const shingle = `${unit}:2`;
    const result = await finished(t, TEXTS, { exactDuplicates: true, shingle });
    const first = new Map<string, string>();
    const expected: string[] = [];
    for (const [id, text] of Object.entries(TEXTS)) {
      const tokens = canonicalTokens(Buffer.from(text), { unit });
      const key = JSON.stringify(tokens);
      if (tokens.length === 0) continue;
      const known = first.get(key);
      if (known === undefined) first.set(key, id);
      else expected.push(`${known} ${id}`);
    }
    t.deepEqual(
      result.pairs.map(({ a, b }) => `${a} ${b}`),
      expected.sort(),
      shingle,
    );
    for (const { a, b, kind, jaccard } of result.pairs) {
      t.deepEqual([kind, jaccard], [TEXTS[a!] === TEXTS[b!] ? 'identical' : 'same-tokens', '1.000000']);
    }
    t.deepEqual(result.candidates, []);
    t.is(
      result.manifest.counts.identical_pairs,
      result.pairs.filter(({ kind }) => kind === 'identical').length,
    );
    t.is(
      result.manifest.counts.same_tokens_pairs,
      result.pairs.filter(({ kind }) => kind === 'same-tokens').length,
    );
    const { counts, parameters, s_curve: curve } = result.manifest;
    t.deepEqual([counts.buckets, counts.rounds, counts.verified_pairs], [0, 0, 0]);
    t.true(parameters.exactDuplicates);
    t.deepEqual([parameters.threshold, curve.table, curve.probability_at_threshold], [1, [], 0]);
    t.true((await verifyResult(result.out)).sound);
    t.regex(
      result.summary,
      /Promise {5}all documents with the same tokens are found; near-duplicates were not looked for/,
    );
    t.notRegex(result.summary, /Candidates|Near {8}|--verify none/);
  }
});

test('the identity rows are those of a usual run, for any threads and row chunks', async (t) => {
  const { inputs, folder, options } = prepared(t, hostileCorpus({ giantBytes: 50_000, hotCopies: 40 }));
  const bytesOf = async (name: string, more: RunOptions): Promise<Record<string, string>> => {
    const out = `${folder}/${name}`;
    await run({ ...options, paths: [inputs], out, ...more });
    return resultBytes(out);
  };
  const expected = await bytesOf('one', { exactDuplicates: true, threads: 0 });
  t.deepEqual(await bytesOf('two', { exactDuplicates: true, threads: 2, shards: 7 }), expected);
  const usual = await bytesOf('four', { verify: 'none', threads: 0 });
  for (const name of ['pairs/part-00000.tsv', 'duplicates.tsv', 'clusters/part-00000.tsv', 'skipped.tsv']) {
    t.is(expected[name], usual[name], name);
  }
});

test('findDuplicates finds exact duplicates alone', async (t) => {
  const documents = Object.entries(TEXTS).map(([id, text]) => ({ id, text }));
  const { pairs, clusters, dropped } = await findDuplicates(documents, { exactDuplicates: true });
  t.deepEqual(
    pairs.map(({ a, b, kind }) => `${a} ${b} ${kind}`),
    [
      'a.txt b.txt same-tokens',
      'a.txt c.txt same-tokens',
      'a.txt h.txt same-tokens',
      'a.txt i.txt identical',
    ],
  );
  t.deepEqual(
    clusters.map(({ representative, members }) => [representative, members.length]),
    [['a.txt', 4]],
  );
  t.is(dropped.length, 4);
});

test('fingerprint is equal for equal tokens, 64 bits are the first half of 128, and the unit decides', (t) => {
  t.is(fingerprint('One two, three.'), fingerprint('one TWO\n\nthree'));
  t.not(fingerprint('one two three'), fingerprint('three two one'));
  t.not(fingerprint('One two', { unit: 'bytes' }), fingerprint('one two', { unit: 'bytes' }));
  t.is(fingerprint('one two', { size: 1 }), fingerprint('one two', { size: 9, bag: true }));
  t.regex(fingerprint('x'), /^[0-9a-f]{32}$/);
  t.is(fingerprint('x', { bits: 64 }), fingerprint('x').slice(0, 16));
  t.throws(() => fingerprint('x', { bits: 32 as 64 }), { code: 'OPTION_INVALID' });
});

test('64 bits are no fewer than they seem: 2,000 fingerprints cut to 24 bits collide as often as chance says', (t) => {
  const count = 2_000;
  const seen = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const end = fingerprint(`document number ${i}`, { bits: 64 }).slice(10);
    seen.set(end, (seen.get(end) ?? 0) + 1);
  }
  let collisions = 0;
  for (const times of seen.values()) collisions += (times * (times - 1)) / 2;
  // 0.119 expected: Poisson, four or more have a probability below 1e-5.
  t.true(collisions <= 3 && expectedCollisions(count, 24) < 0.12);
});

test('expectedCollisions by hand', (t) => {
  t.is(expectedCollisions(0, 64), 0);
  t.is(expectedCollisions(1, 64), 0);
  t.is(expectedCollisions(2, 1), 0.5);
  t.is(expectedCollisions(23, 8).toFixed(3), (253 / 256).toFixed(3));
  t.is(expectedCollisions(1e6, 64).toExponential(1), '2.7e-8');
  t.is(expectedCollisions(1e9, 64).toFixed(3), '0.027');
  t.is(expectedCollisions(1e9, 128).toExponential(1), '1.5e-21');
});
