/** The folder of a cleaned corpus: what is removed for it, whatever a record says, and what a killed apply leaves. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const TEXT = 'the quick brown fox jumps over the lazy dog and runs away from the big bad wolf';

interface Applied {
  readonly folder: string;
  readonly to: string;
  /** The folder beside it. */
  readonly work: string;
  apply(options?: {
    readonly force?: boolean;
    readonly dropped?: boolean;
    readonly to?: string;
  }): Promise<string>;
}

/** A corpus that is written: a.txt and deep/b.txt, less c.txt. */
async function applied(t: ExecutionContext): Promise<Applied> {
  const folder = temporaryFolder(t, {
    'in/a.txt': TEXT,
    'in/c.txt': TEXT,
    'in/deep/b.txt': 'x',
    'mine/victim.txt': 'mine',
  });
  // Times that a copy keeps.
  for (const name of ['a.txt', 'c.txt', 'deep/b.txt']) utimesSync(join(folder, 'in', name), 1000, 1000);
  const [out, to] = [join(folder, 'out'), join(folder, 'to')];
  await run({ paths: [join(folder, 'in')], out, threads: 0 });
  const apply: Applied['apply'] = (options = {}) =>
    applyResult(out, { to, ...options }).then(
      (report) => (report?.already_whole === true ? 'whole' : 'done'),
      (error: unknown) => {
        if (!(error instanceof MinHashError)) throw error;
        return `${error.code} ${error.faults[0]!.detail}`;
      },
    );
  t.is(await apply(), 'done');
  return { folder, to, work: join(folder, '.to.mr-minhash-apply'), apply };
}

/** Names, links and contents of all below a folder. */
function treeOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const stats = lstatSync(join(folder, name));
    return `${name} ${stats.isFile() ? readFileSync(join(folder, name), 'utf8') : stats.isDirectory()}`;
  });
}

test('a clean corpus holds what is clean and nothing else', async (t) => {
  const { folder, to, work } = await applied(t);
  t.deepEqual(treeOf(to), [`a.txt ${TEXT}`, 'deep true', 'deep/b.txt x']);
  t.deepEqual(readdirSync(work), ['record']);
  t.is(statSync(work).mode & 0o777, 0o700);
  t.deepEqual(readdirSync(folder).sort(), ['.to.mr-minhash-apply', 'in', 'mine', 'out', 'to']);
});

test('a forged record removes nothing: what it lists is only held against what a walk finds', async (t) => {
  const { folder, to, work, apply } = await applied(t);
  const record = readFileSync(join(work, 'record'), 'latin1');
  const victim = join(folder, 'mine/victim.txt');
  const { size, mtimeMs } = statSync(victim);
  for (const name of ['../mine/victim.txt', victim, 'deep/../../mine/victim.txt', '\t', '']) {
    writeFileSync(join(work, 'record'), `${record}${size}\t${mtimeMs}\t0\t${name}\0`, 'latin1');
    t.regex(await apply({ force: true }), /^TARGET_REFUSED .*is not as apply left it: .* is not in it; move/);
  }
  writeFileSync(join(work, 'record'), '\0'.repeat(100));
  t.regex(
    await apply({ force: true }),
    /^TARGET_REFUSED .* holds "a.txt"; expected an empty folder, or none/,
  );
  rmSync(join(work, 'record'));
  t.regex(
    await apply({ force: true }),
    /^TARGET_REFUSED .* holds "a.txt"; expected an empty folder, or none/,
  );
  t.is(readFileSync(victim, 'utf8'), 'mine');
  t.true(existsSync(join(to, 'a.txt')));
});

test('a record that others may have written counts for nothing', async (t) => {
  const { work, apply } = await applied(t);
  chmodSync(join(work, 'record'), 0o666);
  t.regex(
    await apply({ force: true }),
    /^TARGET_REFUSED .*is not as apply left it: .*record may be written by others .*; move/,
  );
  chmodSync(join(work, 'record'), 0o600);
  chmodSync(work, 0o777);
  t.regex(
    await apply({ force: true }),
    /^TARGET_REFUSED .*apply may be written by others .*; move it elsewhere/,
  );
  chmodSync(work, 0o700);
  renameSync(work, `${work}-moved`);
  symlinkSync(`${work}-moved`, work);
  t.regex(await apply({ force: true }), /^TARGET_REFUSED .*apply is a link; move it elsewhere/);
});

