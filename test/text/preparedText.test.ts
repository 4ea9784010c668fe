import test from 'ava';
import fc from 'fast-check';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { checkValue } from '../../src/options/values.js';
import type { SketchParams } from '../../src/sketch/params.js';
import { NORMALIZE_WORDS, type Normalization } from '../../src/text/preparedText.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { canonicalText, canonicalTokens } from '../../src/text/tokens.js';
import {
  CLASS,
  codePointTable,
  foldingTable,
  lowerCaseOf,
  MARK,
  UNASSIGNED,
} from '../../src/text/unicode/codePoints.js';
import {
  cuts,
  documents,
  encode,
  piecesOf,
  shingleParams,
  withoutIgnorable,
} from '../data/shingledDocuments.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { runner, type Streamed, same } from '../kernel/text/textStreams.js';

const DATA = '@unicode/unicode-15.0.0';
type Range = { readonly begin: number; readonly end: number };
const mapOf = async (name: string): Promise<Map<number, number | number[]>> =>
  (await import(`${DATA}/Case_Folding/${name}/code-points.mjs`)).default;
const [common, full] = await Promise.all([mapOf('C'), mapOf('F')]);
const numbers: readonly Range[] = (await import(`${DATA}/General_Category/Number/ranges.mjs`)).default;

const table = codePointTable();
const isAssigned = (codePoint: number): boolean => (table.flags[codePoint]! & UNASSIGNED) === 0;
const isNumber = (codePoint: number): boolean =>
  numbers.some(({ begin, end }) => begin <= codePoint && codePoint < end);
const isMark = (codePoint: number): boolean => (table.flags[codePoint]! & CLASS) === MARK;
const foldOf = (codePoint: number): number[] =>
  [full.get(codePoint) ?? common.get(codePoint) ?? codePoint].flat();
const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

/** Stretches of a text of assigned code points, through a function; the others as they are. */
function ofAssigned(text: string, change: (stretch: string) => string): string {
  let result = '';
  let stretch = '';
  for (const character of text) {
    if (isAssigned(character.codePointAt(0)!)) stretch += character;
    else {
      result += change(stretch) + character;
      stretch = '';
    }
  }
  return result + change(stretch);
}

/** Canonical text by strings, from the data of Unicode, for texts without long runs of marks. */
function expected(bytes: Uint8Array, words: Normalization): string {
  let text = withoutIgnorable(new TextDecoder().decode(bytes));
  text = ofAssigned(text, (stretch) => stretch.normalize(words.includes('nfkc') ? 'NFKD' : 'NFD'));
  let codePoints = codePointsOf(text);
  if (words.includes('casefold')) codePoints = codePoints.flatMap(foldOf);
  if (words.includes('no-marks')) codePoints = codePoints.filter((one) => !isMark(one));
  if (words.includes('no-digits')) {
    codePoints = codePoints
      .filter((one, i) => !isNumber(one) || i === 0 || !isNumber(codePoints[i - 1]!))
      .map((one) => (isNumber(one) ? 0x30 : one));
  }
  const composed = ofAssigned(String.fromCodePoint(...codePoints), (stretch) => stretch.normalize('NFC'));
  return codePointsOf(composed)
    .map((one) => String.fromCodePoint(lowerCaseOf(table, one)))
    .join('');
}

/** Every combination of words. */
const COMBINATIONS: readonly Normalization[] = ['nfc' as const, 'nfkc' as const].flatMap((form) =>
  Array.from({ length: 8 }, (_, bits) => [
    form,
    ...NORMALIZE_WORDS.slice(2).filter((__, i) => ((bits >> i) & 1) === 1),
  ]),
);

/** Ligatures, circled numbers, half-width kana and jamo that join, cases that become longer, numbers of all kinds. */
const ODD = [
  0xfb01, 0x2460, 0xbd, 0xb2, 0xff76, 0xff9e, 0x3131, 0x314f, 0xffa1, 0xffc2, 0xfdfa, 0x37a, 0x1e9b, 0x149,
  0x1f0, 0x390, 0x1fb7, 0x13a0, 0xab70, 0x660, 0x2163, 0x3251, 0x20e3, 0x326e, 0x345, 0x301, 0x323, 0x3b1,
  0x49, 0x31, 0x32, 0x20, 0x130, 0xdf, 0xfeff, 0x378, 0xa8, 0x1100, 0x1161, 0x11a8, 0x17f, 0xb5, 0xfe0f, 0xe9,
];
const odd = fc
  .array(fc.constantFrom(...ODD), { maxLength: 30 })
  .map((codePoints) => encode(String.fromCodePoint(...codePoints)));
