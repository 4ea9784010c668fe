/**
 * The files of this package that the program opens while it runs, and the version of the package.
 *
 * Bundles replace this module, because their files are elsewhere (scripts/bundle.mjs).
 */
import { readFileSync } from 'node:fs';

/** The program of a worker thread: a URL. */
export const WORKER_FILE: string = new URL('../engines/workerEntry.cjs', import.meta.url).href;

/** The compiled kernel. */
export const KERNEL_FILE: URL = new URL('../kernel/kernel.wasm', import.meta.url);

/** The folder of the parsers that are loaded on demand (src/readers/parsers/load.ts). Bundles, also in tests. */
export const PARSERS_FOLDER: URL = new URL('../../package/parsers/', import.meta.url);

/** The driver of Spark and its tasks, which are sent to executors. A bundle, also in tests. */
export const SPARK_FOLDER: URL = new URL('../../package/spark/', import.meta.url);

/** The script of the pages of `view` (src/view/page). A bundle, also in tests. */
export const VIEW_FOLDER: URL = new URL('../../package/view/', import.meta.url);

/** The program of the worker thread of `view`. */
export const VIEW_THREAD: URL = new URL('../view/viewThread.js', import.meta.url);

/** The version in package.json. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
