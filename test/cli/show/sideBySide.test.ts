import test from 'ava';
import fc from 'fast-check';
import { type Stretch, sideBySideLines, stretchesOf } from '../../../cli/show/result/elements.js';
import { textWidth } from '../../../cli/show/width.js';

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

const textLines = (stretches: readonly Stretch[], columns: number): string[] =>
  [...sideBySideLines(stretches, columns)].map((spans) => spans.map((span) => span.text).join(''));

test('stretchesOf finds what was replaced, removed and added', (t) => {
  const stretches = stretchesOf(words('the quick brown fox jumps'), words('the slow brown fox jumps high'));
  t.deepEqual(stretches, [
    { equal: true, left: ['the'], right: ['the'] },
    { equal: false, left: ['quick'], right: ['slow'] },
    { equal: true, left: ['brown', 'fox', 'jumps'], right: ['brown', 'fox', 'jumps'] },
    { equal: false, left: [], right: ['high'] },
  ]);
});

const elements = fc.uniqueArray(fc.integer({ min: 10, max: 40 }), { maxLength: 20 });

test('stretchesOf loses no element of either set, and pairs all that both have', (t) => {
  fc.assert(
    fc.property(elements, elements, (...sets) => {
      const [left, right] = sets.map((set) => set.sort().map(String)) as [string[], string[]];
      const stretches = stretchesOf(left, right);
      for (const side of ['left', 'right'] as const)
        t.deepEqual(
          stretches.flatMap((stretch) => stretch[side]),
          side === 'left' ? left : right,
        );
      const paired = stretches.filter(({ equal }) => equal);
      for (const stretch of paired) t.deepEqual(stretch.left, stretch.right);
      t.deepEqual(
        paired.flatMap((stretch) => stretch.left),
        left.filter((element) => right.includes(element)),
      );
      t.true(stretches.every(({ equal }, i) => i === 0 || equal !== stretches[i - 1]!.equal));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('sideBySideLines marks removed words left and added ones right, without colour too', (t) => {
  const stretches = stretchesOf(words('one two three'), words('one 2 three'));
  t.deepEqual(textLines(stretches, 43), [
    '  one                |   one',
    '- two                | + 2',
    '  three              |   three',
  ]);
  const styles = [...sideBySideLines(stretches, 43)][1]!.map((span) => span.style);
  t.deepEqual(styles, ['removed', 'plain', 'dim', 'added']);
});

test('long unchanged stretches are shortened to a count, with a few words next to the differences', (t) => {
  const many = Array.from({ length: 135 }, (_, index) => `w${index}`);
  const stretches = stretchesOf(['x', ...many, 'y'], ['X', ...many, 'Y']);
  const text = textLines(stretches, 203).join('\n');
  t.true(text.includes('w0 w1 w2 w3 w4 w5 ') && text.includes('w129 w130 w131 w132 w133 w134'));
  t.true(text.includes('… 123 equal elements …'));
  t.false(text.includes('w6 '));
  const more = many.map((word) => `${word}+`);
  const atEnds = textLines(stretchesOf([...many, 'y', ...more], [...many, ...more]), 203).join('\n');
  t.is(atEnds.match(/… 129 equal elements …/g)?.length, 4);
});

test('no line is wider than the terminal', (t) => {
  const wide = fc.array(fc.stringMatching(/^[a-z漢字]{1,60}$/), { maxLength: 20 });
  fc.assert(
    fc.property(wide, wide, fc.integer({ min: 30, max: 120 }), (left, right, columns) => {
      return textLines(stretchesOf(left, right), columns).every((line) => textWidth(line) <= columns);
    }),
    { seed: 1, numRuns: 200 },
  );
  t.pass();
});

test('equal sets are one equal stretch, and empty ones none', (t) => {
  t.deepEqual(stretchesOf(['a'], ['a']), [{ equal: true, left: ['a'], right: ['a'] }]);
  t.deepEqual(stretchesOf([], []), []);
  t.deepEqual(textLines([], 80), []);
});
