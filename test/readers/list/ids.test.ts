import test from 'ava';
import { binaryOf, bytesOf, joinPath, rootPrefixes, textOf } from '../../../src/readers/list/pathIds.js';

test('binaryOf and bytesOf keep every byte of a name', (t) => {
  t.deepEqual([...bytesOf(binaryOf('é\t'))], [0xc3, 0xa9, 9]);
  t.is(textOf(binaryOf('naïve')), 'naïve');
  t.is(textOf('\xff'), '\ufffd');
});

test('rootPrefixes of a single PATH is empty', (t) => {
  t.deepEqual(rootPrefixes(['/data/a']), ['']);
  t.deepEqual(rootPrefixes([]), []);
});

test('rootPrefixes takes as few trailing components of each PATH as tell all apart', (t) => {
  t.deepEqual(rootPrefixes(['/data/a', '/data/b']), ['a', 'b']);
  t.deepEqual(rootPrefixes(['/x/a/mail', '/x/b/mail', '/x/c/post']), ['a/mail', 'b/mail', 'c/post']);
  t.deepEqual(rootPrefixes(['/mail', '/x/mail']), ['mail', 'x/mail']);
  t.deepEqual(rootPrefixes(['/', '/x']), ['', 'x']);
  t.deepEqual(rootPrefixes(['-', '/x/y']), ['-', 'y']);
});

test('rootPrefixes tells PATHs apart of which one has the folders of another in its prefix', (t) => {
  // p/x/f would be a file of both /p and /b/p/x.
  t.deepEqual(rootPrefixes(['/p', '/a/p', '/b/p/x']), ['p', 'a/p', 'b/p/x']);
  t.deepEqual(rootPrefixes(['-', '/-']), ['-', '/-']);
});

test('joinPath minds empty parts and the root', (t) => {
  t.is(joinPath('/', 'a'), '/a');
  t.is(joinPath('a', ''), 'a');
  t.is(joinPath('', 'a'), 'a');
});
