/**
 * The files of this package that the program opens while it runs, and the version of the package.
 *
 * The bundles have a module of their own in this one's place, because they lie elsewhere (scripts/bundle.mjs).
 */
import { readFileSync } from 'node:fs';

/** What a worker thread runs: a URL. */
export const WORKER_FILE: string = new URL('../engines/workerEntry.cjs', import.meta.url).href;

/** The compiled kernel. */
export const KERNEL_FILE: URL = new URL('../kernel/kernel.wasm', import.meta.url);

/** As in package.json. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
