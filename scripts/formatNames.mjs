/**
 * Writes src/sketch/formatNames.ts, the names of formats and the words of `--input`, from the rows of the table of formats: help and options
 * know the words, and load no reader for them.
 *
 *      node scripts/formatNames.mjs [TABLE OUT]
 *
 * Build time only (`npm run tables`). Nothing is written where nothing changed, so that a build compiles nothing anew.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const [table = join(ROOT, 'src/readers/list/formats.ts'), out = join(ROOT, 'src/sketch/formatNames.ts')] =
  process.argv.slice(2);

/** The rows, without the compiler of types: those follow from what is written here. */
async function rowsOf(file) {
  // As deep as src/store/packageFiles.js, which says where files of the package are.
  const folder = join(ROOT, 'dist/src/store');
  const outfile = join(folder, `formats-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  try {
    return (await import(pathToFileURL(outfile).href)).FORMATS;
  } finally {
    rmSync(outfile);
  }
}

const rows = await rowsOf(table);
const namesOf = (chosen) => chosen.map(({ name }) => `'${name}'`);
const typed = (input) => namesOf(rows.filter((row) => row.input === input)).join(', ');
const source = `/** Made by scripts/formatNames.mjs from the table of formats (src/readers/list/formats.ts). */

/** How a file is read: the rows of the table say what each holds. */
export type InputFormat = ${namesOf(rows).join(' | ')};
/** What may come on standard input, and is read as it comes; the first where nobody says. */
export const PIPED_KINDS = [${typed('piped')}] as const;
/** In the order in which help tells them. */
export const INPUT_KINDS = ['auto', ${typed('files')}, ...PIPED_KINDS] as const;
/** What files hold; \`auto\` goes by their names. */
export type InputKind = (typeof INPUT_KINDS)[number];
`;
if (!existsSync(out) || readFileSync(out, 'utf8') !== source) writeFileSync(out, source);
