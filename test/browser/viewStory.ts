/**
 * `view` in a real browser: the story of who cleans a corpus, with the mouse and by keys alone, every address loaded again, at both widths,
 * light and dark, and what axe says of each page.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { applyResult } from '../../src/index.js';
import { dropListFile } from '../../src/result/dropListFile.js';
import { ResultView } from '../../src/view/viewPages.js';
import { serveView } from '../../src/view/viewServer.js';
import { type Look, leastContrast } from './lookedAt.js';

/** Says whether something holds. */
export type Check = (name: string, holds: boolean, found?: unknown) => void;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Opened {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** A window in which everything is noted that goes wrong, or goes anywhere else. */
export async function windowAt(browser: Browser, address: string, { width, scheme }: Look): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // The page shows an edit that is rejected.
    if (!message.text().includes('409')) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('dialog', async (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('data:') && !url.startsWith('blob:'))
      problems.push(`request: ${url}`);
  });
  return { page, problems };
}

/** Waits until all parts near the window are filled. */
export async function settled(page: Page): Promise<void> {
  // A page that waits for a reading reloads automatically.
  await page.locator('meta[http-equiv="refresh"]').waitFor({ state: 'detached' });
  // Filled parts may bring others into view.
  for (let round = 0; round < 3; round++) {
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
    );
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }
}

/** What axe says that is serious. The page's own policy forbids scripts of others, so it is run beside it. */
async function seriousFaults(browser: Browser, url: string, { width, scheme }: Look): Promise<string[]> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    bypassCSP: true,
  });
  const page = await context.newPage();
  await page.goto(url);
  await settled(page);
  await page.evaluate(AXE);
  const found: string[] = await page.evaluate(
    `axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 120)))`,
  );
  await context.close();
  return found;
}

const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

/** Every view has an address, which can be loaded again, and looks right at every width. */
async function checkAddresses(
  browser: Browser,
  base: string,
  name: string,
  check: Check,
  screenshots: string,
): Promise<void> {
  const views: readonly (readonly [string, string])[] = [
    ['overview', ''],
    ['clusters', 'clusters?sort=drops'],
    ['search', 'clusters?search=2.0'],
    ['texts', 'clusters?search=copyright+licensor&in=texts&sort=drops'],
    ['cluster', 'cluster?n=1'],
    ['two', 'pair?a=0&b=1'],
    ['pairs', 'pairs?sort=least'],
    ['skipped', 'skipped'],
    ['list', 'list'],
  ];
  for (const look of LOOKS) {
    const { page, problems } = await windowAt(browser, base, look);
    for (const [view, address] of views) {
      const title = `${name} ${view}, ${look.width} px, ${look.scheme}`;
      await page.goto(`${base}${address}`);
      await settled(page);
      const before = await page.locator('main').innerText();
      await page.reload();
      await settled(page);
      check(
        `${title}: the same when it is loaded again`,
        (await page.locator('main').innerText()) === before,
      );
      const wide: number = await page.evaluate('document.documentElement.scrollWidth');
      check(`${title}: no horizontal scrolling`, wide <= look.width, wide);
      const { contrast, text } = await leastContrast(page);
      check(`${title}: all text has contrast`, contrast >= 4.5, `${contrast.toFixed(2)} of ${text}`);
      await page.screenshot({
        path: join(screenshots, `view-${name}-${view}-${look.width}-${look.scheme}.png`),
      });
      const axe = await seriousFaults(browser, `${base}${address}`, look);
      check(`${title}: axe finds nothing serious`, axe.length === 0, axe);
    }
    check(
      `${name}, ${look.width} px, ${look.scheme}: no error, no dialog, no request elsewhere`,
      problems.length === 0,
      problems,
    );
    await page.context().close();
  }
}

