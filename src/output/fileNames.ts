/**
 * The names of all files in an output folder: those that we write, and may therefore remove. Names are
 * relative to the output folder, with `/`.
 */

import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

export const PART_FOLDERS = ['candidates', 'pairs', 'clusters'] as const;
export type PartFolder = (typeof PART_FOLDERS)[number];

/** A table of a result, by its name. */
export type ResultTable = PartFolder | 'duplicates' | 'skipped';

export const MANIFEST_NAME = 'manifest.json';
export const STATS_NAME = 'stats.json';
export const SUCCESS_NAME = '_SUCCESS';

/** Why a folder holds no finished result, or null. */
export function lackOfResult(dir: string): string | null {
  if (existsSync(join(dir, SUCCESS_NAME))) return null;
  return `${dir}: ${existsSync(dir) ? `no ${SUCCESS_NAME}` : 'no such folder'}`;
}

/** Marks the folder as ours while the run is unfinished. */
export const MARKER_NAME = '.mr-minhash';
export const WORK_NAME = '.work';
/** The folder of a result that will replace a finished one. */
export const NEW_NAME = '.new';
/** The counts of a run that did not balance: our own defect, written for a bug report. */
export const UNBALANCED_NAME = 'unbalanced.json';
/** Names the run that holds the folder; not part of the result. */
export const LOCK_NAME = '.mr-minhash.lock';

/** `candidates/part-00000.tsv`; five digits, more beyond 99999 parts. */
export function partName(folder: PartFolder, part: number): string {
  return `${folder}/part-${String(part).padStart(5, '0')}.tsv`;
}

export function listName(list: Exclude<ResultTable, PartFolder>): string {
  return `${list}.tsv`;
}

/** The table of the number of candidate pairs, listed or not, by their agreement. */
export const AGREEMENT_NAME = 'candidates/agreement.tsv';

/** Earlier versions wrote tables in other formats, too: `--force` replaces those results. */
const PART = /^part-\d{5,}\.(tsv|csv|jsonl|parquet)(\.tmp)?$/;
const ROOT =
  /^((duplicates|skipped|eliminated)\.(tsv|csv|jsonl|parquet)|manifest\.json|stats\.json|unbalanced\.json|_SUCCESS|\.mr-minhash)(\.tmp)?$/;

/** Whether a name, relative to the output folder, is that of a table of a result. */
export function isTableName(name: string): boolean {
  return isOwnName(name) && name.endsWith('.tsv');
}

/** The lock itself, and temporary files of locking. */
const LOCK = /^\.mr-minhash\.lock(\.[0-9a-z]+)*$/;

export function isLockFile(name: string): boolean {
  return LOCK.test(name);
}

/** Whether a file of this name inside a folder of parts is one of ours. */
export function isPartFile(folder: PartFolder, name: string): boolean {
  return PART.test(name) || `${folder}/${name.replace(/\.tmp$/, '')}` === AGREEMENT_NAME;
}

/** The path of a file beside a result: `result-view.index` beside `result`. */
export function besideResult(folder: string, end: string): string {
  const plain = folder.replace(/(.)\/+$/, '$1');
  return `${/(^|\/)\.{1,2}$/.test(plain) ? resolve(plain) : plain}-${end}`;
}

/** Whether a path lies in a result, where verify would report it as unknown. */
export function liesInResult(folder: string, path: string): boolean {
  const inside = relative(resolve(folder), resolve(path));
  return inside !== '..' && !inside.startsWith(`..${sep}`);
}

/** Whether a file of this name in the output folder itself is one of ours. */
export function isRootFile(name: string): boolean {
  return ROOT.test(name);
}

export function isPartFolder(name: string): name is PartFolder {
  return (PART_FOLDERS as readonly string[]).includes(name);
}

/** Whether an entry of this name in the output folder itself is one of ours: a file, a lock or a folder. */
export function isOurEntry(name: string): boolean {
  return isRootFile(name) || isLockFile(name) || isPartFolder(name) || [WORK_NAME, NEW_NAME].includes(name);
}

/** Whether a name, relative to the output folder, is one that only we use. */
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
