/** Wrong arguments: every function of the library reports them as a MinHashError with a code. */
import { join } from 'node:path';
import test from 'ava';
import * as library from '../../src/index.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

/** Lists of arguments; a function may write to the folder. */
function argumentsIn(folder: string): (readonly unknown[])[] {
  const [path, other] = [join(folder, 'none'), join(folder, 'other')];
  const values = [undefined, null, 5, other, [], {}, { nope: 1 }];
  return values.flatMap((value) => [[value], [path, value], [path, other, value], [value, value, value]]);
}

async function errorOf(
  call: (...values: readonly unknown[]) => unknown,
  values: readonly unknown[],
): Promise<unknown> {
  try {
    const made: unknown = await call(...values);
    const isStream = typeof made === 'object' && made !== null && Symbol.asyncIterator in made;
    // A stream checks its options when it is read.
    if (isStream) for await (const _ of made as AsyncIterable<unknown>) break;
    return Number.isNaN(made) ? new Error('NaN') : null;
  } catch (error) {
    return error instanceof library.MinHashError ? null : error;
  }
}

for (const [name, value] of Object.entries(library)) {
  if (typeof value !== 'function' || !/^[a-z]/.test(name)) continue;
  test.serial(`${name} reports wrong arguments as a MinHashError`, async (t) => {
    const call = value as (...values: readonly unknown[]) => unknown;
    for (const values of argumentsIn(temporaryFolder(t)))
      t.is(await errorOf(call, values), null, JSON.stringify(values));
  });
}
