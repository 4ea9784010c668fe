/**
 * `npm run test:browser [-- --screenshots FOLDER]`: saved pages and those of `view` in a headless browser, wide and narrow, light and
 * dark. Prints one line per check and exits with 1 if one fails; without a browser it prints `browser: not run`.
 *
 *     node dist/test/browser/main.js --large RESULT
 *
 * clicks through `view` of a large result instead and prints how long each step takes, as
 * `node dist/benchmarks/view.js --folder FOLDER` makes FOLDER/result of a million documents.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { reportHtml, run } from '../../src/index.js';
import { browserHere, startBrowser } from './browser.js';
import { lookAtLarge } from './largeStory.js';
import { chartsOf, columnOf, type Look, leastContrast, opened } from './lookedAt.js';
import { lookAtView } from './viewStory.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LICENCES = join(ROOT, 'node_modules/spdx-license-list/licenses');
const { values } = parseArgs({
  options: {
    screenshots: { type: 'string', default: join(ROOT, 'dist/screenshots') },
    large: { type: 'string' },
  },
});
const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
];

let [passed, failed] = [0, 0];

function check(name: string, holds: boolean, found: unknown = ''): void {
  if (holds) passed++;
  else failed++;
  const detail = holds ? '' : `: ${typeof found === 'string' ? found : JSON.stringify(found)}`;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}${detail}`);
}

interface Result {
  readonly name: string;
  readonly out: string;
  readonly file: string;
  readonly counts: Readonly<Record<string, number>>;
}

const PAGE = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
const EVIL = `</pre></script><script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}</style> \u202e\u0000\x1b[31m`;
const IDS = [
  '</title><script>alert(3)</script>',
  'tab\tand\nline',
  '"><img src=http://example.org/x.png>',
  '\u202egnp.exe',
  'x'.repeat(5000),
];

const NAMES = [
  '<script>alert(4)<\u2215script>.jsonl',
  '"><img src=x onerror=alert(5)>.jsonl',
  "' onmouseover='alert(6).jsonl",
  '\u202elnosj.jsonl',
  '\x1b[2J\n<style>*{display:none}.jsonl',
];

/** Runs over licences, over hostile records in files of hostile names, over one text, and over sets; and a page of each. */
async function results(folder: string): Promise<Result[]> {
  const records = IDS.map((id, i) => JSON.stringify({ id, text: `${PAGE} ${EVIL} end${i}\r\n\tcell` }));
  mkdirSync(join(folder, 'hostile-in'));
  // Names of files are ids too, where records have none, and sources.
  const own = records.map((record) => record.replace(/"id":"(?:[^"\\]|\\.)*",/, ''));
  for (const [i, name] of NAMES.entries())
    writeFileSync(join(folder, 'hostile-in', name), `${records[i]}\n${own[i]}\n`);
  writeFileSync(join(folder, 'one.txt'), PAGE);
  const rows = Array.from({ length: 600 }, (_, i) => `u${i % 30}\titem${Math.floor(i / 30) + (i % 5)}`);
  writeFileSync(join(folder, 'sets.tsv'), `${rows.join('\n')}\n`);
  const runs = [
    { name: 'licences', options: { paths: [LICENCES], textField: 'licenseText' } },
    { name: 'hostile', options: { paths: [join(folder, 'hostile-in')], threshold: 0.5 } },
    { name: 'nothing', options: { paths: [join(folder, 'one.txt')] } },
    { name: 'sets', options: { paths: [join(folder, 'sets.tsv')], input: 'sets', threshold: 0.5 } },
  ] as const;
  const made: Result[] = [];
  for (const { name, options } of runs) {
    const out = join(folder, name);
    await run({ ...options, out, threads: 0 });
    const file = join(folder, `${name}.html`);
    writeFileSync(file, await reportHtml(out));
    made.push({
      name,
      out,
      file,
      counts: JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).counts,
    });
  }
  return made;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** What holds of every page, however it is looked at. */