const anyDocument = fc.oneof(documents, odd);
const combinations = fc.constantFrom(...COMBINATIONS);

test('canonical text follows Unicode for every combination of steps', (t) => {
  fc.assert(
    fc.property(anyDocument, combinations, (bytes, words) => {
      const found = canonicalText(bytes, words);
      const wanted = expected(bytes, words);
      if (found !== wanted) t.deepEqual([words, found], [words, wanted]);
    }),
    { seed: 1, numRuns: 6000 },
  );
  t.pass();
});

test('the kernel equals the reference for documents in pieces and whole', (t) => {
  const reference = createReferenceKernel();
  const wasm = createWasmKernel(kernelModule);
  const stream = (kernel: typeof wasm, params: ShingleParams) =>
    runner((given, sink) => kernel.shingleStream(given, sink), params);
  fc.assert(
    fc.property(anyDocument, cuts, shingleParams, combinations, (bytes, fractions, params, normalize) => {
      const given = { ...params, normalize };
      const inKernel = stream(wasm, given)(piecesOf(bytes, fractions));
      const inReference = stream(reference, given)([bytes]);
      if (!same(inKernel, inReference)) t.deepEqual(inKernel, inReference);
    }),
    { seed: 1, numRuns: 1500 },
  );
  t.pass();
});

test('a document of several blocks is the same in pieces, whole, in the kernel and in the reference', (t) => {
  const line =
    'Error 12 at \u{ff76}\u{ff9e} r\u00e9sum\u00e9 re\u0301sume\u0301 Stra\u00dfe \u2460\u2461 \ufb01n 2026-11-24\n';
  const bytes = encode(line.repeat(2000));
  const wasm = createWasmKernel(kernelModule);
  const reference = createReferenceKernel();
  for (const normalize of COMBINATIONS.filter((words) => words.length > 3)) {
    const params: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 1, normalize };
    const of = (kernel: typeof wasm, pieces: Uint8Array[]): Streamed =>
      runner((given, sink) => kernel.shingleStream(given, sink), params)(pieces);
    const whole = of(reference, [bytes]);
    const inPieces = of(wasm, piecesOf(bytes, [0.1234, 0.50001, 0.777]));
    t.deepEqual({ ...inPieces, calls: [] }, { ...whole, calls: [] }, normalize.join());
  }
});

test('signatures of prepared documents are the same in the kernel and in the reference', (t) => {
  const sketch: SketchParams = { sketch: 'fss', hashes: 64, seed: 1 };
  const texts = [
    encode('R\u00e9sum\u00e9 12 \ufb01'),
    encode(''),
    encode('\u0301 \u2460'),
    encode('x'.repeat(700)),
  ];
  for (const normalize of COMBINATIONS) {
    const shingle: ShingleParams = { unit: 'chars', size: 3, bag: false, stopWords: [], seed: 1, normalize };
    const rows = [createReferenceKernel(), createWasmKernel(kernelModule)].map((kernel) => {
      const sketches = kernel.documentSketches(shingle, sketch);
      for (const text of texts) sketches.whole(text);
      const all = new Uint32Array(sketches.rows.length * sketches.rows.stride);
      sketches.rows.copyTo(all);
      return all;
    });
    t.deepEqual(rows[0], rows[1]);
  }
});

test('preparing a prepared text again does not change it', (t) => {
  fc.assert(
    fc.property(anyDocument, combinations, (bytes, words) => {
      const once = canonicalText(bytes, words);
      return canonicalText(encode(`\ufeff${once}`), words) === canonicalText(encode(`\ufeff${once}`));
    }),
    { seed: 1, numRuns: 2000 },
  );
  t.pass();
});

