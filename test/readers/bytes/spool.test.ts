/** Spool of a web server as files of this machine. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../../src/errors.js';
import {
  addressOf,
  isRemote,
  placeOfAddress,
  shownAddress,
} from '../../../src/readers/bytes/remote/addresses.js';
import { findWeb } from '../../../src/readers/bytes/remote/webObjects.js';
import { type Listed, Spool } from '../../../src/readers/bytes/spool.js';
import { openInput } from '../../../src/readers/bytes/wholeFiles.js';
import { bytesOfServer, webServer } from '../../data/webServer.js';

const SIZE = 1_300_000;
const CONTENT = bytesOfServer(SIZE);
const TIME = Date.UTC(2026, 0, 1);

const listed = (address: string, size = SIZE): Listed => ({ address, size, time: TIME });

test('an object is fetched whole, whatever its server can do, and its beginning first where that is wanted', async (t) => {
  const { url } = await webServer(t);
  const objects = new Spool(undefined);
  for (const kind of ['ranges', 'whole', 'moved', 'failing', 'cut']) {
    for (const isLookedInto of [false, true]) {
      const object = listed(`${url}/${kind}/${SIZE}/${isLookedInto}`);
      if (isLookedInto) {
        await objects.heads([object]);
        const head = readFileSync(objects.pathOf(object.address));
        t.true(head.length >= 256 << 10 && head.length < SIZE, `${kind} ${head.length}`);
        t.true(head.equals(CONTENT.subarray(0, head.length)));
      }
      await objects.whole(object);
      t.true(readFileSync(objects.pathOf(object.address)).equals(CONTENT), kind);
      t.is(statSync(objects.pathOf(object.address)).mtimeMs, TIME);
    }
  }
  const folder = join(objects.pathOf('s3://b/k'), '..');
  objects.close();
  t.throws(() => readdirSync(folder), { code: 'ENOENT' });
});

test('what is wrong with one object is told by a code where it is opened, what is wrong with a server ends the run', async (t) => {
  const { url } = await webServer(t);
  const objects = new Spool(undefined);
  t.teardown(() => objects.close());
  const opened = async (object: Listed): Promise<number | string> => {
    await objects.whole(object);
    return openInput(objects.pathOf(object.address));
  };
  t.is(await opened(listed(`${url}/gone/10`, 10)), 'VANISHED');
  t.is(await opened(listed(`${url}/denied/10`, 10)), 'DENIED');
  t.is(await opened(listed(`${url}/ranges/11`, 10)), 'CHANGED');
  t.is(await opened({ ...listed(`${url}/ranges/10`, 10), time: TIME + 1000 }), 'CHANGED');
  const changing = listed(`${url}/changing/${SIZE}`);
  await objects.heads([changing]);
  t.is(await opened(changing), 'CHANGED');
  t.is(typeof (await opened(listed(`${url}/ranges/0`, 0))), 'number');
  const error = await t.throwsAsync(opened(listed(`${url}/broken/10?sig=secret`, 10)), {
    instanceOf: MinHashError,
  });
  t.is(error.code, 'REMOTE_FAILED');
  t.regex(error.message, /broken\/10: the server answers 503, 5 tries/);
  t.notRegex(error.message, /secret/);
});

test('objects are fetched side by side and ahead, each once, and an interrupt does not wait for them', async (t) => {
  const server = await webServer(t);
  const stopped = new AbortController();
  const objects = new Spool(stopped.signal);
  t.teardown(() => objects.close());
  const all = Array.from({ length: 40 }, (_, i) => listed(`${server.url}/slow/${i + 100}/${i}`, i + 100));
  objects.expect(all);
  for (const object of all) {
    await objects.whole(object);
    t.true(readFileSync(objects.pathOf(object.address)).equals(CONTENT.subarray(0, object.size)));
  }
  const { asked, most } = server.counts();
  t.is(asked, 40);
  t.true(most > 1 && most <= 16, `${most}`);
  const waited = objects.whole(listed(`${server.url}/slow/100/more`, 100));
  stopped.abort();
  await t.throwsAsync(waited, { code: 'INTERRUPTED' });
});

test('a server that says no size is read once to be counted', async (t) => {
  const { url } = await webServer(t);
  t.deepEqual(await findWeb(`${url}/chunked/1234`), { kind: 'file', size: 1234, time: TIME });
  t.deepEqual(await findWeb(`${url}/ranges/1234`), { kind: 'file', size: 1234, time: TIME });
  t.deepEqual(await findWeb(`${url}/ranges/0`), { kind: 'file', size: 0, time: 0 });
  await t.throwsAsync(findWeb(`${url}/gone/1`), { code: 'VANISHED' });
});

test('addresses are told apart from paths, and shown without what opens doors', (t) => {
  t.deepEqual(['s3a://b/k', 'S3N://b/K', 'HTTPS://h/A', 'gs://b', '/s3://b', 's3:/b'].map(addressOf), [
    's3://b/k',
    's3://b/K',
    'https://h/A',
    null,
    null,
    null,
  ]);
  t.true(isRemote(Buffer.from('s3://b/k')) && isRemote('http://h') && isRemote('https://h'));
  t.false(isRemote('/http://h') || isRemote('s3:/b') || isRemote('') || isRemote('sums.txt'));
  t.is(shownAddress('https://u:p@h/a?x=1#top'), 'https://h/a?x=1');
  t.is(shownAddress('https://h/a?x=1&X-Amz-Signature=2'), 'https://h/a');
  t.is(shownAddress('https://h/a?sv=1&sig=2'), 'https://h/a');
  t.is(placeOfAddress('https://u@h/a%20b/c%20d.txt?x=1'), 'https://h/a%20b/c d.txt');
  t.is(placeOfAddress('https://h/a%2fb'), 'https://h/a%2fb');
  t.is(placeOfAddress('s3://b/a?b%20c/'), 's3://b/a?b%20c');
});
