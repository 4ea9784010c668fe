import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MinHashError } from '../../src/errors.js';
import { checkOutput, prepareOutput } from '../../src/output/folder.js';
import {
  holderOf,
  isAlive,
  OutputLock,
  ownerFrom,
  type RunOwner,
  SILENCE_MILLISECONDS,
  thisOwner,
} from '../../src/output/lock.js';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { temporaryFolder } from './resultSample.js';

const LOCK = '.mr-minhash.lock';
const SELF = thisOwner();
const MODULE = new URL('../../src/output/lock.js', import.meta.url).href;

/** The number of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

function leaveLock(root: string, change: Partial<RunOwner>, ageMilliseconds = 0): void {
  const path = join(root, LOCK);
  writeFileSync(path, JSON.stringify({ ...SELF, key: '0123456789abcdef', ...change }));
  const then = new Date(Date.now() - ageMilliseconds);
  utimesSync(path, then, then);
}

function refused(t: ExecutionContext, root: string): MinHashError {
  const error = t.throws(() => new OutputLock(root), { instanceOf: MinHashError });
  t.is(error.code, 'OUTPUT_LOCKED');
  t.is(error.exitCode, 2);
  return error;
}

test('a lock names host, process and time, refuses a second, and is gone when released', (t) => {
  const root = temporaryFolder(t);
  const lock = new OutputLock(root);
  t.deepEqual(readdirSync(root), [LOCK]);
  const { message } = refused(t, root);
  t.true(message.includes(`${root}: process ${process.pid} on ${hostname()}, since 20`), message);
  t.true(lock.isOurs);
  lock.release();
  lock.release();
  t.deepEqual(readdirSync(root), []);
  t.false(lock.isOurs);
  new OutputLock(root).release();
});

test('the lock of a process that has ended, or whose number is another one now, is taken over', (t) => {
  const root = temporaryFolder(t);
  const stale: Partial<RunOwner>[] = [{ pid: endedProcess() }, { pid: -1 }];
  // Without /proc the start of a process is not known.
  if (SELF.started !== '') stale.push({ started: '1' });
  if (SELF.machine !== '') stale.push({ boot: 'an earlier start of the machine', space: 'pid:[1]' });
  for (const change of stale) {
    leaveLock(root, change);
    t.is(holderOf(root), null);
    const lock = new OutputLock(root);
    t.deepEqual(readdirSync(root), [LOCK]);
    t.true(lock.isOurs);
    lock.release();
    t.deepEqual(readdirSync(root), []);
  }
});

test('a lock from another host or another space of processes lives until it is silent for long', (t) => {
  const root = temporaryFolder(t);
  for (const change of [{ host: 'elsewhere' }, { machine: 'another' }, { space: 'pid:[1]' }]) {
    leaveLock(root, { ...change, pid: endedProcess() }, SILENCE_MILLISECONDS - 30_000);
    t.regex(refused(t, root).message, /process \d+ on /);
    leaveLock(root, change, SILENCE_MILLISECONDS + 30_000);
    new OutputLock(root).release();
  }
});

test('a lock that is no lock is held while it is young', (t) => {
  const root = temporaryFolder(t);
  for (const text of ['', '{', '[]', '{"pid":1}', JSON.stringify({ ...SELF, key: '../x' })]) {
    t.is(ownerFrom(text), null);
    writeFileSync(join(root, LOCK), text);
    const { message } = refused(t, root);
    t.regex(
      message,
      /its lock \(\d+ bytes?\) names no process: another run may be about to write it, or something/,
    );
    t.true(
      message.includes(`nothing in 15 minutes, and where no run is writing there, ${join(root, LOCK)} may`),
    );
    const before = new Date(Date.now() - SILENCE_MILLISECONDS + 60_000 - 30_000);
    utimesSync(join(root, LOCK), before, before);
    t.regex(refused(t, root).message, /it counts for nothing in 1 minute,/);
    const then = new Date(Date.now() - SILENCE_MILLISECONDS - 30_000);
    utimesSync(join(root, LOCK), then, then);
    new OutputLock(root).release();
    t.deepEqual(readdirSync(root), []);
  }
});

test('a process without a number in /proc is known by its signs of life', (t) => {
  t.true(isAlive({ ...SELF, started: '' }, 0));
  t.false(isAlive({ ...SELF, started: '' }, SILENCE_MILLISECONDS + 1));
  // Clocks that differ.
  t.false(isAlive({ ...SELF, host: 'elsewhere' }, -SILENCE_MILLISECONDS - 1));
});

test('a takeover that died on its way is taken over too, and what others left is removed', (t) => {
  const root = temporaryFolder(t);
  const pid = endedProcess();
  leaveLock(root, { pid });
  const permit = { ...SELF, pid, key: 'fedcba9876543210' };
  writeFileSync(join(root, `${LOCK}.0123456789abcdef`), JSON.stringify(permit));
  writeFileSync(join(root, `${LOCK}.fedcba9876543210.tmp`), JSON.stringify(permit));
  const lock = new OutputLock(root);
  t.deepEqual(readdirSync(root), [LOCK]);
  lock.release();
});

test('where files cannot have two names the lock is made in place', (t) => {
  const root = temporaryFolder(t);
  const door: FileDoor = {
    ...NODE_FILES,
    link: () => {
      throw Object.assign(new Error('words of the platform'), { code: 'EPERM' });
    },
  };
  const lock = new OutputLock(root, door);
  t.throws(() => new OutputLock(root, door), { code: 'OUTPUT_LOCKED' });
  lock.release();
  t.deepEqual(readdirSync(root), []);
  leaveLock(root, { pid: endedProcess() });
  new OutputLock(root, door).release();
  t.deepEqual(readdirSync(root), []);
});

test('a run that was taken for dead does not finish, and removes nothing of the other', (t) => {
  const out = join(temporaryFolder(t), 'out');
  const folder = prepareOutput(out, { force: false, version: '0' });
  leaveLock(out, { key: 'ffffffffffffffff' });
  writeFileSync(join(out, 'pairs', 'part-00000.tsv.tmp'), 'theirs');
  folder.abandon();
  t.true(existsSync(join(out, 'pairs', 'part-00000.tsv.tmp')));
  t.is(ownerFrom(readFileSync(join(out, LOCK), 'utf8'))!.key, 'ffffffffffffffff');
});

test('a folder that is held is refused with --force and without, finished or not', (t) => {
  const out = join(temporaryFolder(t), 'out');
  const folder = prepareOutput(out, { force: false, version: '0' });
  for (const force of [false, true]) {
    t.deepEqual(
      checkOutput(out, { force }).map(({ code }) => code),
      ['OUTPUT_LOCKED'],
    );
    t.throws(() => prepareOutput(out, { force, version: '0' }), { code: 'OUTPUT_LOCKED' });
  }
  folder.abandon();
  t.deepEqual(
    checkOutput(out, { force: false }).map(({ code }) => code),
    ['OUTPUT_UNFINISHED'],
  );
  prepareOutput(out, { force: true, version: '0' }).abandon();
});

/**
 * Processes that try to take the lock at the same moment; answers how many got it. All live until all have answered, and
 * have ended when the answer comes: a process that was sent a signal lives on until it gets the processor, and its lock
 * with it.
 */
