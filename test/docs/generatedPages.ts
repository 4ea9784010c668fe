/** The pages of docs/ that are generated from tables: `node dist/test/docs/generatedPages.js --write` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultText, RUN_GROUPS } from '../../cli/flags.js';
import { ERRORS } from '../../src/errors.js';
import { type FlagKey, OPTIONS } from '../../src/options/table.js';
import { VERSION } from '../../src/store/packageFiles.js';
import { manPage } from './manPage.js';

interface GeneratedPage {
  readonly file: string;
  readonly text: string;
}

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));

/** Generated files with their expected text; the text around a table is taken from the page. */
export function generatedPages(): GeneratedPage[] {
  const page = fileOf('options.md');
  const withOptions = withTable(readFileSync(page, 'utf8'), 'options', optionsAsMarkdown());
  return [
    { file: page, text: withTable(withOptions, 'errors', errorsAsMarkdown()) },
    { file: fileOf('mr-minhash.1'), text: manPage(VERSION) },
  ];
}

function withTable(page: string, name: string, lines: string): string {
  const table = `<!-- ${name} -->
${lines}
<!-- /${name} -->`;
  return page.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`), () => table);
}

/** The options of `run`: one Markdown table per group. */
export function optionsAsMarkdown(): string {
  const lines: string[] = [];
  for (const { title, flags } of RUN_GROUPS) {
    lines.push(`### ${title}`, '', '| option | default | meaning | result |', '|---|---|---|---|');
    for (const { key, term } of flags) {
      const entry = OPTIONS[key as FlagKey];
      const usual = defaultText(entry) ?? 'off';
      const meaning = entry.long === undefined ? entry.short : `${entry.short}. ${entry.long}`;
      const decides = entry.decides === 'result' ? 'yes' : 'no';
      lines.push(`| \`${term}\` | ${cell(usual)} | ${cell(meaning)} | ${decides} |`);
    }
    lines.push('');
  }
  return lines.join('\n').trimEnd();
}

/** Escapes a text for a cell: in Markdown a bar ends the cell, and stars are emphasis. */
function cell(text: string): string {
  return text.replace(/[|*]/g, (character) => `\\${character}`);
}

function errorsAsMarkdown(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { scope, text, remedy }]) =>
      `| \`${code}\` | ${scope === 'note' ? 'nothing' : scope} | ${text} | ${remedy} |`,
  );
  return ['| code | ends | meaning | what to do |', '|---|---|---|---|', ...rows].join('\n');
}

if (process.argv[2] === '--write') for (const { file, text } of generatedPages()) writeFileSync(file, text);
