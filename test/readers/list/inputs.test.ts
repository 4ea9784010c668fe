import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { type InputParams, type Inputs, listInputs } from '../../../src/readers/list/inputs.js';
import { orderOfPaths } from '../../../src/result/manifest.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { readParams } from '../recordingSink.js';
import { filesOf, STREAM } from './fileTables.js';

const AUTO: InputParams = { ...readParams(), textFieldGiven: false, include: [], exclude: [] };

function list(
  paths: string[],
  changes: Partial<InputParams> = {},
  outFolder: string | null = null,
): Promise<Inputs> {
  return listInputs({ paths, outFolder, params: { ...AUTO, ...changes } });
}

const ids = (inputs: Inputs): string[] => filesOf(inputs.files).map((file) => file.id);

const plain = (inputs: Inputs): unknown => ({
  ...inputs,
  files: filesOf(inputs.files),
  links: links(inputs),
});

/** `place CODE` of every link that is left out. */
const links = (inputs: Inputs): string[] => inputs.links.map(({ place, code }) => `${place} ${code}`);

test('listInputs walks a folder and gives files in the byte order of their ids', async (t) => {
  const top = temporaryFolder(t, {
    'b.txt': 'bb',
    'a/z.txt': '',
    'a.txt': '1',
    'a/b/c.txt': 'x',
    'empty/': '',
  });
  const inputs = await list([top]);
  t.deepEqual(ids(inputs), ['a.txt', 'a/b/c.txt', 'a/z.txt', 'b.txt']);
  t.is(inputs.files.file(3).bytes, 2);
  t.is(inputs.files.file(1).path, `${top}/a/b/c.txt`);
  t.deepEqual(inputs.roots, [top]);
  t.deepEqual(inputs.problems, []);
});

test('listInputs does not walk hidden entries, but an explicit PATH may be hidden', async (t) => {
  const top = temporaryFolder(t, { '.git/x': '', '.hidden': '', a: '', '.deep/b/c': '' });
  t.deepEqual(ids(await list([top])), ['a']);
  t.deepEqual(ids(await list([join(top, '.deep')])), ['b/c']);
  t.deepEqual(ids(await list([join(top, '.hidden')])), ['.hidden']);
});

test('listInputs reads an explicit PATH in a hidden folder beside the folder around it', async (t) => {
  const top = temporaryFolder(t, { '.deep/b/c': '', a: '' });
  const inputs = await list([top, join(top, '.deep/b')]);
  t.is(inputs.roots.length, 2);
  t.deepEqual(ids(inputs).filter((id) => id.endsWith('b/c')).length, 1);
  t.is(inputs.files.length, 2);
});

test('links are not read except as PATHs, and their targets may be below another PATH', async (t) => {
  const outside = temporaryFolder(t, { 'secret.txt': 's' });
  const top = temporaryFolder(t, { 'a.txt': 'abc', 'd/b.txt': '' });
  symlinkSync('d', join(top, 'folder'));
  symlinkSync(join(outside, 'secret.txt'), join(top, 'out.txt'));
  symlinkSync('loop', join(top, 'loop'));
  linkSync(join(top, 'a.txt'), join(top, 'hard.txt'));
  const inputs = await list([top]);
  t.deepEqual(ids(inputs), ['a.txt', 'd/b.txt', 'hard.txt']);
  t.deepEqual(inputs.skipped, []);
  t.deepEqual(inputs.leftOut.links, { inside: 1, outside: 1, broken: 1 });
  for (const other of [outside, join(outside, 'secret.txt')])
    t.deepEqual((await list([top, other])).leftOut.links, { inside: 2, outside: 0, broken: 1 });
  t.deepEqual(ids(await list([join(top, 'folder')])), ['b.txt']);
  t.deepEqual(ids(await list([join(top, 'out.txt')])), ['out.txt']);
});

test('listInputs does not walk the output folder, nor results of ours, nor links into them', async (t) => {
  const top = temporaryFolder(t, {
    'a.txt': '',
    'out/pairs/part-00000.tsv': '',
    'old/manifest.json': '{"tool":"mr-minhash"}',
    'old/duplicates.tsv': '',
    'theirs/manifest.json': '{"tool":"another"}',
    'broken/manifest.json': '{"tool":"mr-minhash"',
    'site/manifest.json/x': '',
  });
  symlinkSync('old/duplicates.tsv', join(top, 'into-old'));
  symlinkSync('out/pairs/part-00000.tsv', join(top, 'into-out'));
  symlinkSync(join(top, 'out'), join(top, 'alias'));
  const inputs = await list([top], {}, join(top, 'alias'));
  t.deepEqual(ids(inputs), ['a.txt', 'broken/manifest.json', 'site/manifest.json/x', 'theirs/manifest.json']);
  t.deepEqual(inputs.skipped, []);
  const linked = { inside: 0, outside: 3, broken: 0 };
  t.deepEqual(inputs.leftOut, { hidden: 0, links: linked, unwanted: 0, results: ['old'] });
  const within = await Promise.all(['old', 'old/duplicates.tsv'].map((name) => list([join(top, name)])));
  t.true(
    within[1]!.problems[0]!.detail.endsWith(`/old/duplicates.tsv" is in ${JSON.stringify(join(top, 'old'))}`),
  );
  for (const inside of [await list([join(top, 'out/pairs')], {}, join(top, 'out')), ...within]) {
    t.deepEqual(ids(inside), []);
    t.deepEqual(
      inside.problems.map(({ code }) => code),
      ['PATH_IN_RESULT'],
    );
  }
});

