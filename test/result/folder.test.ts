/** A folder that is written beside its location: who may write there, what is replaced, and what a failure at any step leaves. */
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import type { ErrorCode } from '../../src/errors.js';
import { MinHashError } from '../../src/errors.js';
import { type FolderUse, foreignInResult, hiddenFolderOf, takeFolder } from '../../src/result/folder.js';
import { type FileSystem, NODE_FILES } from '../../src/store/fileSystem.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

/** Folders that hold `ours`, and nothing else, are ours. */
const use = (change: Partial<FolderUse> = {}): FolderUse => ({
  force: false,
  whyForeign: (folder) => (readdirSync(folder).join() === 'ours' ? null : 'holds other files'),
  ...change,
});

function write(out: string, text: string, change: Partial<FolderUse> = {}, system?: FileSystem): void {
  const folder = takeFolder(out, use(change), system);
  try {
    writeFileSync(join(folder.path, 'ours'), text);
    folder.finish();
  } finally {
    folder.release(false);
  }
}

const codeOf = (step: () => unknown): ErrorCode | null => {
  try {
    step();
    return null;
  } catch (error) {
    if (error instanceof MinHashError) return error.code;
    throw error;
  }
};

/** A folder left by a process that was killed. */
function leave(out: string, writer: object | null): string {
  const hidden = hiddenFolderOf(out);
  mkdirSync(join(hidden, 'files'), { recursive: true });
  mkdirSync(join(hidden, '.work'));
  writeFileSync(join(hidden, '.work', 'block'), 'x');
  if (writer !== null) writeFileSync(join(hidden, 'writer'), JSON.stringify(writer));
  return hidden;
}

const ended = () => ({
  host: hostname(),
  process: spawnSync(process.execPath, ['-e', '']).pid,
  start: '1',
  run: 'dead',
});

test('a folder appears with all of its files, and nothing remains beside it', (t) => {
  const root = temporaryFolder(t);
  const out = join(root, 'a/out');
  const folder = takeFolder(out, use());
  writeFileSync(join(folder.path, 'ours'), '1');
  t.false(existsSync(out));
  folder.finish();
  folder.release(false);
  t.is(readFileSync(join(out, 'ours'), 'utf8'), '1');
  t.deepEqual(readdirSync(join(root, 'a')), ['out']);
});

test('a folder of ours is replaced with --force only, an empty one always, any other never', (t) => {
  const root = temporaryFolder(t, { 'other/notes.txt': 'mine', 'empty/': '' });
  const out = join(root, 'out');
  write(out, '1');
  t.is(
    codeOf(() => write(out, '2')),
    'OUTPUT_EXISTS',
  );
  t.is(readFileSync(join(out, 'ours'), 'utf8'), '1');
  write(out, '2', { force: true });
  t.is(readFileSync(join(out, 'ours'), 'utf8'), '2');
  write(join(root, 'empty'), '3');
  t.is(
    codeOf(() => write(join(root, 'other'), '4', { force: true })),
    'OUTPUT_FOREIGN',
  );
  t.is(readFileSync(join(root, 'other/notes.txt'), 'utf8'), 'mine');
  t.deepEqual(readdirSync(root).sort(), ['empty', 'other', 'out']);
});

test('a file that somebody adds while the new folder is written is not removed', (t) => {
  const root = temporaryFolder(t);
  const out = join(root, 'out');
  write(out, '1');
  const folder = takeFolder(out, use({ force: true }));
  writeFileSync(join(folder.path, 'ours'), '2');
  writeFileSync(join(out, 'notes.txt'), 'mine');
  t.is(
    codeOf(() => folder.finish()),
    'OUTPUT_FOREIGN',
  );
  folder.release(false);
  t.deepEqual(readdirSync(out).sort(), ['notes.txt', 'ours']);
  t.is(readFileSync(join(out, 'ours'), 'utf8'), '1');
});

test('the lock of a zombie, a process that ended but is still listed, is taken over', async (t) => {
  const out = join(temporaryFolder(t), 'out');
  // `cat` ends once `sleep`, which never asks for the exit code of a child, took the place of the shell.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  t.teardown(() => parent.kill());
  const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
  const pid = Number(line.toString());
  while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await nextTurn();
  parent.stdio[3]!.destroy();
  const stat = (): string[] => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
  while (stat()[0] !== 'Z') await nextTurn();
  leave(out, { host: hostname(), process: pid, start: stat()[19], run: 'zombie' });
  takeFolder(out, use()).release(false);
  t.false(existsSync(out));
});

