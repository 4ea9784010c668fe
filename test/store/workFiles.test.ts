/** Files of `.work`: whole or absent, and made again where they are damaged. */
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { encodeBlock } from '../../src/blocks/block.js';
import {
  makeWorkFolder,
  readWorkFile,
  removeWorkFolder,
  workFile,
  writeWorkFile,
} from '../../src/store/workFiles.js';

function folderOf(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'work-')), '.work');
  makeWorkFolder(folder);
  return folder;
}

const block = () => encodeBlock('signatures', { hashes: 2 }, { slots: Uint16Array.of(1, 2, 3, 4) }, true);

test('a block that is written to a file is read from it; another one of that name replaces it', (t) => {
  const folder = folderOf();
  writeWorkFile(folder, 'signatures/0', block());
  writeWorkFile(folder, 'signatures/0', encodeBlock('signatures', {}, { slots: Uint16Array.of(9) }));
  t.deepEqual([...readWorkFile(folder, 'signatures/0', 'signatures')!.columns.slots!], [9]);
  t.deepEqual(readdirSync(folder), ['signatures-0']);
  removeWorkFolder(folder);
  removeWorkFolder(folder);
  t.is(readWorkFile(folder, 'signatures/0', 'signatures'), null);
});

test('the buffer of a block may be longer than the block', (t) => {
  const folder = folderOf();
  const room = new SharedArrayBuffer(1 << 16);
  const long = encodeBlock('signatures', {}, { slots: Uint16Array.of(7) }, () => room);
  writeWorkFile(folder, 'signatures/0', long);
  t.true(readFileSync(workFile(folder, 'signatures/0')).length < 1000);
  t.deepEqual([...readWorkFile(folder, 'signatures/0', 'signatures')!.columns.slots!], [7]);
});

test('a file that lacks its end, has a flipped bit or is of another kind counts as absent', (t) => {
  const folder = folderOf();
  writeWorkFile(folder, 'signatures/0', block());
  const path = workFile(folder, 'signatures/0');
  const whole = readFileSync(path);
  t.is(readWorkFile(folder, 'signatures/0', 'documents'), null);
  for (let at = 0; at < whole.length; at += 7) {
    writeFileSync(path, whole.subarray(0, at));
    t.is(readWorkFile(folder, 'signatures/0', 'signatures'), null, `${at} bytes`);
    const flipped = Uint8Array.from(whole);
    flipped[at]! ^= 4;
    writeFileSync(path, flipped);
    t.is(readWorkFile(folder, 'signatures/0', 'signatures'), null, `byte ${at}`);
  }
});

test('a link, folder or pipe instead of a file counts as absent, and is not waited for', (t) => {
  const folder = folderOf();
  writeWorkFile(folder, 'signatures/0', block());
  const path = workFile(folder, 'signatures/0');
  renameSync(path, `${path}-elsewhere`);
  symlinkSync(`${path}-elsewhere`, path);
  t.is(readWorkFile(folder, 'signatures/0', 'signatures'), null);
  rmSync(path);
  makeWorkFolder(path);
  t.is(readWorkFile(folder, 'signatures/0', 'signatures'), null);
  rmSync(path, { recursive: true });
  execFileSync('mkfifo', [path]);
  t.is(readWorkFile(folder, 'signatures/0', 'signatures'), null);
});

test('a missing folder is WRITE_FAILED', (t) => {
  const folder = folderOf();
  rmSync(folder, { recursive: true });
  t.throws(() => writeWorkFile(folder, 'signatures/0', block()), { code: 'WRITE_FAILED' });
});