async function takersOf(t: ExecutionContext, root: string, count: number): Promise<number> {
  const script = `
    import { OutputLock } from ${JSON.stringify(MODULE)};
    process.stdin.once('data', () => {
      try { new OutputLock(${JSON.stringify(root)}); console.log('got'); }
      catch (error) { console.log(error.code === 'OUTPUT_LOCKED' ? 'refused' : error.stack); }
    });
    console.log('ready');`;
  const children = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    t.teardown(() => child.kill('SIGKILL'));
    return child;
  });
  const ended = children.map((child) => once(child, 'exit'));
  const got = await new Promise<number>((resolve, reject) => {
    const said = children.map(() => '');
    let started = false;
    children.forEach((child, i) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said[i] += text;
        if (!started && said.every((one) => one.includes('ready\n'))) {
          started = true;
          for (const one of children) one.stdin.write('go\n');
        }
        const answers = said.map((one) => one.split('\n')[1] ?? '');
        if (answers.some((one) => !['', 'got', 'refused'].includes(one)))
          reject(new Error(answers.join('\n')));
        if (answers.includes('') || said.some((one) => !one.endsWith('\n'))) return;
        for (const one of children) one.kill('SIGKILL');
        resolve(answers.filter((answer) => answer === 'got').length);
      });
    });
  });
  await Promise.all(ended);
  return got;
}

test('of six processes that find a dead lock one gets it, round after round of being killed', async (t) => {
  const root = temporaryFolder(t);
  leaveLock(root, { pid: endedProcess() });
  // Each round leaves the lock of a killed process, which the next finds.
  for (let round = 0; round < 4; round++) t.is(await takersOf(t, root, 6), 1);
  new OutputLock(root).release();
  t.deepEqual(readdirSync(root), []);
});
