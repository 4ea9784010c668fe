import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { inputProblem, namedFileProblem, openNamedFile, writeNamedFile } from '../../src/store/namedFile.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const bytes = new TextEncoder().encode('new\n');
const kept = () => 'it is kept';

test('a regular file is replaced atomically, without leaving other files', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'f');
  writeFileSync(file, 'older and longer\n');
  t.is(namedFileProblem(file, kept), 'it is kept');
  t.is(
    namedFileProblem(file, () => null),
    null,
  );
  const written = openNamedFile(file);
  written.append(bytes);
  t.is(readFileSync(file, 'utf8'), 'older and longer\n', 'until it is closed');
  t.deepEqual(readdirSync(folder), ['.f.tmp', 'f']);
  written.close();
  t.is(readFileSync(file, 'utf8'), 'new\n');
  t.deepEqual(readdirSync(folder), ['f']);
});

test('an abandoned file leaves what was there', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'f'), 'old');
  const written = openNamedFile(join(folder, 'f'));
  written.append(bytes);
  written.abandon();
  t.false(written.isOpen);
  t.deepEqual(readdirSync(folder), ['f']);
  t.is(readFileSync(join(folder, 'f'), 'utf8'), 'old');
});

test('of a link the file that it leads to is replaced, and the link stays', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'f'), 'old');
  symlinkSync('f', join(folder, 'link'));
  t.is(namedFileProblem(join(folder, 'link'), kept), 'it is kept');
  writeNamedFile(join(folder, 'link'), bytes);
  t.true(lstatSync(join(folder, 'link')).isSymbolicLink());
  t.is(readFileSync(join(folder, 'f'), 'utf8'), 'new\n');
});

test('a device is written into', (t) => {
  t.is(namedFileProblem('/dev/null', kept), null);
  writeNamedFile('/dev/null', bytes);
  t.true(statSync('/dev/null').isCharacterDevice());
});

test('a pipe is written into', async (t) => {
  const pipe = join(temporaryFolder(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  t.is(namedFileProblem(pipe, kept), null);
  const reader = spawn('cat', [pipe]);
  const read = reader.stdout.toArray();
  writeNamedFile(pipe, bytes);
  t.is(Buffer.concat(await read).toString(), 'new\n');
  t.true(statSync(pipe).isFIFO());
});

test('an open file of a process is appended to', (t) => {
  const file = join(temporaryFolder(t), 'f');
  writeFileSync(file, 'before\n');
  const module = JSON.stringify(new URL('../../src/store/namedFile.js', import.meta.url).href);
  const script = `import(${module}).then(({ writeNamedFile }) => writeNamedFile('/dev/stdout', Buffer.from('counts\\n')))`;
  execFileSync('sh', ['-c', '"$0" -e "$1" >>"$2"', process.execPath, script, file]);
  t.is(readFileSync(file, 'utf8'), 'before\ncounts\n');
});

test('a folder and a missing folder are problems with a way out', (t) => {
  const folder = temporaryFolder(t);
  t.regex(namedFileProblem(folder, kept)!, /^a folder, expected the name of a file/);
  t.regex(namedFileProblem(join(folder, 'no/f'), kept)!, /^there is no folder .*no; make it first/);
  t.is(namedFileProblem('', kept), 'expected the name of a file');
});

test('an existing file is not replaced if it is an input or in a folder of inputs', (t) => {
  const folder = temporaryFolder(t, { 'texts/a.txt': 'one', 'b.txt': 'two', 'plot.svg': 'old' });
  symlinkSync(join(folder, 'b.txt'), join(folder, 'link'));
  const inputs = [join(folder, 'texts'), join(folder, 'b.txt'), 's3://bucket/x', join(folder, 'missing')];
  const why = 'the file is an input; choose another name';
  t.is(inputProblem(join(folder, 'b.txt'), inputs), why);
  t.is(inputProblem(join(folder, 'link'), inputs), why);
  t.is(inputProblem(join(folder, 'texts/a.txt'), inputs), why);
  t.is(inputProblem(join(folder, 'plot.svg'), inputs), null);
});
