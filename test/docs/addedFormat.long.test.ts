/** Adds the example format of docs/dev/adding.md to a copy of the program, and runs every command that reads files. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { transformSync } from 'esbuild';
import { programHere } from '../cli/programHere.js';
import { pageOf, ROOT } from './pages.js';
import { snippetsOf } from './snippets.js';

// Below dist/, so that packages are resolved.
mkdirSync(join(ROOT, 'dist/added'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'dist/added/mr-minhash-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces the only match in a file of the copy. */
function edit(t: ExecutionContext, name: string, place: RegExp, by: string): void {
  const path = join(folder, 'dist', name);
  const source = readFileSync(path, 'utf8');
  t.is(source.match(new RegExp(place.source, `g${place.flags}`))?.length, 1, name);
  writeFileSync(path, source.replace(place, by));
}

const javaScriptOf = (source: string): string =>
  transformSync(source, { loader: 'ts', target: 'es2022' }).code;

/** Makes a copy of the program with the file and the row of the page, and with what the build generates from them. */
function addFormat(t: ExecutionContext): void {
  for (const tree of ['src', 'cli', 'mappers', 'reducers'])
    cpSync(join(ROOT, 'dist', tree), join(folder, 'dist', tree), {
      recursive: true,
      filter: (path) => !/\.(d\.c?ts|map)$/.test(path),
    });
  symlinkSync(join(ROOT, 'dist/package'), join(folder, 'dist/package'));
  symlinkSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const page = pageOf('docs/dev/adding.md').replace(/^ {3}/gm, '');
  const [file, row] = snippetsOf(page).filter(({ language }) => language === 'ts');
  writeFileSync(join(folder, 'dist/src/readers/formats/trec.js'), javaScriptOf(file!.text));
  edit(t, 'src/readers/list/formats.js', /name: 'sets',[^}]*\},\n/, `$&${row!.text}`);
  edit(
    t,
    'src/readers/list/formats.js',
    /^import \{ WarcDocuments \}/m,
    "import { TREC, TrecDocuments } from '../formats/trec.js';\n$&",
  );
  const names = join(folder, 'formatNames.ts');
  execFileSync(process.execPath, [
    join(ROOT, 'scripts/formatNames.mjs'),
    join(folder, 'dist/src/readers/list/formats.js'),
    names,
  ]);
  writeFileSync(join(folder, 'dist/src/sketch/formatNames.js'), javaScriptOf(readFileSync(names, 'utf8')));
}

/** Runs the copy in this process. */
async function mrMinhash(words: readonly string[], input = ''): Promise<{ code: number; out: string }> {
  const { runProgram } = (await import(
    pathToFileURL(join(folder, 'dist/cli/program.js')).href
  )) as typeof import('../../cli/program.js');
  const { code, stdout, stderr } = await programHere(folder, words, input, runProgram);
  return { code, out: stdout + stderr };
}

const words = (last: string): string =>
  `${Array.from({ length: 39 }, (_, i) => `word${i}`).join(' ')} ${last}`;
const record = (id: string, text: string): string =>
  `<DOC>\n<DOCNO> ${id} </DOCNO>\n<TEXT>\n${text}\n</TEXT>\n</DOC>\n`;

test.serial(
  'a format takes its own file and its row; run, apply, filter, query, compare and inspect know it',
  async (t) => {
    t.timeout(120_000);
    addFormat(t);
    const one = record('one', words('here'));
    const other = record('other', 'nothing of the kind is said in this text about something else');
    mkdirSync(join(folder, 'corpus'));
    writeFileSync(join(folder, 'corpus/a.trec'), `${one}${record('two', words('there'))}${other}\n`);
    writeFileSync(join(folder, 'base.txt'), words('here'));

    const run = await mrMinhash(['run', 'corpus', '--out', 'found', '--threads', '0', '--verbose']);
    t.is(run.code, 0, run.out);
    t.regex(run.out, /read as +3 records of 1 TREC file/i);
    const inspect = await mrMinhash(['inspect', 'found', '--pair', 'one', 'two']);
    t.regex(inspect.out, /there/, inspect.out);
    const apply = await mrMinhash(['apply', 'found', '--to', 'kept']);
    t.is(apply.code, 0, apply.out);
    t.is(readFileSync(join(folder, 'kept/a.trec'), 'utf8'), `${one}${other}\n`);
    const query = await mrMinhash(['query', 'base.txt', 'corpus']);
    t.regex(query.out, /^1\tone\t1\.0+/m, query.out);
    const compare = await mrMinhash(['compare', '--in', 'corpus', 'one', 'two']);
    t.is(compare.code, 0, compare.out);
    const lines = ['here', 'is else'].map(
      (last) => `${JSON.stringify({ text: last === 'here' ? words(last) : last })}\n`,
    );
    const filter = await mrMinhash(['filter', '--against', 'corpus'], lines.join(''));
    t.true(filter.out.includes(lines[1]!) && !filter.out.includes(lines[0]!), filter.out);
    const typed = await mrMinhash(['run', 'corpus/a.trec', '--input', 'trec', '--json', '--out', 'typed']);
    t.is(typed.code, 0, typed.out);
    const piped = await mrMinhash(
      ['run', '-', '--input', 'trec', '--out', 'piped', '--verbose'],
      one + other,
    );
    t.regex(piped.out, /read as +2 records of standard input/i);
  },
);
