/**
 * `npm run docs:screenshots`: the pictures of docs/images, of `view` over the licence list of SPDX in a real browser: overview, a
 * cluster, two texts; light, 1280 pixels wide.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/index.js';
import { ResultView } from '../../src/view/viewPages.js';
import { serveView } from '../../src/view/viewServer.js';
import { browserHere, startBrowser } from './browser.js';
import { settled } from './viewStory.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PICTURES = [
  ['view-overview', '', 'h1'],
  ['view-cluster', 'clusters?search=CC-BY-2.0.json', '.long tbody a'],
  ['view-texts', 'clusters?search=AFL-2.1', '.long tbody a'],
] as const;

const program = browserHere();
if (program === null) throw new Error('chromium and google-chrome are missing; CHROME_PATH sets another one');
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-pictures-'));
// Pages name the result as it was typed.
process.chdir(folder);
const out = 'found';
await run({
  ...{
    paths: [join(ROOT, 'node_modules/spdx-license-list/licenses')],
    textField: 'licenseText',
    out,
    threads: 0,
  },
});
const view = new ResultView(out);
await view.prepare();
const served = await serveView(view, { port: 0, host: '127.0.0.1' });
const browser = await startBrowser(program);
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  const page = await context.newPage();
  for (const [name, address, target] of PICTURES) {
    await page.goto(`${served.address}${address}`);
    if (name !== 'view-overview') await page.locator(target).first().click();
    if (name === 'view-texts')
      await page.locator('.long tbody a', { hasText: 'AFL-2.1.json' }).first().click();
    await page
      .locator(name === 'view-texts' ? '.whole .different' : name === 'view-cluster' ? '.members' : '.answer')
      .first()
      .waitFor();
    await settled(page);
    await page.screenshot({ path: join(ROOT, `docs/images/${name}.jpg`), type: 'jpeg', quality: 60 });
  }
} finally {
  await browser.close();
  await served.close();
  await view.close();
  rmSync(folder, { recursive: true, force: true });
}
