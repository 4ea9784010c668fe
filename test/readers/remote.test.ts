/** Copies of files of a web server, and addresses in messages. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import {
  addressOf,
  locationOfAddress,
  shownAddress,
  shownPath,
  unreadAddress,
} from '../../src/readers/list/addresses.js';
import { RemoteCopies, type RemoteCopy } from '../../src/readers/remote.js';
import { bytesOfServer, webServer } from '../data/webServer.js';

const SIZE = 300_000;
const TIME = Date.UTC(2026, 0, 1);

const all = (): boolean => true;

test('a file of a server is copied whole with its time, whatever fails on the way', async (t) => {
  const { url } = await webServer(t);
  const copies = new RemoteCopies(undefined);
  t.teardown(copies.close);
  const paths: string[] = [];
  for (const kind of ['whole', 'moved', 'failing', 'cut', 'chunked']) {
    const copy = (await copies.copy(`${url}/${kind}/${SIZE}`, all)) as RemoteCopy;
    t.deepEqual({ ...copy, path: '' }, { path: '', missing: [] }, kind);
    t.true(readFileSync(copy.path).equals(bytesOfServer(SIZE)), kind);
    t.is(statSync(copy.path).mtimeMs, TIME, kind);
    paths.push(copy.path);
  }
  copies.close();
  t.false(paths.some((path) => existsSync(path)));
});

test('a server that refuses, has nothing or keeps failing gives a problem without secrets', async (t) => {
  const { url } = await webServer(t);
  const copies = new RemoteCopies(undefined);
  t.teardown(copies.close);
  const problem = async (address: string): Promise<unknown> => copies.copy(address, all);
  t.deepEqual(await problem(`${url}/gone/1`), {
    code: 'PATH_MISSING',
    detail: `${url}/gone/1: the server answers 404`,
  });
  t.deepEqual(await problem(`${url}/denied/1?sig=secret`), {
    code: 'REMOTE_DENIED',
    detail: `${url}/denied/1: the server answers 403`,
  });
  t.deepEqual(await problem(`${url}/broken/1?sig=secret`), {
    code: 'REMOTE_FAILED',
    detail: `${url}/broken/1: the server answers 503, 5 attempts`,
  });
  t.is(((await problem('s3://bucket/../other')) as { code: string }).code, 'PATH_MISSING');
});

test('an interrupt ends a copy of which the server never sends a byte', async (t) => {
  const { url } = await webServer(t);
  const stop = new AbortController();
  const copies = new RemoteCopies(stop.signal);
  t.teardown(copies.close);
  const copying = copies.copy(`${url}/hanging/1`, all);
  stop.abort();
  const error = await t.throwsAsync(copying, { instanceOf: MinHashError });
  t.is(error.code, 'INTERRUPTED');
});

test('addresses differ from paths, and are shown without their secrets', (t) => {
  t.deepEqual(['s3a://b/k', 'S3N://b/K', 'HTTPS://h/A', 'gs://b', '/s3://b', 's3:/b'].map(addressOf), [
    's3://b/k',
    's3://b/K',
    'https://h/A',
    null,
    null,
    null,
  ]);
  t.is(shownAddress('https://u:p@h/a?x=1#top'), 'https://h/a?x=1');
  t.is(shownAddress('https://h/a?x=1&X-Amz-Signature=2'), 'https://h/a');
  t.is(shownAddress('https://h/a?sv=1&sig=2'), 'https://h/a');
  t.is(shownPath('ftp://u:p@h/a'), 'ftp://h/a');
  t.is(shownPath('s3://u:p@b/k@x?y#z'), 's3://b/k@x?y#z');
  t.is(shownPath('a/u:p@b'), 'a/u:p@b');
  t.false(JSON.stringify(unreadAddress('ftp://u:secret@h/a')).includes('secret'));
  t.is(locationOfAddress('https://u@h/a%20b/c%20d.txt?x=1'), 'https://h/a%20b/c d.txt');
  t.is(locationOfAddress('https://h/a%2fb'), 'https://h/a%2fb');
  t.is(locationOfAddress('s3://b/a?b%20c/'), 's3://b/a?b%20c');
});
