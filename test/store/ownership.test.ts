/** Whose a file is: the user's own, another user's, one that others may write, a link. */
import { chmodSync, chownSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { whyNotOurs } from '../../src/store/ownership.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

test('a file or folder is ours if it is not a link and nobody else can write it', (t) => {
  const folder = temporaryFolder(t, { note: '{}' });
  const note = join(folder, 'note');
  for (const path of [folder, note]) {
    chmodSync(path, path === folder ? 0o755 : 0o644);
    t.is(whyNotOurs(path), null);
    for (const mode of [0o775, 0o757]) {
      chmodSync(path, mode);
      t.is(
        whyNotOurs(path),
        `${path} may be written by others (mode 0${mode.toString(8)}; chmod go-w ${path} makes it yours alone)`,
      );
    }
    chmodSync(path, 0o700);
  }
  symlinkSync(note, join(folder, 'link'));
  t.is(whyNotOurs(join(folder, 'link')), `${join(folder, 'link')} is a link`);
  t.is(whyNotOurs(join(folder, 'none')), `${join(folder, 'none')} is not there`);
});

// Only root may give a file away.
(process.geteuid?.() === 0 ? test : test.skip)('a file of another user is not ours', (t) => {
  const note = join(temporaryFolder(t, { note: '{}' }), 'note');
  chownSync(note, 1234, 1234);
  t.is(whyNotOurs(note), `${note} belongs to user 1234, and you are user 0`);
});
