/** The pages of docs/ that are made from tables: `node dist/test/docs/generatedPages.js --write` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { flagsAsMarkdown } from '../../cli/flags.js';
import { manPage } from '../../cli/show/manPage.js';
import { VERSION } from '../../src/store/packageFiles.js';

interface GeneratedPage {
  readonly file: string;
  readonly text: string;
}

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));

/** Each with the text that it should have; what stands around a table is taken from the page. */
export function generatedPages(): GeneratedPage[] {
  const flags = fileOf('flags.md');
  const around = readFileSync(flags, 'utf8');
  const table = `<!-- flags -->\n${flagsAsMarkdown()}\n<!-- /flags -->`;
  return [
    { file: flags, text: around.replace(/<!-- flags -->[\s\S]*<!-- \/flags -->/, () => table) },
    { file: fileOf('mr-minhash.1'), text: manPage(VERSION) },
  ];
}

if (process.argv[2] === '--write') for (const { file, text } of generatedPages()) writeFileSync(file, text);
