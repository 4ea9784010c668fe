/** The library's measures of two texts: known answers of Broder 1997, section 2, and their laws. */
import test, { type ExecutionContext } from 'ava';
import {
  bagSimilarity,
  CorpusWords,
  canonicalTokens,
  compareBy,
  compareTexts,
  containment,
  type Estimate,
  estimateResemblance,
  explainTexts,
  fingerprint,
  jaccardOf,
  MinHashError,
  minhashRows,
  rabinFingerprint,
  rabinTables,
  rabinWindows,
  resemblance,
  type Sketch,
  type SketchOptions,
  sketchFromBytes,
  sketchOf,
  sketchOfElements,
  sketchToBytes,
  sumUnionOf,
} from '../../src/index.js';

const A = 'a rose is a rose is a rose';
const B = 'a rose is a flower which is a rose';

test('containment is the share of the first text`s shingles, and is not symmetric', (t) => {
  t.is(containment(A, B, { size: 1 }), 1);
  t.is(containment(B, A, { size: 1 }), 3 / 5);
  t.is(containment('', A), 0);
});

test('an estimate comes with bounds that hold the exact value here, and is exact for equal texts', (t) => {
  for (const sketch of ['fss', 'classic'] as const) {
    const [a, b] = [sketchOf(A, { size: 1, sketch }), sketchOf(B, { size: 1, sketch })];
    const { value, lower, upper } = estimateResemblance(a, b);
    t.true(lower <= value && value <= upper);
    t.true(lower <= 0.6 && 0.6 <= upper, `${sketch}: ${lower}..${upper}`);
    t.is(estimateResemblance(a, a).value, 1);
  }
});

test('two empty texts are not duplicates of each other', (t) => {
  t.is(resemblance('', ''), 0);
  t.is(estimateResemblance(sketchOf(''), sketchOf(' ')).value, 0);
});

test('shingles are specified as on the command line, or by unit and size', (t) => {
  t.deepEqual(sketchOf(A, { shingle: 'words:2' }), sketchOf(A, { size: 2 }));
  t.deepEqual(sketchOf(A, { shingle: 'chars:4' }), sketchOf(A, { unit: 'chars', size: 4 }));
  t.is(resemblance(A, B, { shingle: 'words:2' }), 1 / 2);
  t.is(containment(A, B, { shingle: 'words:1' }), 1);
  t.is(fingerprint(A, { shingle: 'chars:4' }), fingerprint(A, { unit: 'chars' }));
  t.is(compareTexts(A, B, { shingle: 'words:1' }).sets.resemblance, 3 / 5);
  t.is(explainTexts(A, B, { shingle: 'words:2' }).onlyInB.count, 3);
});

/** The details of the error that a call throws. */
function problemsOf(t: ExecutionContext, call: () => unknown): { code: string; details: string[] } {
  const error = t.throws(call, { instanceOf: MinHashError })!;
  t.notRegex(error.message, /(^|\W)--\w/);
  return { code: error.code, details: error.problems.map(({ detail }) => detail) };
}

test('all invalid options are reported at once, by name', (t) => {
  const wrong = {
    shingle: 'words',
    size: 0,
    seed: -1,
    hashes: 15,
    sketch: 'mod-m',
    hashs: 3,
    stopWords: 'a',
  };
  t.deepEqual(
    problemsOf(t, () => sketchOf(A, wrong as unknown as SketchOptions)),
    {
      code: 'OPTION_INVALID',
      details: [
        'hashs: no such option, did you mean hashes?',
        'stopWords a: expected a list of words',
        'shingle words: expected words:k, chars:k, bytes:k, lines:k or stopwords:k with k from 1 to 63',
        'seed -1: expected an integer from 0 to 9007199254740991',
        'hashes 15: expected an integer from 16 to 1024',
        'size 0: expected an integer from 1 to 63',
        'sketch mod-m: expected one of fss, classic',
      ],
    },
  );
  t.deepEqual(problemsOf(t, () => resemblance(A, B, { shingle: 'words:2', size: 2 })).details, [
    'shingle, size: expected either shingle or unit and size',
  ]);
  t.deepEqual(problemsOf(t, () => fingerprint(A, { bits: 32 as 64, unit: 'x' as 'words' })).details, [
    'unit x: expected one of words, chars, bytes, lines, stopwords',
    'bits 32: expected 64 or 128',
  ]);
  t.deepEqual(problemsOf(t, () => compareTexts(A, B, { hashes: 1, samples: 0, levelUnit: 0.5 })).details, [
    'hashes 1: expected an integer from 16 to 1024',
    'samples 0: expected an integer from 1 to 16777216',
    'levelUnit 0.5: expected an integer from 1 to 16777216',
  ]);
  t.deepEqual(problemsOf(t, () => explainTexts(A, B, { size: 64 }, -1)).details, [
    'size 64: expected an integer from 1 to 63',
    'most -1: expected an integer from 0',
  ]);
  t.deepEqual(problemsOf(t, () => sketchOf(A, null as unknown as SketchOptions)).details, [
    "options null: expected an object such as { shingle: 'words:3' }",
  ]);
  t.is(problemsOf(t, () => sketchOfElements(['a'], { hashes: 2 })).details.length, 1);
});

