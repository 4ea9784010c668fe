/** The page of the bytes of signatures, and the vectors on it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { snippetsOf } from '../docs/snippets.js';
import type { Vector } from './conformance.js';

const PAGE = fileURLToPath(new URL('../../../docs/dev/signature-format.md', import.meta.url));

/** The first block of a language on the page. */
export function blockOf(language: string): string {
  const block = snippetsOf(readFileSync(PAGE, 'utf8')).find((one) => one.language === language);
  if (block === undefined) throw new Error(`docs/dev/signature-format.md has no block of ${language}`);
  return block.text;
}

export function vectorsOfPage(): readonly Vector[] {
  return JSON.parse(blockOf('json')) as readonly Vector[];
}