test('listInputs skips pipes and sockets below a folder, unless they are excluded', async (t) => {
  const top = temporaryFolder(t, { a: '' });
  execFileSync('mkfifo', [join(top, 'pipe')]);
  t.deepEqual((await list([top])).skipped, [{ place: 'pipe', code: 'NOT_A_FILE' }]);
  t.deepEqual((await list([top], { exclude: ['pipe'] })).skipped, []);
});

test('listInputs keeps names with tabs, line feeds and bytes that are not UTF-8', async (t) => {
  const top = temporaryFolder(t, { 'a\tb\nc': '', 'd/\xff\xfe': 'x', '\xc3\xa9': '', 'q"\\': '' });
  t.deepEqual(ids(await list([top])), ['a\tb\nc', 'd/\xff\xfe', 'q"\\', '\xc3\xa9']);
  t.deepEqual(ids(await list([top], { include: ['**/*'] })).length, 4);
  t.deepEqual(ids(await list([top], { include: ['é'] })), ['\xc3\xa9']);
});

test('listInputs reads overlapping PATHs once, under the outermost, in any order', async (t) => {
  const top = temporaryFolder(t, { 'a/b/c.txt': '', 'a/d.txt': '', 'e.txt': '' });
  symlinkSync('a/b', join(top, 'alias'));
  const expected = plain(await list([join(top, 'a')]));
  const inner = [join(top, 'a/b'), join(top, 'a'), join(top, 'a/d.txt'), `${top}/./a/`, join(top, 'alias')];
  t.deepEqual(plain(await list(inner)), expected);
  t.deepEqual(ids(await list(inner.reverse())), ['b/c.txt', 'd.txt']);
});

test('a file with several names is read once, under the first PATH', async (t) => {
  const top = temporaryFolder(t, { 'z/real.txt': '' });
  symlinkSync('z/real.txt', join(top, 'name.txt'));
  const both = [join(top, 'name.txt'), join(top, 'z/real.txt')];
  t.deepEqual(ids(await list(both)), ['name.txt']);
  t.deepEqual(ids(await list(both.reverse())), ['real.txt']);
});

test('listInputs puts the shortest suffix that tells several PATHs apart before the ids', async (t) => {
  const top = temporaryFolder(t, { 'x/mail/1': '', 'y/mail/1': '', 'y/one.txt': '' });
  const paths = [join(top, 'x/mail'), join(top, 'y/mail'), join(top, 'y/one.txt')];
  const inputs = await list(paths);
  t.deepEqual(ids(inputs), ['x/mail/1', 'y/mail/1', 'y/one.txt']);
  t.deepEqual(orderOfPaths(inputs.places), ['x/mail/', 'y/mail/', 'y/one.txt']);
  const turned = await list([...paths].reverse());
  t.deepEqual(orderOfPaths(turned.places), ['y/one.txt', 'y/mail/', 'x/mail/']);
  t.deepEqual(ids(turned), ['y/one.txt', 'y/mail/1', 'x/mail/1']);
  t.deepEqual(turned.roots, inputs.roots);
  const numbersOf = ({ files }: typeof inputs) => Array.from(files.root, (root) => files.roots[root]!.number);
  t.deepEqual(
    [numbersOf(inputs), numbersOf(turned)],
    [
      [0, 1, 2],
      [0, 1, 2],
    ],
  );
  t.is(orderOfPaths((await list([paths[0]!, paths[0]!])).places), null);
  t.deepEqual(ids(await list([join(top, 'y/mail'), join(top, 'y/one.txt')])), ['mail/1', 'one.txt']);
  t.deepEqual(ids(await list([join(top, 'y/one.txt')])), ['one.txt']);
  t.deepEqual(ids(await list([relative(process.cwd(), join(top, 'y'))])), ['mail/1', 'one.txt']);
});

test('listInputs takes standard input as JSON lines', async (t) => {
  const top = temporaryFolder(t, { 'd/a': '' });
  const inputs = await list(['-', join(top, 'd'), '-'], { input: 'text' });
  t.deepEqual(ids(inputs), ['-', 'd/a']);
  const [stdin] = filesOf(inputs.files);
  t.deepEqual(stdin, STREAM);
});

