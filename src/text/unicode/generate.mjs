/**
 * Writes table.ts: the Unicode properties that decide the tokens of a text, from the data package of Unicode 15.0.0.
 *
 * Runs at build time (`npm run tables`). Version 15.0 is the lowest of any Node >= 20, and normalisation of assigned code points
 * never changes, so String.prototype.normalize gives the same result for them on every Node. codePoints.ts describes and decodes
 * the layout.
 */
import { writeFileSync } from 'node:fs';

const VERSION = '15.0.0';
const DATA = `@unicode/unicode-${VERSION}`;
const CODE_POINTS = 0x110000;

// One byte per code point; the same numbers are in codePoints.ts.
const WORD = 1;
const STANDALONE = 2;
const MARK = 3;
const CLASS = 3;
const WHITE_SPACE = 4;
const HAS_LOWER_CASE = 8;
const CHANGES = 16;
const VOWEL_JAMO = 32;
const TRAILING_JAMO = 64;
const UNASSIGNED = 128;
const IGNORABLE = HAS_LOWER_CASE | UNASSIGNED;
/** Default-ignorable code points that are kept: U+200B separates words, and U+034F is written by canonicalText.ts. */
const NOT_IGNORED = [0x200b, 0x034f];

const STANDALONE_SCRIPTS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];

async function rangesOf(property) {
  return (await import(`${DATA}/${property}/ranges.mjs`)).default;
}

async function forEachOf(property, visit) {
  for (const { begin, end } of await rangesOf(property)) {
    for (let codePoint = begin; codePoint < end; codePoint++) visit(codePoint);
  }
}

/**
 * The flags of every code point, without the flag "has a lower case", which follows from the list of lower case.
 */
async function flagsOfAll() {
  const flags = new Uint8Array(CODE_POINTS).fill(UNASSIGNED);
  const add = (bit) => (codePoint) => {
    flags[codePoint] |= bit;
  };
  await forEachOf('Binary_Property/Assigned', (codePoint) => {
    flags[codePoint] &= ~UNASSIGNED;
  });
  await forEachOf('General_Category/Letter', add(WORD));
  await forEachOf('General_Category/Number', add(WORD));
  const letters = new Uint8Array(CODE_POINTS);
  await forEachOf('General_Category/Letter', (codePoint) => {
    letters[codePoint] = 1;
  });
  for (const script of STANDALONE_SCRIPTS) {
    await forEachOf(`Script/${script}`, (codePoint) => {
      if (letters[codePoint]) flags[codePoint] = (flags[codePoint] & ~CLASS) | STANDALONE;
    });
  }
  await forEachOf('General_Category/Mark', add(MARK));
  await forEachOf('Binary_Property/White_Space', add(WHITE_SPACE));
  await forEachOf('Binary_Property/Full_Composition_Exclusion', add(CHANGES));
  await forEachOf('Grapheme_Cluster_Break/V', add(VOWEL_JAMO));
  await forEachOf('Grapheme_Cluster_Break/T', add(TRAILING_JAMO));
  await forEachOf('Binary_Property/Default_Ignorable_Code_Point', (codePoint) => {
    if (!NOT_IGNORED.includes(codePoint)) flags[codePoint] = IGNORABLE;
  });
  return flags;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A number >= 0 as base-64 digits of five bits, lowest first; the sixth bit is set if more digits follow. */
function encoded(number) {
  let text = '';
  do {
    const rest = Math.floor(number / 32);
    text += DIGITS[(number % 32) + (rest > 0 ? 32 : 0)];
    number = rest;
  } while (number > 0);
  return text;
}

/** Runs of equal flags: length, flags; from code point 0 to the last. */
function encodedRuns(flags) {
  let text = '';
  for (let begin = 0, end = 0; begin < flags.length; begin = end) {
    while (end < flags.length && flags[end] === flags[begin]) end++;
    text += encoded(end - begin) + encoded(flags[begin]);
  }
  return text;
}

/**
 * Pairs in order: distance from the code point before, and distance to the lower case with the sign in the
 * lowest bit.
 */
function encodedLowerCase(mapping, flags) {
  let text = '';
  let before = 0;
  for (const [upper, lower] of [...mapping].sort((a, b) => a[0] - b[0])) {
    if ((flags[upper] & CLASS) !== (flags[lower] & CLASS))
      throw new Error(`lower case of ${upper} changes its class`);
    const step = lower - upper;
    text += encoded(upper - before) + encoded(step < 0 ? -2 * step - 1 : 2 * step);
    before = upper;
  }
  return text;
}

/**
 * The full case foldings (C and F of CaseFolding) that differ from the simple lower case: distance from the code point before,
 * number of code points, and each of them.
 */
function encodedFolds(common, full, lowerCase) {
  let text = '';
  let before = 0;
  for (let codePoint = 0; codePoint < CODE_POINTS; codePoint++) {
    const lower = lowerCase.get(codePoint) ?? codePoint;
    const folded = full.get(codePoint) ?? [common.get(codePoint) ?? codePoint];
    if (folded.length === 1 && folded[0] === lower) continue;
    text += encoded(codePoint - before) + encoded(folded.length) + folded.map(encoded).join('');
    before = codePoint;
  }
  return text;
}

/** Which code points are numbers (gc N): alternating lengths of runs, beginning with code points that are not numbers. */
async function encodedNumbers() {
  let text = '';
  let before = 0;
  for (const { begin, end } of await rangesOf('General_Category/Number')) {
    text += encoded(begin - before) + encoded(end - begin);
    before = end;
  }
  return text;
}

function constant(name, text) {
  const lines = text.match(/.{1,100}/g).map((line) => `  '${line}'`);
  return `export const ${name} =\n${lines.join(' +\n')};\n`;
}

const flags = await flagsOfAll();
const mappingOf = async (name) => (await import(`${DATA}/${name}/code-points.mjs`)).default;
const lowerCase = await mappingOf('Simple_Case_Mapping/Lowercase');
const [common, full] = [await mappingOf('Case_Folding/C'), await mappingOf('Case_Folding/F')];
const source = [
  '/** Made by generate.mjs from the Unicode Character Database, decoded by codePoints.ts. */\n',
  `export const UNICODE_VERSION = '${VERSION}';\n`,
  constant('FLAG_RUNS', encodedRuns(flags)),
  constant('LOWER_CASE', encodedLowerCase(lowerCase, flags)),
  constant('FOLDS', encodedFolds(common, full, lowerCase)),
  constant('NUMBERS', await encodedNumbers()),
].join('\n');
writeFileSync(new URL('table.ts', import.meta.url), source);
