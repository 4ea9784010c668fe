/** `view` of a result of very many documents in a real browser: from a click until everything in sight is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { highWaterMark, MAIN } from '../faults/watchedRun.js';
import { type Check, settled, windowAt } from './viewStory.js';

/** Looks at a result; prints how long each step takes, which no check judges: it is the machine's. */
export async function lookAtLarge(browser: Browser, result: string, check: Check): Promise<void> {
  const { counts } = JSON.parse(readFileSync(join(result, 'manifest.json'), 'utf8')) as {
    readonly counts: Readonly<Record<string, number>>;
  };
  const from = performance.now();
  const server = spawn(process.execPath, [MAIN, 'view', result], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [base] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const { page, problems } = await windowAt(browser, base, { width: 1280, scheme: 'light' });
    page.setDefaultTimeout(120_000);
    const timed = async (what: string, step: () => Promise<unknown>, since = performance.now()) => {
      await step();
      await settled(page);
      console.log(`${String(Math.round(performance.now() - since)).padStart(6)} ms  ${what}`);
    };
    const rows = page.locator('.long tbody tr');
    const link = (name: string) => page.getByRole('link', { name, exact: true }).first();
    await timed('from the start of the command to the overview', () => page.goto(base), from);
    await timed('all tables', () => page.goto(`${base}clusters`), from);
    await timed('the overview again', () => link('Overview').click());
    const dropped = await page.locator('.answer .main').innerText();
    check(
      'the overview has the drops of the result',
      dropped === counts.dropped!.toLocaleString('en'),
      dropped,
    );
    await timed('clusters', () => link('Clusters').click());
    check('a page of them has rows', (await rows.count()) > 10, await rows.count());
    await timed('the end of the list', () => link('last').click());
    await timed('a search', async () => {
      await page.locator('#search').fill('/777');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL('**/clusters?search=*');
    });
    check('a search finds', (await rows.count()) > 0, await rows.count());
    await timed('a cluster', () => page.locator('.long tbody a').first().click());
    await timed('two texts', async () => {
      await page.locator('a[href^="pair?"]').first().click();
      await page.waitForURL('**/pair?a=*');
      await page.locator('.whole').waitFor();
    });
    check('two texts are side by side', (await page.locator('.whole .a').count()) > 0);
    check('no error, no dialog, no request elsewhere', problems.length === 0, problems);
    console.log(`${Math.round(highWaterMark(server.pid!) / 1e6)} MB of the server at its highest`);
    await page.context().close();
  } finally {
    server.kill('SIGINT');
    await once(server, 'exit');
  }
}
