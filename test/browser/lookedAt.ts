/** A page as a person sees it, in numbers: what is visible and where, and its requests. */
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

export interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** A page that was opened, and everything that went wrong in it since. */
export interface OpenedPage {
  readonly page: Page;
  /** Messages of its console, errors, dialogs, and requests for anything but itself. */
  readonly problems: readonly string[];
}

/** Opens a file in a window of its own. */
export async function opened(browser: Browser, file: string, { width, scheme }: Look): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const problems: string[] = [];
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('dialog', async (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== url && request.url() !== 'data:,') problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/** A chart on the page, as it is drawn. */
export interface DrawnChart {
  readonly kind: string;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly columns: number;
  /** The least size of its letters, in pixels on the screen. */
  readonly letters: number;
  /** Labels that lie over each other, or outside of the chart. */
  readonly badLabels: readonly string[];
}

/** Runs in the page, which has no types here. */
const CHARTS = `[...document.querySelectorAll('svg.chart')].filter((svg) => svg.checkVisibility()).map((svg) => {
  const box = svg.getBoundingClientRect();
  const labels = [...svg.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
  const over = (p, q) => p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 2 && q.top < p.bottom - 2;
  const bad = labels.flatMap(({ text, box: own }, i) => [
    ...(own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1 ? [text + ' outside'] : []),
    ...labels.slice(i + 1).filter((other) => over(own, other.box)).map((other) => text + ' over ' + other.text),
  ]);
  const scale = box.width / svg.viewBox.baseVal.width;
  const letters = Math.min(...[...svg.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale));
  return { kind: svg.classList[1], box: { x: box.x, y: box.y + scrollY, width: box.width, height: box.height }, columns: svg.querySelectorAll('g').length, letters, badLabels: bad };
})`;

/** The charts that are seen. */
export function chartsOf(page: Page): Promise<DrawnChart[]> {
  return page.evaluate(CHARTS);
}

/** The least contrast of visible text with its background (WCAG 2, 1.4.3: 4.5 or more), and which text has it. */
const CONTRAST = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let least = { contrast: 21, text: '' };
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (own.length === 0 || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [x, y] = [light(numbers(colour)), light(behind(element))].sort((p, q) => q - p);
    const contrast = (x + 0.05) / (y + 0.05);
    if (contrast < least.contrast) least = { contrast, text: own[0].textContent.trim().slice(0, 40) };
  }
  return least;
})()`;

export function leastContrast(page: Page): Promise<{ readonly contrast: number; readonly text: string }> {
  return page.evaluate(CONTRAST);
}

/** Whole numbers of a column of the table below a heading or caption, `1,234` as 1234. */
export function columnOf(page: Page, caption: string, column: number): Promise<number[]> {
  const [text, index] = [JSON.stringify(caption), String(column)];
  return page.evaluate(
    `[...document.querySelectorAll('table')].find((table) => table.caption?.textContent === ${text}).tBodies[0].rows.length === 0 ? [] :
     [...[...document.querySelectorAll('table')].find((table) => table.caption?.textContent === ${text}).tBodies[0].rows].map((row) => Number(row.cells[${index}].textContent.replaceAll(',', '')))`,
  );
}
