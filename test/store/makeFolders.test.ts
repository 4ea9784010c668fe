/** makeFolders: a folder and those above it, or the reason why not, but never a wait. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeFolders } from '../../src/store/files.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

test('makeFolders creates missing folders, and keeps existing ones', (t) => {
  const top = temporaryFolder(t);
  const deep = join(top, 'a/b/c');
  makeFolders(deep);
  makeFolders(deep);
  t.true(statSync(deep).isDirectory());
  writeFileSync(join(top, 'file'), '');
  t.throws(() => makeFolders(join(top, 'file/below')));
});

test('makeFolders fails if the file system rejects a folder', (t) => {
  if (!existsSync('/proc/self')) {
    t.pass('no /proc here');
    return;
  }
  t.throws(() => makeFolders('/proc/mr-minhash/result'));
});
