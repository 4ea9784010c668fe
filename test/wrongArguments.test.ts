/** Wrong values for every function of the library, and for the methods of what it returns: rejected by a MinHashError. */
import { join } from 'node:path';
import test from 'ava';
import * as library from '../src/index.js';
import { temporaryFolder } from './data/temporaryFolder.js';

type Call = (...values: readonly unknown[]) => unknown;

const HOLES = new Array<string>(1e9);
const TRAP = {
  toString(): string {
    throw new library.MinHashError({ code: 'OPTION_INVALID', detail: 'of the caller' });
  },
};
const VALUES = [undefined, null, Number.NaN, -1, 0.5, 1e9, '', [], {}, { nope: 1 }, Symbol('s'), 10n, TRAP];
const SECOND = [...VALUES, { normalize: HOLES, stopWords: HOLES }];

/** What is wrong with a call: another error than a MinHashError, or NaN; null: nothing. */
async function problemOf(call: Call, values: readonly unknown[]): Promise<string | null> {
  try {
    const answer: unknown = await call(...values);
    // A generator checks its arguments when its first value is requested.
    if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)
      for await (const _ of answer as AsyncIterable<unknown>) break;
    return Number.isNaN(answer) ? 'NaN' : null;
  } catch (error) {
    return error instanceof library.MinHashError ? null : String(error);
  }
}

/** The problems of calls with one to three values; a path may be the first one. */
async function problemsOf(call: Call, path: string): Promise<string[]> {
  const found = new Set<string>();
  const ofCall = async (...values: readonly unknown[]): Promise<void> => {
    const problem = await problemOf(call, values);
    if (problem !== null) found.add(`${values.map((value) => typeof value).join()}: ${problem}`);
  };
  for (const a of [...VALUES, path]) {
    await ofCall(a);
    await ofCall(a, a, a);
  }
  // A first value that is taken as a text, a number, a list, options or a path; the second is what is wrong.
  for (const a of ['', 0.5, [], {}, path]) for (const b of SECOND) await ofCall(a, b);
  for (const c of VALUES) for (const a of ['a', 2]) await ofCall(a, a, c);
  return [...found];
}

/** The methods of an object that is returned. */
const methodsOf = (object: object, names: readonly string[]): [string, Call][] =>
  names.map((name) => [
    name,
    (...values) => Reflect.apply(Reflect.get(object, name) as Call, object, values),
  ]);

test('every function of the library answers wrong values, or rejects them by a MinHashError', async (t) => {
  for (const [name, exported] of Object.entries(library)) {
    if (typeof exported !== 'function' || name === 'MinHashError') continue;
    const call: Call = (...values) =>
      /^[A-Z]/.test(name) ? Reflect.construct(exported, values) : Reflect.apply(exported, undefined, values);
    t.deepEqual(await problemsOf(call, join(temporaryFolder(t), 'x')), [], name);
  }
});

test('every method of a result, of an index and of counted words does so too', async (t) => {
  const folder = temporaryFolder(t, {
    'a.txt': 'one two three four five six seven',
    'b.txt': 'one two three four five six seven',
    'c.txt': 'one two three four five six eight',
  });
  const at = (name: string): string => join(folder, name);
  await library.run({ paths: [at('a.txt'), at('b.txt'), at('c.txt')], out: at('found'), threshold: 0.4 });
  const result = await library.openResult(at('found'));
  library.createIndex(at('index'));
  const index = await library.openIndex(at('index'));
  const functions = Object.entries(result).filter(([, value]) => typeof value === 'function');
  const calls = [
    ...(functions as [string, Call][]),
    ...methodsOf(index, ['query', 'add', 'remove']),
    ...methodsOf(new library.CorpusWords(), ['add']),
  ];
  for (const [name, call] of calls) t.deepEqual(await problemsOf(call, at('a.txt')), [], name);
  for (const [name, ...values] of [
    ['findPair'],
    ['document', 'a.txt', -1],
    ['texts', 'a.txt', null],
    ['around', Number.NaN, 3],
    ['around', 0.5, 'x'],
    ['topPairs', -1],
    ['topPairs', 'x'],
    ['cluster', 0, { top: 1, skip: 0 }],
    ['largestClusters', { top: 1 }],
    ['firstsOf', [null]],
    ['idOf', 5],
  ] as const) {
    const call = Reflect.get(result, name) as Call;
    await t.throwsAsync(async () => call(...values), { instanceOf: library.MinHashError }, name);
  }
});