const tokensOf = (text: string, normalize: string, unit: ShingleParams['unit'] = 'words'): string[] => {
  const checked = checkValue({ kind: 'normalize' }, normalize);
  return canonicalTokens(encode(text), { unit, ...(checked.ok && { normalize: checked.value }) });
};

test('known answers', (t) => {
  t.deepEqual(tokensOf('\ufb01n \u2460 \u33a1', 'nfkc'), ['fin', '1', 'm2']);
  t.deepEqual(tokensOf('\ufb01n \u2460', 'nfc'), ['\ufb01n', '\u2460']);
  t.deepEqual(tokensOf('Stra\u00dfe STRASSE \u03c2\u03a3', 'casefold'), [
    'strasse',
    'strasse',
    '\u03c3\u03c3',
  ]);
  t.deepEqual(tokensOf('Stra\u00dfe', 'nfc'), ['stra\u00dfe']);
  // U+0130 is i with a dot that is a mark.
  t.deepEqual(tokensOf('\u0130', 'casefold'), ['i\u0307']);
  t.deepEqual(tokensOf('\u0130', 'casefold,no-marks'), ['i']);
  t.deepEqual(tokensOf('R\u00e9sum\u00e9 re\u0301sume\u0301', 'no-marks'), ['resume', 'resume']);
  t.deepEqual(tokensOf('error 12 at 7', 'no-digits'), tokensOf('error 99 at 3', 'no-digits'));
  t.deepEqual(tokensOf('v12b \u0661\u0662 \u00bd', 'no-digits'), ['v0b', '0', '0']);
  t.deepEqual(tokensOf('a1b23', 'no-digits', 'chars'), ['a', '0', 'b', '0']);
  t.deepEqual(tokensOf('x 1\r\ny 22\n', 'no-digits', 'lines'), ['x 0', 'y 0']);
  // Hangul is not a mark; a syllable is one character again.
  t.deepEqual(tokensOf('\ud55c\uae00', 'no-marks'), ['\ud55c\uae00']);
  t.deepEqual(tokensOf('\uff76\uff9e', 'nfkc'), ['\u30ac']);
});

test('stop words are prepared as the text is', (t) => {
  const wasm = createWasmKernel(kernelModule);
  const reference = createReferenceKernel();
  const params = (normalize: Normalization): ShingleParams => ({
    ...{ unit: 'stopwords', size: 2, bag: false, stopWords: ['d\u00e9j\u00e0'], seed: 1, normalize },
  });
  const text = encode('x deja vu d\u00e9j\u00e0 lu');
  for (const kernel of [wasm, reference]) {
    const occurrences = (normalize: Normalization): number =>
      runner((given, sink) => kernel.shingleStream(given, sink), params(normalize))([text]).occurrences;
    t.is(occurrences(['nfc', 'no-marks']), 2);
    t.is(occurrences(['nfc', 'casefold']), 1);
  }
});

test('the table has the folds and numbers of the data, and folding needs no second decomposition', (t) => {
  const { folds, numbers: flags } = foldingTable();
  const wrong: number[] = [];
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    const isFolded = folds.has(codePoint) || full.has(codePoint) || common.has(codePoint);
    const folded = folds.get(codePoint) ?? [lowerCaseOf(table, codePoint)];
    if (isFolded ? folded.join() !== foldOf(codePoint).join() : folded[0] !== codePoint)
      wrong.push(codePoint);
    if (!isAssigned(codePoint) || (codePoint >= 0xd800 && codePoint < 0xe000)) continue;
    const character = String.fromCodePoint(codePoint);
    for (const form of ['NFD', 'NFKD']) {
      const decomposed = character.normalize(form);
      if (!isFolded && decomposed === character) continue;
      const text = String.fromCodePoint(...codePointsOf(decomposed).flatMap(foldOf));
      if (text.normalize(form) !== text) wrong.push(codePoint);
    }
  }
  t.deepEqual(wrong, []);
  for (const { begin, end } of numbers) t.true(flags.subarray(begin, end).every((flag) => flag === 1));
  t.is(
    flags.reduce((sum, flag) => sum + flag, 0),
    numbers.reduce((sum, { begin, end }) => sum + end - begin, 0),
  );
});
