/** The pages of docs/ that are made from tables: `node dist/test/docs/generatedPages.js --write` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { flagsAsMarkdown } from '../../cli/flags.js';
import { manPage } from '../../cli/show/manPage.js';
import { ERRORS } from '../../src/errors.js';
import { VERSION } from '../../src/store/packageFiles.js';

interface GeneratedPage {
  readonly file: string;
  readonly text: string;
}

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));

/** Each with the text that it should have; what stands around a table is taken from the page. */
export function generatedPages(): GeneratedPage[] {
  return [
    withTable('flags', flagsAsMarkdown()),
    withTable('errors', errorsAsMarkdown()),
    { file: fileOf('mr-minhash.1'), text: manPage(VERSION) },
  ];
}

function withTable(name: string, lines: string): GeneratedPage {
  const file = fileOf(`${name}.md`);
  const table = `<!-- ${name} -->\n${lines}\n<!-- /${name} -->`;
  const around = new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`);
  return { file, text: readFileSync(file, 'utf8').replace(around, () => table) };
}

function errorsAsMarkdown(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { scope, text, remedy }]) =>
      `| \`${code}\` | ${scope === 'note' ? 'nothing' : scope} | ${text} | ${remedy} |`,
  );
  return ['| code | ends | what | what to do |', '|---|---|---|---|', ...rows].join('\n');
}

if (process.argv[2] === '--write') for (const { file, text } of generatedPages()) writeFileSync(file, text);
