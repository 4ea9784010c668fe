/**
 * The names of all files in an output folder: those that we write, and may therefore remove. Names are
 * relative to the output folder, with `/`.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

export const PART_FOLDERS = ['candidates', 'pairs', 'clusters'] as const;
export type PartFolder = (typeof PART_FOLDERS)[number];

/** A table of a result, by its name. */
export type ResultTable = PartFolder | 'duplicates' | 'skipped';

export const MANIFEST_NAME = 'manifest.json';
export const STATS_NAME = 'stats.json';
export const SUCCESS_NAME = '_SUCCESS';

/** Why a folder does not have a finished result, or null. */
export function lackOfResult(dir: string): string | null {
  if (existsSync(join(dir, SUCCESS_NAME))) return null;
  return `${dir}: ${existsSync(dir) ? `no ${SUCCESS_NAME}` : 'no such folder'}`;
}

/** `candidates/part-00000.tsv`; five digits, more after part 99999. */
export function partName(folder: PartFolder, part: number): string {
  return `${folder}/part-${String(part).padStart(5, '0')}.tsv`;
}

export function listName(list: Exclude<ResultTable, PartFolder>): string {
  return `${list}.tsv`;
}

/** The table of the numbers of candidate pairs by agreement, listed or not. */
export const AGREEMENT_NAME = 'candidates/agreement.tsv';

/** Formats of earlier versions, whose results `--force` replaces too. */
const PART = /^part-\d{5,}\.(tsv|csv|jsonl|parquet)$/;
const ROOT =
  /^((duplicates|skipped|eliminated)\.(tsv|csv|jsonl|parquet)|manifest\.json|stats\.json|_SUCCESS)$/;

/** Whether a name, relative to the output folder, is that of a table of a result. */
export function isTableName(name: string): boolean {
  return isOwnName(name) && name.endsWith('.tsv');
}

/** Whether a file of this name inside a folder of parts is one of ours. */
function isPartFile(folder: PartFolder, name: string): boolean {
  return PART.test(name) || `${folder}/${name}` === AGREEMENT_NAME;
}

/** The path of a file beside a result: `result-drop-list.tsv` beside `result`. */
export function besideResult(folder: string, end: string): string {
  const plain = folder.replace(/(.)\/+$/, '$1');
  return `${/(^|\/)\.{1,2}$/.test(plain) ? resolve(plain) : plain}-${end}`;
}

/** Whether a path is inside a result, where verify would report it as unknown. */
export function liesInResult(folder: string, path: string): boolean {
  const inside = relative(resolve(folder), resolve(path));
  return inside !== '..' && !inside.startsWith(`..${sep}`);
}

/** Whether a file of this name in the output folder itself is one of ours. */
function isRootFile(name: string): boolean {
  return ROOT.test(name);
}

export function isPartFolder(name: string): name is PartFolder {
  return (PART_FOLDERS as readonly string[]).includes(name);
}

/** An entry of a result folder or of one of its folders of parts. */
interface ResultEntry {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly entry: { isDirectory(): boolean; isFile(): boolean };
}

/** All entries of a result folder and of its folders of parts. No link is followed. */
export function* entriesIn(root: string): Generator<ResultEntry> {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const { name } = entry;
    yield { name, entry };
    if (!isPartFolder(name) || !entry.isDirectory()) continue;
    for (const part of readdirSync(join(root, name), { withFileTypes: true }))
      yield { name: `${name}/${part.name}`, entry: part };
  }
}

/** Whether a name, relative to the output folder, is used by this program only. */
export function isOwnName(name: string): boolean {
  const [folder, part, ...more] = name.split('/');
  if (part === undefined) return isRootFile(name);
  return more.length === 0 && isPartFolder(folder!) && isPartFile(folder!, part);
}

/** The number of `pairs/part-00012.tsv`; -1 for any other name. */
export function partNumberOf(name: string, folder: PartFolder): number {
  if (!name.startsWith(`${folder}/part-`)) return -1;
  const digits = /^part-(\d{5,})\.tsv$/.exec(name.slice(folder.length + 1));
  return digits === null ? -1 : Number(digits[1]);
}