async function checkLook(browser: Browser, { name, file, counts }: Result, look: Look): Promise<void> {
  const title = `${name}, ${look.width} px, ${look.scheme}`;
  const { page, problems } = await opened(browser, file, look);
  const wide: number = await page.evaluate('document.documentElement.scrollWidth');
  check(`${title}: no horizontal scrolling`, wide <= look.width, wide);
  const charts = await chartsOf(page);
  const expected = Number(counts.candidate_pairs! > 0);
  check(`${title}: ${expected} charts are seen`, charts.length === expected, charts.length);
  for (const { kind, box, columns, letters, badLabels } of charts) {
    const isInside = box.x >= 0 && box.x + box.width <= look.width && box.width >= 300 && box.height >= 200;
    check(`${title}: ${kind} are in the window`, isInside && columns > 0, { box, columns });
    check(`${title}: ${kind} have labels that can be read`, badLabels.length === 0 && letters >= 11, {
      badLabels,
      letters,
    });
  }
  const { contrast, text } = await leastContrast(page);
  check(`${title}: all text has contrast`, contrast >= 4.5, `${contrast.toFixed(2)} of ${text}`);
  const scripts: number = await page.evaluate('document.scripts.length');
  check(`${title}: no script`, scripts === 0, scripts);
  await page.screenshot({
    path: join(values.screenshots, `${name}-${look.width}-${look.scheme}.png`),
    fullPage: true,
  });
  check(`${title}: no error, no dialog, no request`, problems.length === 0, problems);
  await page.context().close();
}

/** The numbers of a page against those of the manifest. */
async function checkNumbers(browser: Browser, { name, file, counts }: Result): Promise<void> {
  const { page } = await opened(browser, file, LOOKS[0]!);
  const figures: string[] = await page.evaluate(
    `[...document.querySelectorAll('.answer strong, .figures strong')].map((value) => value.textContent)`,
  );
  const accepted = counts.verified_pairs! + counts.identical_pairs! + counts.same_tokens_pairs!;
  const expected = [counts.dropped!, counts.clusters!, accepted, counts.read!].map((count) =>
    count.toLocaleString('en'),
  );
  check(
    `${name}: the numbers at the top are those of the manifest`,
    expected.every((text) => figures.includes(text)) && figures[0] === expected[0],
    figures,
  );
  if (counts.candidate_pairs! > 0) {
    const bins = await Promise.all(
      [1, 2, 3].map((column) => columnOf(page, 'Candidate pairs by similarity', column)),
    );
    check(
      `${name}: the histogram has every candidate that is listed`,
      sum(bins.map(sum)) === counts.candidates_listed,
      bins,
    );
    check(`${name}: and every near pair`, sum(bins[0]!) === counts.verified_pairs, bins[0]);
  }
  if (counts.clusters! > 0) {
    const clusters = await columnOf(page, 'Clusters by size', 1);
    const members = await columnOf(page, 'Clusters by size', 2);
    check(
      `${name}: the sizes are those of all clusters`,
      sum(clusters) === counts.clusters && sum(members) === counts.clustered_documents,
      clusters,
    );
  }
  await page.context().close();
}

/** The line of the threshold stands where the axis says, and the curve rises from 0 to 1. */
async function checkCurve(browser: Browser, { file }: Result): Promise<void> {
  const { page } = await opened(browser, file, LOOKS[0]!);
  const drawn: { threshold: number; zero: number; one: number; from: number; to: number; bottom: number } =
    await page.evaluate(`(() => {
    const svg = [...document.querySelectorAll('svg.similarities')].find((one) => one.checkVisibility());
    const place = (text) => { const box = [...svg.querySelectorAll('text')].find((one) => one.textContent === text).getBoundingClientRect(); return (box.left + box.right) / 2; };
    const line = svg.querySelector('.threshold').getBoundingClientRect();
    const points = svg.querySelector('.curve').getAttribute('points').split(' ').map((point) => Number(point.split(',')[1]));
    return { threshold: (line.left + line.right) / 2, zero: place('0.0'), one: place('1.0'), from: points[0], to: points.at(-1), bottom: line.bottom };
  })()`);
  const at = (drawn.threshold - drawn.zero) / (drawn.one - drawn.zero);
  check('the threshold is at 0.8 of the axis', Math.abs(at - 0.8) < 0.01, at);
  check('the S-curve rises', drawn.from > drawn.to + 100, drawn);
  await page.context().close();
}