/** Open, search, open a cluster, compare two, keep the other, keep both, undo; then apply, and run again: nothing is left. */
async function checkStory(browser: Browser, base: string, result: string, check: Check): Promise<void> {
  const file = dropListFile(result);
  const decided = (): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(1) : [];
  const { page, problems } = await windowAt(browser, base, LOOKS[0]!);
  await page.goto(base);
  await page.getByRole('link', { name: 'Clusters', exact: true }).first().click();
  await page.locator('#search').fill('AFL-2.1');
  await page.getByRole('button', { name: 'Search' }).click();
  check('a search finds the cluster', (await page.locator('.long tbody tr').count()) === 1);
  await page.locator('.long tbody a').first().click();
  await page.locator('.long tbody a', { hasText: 'AFL-2.1.json' }).first().click();
  check('two texts are side by side', (await page.locator('.whole .different').count()) > 0);
  await page.getByRole('button', { name: 'Keep b, drop a' }).click();
  await page.locator('#message', { hasText: 'Saved.' }).waitFor();
  const isListed = (id: string): boolean => decided().some((line) => line.startsWith(`${id}\t`));
  check('keep this instead is saved', isListed('AFL-2.0.json') && !isListed('AFL-2.1.json'));
  check('and shown', (await page.locator('main').innerText()).includes('a is dropped, b is kept'));
  await page.keyboard.press('u');
  await page.locator('#message', { hasText: 'as in the result' }).waitFor();
  check('u takes it back', !existsSync(file));
  await page.getByRole('button', { name: 'Keep both' }).click();
  await page.locator('#message', { hasText: '1 fewer' }).waitFor();
  check('keep both is saved', !isListed('AFL-2.0.json') && !isListed('AFL-2.1.json'));
  const length = decided().length;
  await page.goto(`${base}cluster?n=1`);
  const drop = page.getByRole('button', { name: 'Drop all that are ticked' });
  check('nothing is ticked', await drop.isDisabled());
  for (const box of await page.locator('[data-tick]').all()) await box.check();
  await drop.click();
  await page.locator('#ask[open]').waitFor();
  check('a question comes before texts are lost', (await page.locator('#ask-what li').count()) > 0);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('#message.error').waitFor();
  check('and nothing is changed', decided().length === length, decided().length);
  const download = page.waitForEvent('download');
  await page.goto(`${base}clusters`);
  await page.getByRole('link', { name: 'Download TSV' }).click();
  const table = readFileSync(await (await download).path(), 'utf8');
  check(
    'tables are downloaded',
    table.startsWith('cluster\tdocuments\tto_drop\t') && table.split('\n').length > 50,
  );
  check('the story: no error, no dialog, no request elsewhere', problems.length === 0, problems);
  const to = `${result}-clean`;
  const report = await applyResult(result, { to, dropList: file });
  check(
    'apply takes the edited list',
    existsSync(join(to, 'AFL-2.1.json')) && existsSync(join(to, 'AFL-2.0.json')),
    report,
  );
  rmSync(file);
  await page.context().close();
}

/** The same by keys alone. */
async function checkKeys(browser: Browser, base: string, check: Check): Promise<void> {
  const { page, problems } = await windowAt(browser, base, LOOKS[0]!);
  await page.goto(base);
  await page.keyboard.press('?');
  check('? shows the keys', await page.locator('#help').isVisible());
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.waitForURL('**/clusters?find');
  await page.keyboard.type('GPL');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/clusters?search=GPL*');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  check(
    'j and k move',
    (await page.locator('.current').count()) === 1 && (await page.locator('tr:focus').count()) === 1,
  );
  await page.keyboard.press('Enter');
  await page.waitForURL('**/cluster?n=*');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/pair?a=*');
  await page.keyboard.press('g');
  await page.waitForURL(base);
  check('Enter opens, g goes back', page.url() === base, page.url());
  check('keys: no error', problems.length === 0, problems);
  await page.context().close();
}

/** Long lists have pages with links to the others. */
async function checkPages(browser: Browser, base: string, check: Check): Promise<void> {
  const { page } = await windowAt(browser, base, LOOKS[0]!);
  await page.goto(`${base}pairs?kind=all`);
  const rows = page.locator('.long tbody tr');
  check('a page of a list has 200 rows', (await rows.count()) === 200, await rows.count());
  const first = await rows.first().innerText();
  await page.getByRole('link', { name: 'next →' }).first().click();
  check('the next page has other rows', (await rows.first().innerText()) !== first);
  await page.context().close();
}

/** Looks at the results of licences and of hostile records. */
export async function lookAtView(
  browser: Browser,
  results: readonly { readonly name: string; readonly out: string }[],
  check: Check,
  screenshots: string,
): Promise<void> {
  for (const { name, out } of results) {
    const view = new ResultView(out);
    await view.prepare();
    const served = await serveView(view, { port: 0, host: '127.0.0.1' });
    try {
      await checkAddresses(browser, served.address, name, check, screenshots);
      if (name !== 'licences') continue;
      await checkStory(browser, served.address, out, check);
      await checkKeys(browser, served.address, check);
      await checkPages(browser, served.address, check);
    } finally {
      await served.close();
    }
  }
}
