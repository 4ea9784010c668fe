/** The threads of `view`: work that no page waits for, and errors of work. */
import { join } from 'node:path';
import test from 'ava';
import { resultSource } from '../../src/analysis/inspect.js';
import { Abandoned, WorkThread } from '../../src/view/workThread.js';
import { resultIn } from './viewedResult.js';

const { signal } = new AbortController();

test('abandoned work is ended, and the next work starts a new thread', async (t) => {
  const result = resultSource(await resultIn('abandoned-work'), {});
  const thread = new WorkThread(256);
  const left = new AbortController();
  const abandoned = thread.do({ kind: 'index', result }, { signal: left.signal });
  const next = thread.do({ kind: 'index', result }, { signal });
  left.abort();
  await t.throwsAsync(abandoned, { instanceOf: Abandoned });
  t.true((await next).columns.clustered > 0);
  await thread.close();
});

test('work that fails rejects with its error, and the thread does the next work', async (t) => {
  const result = resultSource(await resultIn('failed-work'), {});
  const thread = new WorkThread(256);
  const missing = { ...result, folder: join(result.folder, 'nowhere') };
  await t.throwsAsync(thread.do({ kind: 'index', result: missing }, { signal }), { message: /nowhere/ });
  t.true((await thread.do({ kind: 'index', result }, { signal })).columns.clustered > 0);
  await thread.close();
});