test('listInputs without PATHs, or with missing ones, is wrong use', async (t) => {
  const top = temporaryFolder(t, { a: '' });
  t.deepEqual((await list([])).problems, [{ code: 'NO_INPUT', detail: '' }]);
  const missing = await list([join(top, 'no'), '', 'nul\0', join(top, 'a/below'), top]);
  t.deepEqual(
    missing.problems.map((problem) => problem.code),
    ['PATH_MISSING', 'PATH_MISSING', 'PATH_MISSING', 'PATH_MISSING'],
  );
  t.true(missing.problems[0]!.detail.includes('/no'));
  symlinkSync('nowhere', join(top, 'dangling'));
  t.regex(
    (await list([join(top, 'dangling')])).problems[0]!.detail,
    /dangling" is a symbolic link to "nowhere", which cannot be read$/,
  );
});

test('a PATH that is an address of another kind is a usage error', async (t) => {
  for (const path of ['gs://bucket/texts', 'hdfs://node:8020/texts', 'FTP://host', 'az://x/y', 'file:///tmp'])
    t.deepEqual((await list([path])).problems, [{ code: 'PATH_REMOTE', detail: JSON.stringify(path) }]);
  // A folder may have such a name all the same.
  const top = temporaryFolder(t, { 's3:/bucket/a': '' });
  t.deepEqual(ids(await list([`${top}/s3://bucket`])), ['a']);
});

test('listInputs applies include and exclude to relative paths and to the name of a file', async (t) => {
  const top = temporaryFolder(t, { 'a.txt': '', 'a.md': '', 'd/b.txt': '', 'd/e/b.txt': '' });
  t.deepEqual(ids(await list([top], { include: ['*.txt'] })), ['a.txt', 'd/b.txt', 'd/e/b.txt']);
  t.deepEqual(ids(await list([top], { include: ['/*.txt'] })), ['a.txt']);
  t.deepEqual(ids(await list([top], { include: ['**/*.txt'], exclude: ['d/e/**'] })), ['a.txt', 'd/b.txt']);
  const two = [join(top, 'd'), join(top, 'a.md')];
  const some = await list(two, { exclude: ['*.md', 'e/b.txt'] });
  t.deepEqual(ids(some), ['d/b.txt']);
  t.is(some.leftOut.unwanted, 2);
});

