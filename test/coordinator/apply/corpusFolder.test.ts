/** The folder of a cleaned corpus: what is replaced by it, and what never. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
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
  /** The file beside it. */
  readonly record: string;
  apply(options?: {
    readonly force?: boolean;
    readonly dropped?: boolean;
    readonly to?: string;
  }): Promise<string>;
}

/** A corpus that is written: a.txt and deep/b.txt, less c.txt. */
async function applied(t: ExecutionContext, there?: string): Promise<Applied> {
  const folder =
    there ??
    temporaryFolder(t, {
      'in/a.txt': TEXT,
      'in/c.txt': TEXT,
      'in/deep/b.txt': 'x',
      'mine/victim.txt': 'mine',
    });
  // Times that a copy keeps.
  for (const name of ['a.txt', 'c.txt', 'deep/b.txt']) utimesSync(join(folder, 'in', name), 1000, 1000);
  const [out, to] = [join(folder, 'out'), join(folder, 'to')];
  await run({ paths: [join(folder, 'in')], out, threads: 0, force: true });
  const apply: Applied['apply'] = (options = {}) =>
    applyResult(out, { to, ...options }).then(
      () => 'done',
      (error: unknown) => {
        if (!(error instanceof MinHashError)) throw error;
        return `${error.code} ${error.problems[0]!.detail}`;
      },
    );
  if (there === undefined || !existsSync(to)) t.is(await apply(), 'done');
  return { folder, to, record: join(folder, '.to.mr-minhash-corpus'), apply };
}

/** Names, links and contents of all below a folder. */
function treeOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const stats = lstatSync(join(folder, name));
    return `${name} ${stats.isFile() ? readFileSync(join(folder, name), 'utf8') : stats.isDirectory()}`;
  });
}

test('a clean corpus has the kept documents only', async (t) => {
  const { folder, to } = await applied(t);
  t.deepEqual(treeOf(to), [`a.txt ${TEXT}`, 'deep true', 'deep/b.txt x']);
  t.deepEqual(readdirSync(folder).sort(), ['.to.mr-minhash-corpus', 'in', 'mine', 'out', 'to']);
});

test('a folder is not replaced if its digest is missing, differs or may be written by others', async (t) => {
  const { folder, to, record, apply } = await applied(t);
  const digest = readFileSync(record);
  for (const text of ['', 'x', `${digest}${digest}${digest}`, '\0'.repeat(100)]) {
    writeFileSync(record, text);
    t.regex(await apply({ force: true }), /^OUTPUT_FOREIGN .*was changed after apply wrote it: move/);
  }
  writeFileSync(record, digest);
  chmodSync(record, 0o666);
  t.regex(await apply({ force: true }), /^OUTPUT_FOREIGN .* may be written by others/);
  rmSync(record);
  t.regex(await apply({ force: true }), /^OUTPUT_FOREIGN .* was not written by apply/);
  writeFileSync(join(folder, 'digest'), digest);
  symlinkSync(join(folder, 'digest'), record);
  t.regex(await apply({ force: true }), /^OUTPUT_FOREIGN .* was not written by apply/);
  t.is(readFileSync(join(folder, 'mine/victim.txt'), 'utf8'), 'mine');
  t.true(existsSync(join(to, 'a.txt')));
});

test('a folder with a changed, linked or added file is not replaced', async (t) => {
  const { folder, to, record } = await applied(t);
  const [a, b] = [join(to, 'a.txt'), join(to, 'deep/b.txt')];
  const changes = [
    () => utimesSync(a, 1, 1),
    () => {
      // An edit that keeps size and time.
      writeFileSync(a, TEXT.replace(/.$/, '!'));
      utimesSync(a, 1000, 1000);
    },
    () => writeFileSync(join(to, 'mine'), 'x'),
    () => mkdirSync(join(to, 'deep/empty')),
    () => {
      rmSync(b);
      symlinkSync(join(folder, 'mine/victim.txt'), b);
    },
    () => rmSync(a),
  ];
  for (const change of changes) {
    const again = await applied(t, folder);
    change();
    const before = treeOf(to);
    t.regex(await again.apply({ force: true }), /^OUTPUT_FOREIGN .*was changed after apply wrote it: move/);
    t.deepEqual(treeOf(to), before);
    rmSync(to, { recursive: true });
    rmSync(record);
  }
  t.deepEqual(treeOf(join(folder, 'mine')), ['victim.txt mine']);
});

test('a corpus is replaced as a whole with --force only, also through a link', async (t) => {
  const { folder, to, apply } = await applied(t);
  t.regex(await apply(), /^OUTPUT_EXISTS /);
  t.is(await apply({ force: true, dropped: true }), 'done');
  t.deepEqual(treeOf(to), [`c.txt ${TEXT}`]);
  mkdirSync(join(folder, 'disk/empty'), { recursive: true });
  symlinkSync(join(folder, 'disk/empty'), join(folder, 'link'));
  t.is(await apply({ to: join(folder, 'link') }), 'done');
  t.true(lstatSync(join(folder, 'link')).isSymbolicLink());
  t.deepEqual(readdirSync(join(folder, 'disk')).sort(), ['.empty.mr-minhash-corpus', 'empty']);
  // Moved, it is a folder like any other.
  renameSync(to, `${to}-moved`);
  t.regex(await apply({ to: `${to}-moved`, force: true }), /^OUTPUT_FOREIGN .* was not written by apply/);
  t.is(await apply(), 'done');
});
