/** A durable block that is not wanted soon leaves memory when it is on disk, and can be had from there. */
import { join } from 'node:path';
import test from 'ava';
import { createSpillingStore } from '../../src/store/spilling.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

test('an unloaded block is on disk only, in this run and the next', async (t) => {
  const folder = join(temporaryFolder(t), '.work');
  const store = createSpillingStore({ folder, limit: 1e9 });
  store.open({ fingerprint: 'x', resume: false });
  t.is(store.folder, folder);
  const bytes = Uint8Array.of(1, 2, 3);
  store.put('one', bytes.buffer, 'durable', { lines: 7 });
  store.unload!('one');
  t.is(store.bytes, 3);
  await store.flush();
  t.is(store.bytes, 0);
  t.true('path' in store.locate('one'));
  t.deepEqual(new Uint8Array(store.get('one')), bytes);
  store.unload!('one');
  store.put('two', bytes.slice().buffer, 'durable');
  store.unload!('two');
  store.delete('two');
  await store.flush();
  t.false(store.has('two'));
  await store.close();
  const next = createSpillingStore({ folder, limit: 0 });
  next.open({ fingerprint: 'x', resume: true });
  t.deepEqual(next.recalled(''), ['one', 'two']);
  t.deepEqual(next.reportOf('one'), { lines: 7 });
  await next.close();
});
