/**
 * `npm run docs [-- --base /PATH/]`: builds the site in site/out by VitePress, with the API from the types by TypeDoc, and llms.txt. Needs no
 * network after `npm ci --prefix site`. Exit code 1 if a link or an anchor leads nowhere; the last line has the counts.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { llmsText, siteOf } from './pages.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SITE = join(ROOT, 'site');
/** The input of VitePress. */
const STAGE = join(SITE, '.stage');
const OUT = join(SITE, 'out');
const TYPES = join(ROOT, 'dist/src/index.d.ts');

const { values } = parseArgs({ options: { base: { type: 'string', default: '/' } } });

/** Runs a program of the packages of the site; its output is printed if it fails. */
function ran(program: string, words: readonly string[]): void {
  try {
    execFileSync(process.execPath, [join(SITE, 'node_modules', program), ...words], {
      cwd: SITE,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    console.error(`${stdout}${stderr}`);
    throw new Error(`${program} failed`);
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Lists and helper types from which public types are computed: the API pages show the computed types. */
const LISTS = (
  'ENTRIES INPUT_KINDS NORMALIZE_WORDS PAIR_KINDS PINNED_OPTIONS REASONS_LEFT_OUT SIGNATURE_NAMES ' +
  'Amounts Values Rows Median Medians PartFolder PartOfNumbers Sometimes ByCode FactName'
).split(' ');

/** The pages of the API, one per name; a type that a public one refers to must have a page. */
function writeApi(): void {
  const tsconfig = join(STAGE, 'tsconfig.json');
  const compilerOptions = {
    ...{
      target: 'es2022',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      skipLibCheck: true,
    },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  write(tsconfig, JSON.stringify({ compilerOptions, files: [TYPES] }));
  const options = {
    ...{ entryPoints: [TYPES], tsconfig, out: join(STAGE, 'api'), plugin: ['typedoc-plugin-markdown'] },
    ...{ name: 'API', readme: 'none', disableSources: true, excludeExternals: true, skipErrorChecking: true },
    ...{
      hidePageHeader: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      logLevel: 'Warn',
    },
    ...{ indexFormat: 'table', groupOrder: ['Functions', 'Classes', '*'] },
    ...{
      validation: { notExported: true },
      treatValidationWarningsAsErrors: true,
      intentionallyNotExported: LISTS,
    },
  };
  const file = join(STAGE, 'typedoc.json');
  write(file, JSON.stringify(options));
  ran('typedoc/bin/typedoc', ['--options', file]);
}

function stage(): void {
  rmSync(STAGE, { recursive: true, force: true });
  rmSync(OUT, { recursive: true, force: true });
  const { pages, images, contents } = siteOf(ROOT);
  for (const { address, text } of pages) write(join(STAGE, `${address}.md`), text);
  write(join(STAGE, 'public/llms.txt'), llmsText(ROOT, values.base));
  for (const image of images) cpSync(join(ROOT, image), join(STAGE, 'public', image));
  cpSync(join(SITE, 'theme/config.mjs'), join(STAGE, '.vitepress/config.mjs'));
  for (const name of ['index.mjs', 'site.css'])
    cpSync(join(SITE, 'theme', name), join(STAGE, '.vitepress/theme', name));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const pagesModule = new URL('./pages.js', import.meta.url).href;
  write(
    join(STAGE, '.vitepress/site.json'),
    JSON.stringify({ base: values.base, contents, version, pagesModule }),
  );
  writeApi();
}

/** Links of the built pages to files and anchors; broken ones are returned as problems. */
function checked(): { pages: number; links: number; problems: string[] } {
  const names = readdirSync(OUT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  );
  const pages = new Map(names.map((name) => [name, readFileSync(join(OUT, name), 'utf8')]));
  const anchors = new Map(
    [...pages].map(([name, html]) => [
      name,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
    ]),
  );
  const problems = new Set<string>();
  let links = 0;
  for (const [name, html] of pages) {
    for (const [, href] of html.matchAll(/<(?:a|img|link|script)\b[^>]*? (?:href|src)="([^"]+)"/g)) {
      const target = href!.replaceAll('&amp;', '&');
      if (/^[a-z]+:/i.test(target)) continue;
      links++;
      const [path, anchor = ''] = target.split('#') as [string, string | undefined];
      const inside = path.startsWith(values.base)
        ? path.slice(values.base.length)
        : posix.join(posix.dirname(name), path);
      const file = path === '' ? name : inside === '' ? 'index.html' : decodeURI(inside);
      const found = [file, `${file}.html`].find((candidate) => existsSync(join(OUT, candidate)));
      if (found === undefined) problems.add(`${name}: ${target}: there is no such page`);
      else if (anchor !== '' && !anchors.get(found)?.has(decodeURIComponent(anchor)))
        problems.add(`${name}: ${target}: there is no such anchor`);
    }
  }
  return { pages: pages.size, links, problems: [...problems].sort() };
}

if (!existsSync(join(SITE, 'node_modules/vitepress'))) {
  console.log('docs: not run (npm ci --prefix site brings what makes the site)');
} else {
  stage();
  ran('vitepress/bin/vitepress.js', ['build', STAGE, '--outDir', OUT]);
  const { pages, links, problems } = checked();
  for (const problem of problems) console.log(problem);
  console.log(`${pages} pages, ${links} links, ${problems.length} that lead nowhere; in site/out`);
  if (problems.length > 0) process.exitCode = 1;
}
