import test from 'ava';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { hasOpenBracket } from '../../src/options/values.js';

test('hasOpenBracket finds every bracket that is not closed', (t) => {
  for (const glob of [
    '[',
    '[a',
    '[]',
    '[^]',
    '[!]',
    '[\\]',
    '(a',
    '@(a|b',
    '{a',
    'a/{b,[c}',
    '[[:alpha:]',
    '({)',
  ]) {
    t.true(hasOpenBracket(glob), glob);
  }
});

test('hasOpenBracket leaves complete, literal and merely closing brackets alone', (t) => {
  for (const glob of [
    '',
    '**/*.txt',
    '[a]',
    '[]]',
    '[^]]',
    '[!]]',
    '[!a]',
    '[[]',
    '[[:alpha:]]',
    '[({]',
    '{a,b}',
  ]) {
    t.false(hasOpenBracket(glob), glob);
  }
  for (const glob of ['\\[', '\\(\\{', '"["', '"[', 'a]', 'a)', 'a}', 'a/@(b|c)', '{a..c}', '\\']) {
    t.false(hasOpenBracket(glob), glob);
  }
});

test('hasOpenBracket agrees with what the matcher says of a bracket that is not closed', (t) => {
  const glob = fc.array(fc.constantFrom('a', '[', ']', '(', ')', '{', '}', ',', '\\[', '\\]', '^'), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(glob, (parts) => {
      const text = parts.join('');
      let said = '';
      try {
        picomatch.makeRe(text, { strictBrackets: true });
      } catch (error) {
        said = (error as Error).message;
      }
      // The matcher stops at the first fault, so beside a bracket too many it need not name an open one.
      if (said.startsWith('Missing opening')) return true;
      return hasOpenBracket(text) === said.startsWith('Missing closing');
    }),
    { seed: 1, numRuns: 3000 },
  );
  t.pass();
});
