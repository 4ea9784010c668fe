/** Pages that a command saves to a file, and opens in the browser of the system. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { bytesText } from '../src/result/wording/amounts.js';
import { namedFileProblem, writeNamedFile } from '../src/store/namedFile.js';
import { PAGE_BEGINNING } from '../src/view/htmlPage.js';
import type { Terminal } from './terminal.js';

/** Why a page cannot be saved to a file; null: it can. Only an earlier page is replaced. */
export function pageFileProblem(file: string): string | null {
  return namedFileProblem(file, () =>
    beginsWith(file, PAGE_BEGINNING) ? null : 'the file exists and is not a saved page; choose another name',
  );
}

function beginsWith(file: string, beginning: string): boolean {
  const expected = Buffer.from(beginning);
  const bytes = Buffer.alloc(expected.length);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, bytes, 0, bytes.length, 0) === expected.length && bytes.equals(expected);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a page; returns a line about it. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function writePage(file: string, page: Uint8Array): string {
  writeNamedFile(file, page);
  return `${file}: ${bytesText(page.length)}, a page for any browser`;
}

/** Opens an address or a file with the system's program; if that fails, the user has the printed one. */
export function openBrowser(address: string, terminal: Terminal): void {
  const note = (why: string): void =>
    terminal.say(`note: --open: ${why}; open the printed address in a browser`);
  const own = { darwin: 'open', win32: 'explorer' }[process.platform as string];
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER } = process.env;
  if (own === undefined && !DISPLAY && !WAYLAND_DISPLAY && !BROWSER) {
    note('there is no display');
    return;
  }
  const program = own ?? 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.on('error', () => note(`${program} is not installed`));
  // explorer always ends with 1.
  child.on(
    'exit',
    (code) => code !== null && code > 0 && program !== 'explorer' && note(`${program} failed`),
  );
  child.unref();
}
