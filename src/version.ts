/**
 * The version of the product, from its package.json.
 *
 * Floor 4.
 */
import { readFileSync } from 'node:fs';

function readVersion(): string {
  // Compiled, this file is dist/src/version.js; in the repository and in the installed package alike.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The version of the package, as in its package.json. */
export const VERSION: string = readVersion();
