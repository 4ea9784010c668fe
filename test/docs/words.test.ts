/** The words of comments, errors, help and test titles: those of words.ts, with exceptions. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ROOT } from './pages.js';
import { CODE_EXCEPTIONS, CODE_PATHS, WORDS_NOT_USED, WORDS_NOT_USED_IN_CODE } from './words.js';

/** The source files at a path, which is a file or a folder; relative, with `/`. */
function filesAt(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  return readdirSync(join(ROOT, path))
    .flatMap((name) => filesAt(`${path}/${name}`))
    .filter((file) => /\.(?:ts|cts|cjs|mjs|py)$/.test(file) && !file.endsWith('/table.ts'))
    .concat(path === 'src/options' ? ['src/options/table.ts'] : []);
}

/** Comments and strings with a space in them, by line number from 1. */
function proseOf(source: string, isPython: boolean): [line: number, text: string][] {
  let isComment = false;
  return source.split('\n').map((line, i) => {
    const quotes = line.split('"""').length - 1;
    const begins = isComment || (isPython ? quotes > 0 || /^\s*#/.test(line) : /^\s*\/[*/]/.test(line));
    if (isPython) isComment = isComment !== (quotes % 2 === 1);
    else isComment = begins && !/^\s*\/\//.test(line) && !line.includes('*/');
    if (begins) return [i + 1, line];
    const strings = line.match(
      /'(?:[^'\\]|\\.)* (?:[^'\\]|\\.)*'|`[^`]* [^`]*`|"(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"|\s\/\/ .*/g,
    );
    return [i + 1, (strings ?? []).join(' ')];
  });
}

test('comments, errors, help and titles use the words that readers know', (t) => {
  const words = [...WORDS_NOT_USED.filter(({ inCode }) => inCode !== false), ...WORDS_NOT_USED_IN_CODE];
  const found = CODE_PATHS.flatMap(filesAt).flatMap((file) =>
    proseOf(readFileSync(join(ROOT, file), 'utf8'), file.endsWith('.py')).flatMap(([line, text]) =>
      words
        .filter(({ word }) => word.test(text))
        .filter(
          () => !CODE_EXCEPTIONS.some(([path, phrase]) => file.startsWith(path) && text.includes(phrase)),
        )
        .map(({ word, instead }) => `${file}:${line}: ${word.exec(text)?.[0]}: ${instead}`),
    ),
  );
  t.deepEqual(found, []);
});
