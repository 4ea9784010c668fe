/**
 * What the core must give in every runtime: the vectors of docs/dev/signature-format.md, and known answers of each of its parts.
 *
 * Imports nothing, because it also runs in browsers.
 */
import type * as Core from '../../src/core.js';

/** A text or a set, and the bytes of its signature. */
export interface Vector {
  readonly text?: string;
  readonly elements?: readonly string[];
  readonly options: object;
  readonly base64: string;
}

/** What differs from what is expected, as sentences; none: the core is the same here. */
export function differences(core: typeof Core, vectors: readonly Vector[]): string[] {
  const found: string[] = [];
  const expect = (what: string, value: unknown, expected: unknown): void => {
    const [got, wanted] = [JSON.stringify(value), JSON.stringify(expected)];
    if (got !== wanted) found.push(`${what}: ${got}, expected ${wanted}`);
  };

  for (const { text, elements, options, base64 } of vectors) {
    const sketch =
      elements === undefined ? core.sketchOf(text ?? '', options) : core.sketchOfElements(elements, options);
    const bytes = core.sketchToBytes(sketch);
    const what = JSON.stringify(elements ?? text);
    expect(what, btoa(String.fromCharCode(...bytes)), base64);
    const again = core.sketchFromBytes(bytes);
    expect(`${what} once more`, core.estimateResemblance(again, sketch).value, sketch.empty ? 0 : 1);
  }

  // Broder 1997, section 2: 3 of 6 shingles of two words are common, and all of the first text are in the second.
  const [a, b] = ['a rose is a rose is a rose', 'a rose is a flower which is a rose'];
  const options = { shingle: 'words:2' };
  expect('resemblance', core.resemblance(a, b, options), 0.5);
  expect('containment', core.containment(a, b, options), 1);
  const { sets } = core.compareTexts(a, b, options);
  expect('compareTexts', [sets.common, sets.resemblance], [3, 0.5]);
  expect(
    'explainTexts',
    core.explainTexts(a, b, options).onlyInB.shown.map(({ text }) => text),
    ['a flower', 'flower which', 'which is'],
  );
  const [base, document] = [
    'The dog barked. The cat sat.',
    'Nobody came. The cat sat. A bird sang. The end.',
  ];
  const { values } = core.compareBy(base, document, { method: 'cops' });
  expect('compareBy', [values.base_in_document, values.document_in_base], [0.5, 0.25]);
  // NFC and lower case by the tables of this project, not by those of the runtime.
  expect('canonicalTokens', core.canonicalTokens('E\u0301t\u00e9 \u4eca\u5929'), [
    '\u00e9t\u00e9',
    '\u4eca',
    '\u5929',
  ]);
  expect('fingerprint', core.fingerprint('A rose is a rose.'), core.fingerprint('a ROSE is a rose'));
  const { bands, rows } = core.chooseBands({ threshold: 0.8, recall: 0.95, hashes: 128 });
  expect('chooseBands', [bands, rows], [18, 7]);
  expect(
    'probabilityOfCandidate',
    Math.abs(core.probabilityOfCandidate(0.8, 18, 7) - (1 - (1 - 0.8 ** 7) ** 18)) < 1e-12,
    true,
  );
  expect('bagSimilarity', core.bagSimilarity([1, 1, 1, 2], [1, 1, 2, 2, 3]).sumUnion, 3 / 9);

  const problems = (): string => {
    try {
      core.sketchOf(a, { hashes: 3, seed: -1 });
      return 'nothing was refused';
    } catch (error) {
      return error instanceof core.MinHashError
        ? error.problems.map(({ code }) => code).join()
        : String(error);
    }
  };
  expect('problems', problems(), 'OPTION_INVALID,OPTION_INVALID');
  return found;
}
