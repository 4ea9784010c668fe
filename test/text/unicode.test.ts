import { readFileSync } from 'node:fs';
import test from 'ava';
import {
  CHANGES,
  CLASS,
  canJoin,
  codePointTable,
  IGNORABLE,
  lowerCaseOf,
  MARK,
  SEPARATOR,
  STANDALONE,
  UNASSIGNED,
  UNICODE_VERSION,
  WHITE_SPACE,
  WORD,
} from '../../src/text/unicode/codePoints.js';

const table = codePointTable();
const classOf = (character: string): number => table.flags[character.codePointAt(0)!]! & CLASS;

function* assigned(): Generator<number> {
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    const surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
    if (!surrogate && (table.flags[codePoint]! & UNASSIGNED) === 0) yield codePoint;
  }
}

const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

test('the table is of Unicode 15.0.0, the lowest version of Node >= 20', (t) => {
  t.is(UNICODE_VERSION, '15.0.0');
  t.true(Number(process.versions.unicode) >= 15);
});

test('the generated file is small', (t) => {
  const file = new URL('../../../src/text/unicode/table.ts', import.meta.url);
  t.true(readFileSync(file).length < 150_000);
});

test('default-ignorable code points have separate flags, except U+200B and U+034F', (t) => {
  const IS_IGNORABLE = /\p{Default_Ignorable_Code_Point}/u;
  const wrong: number[] = [];
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    const isIgnorable = IS_IGNORABLE.test(String.fromCodePoint(codePoint));
    const expected = isIgnorable && codePoint !== 0x200b && codePoint !== 0x34f;
    if ((table.flags[codePoint] === IGNORABLE) !== expected) wrong.push(codePoint);
  }
  t.deepEqual(wrong, []);
});

test('the number of assigned code points is that of Unicode 15.0', (t) => {
  // 149,186 characters, 65 control codes counted apart, 137,468 for private use (The Unicode Standard 15.0,
  // appendix D). 403 of them are default-ignorable.
  let count = 0;
  for (const _ of assigned()) count++;
  t.is(count, 149_186 + 65 + 137_468 - 403);
});

test('letters, marks and numbers form words, and all other code points separate them', (t) => {
  for (const character of ['a', 'Z', '0', 'é', 'я', 'ß', '٣', 'Ⅷ', '²', '한', 'क', 'ـ', 'ー', '〇']) {
    t.is(classOf(character), WORD, character);
  }
  for (const character of [
    ' ',
    '.',
    '_',
    '$',
    '\0',
    '😀',
    'ⓐ',
    '\u200b',
    '\ufffd',
    '\u0378',
    '\ue000',
    '。',
  ]) {
    t.is(classOf(character), SEPARATOR, character);
  }
  for (const character of ['\u0301', '\u0903', '\u20dd', '\u034f', '\u0e31', '\u3099'])
    t.is(classOf(character), MARK);
});

test('letters of scripts without blanks stand alone', (t) => {
  for (const character of ['中', '々', '𠀀', 'ひ', 'カ', 'ｶ', 'ก', 'ำ', 'ກ', 'ក', 'က']) {
    t.is(classOf(character), STANDALONE, character);
  }
});

test('white space is the property White_Space', (t) => {
  const found: number[] = [];
  for (let i = 0; i < 0x110000; i++) if ((table.flags[i]! & WHITE_SPACE) !== 0) found.push(i);
  const expected = [9, 10, 11, 12, 13, 0x20, 0x85, 0xa0, 0x1680];
  for (let i = 0x2000; i <= 0x200a; i++) expected.push(i);
  t.deepEqual(found, [...expected, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);
});

test('lower case is the simple mapping, one code point for one', (t) => {
  const pairs = [
    ['A', 'a'],
    ['z', 'z'],
    ['É', 'é'],
    ['İ', 'i'],
    ['I', 'i'],
    ['ẞ', 'ß'],
    ['Σ', 'σ'],
    ['ς', 'ς'],
    ['Ⅷ', 'ⅷ'],
    ['\u1f88', '\u1f80'],
    ['𐐀', '𐐨'],
    ['Ꭰ', 'ꭰ'],
    ['ǅ', 'ǆ'],
    ['中', '中'],
  ] as const;
  for (const [upper, lower] of pairs) {
    t.is(String.fromCodePoint(lowerCaseOf(table, upper.codePointAt(0)!)), lower, upper);
  }
});

test('lower case agrees with the engine wherever that maps to one code point', (t) => {
  let differences = 0;
  for (const codePoint of assigned()) {
    const lower = String.fromCodePoint(codePoint).toLowerCase();
    if (codePointsOf(lower).length === 1 && lower.codePointAt(0) !== lowerCaseOf(table, codePoint))
      differences++;
  }
  t.is(differences, 0);
});

test('lower case does not change lower case', (t) => {
  for (const codePoint of assigned()) {
    const lower = lowerCaseOf(table, codePoint);
    if (lowerCaseOf(table, lower) !== lower) t.fail(codePoint.toString(16));
  }
  t.pass();
});

test('NFC changes exactly those assigned code points that the table lists', (t) => {
  for (const codePoint of assigned()) {
    const changes = String.fromCodePoint(codePoint).normalize('NFC') !== String.fromCodePoint(codePoint);
    if (changes !== ((table.flags[codePoint]! & CHANGES) !== 0)) t.fail(codePoint.toString(16));
  }
  t.pass();
});

test('exactly those code points join the one before them that the table lists', (t) => {
  // What composes with a code point before it is a later code point of some canonical decomposition (UAX 15,
  // D117).
  for (const codePoint of assigned()) {
    const [first, ...later] = codePointsOf(String.fromCodePoint(codePoint).normalize('NFD')) as [
      number,
      ...number[],
    ];
    for (const part of later)
      if (!canJoin(table.flags[part]!)) t.fail(`${codePoint.toString(16)}: a later part`);
    // And what does not join still does not once it is decomposed.
    if (!canJoin(table.flags[codePoint]!) && canJoin(table.flags[first]!)) t.fail(codePoint.toString(16));
  }
  t.pass();
});