test('what is touched, linked or put there is named, and nothing of it goes', async (t) => {
  const { folder, to, apply } = await applied(t);
  const [a, b] = [join(to, 'a.txt'), join(to, 'deep/b.txt')];
  utimesSync(a, 1, 1);
  t.regex(await apply({ force: true }), /is not as apply left it: "a.txt" was changed since; move/);
  // An edit that keeps size and time.
  writeFileSync(a, TEXT.replace(/.$/, '!'));
  utimesSync(a, 1000, 1000);
  t.regex(await apply({ force: true }), /is not as apply left it: "a.txt" was changed since; move/);
  rmSync(b);
  symlinkSync(join(folder, 'mine/victim.txt'), b);
  t.regex(await apply({ force: true }), /, "deep\/b.txt" is a link; move/);
  rmSync(join(to, 'deep'), { recursive: true });
  symlinkSync(join(folder, 'mine'), join(to, 'deep'));
  t.regex(await apply({ force: true }), /"deep" is not of apply, "deep\/b.txt" is not in it; move/);
  t.deepEqual(treeOf(join(folder, 'mine')), ['victim.txt mine']);
});

test('a corpus is replaced as a whole, in the folder that a link names too', async (t) => {
  const { folder, to, work, apply } = await applied(t);
  chmodSync(to, 0o750);
  t.is(await apply(), 'whole');
  t.is(await apply({ force: true, dropped: true }), 'done');
  t.deepEqual(treeOf(to), [`c.txt ${TEXT}`]);
  t.is(statSync(to).mode & 0o777, 0o750);
  t.deepEqual(readdirSync(work), ['record']);
  mkdirSync(join(folder, 'disk/empty'), { recursive: true });
  symlinkSync(join(folder, 'disk/empty'), join(folder, 'link'));
  t.is(await apply({ to: join(folder, 'link') }), 'done');
  t.true(lstatSync(join(folder, 'link')).isSymbolicLink());
  t.deepEqual(readdirSync(join(folder, 'disk')).sort(), ['.empty.mr-minhash-apply', 'empty']);
  // Moved, it is a folder like any other.
  renameSync(to, `${to}-moved`);
  t.regex(
    await apply({ to: `${to}-moved`, force: true }),
    / holds "c.txt"; expected an empty folder, or none/,
  );
  t.is(await apply(), 'done');
});

test('an apply that was killed leaves nothing half-written in sight, and starts over', async (t) => {
  const { folder, to, work, apply } = await applied(t);
  const clean = treeOf(to);
  // While it wrote.
  mkdirSync(join(work, 'files/half'), { recursive: true });
  writeFileSync(join(work, 'files/half/file'), 'half');
  symlinkSync(to, join(work, 'files/link'));
  t.is(await apply(), 'whole');
  t.is(await apply({ force: true }), 'done');
  t.deepEqual([treeOf(to), readdirSync(work)], [clean, ['record']]);
  // When the old corpus had left its place: it goes back.
  const record = readFileSync(join(work, 'record'));
  mkdirSync(join(work, 'files'));
  writeFileSync(join(work, 'next'), record);
  renameSync(to, join(work, 'old'));
  t.is(await apply(), 'whole');
  t.deepEqual(treeOf(to), clean);
  // When the new one was in its place: the rest of the old one goes.
  renameSync(to, join(folder, 'before'));
  t.is(await apply(), 'done');
  renameSync(join(work, 'record'), join(work, 'next'));
  writeFileSync(join(work, 'record'), record);
  mkdirSync(join(work, 'old'));
  renameSync(join(folder, 'before/deep'), join(work, 'old/deep'));
  t.is(await apply(), 'whole');
  t.deepEqual([treeOf(to), readdirSync(work)], [clean, ['record']]);
  // But not what somebody put there.
  renameSync(join(work, 'record'), join(work, 'next'));
  mkdirSync(join(work, 'old'));
  writeFileSync(join(work, 'old/mine'), 'x');
  writeFileSync(join(work, 'record'), record);
  t.regex(await apply(), /old is not as apply left it: "mine" is not of apply; move/);
  t.is(readFileSync(join(work, 'old/mine'), 'utf8'), 'x');
});
