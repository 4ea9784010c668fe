/** Wrong values for every function of the library. */
import { join } from 'node:path';
import test from 'ava';
import * as library from '../src/index.js';
import { temporaryFolder } from './data/temporaryFolder.js';

/** The first answer of a generator too: some check their arguments when they are asked for it. */
async function firstAnswer(answer: unknown): Promise<void> {
  const made: unknown = await answer;
  if (typeof made !== 'object' || made === null) return;
  if (Symbol.asyncIterator in made) await (made as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
}

test('every function of the library answers wrong values, or rejects them by a MinHashError', async (t) => {
  const path = join(temporaryFolder(t), 'x');
  const trap = {
    toString(): string {
      throw new library.MinHashError({ code: 'OPTION_INVALID', detail: 'of the caller' });
    },
  };
  const holes = new Array<string>(1e9);
  const first = [undefined, null, Number.NaN, 1e9, -1, path, [], {}, () => 0, Symbol('s'), 10n, trap];
  for (const [name, exported] of Object.entries(library)) {
    if (typeof exported !== 'function' || name === 'MinHashError') continue;
    const call = (...values: readonly unknown[]): unknown =>
      /^[A-Z]/.test(name) ? Reflect.construct(exported, values) : Reflect.apply(exported, undefined, values);
    for (const a of first) {
      for (const b of [undefined, null, 1e9, path, {}, { normalize: holes, stopWords: holes }]) {
        try {
          await firstAnswer(call(a, b));
        } catch (error) {
          t.true(
            error instanceof library.MinHashError,
            `${name}(${typeof a}, ${typeof b}): ${String(error)}`,
          );
        }
      }
    }
  }
});
