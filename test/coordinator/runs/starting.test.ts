/** The engine starts before the inputs are listed: what the listing finds must still be the first word. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { prepared } from './finished.js';

for (const threads of [0, 2]) {
  test(`a run of ${threads} threads that the listing refuses leaves nothing behind`, async (t) => {
    const { inputs, options } = prepared(t, { a: 'text' });
    execFileSync('mkfifo', [join(inputs, 'pipe')]);
    const refused = await t.throwsAsync(run({ ...options, threads, onError: 'fail' }), {
      instanceOf: MinHashError,
    });
    t.is((refused as MinHashError).problems[0]!.code, 'INPUT_REFUSED');
    t.false(existsSync(options.out));
    t.is((await run({ ...options, threads })).counts.read, 1);
  });
}
