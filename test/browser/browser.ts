/** A headless browser of this machine: found by CHROME_PATH or by the names that Chromium and Chrome have. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Nothing of a browser's own goes to a network while pages are looked at. */
const ARGUMENTS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** The program of a browser; null if there is none. */
export function browserHere(): string | null {
  const given = process.env.CHROME_PATH;
  if (given !== undefined && given !== '') return given;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find((place) => existsSync(place)) ?? null;
}

/** Starts it, with a profile of its own that is removed at its end. */
export function startBrowser(program: string): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: ARGUMENTS });
}
