/** The functions of the library that reckon with numbers name the one that is out of its range. */
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import * as library from '../../src/index.js';

type Kind = 'share' | 'share or estimate' | 'count' | 'any count' | 'size';
const BAD: Readonly<Record<Kind, readonly unknown[]>> = {
  share: [Number.NaN, -0.1, 1.1, '0.5', null],
  'share or estimate': [Number.NaN, -0.1, 1.1],
  count: [Number.NaN, 0, 1.5, -1, Number.POSITIVE_INFINITY, '2'],
  'any count': [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY],
  size: [Number.NaN, -1, Number.POSITIVE_INFINITY],
};

type Numbers = readonly (readonly [name: string, good: number, kind: Kind])[];
const BANDING: Numbers = [
  ['bands', 20, 'count'],
  ['rows', 5, 'count'],
];
const FUNCTIONS: readonly (readonly [(...numbers: never[]) => unknown, Numbers])[] = [
  [library.probabilityOfCandidate, [['similarity', 0.8, 'share'], ...BANDING]],
  [library.sCurve, BANDING],
  [library.thresholdOf, BANDING],
  [library.curveTable, [...BANDING, ['threshold', 0.8, 'share']]],
  [library.similarityAt, [['probability', 0.5, 'share'], ...BANDING]],
  [library.settingOf, [...BANDING, ['threshold', 0.8, 'share']]],
  [library.missesOf, [...BANDING, ['threshold', 0.8, 'share']]],
  [
    library.standardError,
    [
      ['slots', 128, 'count'],
      ['resemblance', 0.8, 'share'],
    ],
  ],
  [
    library.expectedCollisions,
    [
      ['items', 1e6, 'any count'],
      ['bits', 64, 'count'],
    ],
  ],
  [
    library.rabinCollisionBound,
    [
      ['strings', 2, 'any count'],
      ['bits', 400, 'any count'],
      ['degree', 40, 'count'],
    ],
  ],
  [
    library.probabilityWithin,
    [
      ['slots', 100, 'count'],
      ['resemblance', 0.5, 'share'],
      ['error', 0.05, 'size'],
    ],
  ],
  [
    library.leastSlots,
    [
      ['resemblance', 0.5, 'share'],
      ['error', 0.1, 'size'],
      ['confidence', 0.9, 'share'],
    ],
  ],
  [
    library.passesRule,
    [
      ['similarity', 0.8, 'share'],
      ['agree', 90, 'any count'],
      ['hashes', 100, 'count'],
    ],
  ],
  [
    library.agreeRule,
    [
      ['agree', 90, 'any count'],
      ['hashes', 100, 'count'],
    ],
  ],
  [library.sumUnionOf, [['resemblance', 0.5, 'share or estimate']]],
  [
    (threshold: number, recall: number, hashes: number, bands: number) =>
      library.chooseBands({ threshold, recall, hashes, bands }),
    [
      ['threshold', 0.8, 'share'],
      ['recall', 0.95, 'share'],
      ['hashes', 128, 'count'],
      ['bands', 18, 'count'],
    ],
  ],
];

for (const [index, [call, numbers]] of FUNCTIONS.entries()) {
  const name = call.name === '' ? `function ${index}` : call.name;
  test(`${name}: a number out of its range is named`, (t) => {
    const good = numbers.map(([, value]) => value);
    t.notThrows(() => Reflect.apply(call, null, good));
    for (const [i, [named, , kind]] of numbers.entries())
      for (const bad of BAD[kind]) {
        const given = [...good] as unknown[];
        given[i] = bad;
        const error = t.throws(() => Reflect.apply(call, null, given), { instanceOf: MinHashError });
        t.is(error?.problems[0]?.code, 'OPTION_INVALID');
        t.regex(error?.message ?? '', new RegExp(`\\b${named}\\b`), `${named} ${String(bad)}`);
      }
  });
}
