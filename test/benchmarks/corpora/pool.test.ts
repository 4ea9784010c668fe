import test from 'ava';
import fc from 'fast-check';
import { anyEarlier, edited, latest } from '../../../benchmarks/corpora/edits.js';
import { textOfHtml } from '../../../benchmarks/corpora/pages.js';
import { Pool } from '../../../benchmarks/corpora/pool.js';
import { between, randomOf } from '../../../benchmarks/corpora/random.js';

/** Two blocks and a half of lines that all differ. */
const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, i) => `line ${i} says größer`).join('\n'));

test('randomOf gives the same numbers for a seed, others for another, from 0 to below 1', (t) => {
  const numbers = (seed: number): number[] => {
    const random = randomOf(seed);
    return Array.from({ length: 1000 }, random);
  };
  t.deepEqual(numbers(7), numbers(7));
  t.notDeepEqual(numbers(7), numbers(8));
  t.true(numbers(0).every((one) => one >= 0 && one < 1));
  // The mean of 1,000 uniform numbers has a standard error of 0.0091; five of them.
  t.true(Math.abs(numbers(0).reduce((sum, one) => sum + one) / 1000 - 0.5) < 0.046);
});

test('Pool cuts whole characters, gives no byte twice in its first pass, and the same pieces for a seed', (t) => {
  const pieces = (): string[] => {
    const pool = new Pool(BYTES, randomOf(1));
    return Array.from({ length: 300 }, () => pool.piece(5000));
  };
  const found = pieces();
  t.deepEqual(found, pieces());
  const lines = found.flatMap((piece) => piece.split('\n').slice(1, -1));
  t.is(new Set(lines).size, lines.length);
  for (const piece of found) t.false(Buffer.from(piece, 'latin1').toString().includes('\ufffd'));
});

test('Pool gathers lines past its end, of about the length asked for', (t) => {
  const pool = new Pool(BYTES.subarray(0, 500_000), randomOf(1));
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 5000 }), (length) => {
      const piece = pool.piece(length);
      return piece.length >= length - 1 && piece.length < length + 60;
    }),
    { seed: 1, numRuns: 100 },
  );
  t.pass();
});

test('edited changes nothing for a share of 0 and most words for 1', (t) => {
  const pool = new Pool(BYTES, randomOf(1));
  const text = pool.piece(2000);
  t.is(edited(text, 0, pool, randomOf(2)), text);
  t.not(edited(text, 1, pool, randomOf(2)), text);
});

test('latest gives a text at most as often as is allowed; anyEarlier only what was added', (t) => {
  const twice = latest(200, 2, randomOf(1));
  const any = anyEarlier(150, randomOf(1));
  t.is(twice.take(), undefined);
  for (let i = 0; i < 1000; i++) {
    twice.add(String(i));
    any.add(String(i));
  }
  const taken = new Map<string, number>();
  for (let i = 0; i < 300; i++) {
    const text = twice.take()!;
    taken.set(text, (taken.get(text) ?? 0) + 1);
    t.true(Number(any.take()) < 1000);
  }
  t.true([...taken.values()].every((times) => times <= 2));
  t.true([...taken.keys()].every((text) => Number(text) >= 800));
});

test('between stays within its bounds', (t) => {
  const random = randomOf(3);
  const drawn = Array.from({ length: 1000 }, () => between(random, 2, 5));
  t.deepEqual([...new Set(drawn)].sort(), [2, 3, 4]);
});

test('textOfHtml takes off tags, scripts and comments and decodes entities', (t) => {
  const html =
    '<html><script>let a = "<b>";</script><!-- no --><p>One &amp; two</p>\n\n<p>&#233;&#x4e2d;&zz;&#0;</p>';
  t.is(textOfHtml(html), 'One & two\né中&zz;');
});