test('every link is counted once by where it leads, whatever a tree is like, and no link is a document', async (t) => {
  const names = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/c', '.h', '.h/a'] as const;
  const targets = [...names, 'nowhere', '..', '.'].map((name) => (name === '..' ? 'OUT' : name));
  const tree = fc.array(
    fc.tuple(fc.constantFrom('x', 'd/x', 'd/e/x', 'y'), fc.constantFrom(...targets, 'x', 'y')),
    {
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(tree, async (planned) => {
      const top = temporaryFolder(t, { a: '', b: '', 'd/a': '', 'd/e/c': '', '.h/a': '' });
      const made = new Map(planned);
      for (const [name, target] of made) {
        symlinkSync(target === 'OUT' ? join(top, '..') : join(top, target), join(top, name));
      }
      const inputs = await list([top]);
      const expected = [...made.keys()].sort().map((name) => {
        const real = existsSync(join(top, name)) ? relative(top, realpathSync(join(top, name))) : null;
        const isOut = real?.startsWith('.') ?? false;
        return `${name} LINK_${real === null ? 'BROKEN' : isOut ? 'OUTSIDE' : 'INSIDE'}`;
      });
      t.deepEqual(ids(inputs), ['a', 'b', 'd/a', 'd/e/c']);
      t.deepEqual(links(inputs), expected);
      const { inside, outside, broken } = inputs.leftOut.links;
      t.is(inside + outside + broken, made.size);
    }),
    { seed: 12, numRuns: 40 },
  );
});

test('--include and --exclude apply to the names of links', async (t) => {
  const top = temporaryFolder(t, { 'a.txt': '', 'a.md': '', 'd/b.txt': '' });
  symlinkSync('a.txt', join(top, 'x.txt'));
  symlinkSync('a.txt', join(top, 'x.md'));
  symlinkSync('a.md', join(top, 'y.txt'));
  symlinkSync('d', join(top, 'folder'));
  const wanted = await list([top], { include: ['*.txt'] });
  t.deepEqual(links(wanted), ['x.txt LINK_INSIDE', 'y.txt LINK_INSIDE']);
  t.is(wanted.leftOut.unwanted, 3);
  const without = await list([top], { exclude: ['folder', 'x.*'] });
  t.deepEqual(links(without), ['y.txt LINK_INSIDE']);
});

test('listInputs tells formats by name, and --input overrides it', async (t) => {
  const top = temporaryFolder(t, { a: '', 'b.JSONL': '', 'c.ndjson.gz': '', 'd.json': '', 'e.txt.GZ': '' });
  const formats = async (changes: Partial<InputParams>): Promise<string[]> =>
    filesOf((await list([top], changes)).files).map(
      (file) => file.format + (file.codec === null ? '' : '.gz'),
    );
  t.deepEqual(await formats({}), ['text', 'jsonl', 'jsonl.gz', 'json-or-text', 'text.gz']);
  t.deepEqual((await formats({ textFieldGiven: true }))[3], 'json');
  t.deepEqual(await formats({ input: 'jsonl' }), ['jsonl', 'jsonl', 'jsonl.gz', 'jsonl', 'jsonl.gz']);
});

test('listInputs walks 3,000 nested folders without recursion, and names what is too deep', async (t) => {
  const top = temporaryFolder(t);
  // Made level by level with relative paths, because an absolute path may have 4096 bytes at most.
  const script = 'for (let i = 0; i < 3000; i++) { fs.mkdirSync("d"); process.chdir("d"); }';
  execFileSync(process.execPath, ['-e', script], { cwd: top });
  t.teardown(() => execFileSync('rm', ['-rf', join(top, 'd')]));
  const inputs = await list([top]);
  t.is(inputs.files.length, 0);
  t.is(inputs.skipped.length, 1);
  t.is(inputs.skipped[0]!.code, 'UNREADABLE');
});

test('listInputs names folders that may not be read, and refuses such a PATH', async (t) => {
  const top = temporaryFolder(t, { 'shut/a': '', 'open/b': '' });
  chmodSync(top, 0o755);
  chmodSync(join(top, 'shut'), 0);
  t.teardown(() => chmodSync(join(top, 'shut'), 0o755));
  const module = new URL('../../../src/readers/list/inputs.js', import.meta.url).href;
  const code = `
    const { listInputs } = await import(${JSON.stringify(module)});
    const params = ${JSON.stringify(AUTO)};
    const run = async (path) => {
      const { files, ...rest } = await listInputs({ paths: [path], outFolder: null, params });
      return { ...rest, ids: Array.from({ length: files.length }, (_, i) => files.id(i)) };
    };
    console.log(JSON.stringify([await run(${JSON.stringify(top)}), await run(${JSON.stringify(join(top, 'shut'))})]));`;
  // Root may read everything: then the listing runs as nobody.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const options = { encoding: 'utf8' as const, cwd: '/', ...user };
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', code], options);
  if (child.status !== 0) {
    t.log('cannot run as another user here');
    t.pass();
    return;
  }
  const [whole, shut] = JSON.parse(child.stdout) as (Omit<Inputs, 'files'> & { ids: string[] })[];
  t.deepEqual(whole!.ids, ['open/b']);
  t.deepEqual(whole!.skipped, [{ place: 'shut', code: 'UNREADABLE' }]);
  t.is(shut!.problems[0]!.code, 'PATH_MISSING');
});

test('listInputs of an output folder that does not exist yet walks all', async (t) => {
  const top = temporaryFolder(t, { a: '' });
  t.deepEqual(ids(await list([top], {}, join(top, 'out'))), ['a']);
  mkdirSync(join(top, 'out'));
  t.deepEqual(ids(await list([top], {}, join(top, 'out'))), ['a']);
  rmSync(join(top, 'out'), { recursive: true });
});

test('a table of data among texts is a text where nobody named its text field', async (t) => {
  const content = {
    'a.txt': 'a text',
    'data/rates.csv': 'id,rate\n1,2\n',
    'data/rates.jsonl': '{"rate":1}\n{"rate":2}\n',
    'data/texts.jsonl': '{"rate":1,"text":"one"}\n',
    'data/rates.tsv.gz': gzipSync('id\trate\n1\t2\n'),
  };
  const top = temporaryFolder(t, content);
  const formatsOf = async (paths: string[], changes: Partial<InputParams> = {}) =>
    filesOf((await list(paths, changes)).files).map(({ format }) => format);
  t.deepEqual(await formatsOf([top]), [
    'text',
    ...Array.from({ length: 3 }, () => 'records-as-text'),
    'jsonl',
  ]);
  t.deepEqual(await formatsOf([top], { textFieldGiven: true, textField: 'rates' }), [
    ...['text', 'csv', 'jsonl', 'tsv', 'jsonl'],
  ]);
  // Named on the command line, or with nothing else beside: refused by who checks the fields.
  t.deepEqual(await formatsOf([`${top}/data/rates.csv`]), ['csv']);
  rmSync(`${top}/a.txt`);
  rmSync(`${top}/data/texts.jsonl`);
  t.deepEqual(await formatsOf([top]), ['csv', 'jsonl', 'tsv']);
});
