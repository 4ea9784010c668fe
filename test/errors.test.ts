/** The error table: every code is thrown somewhere, and every text reads the same way. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import {
  ERRORS,
  type ErrorCode,
  type ErrorScope,
  entryInCode,
  flagName,
  inOptions,
  LISTED_CODES,
  listedKind,
  MinHashError,
  problemText,
  SKIP_CODES,
} from '../src/errors.js';
import { OPTION_KEYS } from '../src/options/table.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const SCOPES: readonly ErrorScope[] = ['use', 'document', 'run', 'note'];

function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

const ROOT = projectFolder();

/** All code but the table itself, in one text. */
function codeText(): string {
  const texts: string[] = [];
  for (const tree of ['src', 'mappers', 'reducers', 'cli']) {
    if (!existsSync(join(ROOT, tree))) continue;
    for (const entry of readdirSync(join(ROOT, tree), { recursive: true, encoding: 'utf8' })) {
      if (!entry.endsWith('.ts') || (tree === 'src' && /^errors(\.ts$|\/)/.test(entry))) continue;
      texts.push(readFileSync(join(ROOT, tree, entry), 'utf8'));
    }
  }
  return texts.join('\n');
}

test('every code of the table is used in the code', (t) => {
  // While the commands are not there, neither are the places that find most of the problems.
  if (!existsSync(join(ROOT, 'cli', 'main.ts'))) {
    t.pass();
    return;
  }
  const text = codeText();
  const stands = (word: string): boolean => new RegExp(`['"\`]${word}['"\`]`).test(text);
  // The codes of packings are put together of two words (src/readers/bytes/codecs.ts).
  const words = (code: string): string[] =>
    stands(code) ? [code] : (/^(GZIP|ZSTD|BZIP2|XZ)_(\w+)$/.exec(code)?.slice(1) ?? [code]);
  t.deepEqual(
    CODES.filter((code) => !words(code).every(stands)),
    [],
  );
});

test('every text and remedy is a clause: no full stop, no line break, no upper case at its start', (t) => {
  for (const code of CODES) {
    for (const text of [ERRORS[code].text, ERRORS[code].remedy]) {
      t.regex(text, /^[^\n]*[^.\s]$/, code);
      t.regex(text, /^([^A-Z]|JSON|Spark)/, code);
    }
  }
});

test('texts of the library have names of options, without flags and commands', (t) => {
  for (const code of CODES) {
    const { text, remedy } = entryInCode(code);
    t.notRegex(`${text} ${remedy}`, /(^|[^\w])--\w|mr-minhash (run|verify|inspect)|\bPATHs?\b|\bDIR\b/, code);
    const named = [...`${ERRORS[code].text} ${ERRORS[code].remedy}`.matchAll(/--(?!help)[a-z-]+/g)];
    // What is called an option is one.
    for (const [flag] of named) {
      t.true(
        OPTION_KEYS.some((key) => flagName(key) === flag),
        `${code}: ${flag}`,
      );
    }
  }
  t.is(
    inOptions('--max-document 5: expected --threshold, got "--force \\" --seed" and a--b; PATH x'),
    'maxDocument 5: expected threshold, got "--force \\" --seed" and a--b; paths x',
  );
});

test('codes are upper case words, and no two codes have the same text', (t) => {
  for (const code of CODES) t.regex(code, /^[A-Z][A-Z0-9]*([_ ][A-Z0-9]+)*$/);
  t.is(new Set(CODES.map((code) => ERRORS[code].text)).size, CODES.length);
});

test('every scope has codes, and the codes of documents are those that can be skipped', (t) => {
  for (const scope of SCOPES)
    t.true(
      CODES.some((code) => ERRORS[code].scope === scope),
      scope,
    );
  t.deepEqual(
    CODES.filter((code) => ERRORS[code].scope === 'document'),
    [...SKIP_CODES],
  );
  // A list stores numbers: those of skipped documents are the same in both.
  t.deepEqual(LISTED_CODES.slice(0, SKIP_CODES.length), [...SKIP_CODES]);
  const kinds = LISTED_CODES.slice(SKIP_CODES.length).map(
    (code) => `${ERRORS[code].scope} ${listedKind(code)}`,
  );
  t.deepEqual(
    [...new Set(kinds)],
    ['note repaired', 'note empty', 'note ignored', 'note as text', 'note left out'],
  );
  t.true(SKIP_CODES.every((code) => listedKind(code) === 'skipped'));
});

test('a MinHashError has all its problems, and its exit code is that of the first', (t) => {
  const problems = [
    { code: 'OPTION_INVALID', detail: '--rows 0' },
    { code: 'NO_INPUT', detail: '' },
  ] as const;
  const cause = new Error('why');
  const error = new MinHashError(problems, { cause });
  t.is(error.code, 'OPTION_INVALID');
  t.deepEqual(error.problems, [
    { code: 'OPTION_INVALID', detail: 'rows 0', typed: '--rows 0' },
    { code: 'NO_INPUT', detail: '' },
  ]);
  t.is(error.cause, cause);
  t.is(error.message, problems.map(problemText).join('\n'));
  t.regex(problemText(problems[0]), /: rows 0 \(/);
  // A problem that comes out of another error is not translated twice.
  t.deepEqual(new MinHashError(error.problems).problems, error.problems);
  for (const code of CODES) {
    const expected = code === 'INTERRUPTED' ? 130 : ERRORS[code].scope === 'use' ? 2 : 1;
    t.is(new MinHashError({ code, detail: '' }).exitCode, expected, code);
  }
});

test('the hint of an error is the remedy of its first problem, with the names of the library', (t) => {
  const { hint, message } = new MinHashError([
    { code: 'RESULT_DAMAGED', detail: 'x' },
    { code: 'NO_INPUT', detail: '' },
  ]);
  t.regex(hint, /force: true/);
  t.true(message.includes(`(${hint})`));
  t.is(new MinHashError({ code: 'TASK_FAILED', detail: 'x', remedy: '' }).hint, '');
});