test('values that are not a text, collection or bytes are rejected by name throughout the library', (t) => {
  const estimate = { value: null, lower: 0, upper: 1 } as unknown as Estimate;
  for (const bad of [null, undefined, 'a', estimate] as unknown as number[]) {
    const { code, details } = problemsOf(t, () => sumUnionOf(bad));
    t.is(code, 'DOCUMENT_INVALID');
    t.regex(details[0]!, /^resemblance: expected a number or an estimate, got /);
  }
  const collection =
    /^(elements|bag|a|columns|columns\[1\]|hashFunctions): expected a collection that can be iterated, got /;
  for (const bad of [null, undefined, 5] as unknown as string[]) {
    const list = bad as unknown as string[];
    const bytes = bad as unknown as Uint8Array;
    const calls: readonly (readonly [() => unknown, RegExp])[] = [
      [() => canonicalTokens(bad), /^text: expected a string or a Uint8Array, got /],
      [() => new CorpusWords().add(bad), /^text: expected /],
      [() => compareBy(A, bad, { method: 'cops' }), /^text: expected /],
      [() => sketchOfElements([bad]), /^text: expected /],
      [() => sketchOfElements(list), collection],
      [() => bagSimilarity(list, []), collection],
      [() => jaccardOf(list, []), collection],
      [() => minhashRows(bad as unknown as number[][], []), collection],
      [() => minhashRows([[1], bad as unknown as number[]], []), collection],
      [() => minhashRows([[1]], bad as unknown as (() => number)[]), collection],
      [
        () => minhashRows([[1]], [bad as unknown as () => number]),
        /^hashFunctions: expected functions, got /,
      ],
      [() => rabinFingerprint(rabinTables(1), bytes), /^bytes: expected a Uint8Array, got /],
      [() => rabinWindows(rabinTables(1), bytes, 2), /^bytes: expected a Uint8Array, got /],
    ];
    for (const [call, said] of calls) {
      const { code, details } = problemsOf(t, call);
      t.is(code, 'DOCUMENT_INVALID');
      t.regex(details[0]!, said);
    }
  }
});

const SKETCH = sketchOf(A, { size: 1 });

test('a value that is not a sketch is rejected with the reason', (t) => {
  const copy = JSON.parse(JSON.stringify(SKETCH)) as Sketch;
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [copy, /^b: its slots are an object, expected a Uint32Array \(JSON has no typed arrays\)/],
    [{ ...SKETCH, slots: [...SKETCH.slots] }, /its slots are an Array, /],
    [{ ...SKETCH, slots: SKETCH.slots.slice(1) }, /it has 127 slots, expected 128 by its parameters/],
    [{ ...SKETCH, slots: new Float64Array(128) }, /its slots are a Float64Array, /],
    [{ ...SKETCH, empty: undefined }, /its empty is undefined, expected true or false/],
    [{ ...SKETCH, parameters: '{}' }, /its parameters are not those of a sketch/],
    [{ ...SKETCH, parameters: SKETCH.parameters.replace('"seed":1', '"seed":-1') }, /its parameters are not/],
    [{ ...SKETCH, parameters: SKETCH.parameters.replace(',', ', ') }, /its parameters are not/],
    [{ slots: SKETCH.slots }, /expected a sketch, got an object without slots and parameters/],
    [SKETCH.slots, /expected a sketch, got a Uint32Array/],
    [sketchToBytes(SKETCH), /got a Uint8Array; sketchFromBytes decodes bytes/],
    [null, /expected a sketch, got null/],
    ['sketch', /expected a sketch, got the string "sketch"/],
  ];
  for (const [value, message] of cases) {
    const { code, details } = problemsOf(t, () => estimateResemblance(SKETCH, value as Sketch));
    t.is(code, 'SKETCH_INVALID');
    t.regex(details[0]!, message);
    t.is(problemsOf(t, () => sketchToBytes(value as Sketch)).code, 'SKETCH_INVALID');
  }
  // A copy that keeps typed arrays is a sketch.
  t.is(estimateResemblance(SKETCH, structuredClone(SKETCH)).value, 1);
});