test('one run at a time writes to a location, in one process or several', async (t) => {
  const root = temporaryFolder(t);
  const out = join(root, 'out');
  const folder = takeFolder(out, use());
  t.is(
    codeOf(() => takeFolder(out, use({ force: true }))),
    'OUTPUT_LOCKED',
  );
  folder.release(false);
  t.deepEqual(readdirSync(root), []);
  const script = `import { takeFolder } from ${JSON.stringify(new URL('../../src/result/folder.js', import.meta.url).href)};
    takeFolder(${JSON.stringify(out)}, { force: false, whyForeign: () => null }); process.send('taken'); setInterval(() => {}, 1000);`;
  const file = join(root, 'taker.mjs');
  writeFileSync(file, script);
  const child = fork(file, { execArgv: [] });
  await once(child, 'message');
  t.is(
    codeOf(() => takeFolder(out, use({ force: true }))),
    'OUTPUT_LOCKED',
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  write(out, '1');
  t.deepEqual(readdirSync(root).sort(), ['out', 'taker.mjs']);
});

test('a folder that a dead process of this host left is taken over, with its work files if the run resumes', (t) => {
  const out = join(temporaryFolder(t), 'out');
  leave(out, ended());
  const resumed = takeFolder(out, use({ resume: true }));
  t.deepEqual(readdirSync(resumed.work), ['block']);
  t.deepEqual(readdirSync(resumed.path), []);
  resumed.release(true);
  const kept = takeFolder(out, use({ resume: true }));
  t.deepEqual(readdirSync(kept.work), ['block']);
  kept.release(true);
  const anew = takeFolder(out, use());
  t.false(existsSync(anew.work));
  anew.release(true);
  t.false(existsSync(hiddenFolderOf(out)));
});

test('a folder of a process on another host is taken over with --force only', (t) => {
  const root = temporaryFolder(t);
  for (const [i, writer] of [null, { ...ended(), host: 'elsewhere' }, { host: 1 }].entries()) {
    const out = join(root, String(i));
    leave(out, writer);
    t.is(
      codeOf(() => write(out, '1')),
      'OUTPUT_LOCKED',
    );
    write(out, '1', { force: true });
  }
  t.deepEqual(readdirSync(root), ['0', '1', '2']);
});

test('a run whose folder was taken over by force does not finish, and removes nothing of the other', (t) => {
  const out = join(temporaryFolder(t), 'out');
  const folder = takeFolder(out, use());
  const hidden = hiddenFolderOf(out);
  writeFileSync(join(hidden, 'writer'), JSON.stringify({ ...ended(), host: 'elsewhere' }));
  t.is(
    codeOf(() => folder.finish()),
    'OUTPUT_LOCKED',
  );
  folder.release(false);
  t.deepEqual(readdirSync(hidden).sort(), ['files', 'writer']);
});

test('of several processes that find the same dead writer, one continues', async (t) => {
  const root = temporaryFolder(t);
  const out = join(root, 'out');
  const file = join(root, 'taker.mjs');
  writeFileSync(
    file,
    `import { takeFolder } from ${JSON.stringify(new URL('../../src/result/folder.js', import.meta.url).href)};
    process.on('message', () => {
      try { takeFolder(${JSON.stringify(out)}, { force: false, whyForeign: () => null }); process.send('taken'); }
      catch (error) { process.send(String(error.code)); }
    });
    process.send('ready');`,
  );
  const children = Array.from({ length: 3 }, () => fork(file, { execArgv: [] }));
  t.teardown(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  await Promise.all(children.map((child) => once(child, 'message')));
  for (let round = 0; round < 10; round++) {
    const hidden = leave(out, { ...ended(), run: `dead${round}` });
    const answers = children.map(async (child) => (await once(child, 'message'))[0]);
    for (const child of children) child.send('go');
    const told = await Promise.all(answers);
    t.is(told.filter((answer) => answer === 'taken').length, 1, String(told));
    renameSync(hidden, join(root, `round${round}`));
  }
});

test('after a failure at any step the location has the old folder or the new one, and the next run works', (t) => {
  const steps: (keyof FileSystem)[] = ['rename', 'syncFolder', 'removeFolder'];
  let failures = 0;
  for (const step of steps) {
    for (let at = 0; at < 8; at++) {
      const root = temporaryFolder(t);
      const out = join(root, 'out');
      write(out, 'old');
      let calls = 0;
      const failing: FileSystem = {
        ...NODE_FILES,
        [step]: (...given: [string, string]) => {
          if (calls++ === at) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
          return (NODE_FILES[step] as (...all: string[]) => unknown)(...given);
        },
      };
      const code = codeOf(() => write(out, 'new', { force: true }, failing));
      if (code !== null) failures++;
      t.true(code === null || code === 'DISK_FULL', `${step} ${at}: ${code}`);
      const text = readFileSync(join(out, 'ours'), 'utf8');
      t.true(code === null ? text === 'new' : ['old', 'new'].includes(text), `${step} ${at}: ${text}`);
      t.deepEqual(
        readdirSync(root).filter((name) => !name.startsWith('.')),
        ['out'],
      );
      write(out, 'newer', { force: true });
      t.deepEqual(readdirSync(root), ['out']);
    }
  }
  t.true(failures > 3);
});

test('a folder whose writer was killed before it renamed its file is taken over', (t) => {
  const out = join(temporaryFolder(t), 'out');
  const hidden = leave(out, null);
  writeFileSync(join(hidden, 'writer.dead'), JSON.stringify(ended()));
  takeFolder(out, use()).finish();
  t.true(existsSync(out));
  t.false(existsSync(hidden));
});

test('an old folder whose run was killed between the two renames comes back', (t) => {
  const out = join(temporaryFolder(t), 'out');
  write(out, 'old');
  const hidden = leave(out, ended());
  renameSync(out, join(hidden, 'old'));
  t.is(
    codeOf(() => write(out, 'new')),
    'OUTPUT_EXISTS',
  );
  t.is(readFileSync(join(out, 'ours'), 'utf8'), 'old');
});

test('only a link typed by the user is followed', (t) => {
  const root = temporaryFolder(t, { 'other/notes.txt': 'mine', 'real/': '' });
  const out = join(root, 'out');
  symlinkSync(join(root, 'other'), hiddenFolderOf(out));
  t.is(
    codeOf(() => write(out, '1', { force: true })),
    'OUTPUT_LOCKED',
  );
  const hidden = leave(join(root, 'real'), ended());
  symlinkSync(join(root, 'other'), join(hidden, 'link'));
  const link = join(root, 'link');
  symlinkSync(join(root, 'real'), link);
  write(link, '1');
  t.is(readFileSync(join(root, 'real/ours'), 'utf8'), '1');
  t.is(readFileSync(join(root, 'other/notes.txt'), 'utf8'), 'mine');
});

test('a location that cannot be a folder is rejected before anything is written', (t) => {
  const root = temporaryFolder(t, { file: 'x' });
  symlinkSync(join(root, 'nowhere'), join(root, 'broken'));
  for (const path of [
    '',
    'a\0b',
    join(root, 'file'),
    join(root, 'file/out'),
    join(root, 'broken'),
    '.',
    '/proc',
  ])
    t.is(
      codeOf(() => takeFolder(path, use({ force: true }))),
      'OUTPUT_UNWRITABLE',
      JSON.stringify(path),
    );
  t.deepEqual(readdirSync(root).sort(), ['broken', 'file']);
});

test('a result is ours if it is finished and has files of ours only', (t) => {
  const ours = { 'manifest.json': '{"tool":"mr-minhash"}', _SUCCESS: '', 'pairs/part-00000.tsv': '' };
  t.is(foreignInResult(temporaryFolder(t, ours)), null);
  t.regex(foreignInResult(temporaryFolder(t, { ...ours, 'notes.txt': '' }))!, /^has "notes.txt"/);
  t.regex(
    foreignInResult(temporaryFolder(t, { ...ours, 'pairs/notes.txt': '' }))!,
    /^has "pairs\/notes.txt"/,
  );
  t.regex(foreignInResult(temporaryFolder(t, { ...ours, 'manifest.json': '{}' }))!, /no manifest.json/);
  t.regex(foreignInResult(temporaryFolder(t, { 'manifest.json': ours['manifest.json'] }))!, /no _SUCCESS/);
  const linked = temporaryFolder(t, ours);
  symlinkSync('/etc/passwd', join(linked, 'stats.json'));
  t.regex(foreignInResult(linked)!, /^has "stats.json"/);
});
