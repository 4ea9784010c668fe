/**
 * `npm run test:core`: the core as it is shipped in Chromium, Deno and Bun, each where it is there (found by CHROME_PATH and on the
 * PATH). Prints a line a runtime, then "N passed, N failed", and ends with 1 where one fails; `core: not run` where there is none.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { browserHere, startBrowser } from '../browser/browser.js';
import { snippetsOf } from '../docs/snippets.js';
import { vectorsOfPage } from './vectors.js';

const CORE = fileURLToPath(new URL('../../package/core.js', import.meta.url));
const CONFORMANCE = fileURLToPath(new URL('./conformance.js', import.meta.url));
const LIBRARY_PAGE = fileURLToPath(new URL('../../../docs/library.md', import.meta.url));

let [passed, failed] = [0, 0];

function tell(name: string, problems: readonly string[]): void {
  if (problems.length === 0) passed++;
  else failed++;
  console.log(problems.length === 0 ? `ok   ${name}` : `FAIL ${name}: ${problems.join('; ')}`);
}

/** A module that says what differs. */
function program(core: string, conformance: string, say: (words: string) => string): string {
  return `import * as core from ${JSON.stringify(core)};
import { differences } from ${JSON.stringify(conformance)};
${say(`JSON.stringify(differences(core, ${JSON.stringify(vectorsOfPage())}))`)};\n`;
}

/** A runtime that is a program; null: it is not there. */
function inProgram(name: string, words: readonly string[]): string[] | null {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-core-'));
  try {
    const file = join(folder, 'program.mjs');
    writeFileSync(
      file,
      program(pathToFileURL(CORE).href, pathToFileURL(CONFORMANCE).href, (words) => `console.log(${words})`),
    );
    const { error, status, stdout, stderr } = spawnSync(name, [...words, file], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    if (error !== undefined && 'code' in error && error.code === 'ENOENT') return null;
    return status === 0 ? (JSON.parse(stdout) as string[]) : [`exit code ${status}: ${stderr.slice(0, 500)}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page that docs/library.md shows, which compares two texts as they are typed. */
function pageOfDocs(): string {
  const block = snippetsOf(readFileSync(LIBRARY_PAGE, 'utf8')).find(({ language }) => language === 'html');
  if (block === undefined) throw new Error('docs/library.md has no page');
  return block.text;
}

async function inBrowser(): Promise<{ conformance: string[]; page: string[] } | null> {
  const found = browserHere();
  if (found === null) return null;
  const files: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
    '/': ['text/html; charset=utf-8', pageOfDocs()],
    '/node_modules/mr-minhash/dist/package/core.js': ['text/javascript', readFileSync(CORE)],
    '/conformance.js': ['text/javascript', readFileSync(CONFORMANCE)],
    '/program.js': [
      'text/javascript',
      program(
        './node_modules/mr-minhash/dist/package/core.js',
        './conformance.js',
        (words) => `globalThis.said = ${words}`,
      ),
    ],
  };
  const server = createServer(({ url }, response) => {
    const [type, body] = files[url ?? ''] ?? ['text/plain', ''];
    response.writeHead(body === '' ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await startBrowser(found);
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.addScriptTag({ type: 'module', url: '/program.js' });
    await page.waitForFunction('globalThis.said !== undefined || undefined');
    const conformance = JSON.parse(await page.evaluate('globalThis.said')) as string[];
    const [a, b] = [page.locator('textarea').first(), page.locator('textarea').last()];
    await a.fill('a rose is a rose is a rose');
    await b.fill('a rose is a flower which is a rose');
    const output = (await page.locator('output').textContent()) ?? '';
    return { conformance, page: [...errors, ...(output.startsWith('0.5') ? [] : [`it shows ${output}`])] };
  } finally {
    await browser.close();
    server.close();
  }
}

async function main(): Promise<void> {
  const browser = await inBrowser();
  if (browser === null) console.log('browser: not there');
  else {
    tell('in a browser', browser.conformance);
    tell('in a browser: the page of docs/library.md', browser.page);
  }
  for (const [name, words] of [
    ['deno', ['run', '--no-config', '--no-remote', '--no-npm']],
    ['bun', ['run']],
  ] as const) {
    const problems = inProgram(name, words);
    if (problems === null) console.log(`${name}: not there`);
    else tell(`in ${name}`, problems);
  }
  if (passed + failed === 0) console.log('core: not run (neither a browser nor deno nor bun is there)');
  else console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

await main();