test('sketches of different parameters are rejected with the difference', (t) => {
  const against = (options: SketchOptions): string => {
    const { code, details } = problemsOf(t, () => estimateResemblance(SKETCH, sketchOf(A, options)));
    t.is(code, 'SKETCHES_DIFFER');
    return details[0]!;
  };
  t.is(against({ size: 4 }), 'shingle words:1 and words:4');
  t.is(against({ size: 1, seed: 2, hashes: 64 }), 'seed 1 and 2, hashes 128 and 64');
  t.is(
    against({ shingle: 'stopwords:1', stopWords: ['a'], bag: true }),
    'shingle words:1 and stopwords:1, bag false and true, stopWords none and ["a"]',
  );
  const ofSet = sketchOfElements(['a', 'b']);
  t.regex(
    problemsOf(t, () => estimateResemblance(ofSet, SKETCH)).details[0]!,
    /^of elements and a text, shingle none/,
  );
});

test('a sketch survives encoding and decoding, with equal estimates', (t) => {
  for (const sketch of [
    SKETCH,
    sketchOf(''),
    sketchOf(A, {
      shingle: 'stopwords:2',
      stopWords: ['é', '"'],
      sketch: 'classic',
      hashes: 17,
      seed: 2 ** 53 - 1,
    }),
    sketchOfElements(['a', 'a', 'b'], { bag: true, sketch: 'classic' }),
    sketchOfElements([]),
  ]) {
    const bytes = sketchToBytes(sketch);
    // A view that begins anywhere in a buffer, as reading a file gives it.
    const moved = new Uint8Array(bytes.length + 3).subarray(3);
    moved.set(bytes);
    const again = sketchFromBytes(moved);
    t.deepEqual(again, sketch);
    t.deepEqual(sketchToBytes(again), bytes);
    t.deepEqual(estimateResemblance(again, sketch), estimateResemblance(sketch, sketch));
  }
  // The layout is fixed: bytes that were kept are read by every later version.
  const head = Buffer.from(sketchToBytes(SKETCH).subarray(0, 16)).toString('hex');
  t.is(head, '4d4d534b010000005900000080000000');
  t.is(Buffer.from(sketchToBytes(SKETCH)).readUInt32LE(16 + 0x59), SKETCH.slots[0]);
});

test('bytes that are cut off, longer, changed, foreign or of another version are rejected', (t) => {
  const bytes = sketchToBytes(sketchOf(A, { hashes: 16 }));
  const refused = (value: unknown, message: RegExp): void => {
    const { code, details } = problemsOf(t, () => sketchFromBytes(value as Uint8Array));
    t.is(code, 'SKETCH_INVALID');
    t.regex(details[0]!, message);
  };
  for (let length = 0; length < bytes.length; length++) {
    refused(bytes.subarray(0, length), /^bytes: they (are|end)/);
  }
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice();
    changed[at]! ^= 1;
    refused(changed, /^bytes: they /);
  }
  refused(Uint8Array.of(...bytes, 0), /they are \d+, expected \d+/);
  refused(new TextEncoder().encode('{"slots":[1,2,3]}'), /not those of a sketch/);
  refused(Uint8Array.of(...bytes.subarray(0, 4), 2, ...bytes.subarray(5)), /of version 2, expected 1/);
  refused('MMSK', /expected the Uint8Array that sketchToBytes returned, got the string "MMSK"/);
  refused(bytes.buffer, /got an ArrayBuffer/);
});
