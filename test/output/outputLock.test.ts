/** The lock of an output folder: who gets it, whose is free, and who is refused. What the command says of it: test/cli/endings.test.ts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MinHashError } from '../../src/errors.js';
import { checkOutput, prepareOutput } from '../../src/output/folder.js';
import { holderOf, OutputLock, type RunOwner, thisOwner } from '../../src/output/lock.js';
import { type FileDoor, NODE_FILES } from '../../src/store/fileDoor.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const LOCK = '.mr-minhash.lock';
const SELF = thisOwner();
const MODULE = new URL('../../src/output/lock.js', import.meta.url).href;
const DOOR = new URL('../../src/store/fileDoor.js', import.meta.url).href;

/** The number of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

function leaveLock(root: string, change: Partial<RunOwner>): void {
  writeFileSync(join(root, LOCK), JSON.stringify({ ...SELF, run: 'left', ...change }));
}

function refused(t: ExecutionContext, root: string, force = false): string {
  const error: MinHashError = t.throws(() => new OutputLock(root, force), { instanceOf: MinHashError });
  t.is(error.code, 'OUTPUT_LOCKED');
  t.is(error.exitCode, 2);
  t.is(error.faults[0]!.detail, `${root}: ${holderOf(root, force)}`);
  return error.message;
}

/** Takes the folder, and leaves nothing there. */
function takes(t: ExecutionContext, root: string, force = false): void {
  t.is(holderOf(root, force), null);
  const lock = new OutputLock(root, force);
  t.deepEqual(readdirSync(root), [LOCK]);
  t.true(lock.isOurs);
  lock.release();
  t.deepEqual(readdirSync(root), []);
}

test('a lock names host, process and time, refuses a second, and is gone when released', (t) => {
  const root = temporaryFolder(t);
  const lock = new OutputLock(root);
  t.deepEqual(readdirSync(root), [LOCK]);
  const message = refused(t, root);
  t.true(message.includes(`${root}: process ${process.pid} on ${hostname()}, since 20`), message);
  t.true(lock.isOurs);
  lock.release();
  lock.release();
  t.deepEqual(readdirSync(root), []);
  t.false(lock.isOurs);
  new OutputLock(root).release();
});

test('the lock of a process that has ended, or whose number is another one now, is free', (t) => {
  const root = temporaryFolder(t);
  leaveLock(root, { pid: endedProcess() });
  takes(t, root);
  // Without /proc the start of a process is not known: then a process of that number holds it.
  leaveLock(root, { started: '1' });
  if (SELF.started === '') refused(t, root, true);
  else takes(t, root);
  leaveLock(root, { started: '' });
  refused(t, root, true);
});

test('the lock of another host, or of another container of this one, is refused by its name and taken by force', (t) => {
  const root = temporaryFolder(t);
  const pid = endedProcess();
  for (const [change, name] of [
    [{ host: 'elsewhere', pid }, `process ${pid} on elsewhere, since 20`],
    [{ space: 'pid:[1]', pid }, `process ${pid} on ${hostname()}, since ${SELF.since}, in another container`],
  ] as const) {
    leaveLock(root, change);
    const message = refused(t, root);
    t.true(message.includes(name), message);
    t.true(message.includes(`delete ${join(root, LOCK)}, or start over with --force`), message);
    takes(t, root, true);
  }
});

test('a lock that names no process is refused and taken by force, whatever it is', (t) => {
  const root = temporaryFolder(t);
  const path = join(root, LOCK);
  const owner = { ...SELF, pid: endedProcess() };
  const texts = [
    ...['', '{', 'null', '3', '[]', '{"pid":1}', '\0'.repeat(10_000)],
    ...[0, -1, 1.5, 2 ** 53, '1', null].map((pid) => JSON.stringify({ ...owner, pid })),
    JSON.stringify({ ...owner, host: 7 }),
    // Whole only behind what is read of it.
    JSON.stringify({ ...owner, host: 'h'.repeat(5000) }),
  ];
  for (const text of texts) {
    writeFileSync(path, text);
    t.regex(refused(t, root), /its lock names no process: whether it still runs/);
    takes(t, root, true);
  }
  // Neither a link nor a pipe is read.
  const elsewhere = join(temporaryFolder(t), 'lock');
  writeFileSync(elsewhere, JSON.stringify(owner));
  symlinkSync(elsewhere, path);
  refused(t, root);
  takes(t, root, true);
  t.is(readFileSync(elsewhere, 'utf8'), JSON.stringify(owner));
  if (spawnSync('mkfifo', [path]).status === 0) refused(t, root);
  rmSync(path, { force: true });
  mkdirSync(path);
  refused(t, root);
});