/** A pair is opened by a click and by the keyboard, and shows the texts as they are. */
async function checkPairs(browser: Browser, { file }: Result): Promise<void> {
  for (const look of [LOOKS[0]!, LOOKS[3]!]) {
    const { page } = await opened(browser, file, look);
    const pairs = page.locator('details.pair');
    check(`${look.width} px: pairs of three groups`, (await pairs.count()) === 18, await pairs.count());
    const second = pairs.nth(1);
    const isClosed = !(await second.locator('.whole').isVisible());
    await second.locator('summary').first().click();
    check(`${look.width} px: a click opens a pair`, isClosed && (await second.locator('.whole').isVisible()));
    const third = pairs.nth(2);
    await third.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    check(`${look.width} px: the keyboard opens a pair`, await third.locator('.whole').isVisible());
    const marks = await second.locator('mark').count();
    const text = (await second.locator('.whole').textContent()) ?? '';
    check(
      `${look.width} px: what differs is marked in texts with their case`,
      marks > 0 && /[A-Z][a-z]/.test(text),
      marks,
    );
    await page.context().close();
  }
}

/** Hostile ids and texts are text. */
async function checkHostile(browser: Browser, { file }: Result): Promise<void> {
  const { page, problems } = await opened(browser, file, LOOKS[0]!);
  const text = (await page.locator('body').textContent()) ?? '';
  check(
    'ids with tags are text',
    IDS.slice(0, 1).every((id) => text.includes(id)),
  );
  check(
    'texts with tags are text',
    text.includes('<script>alert(1)</script>') && text.includes('onerror=alert(2)'),
  );
  check(
    'controls and directions are shown, not done',
    text.includes('\\u202e') && text.includes('\\x1b') && !/[\u202e\x1b]/.test(text),
  );
  check(
    'no image, no frame, nothing that acts',
    (await page.locator('img, iframe, object, embed, form, script').count()) === 0,
  );
  check('and nothing happened', problems.length === 0, problems);
  await page.context().close();
}

async function checkPaper(browser: Browser, { file }: Result): Promise<void> {
  const { page } = await opened(browser, file, { width: 1000, scheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  const ground: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  check('on paper the background is white, also from dark screens', ground === 'rgb(255, 255, 255)', ground);
  check('on paper there are no links to click', !(await page.locator('nav').isVisible()));
  const charts = await chartsOf(page);
  check('on paper the charts are there', charts.length === 1, charts.length);
  const paper = await page.pdf({ format: 'A4', path: join(values.screenshots, 'licences.pdf') });
  check('it can be printed', paper.length > 10_000, paper.length);
  await page.context().close();
}

async function main(): Promise<void> {
  const program = browserHere();
  if (program === null) {
    console.log('browser: not run (chromium and google-chrome are missing; CHROME_PATH sets another one)');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-browser-'));
  const browser = await startBrowser(program);
  try {
    if (values.large !== undefined) return await lookAtLarge(browser, values.large, check);
    mkdirSync(values.screenshots, { recursive: true });
    const [licences, hostile, ...others] = (await results(folder)) as [Result, Result, ...Result[]];
    for (const result of [licences, hostile, ...others]) {
      for (const look of LOOKS) await checkLook(browser, result, look);
      await checkNumbers(browser, result);
    }
    await checkCurve(browser, licences);
    await checkPairs(browser, licences);
    await checkHostile(browser, hostile);
    await checkPaper(browser, licences);
    await lookAtView(browser, [licences, hostile], check, values.screenshots);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
    const where = values.large === undefined ? `; screenshots in ${values.screenshots}` : '';
    console.log(`${passed} passed, ${failed} failed${where}`);
    if (failed > 0) process.exitCode = 1;
  }
}

await main();
