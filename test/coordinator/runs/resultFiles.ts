/** A result folder as tests look at it: its files byte by byte, and its tables as rows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../../src/result/manifest.js';

/** A row by column name; ids stand escaped as in the file. */
export type Row = Readonly<Record<string, string>>;

/** SHA-free comparison: name -> bytes of every file but stats.json, hidden ones too. */
export function resultBytes(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'stats.json') continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = readFileSync(path, 'latin1');
  }
  return found;
}

/** The rows of a TSV table: `pairs`, `candidates`, `clusters`, `duplicates` or `skipped`. */
export function rowsOf(folder: string, table: string): Row[] {
  const single = `${table}.tsv`;
  const files = readdirSync(folder).includes(single)
    ? [single]
    : readdirSync(join(folder, table))
        .filter((part) => part.startsWith('part-'))
        .sort()
        .map((part) => join(table, part));
  return files.flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    if (lines.pop() !== '') throw new Error(`${file} does not end with a line feed`);
    const [header, ...rows] = lines.map((line) => line.split('\t'));
    return rows.map((cells) => Object.fromEntries(header!.map((name, i) => [name, cells[i]!])));
  });
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
}