/** A door that calls back before each of its calls that make, name or remove a file. */
function watchedDoor(before: (call: number) => void): FileDoor {
  let calls = 0;
  const watched = <Given extends unknown[], T>(call: (...given: Given) => T) => {
    return (...given: Given): T => {
      before(++calls);
      return call(...given);
    };
  };
  const { open, rename, remove, link } = NODE_FILES;
  return {
    ...NODE_FILES,
    ...{ open: watched(open), rename: watched(rename), remove: watched(remove), link: watched(link) },
  };
}

test('of two that take a free lock one gets it, at whatever call the second comes in between', (t) => {
  const root = temporaryFolder(t);
  const pid = endedProcess();
  let whoGotIt = '';
  for (let at = 1, isBetween = true; isBetween; at++) {
    leaveLock(root, { pid });
    isBetween = false;
    const got: OutputLock[] = [];
    const take = (door?: FileDoor): void => {
      try {
        got.push(new OutputLock(root, false, door));
      } catch (error) {
        t.is((error as MinHashError).code, 'OUTPUT_LOCKED', `call ${at}`);
      }
    };
    take(
      watchedDoor((call) => {
        if (call !== at) return;
        isBetween = true;
        take();
        whoGotIt += got.length;
      }),
    );
    t.is(got.length, 1, `call ${at}`);
    t.true(got[0]!.isOurs, `call ${at}`);
    got[0]!.release();
    t.deepEqual(readdirSync(root), [], `call ${at}`);
  }
  // The second until the first has the right to replace the free one, then the first; the last call is its release.
  t.is(whoGotIt, '11111001');
});

test('a run whose half-written file goes to another that takes the folder by force writes it again', (t) => {
  const root = temporaryFolder(t);
  let lost = 2;
  const rename: FileDoor['rename'] = (from, to) => {
    if (lost-- > 0) NODE_FILES.remove(from);
    NODE_FILES.rename(from, to);
  };
  const lock = new OutputLock(root, false, { ...NODE_FILES, rename });
  t.true(lock.isOurs);
  t.deepEqual(readdirSync(root), [LOCK]);
});

test('a takeover that is killed at any of its calls is taken over too, and leaves nothing but a file that it had not written', async (t) => {
  const script = (root: string, at: number) => `
    import { OutputLock } from ${JSON.stringify(MODULE)};
    import { NODE_FILES } from ${JSON.stringify(DOOR)};
    let calls = 0;
    const call = (name) => (...given) => {
      if (++calls === ${at}) process.kill(process.pid, 'SIGKILL');
      return NODE_FILES[name](...given);
    };
    const names = ['open', 'write', 'sync', 'close', 'rename', 'link', 'remove'];
    const door = { ...NODE_FILES, ...Object.fromEntries(names.map((name) => [name, call(name)])) };
    new OutputLock(${JSON.stringify(root)}, false, door);
    console.log(calls);`;
  const ended = async (root: string, at: number): Promise<string> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script(root, at)]);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child, 'close');
    return said;
  };
  const pid = endedProcess();
  const whole = temporaryFolder(t);
  leaveLock(whole, { pid });
  const calls = Number(await ended(whole, 0));
  t.is(calls, 10);
  const moments = Array.from({ length: calls }, (_, i) => i + 1);
  await Promise.all(
    moments.map(async (at) => {
      const root = temporaryFolder(t);
      leaveLock(root, { pid });
      t.is(await ended(root, at), '', `call ${at}`);
      new OutputLock(root).release();
      for (const name of readdirSync(root)) t.is(readFileSync(join(root, name), 'utf8'), '', `call ${at}`);
      takes(t, root, true);
    }),
  );
});

test('a run whose folder was taken by force does not finish, and removes nothing of the other', (t) => {
  const out = join(temporaryFolder(t), 'out');
  const folder = prepareOutput(out, { force: false, version: '0' });
  leaveLock(out, { run: 'another' });
  writeFileSync(join(out, 'pairs', 'part-00000.tsv.tmp'), 'theirs');
  folder.abandon();
  t.true(existsSync(join(out, 'pairs', 'part-00000.tsv.tmp')));
  t.is(JSON.parse(readFileSync(join(out, LOCK), 'utf8')).run, 'another');
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
    [],
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
        // Only lines that have ended are answers.
        const answers = said.map((one) => one.split('\n').slice(0, -1)[1] ?? '');
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
  for (let round = 0; round < 2; round++) t.is(await takersOf(t, root, 6), 1);
  new OutputLock(root).release();
  t.deepEqual(readdirSync(root), []);
});
