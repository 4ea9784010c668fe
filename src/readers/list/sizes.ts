/**
 * Sizes of input files, and when they were modified: looked up only where something follows from them.
 *
 * A look costs as much as a third of reading a small file, so a large corpus is sampled. Which files are looked at
 * follows from the list alone: column-block boundaries depend on it.
 */

import type { Stepwise } from '../../arrays/stepwise.js';
import { packingOfKind } from '../bytes/packings.js';
import { lookAtInput } from '../bytes/wholeFiles.js';
import { UNKNOWN } from './fileList.js';
import type { FileTable } from './fileTable.js';
import { formatOfKind, hasUnits, isWhole } from './formats.js';

/** Up to so many whole files each one's size is known. */
export const SIZED_FILES = 4096;

/** Of more, the sizes of at most so many, evenly spread: their mean decides no more than how many files a task has. */
const SAMPLED_FILES = 1024;

/** The files that are read whole or by elements, by their numbers, ascending. */
export function wholeFilesOf(files: FileTable): Uint32Array {
  const whole = new Uint32Array(files.length);
  let count = 0;
  for (let i = 0; i < files.length; i++) if (!areRecords(files, i)) whole[count++] = i;
  return whole.subarray(0, count);
}

/** Whether a file is cut into ranges or chunks of records. */
function areRecords(files: FileTable, index: number): boolean {
  return !isWhole(formatOfKind(files.kinds[index]!));
}

/** Every how many of `count` whole files one is looked at; 1: all are. */
export function sampleStep(count: number): number {
  return count <= SIZED_FILES ? 1 : Math.ceil(count / SAMPLED_FILES);
}

/**
 * The files but texts that may be cut between their elements where they are large, by their numbers; none where there are
 * more than SIZED_FILES of them, which are enough for all workers as they are.
 */
export function arrayFilesOf(files: FileTable): number[] {
  const found: number[] = [];
  for (let i = 0; i < files.length; i++) {
    const { splits, holds } = formatOfKind(files.kinds[i]!);
    if (splits !== 'by elements' || holds === 'text' || packingOfKind(files.kinds[i]!) !== null) continue;
    if (found.length === SIZED_FILES) return [];
    found.push(i);
  }
  return found;
}

/** The texts that are larger, and may be cut between their units: one of many lines is more than a column block holds. */
export function textsAbove(files: FileTable, bytes: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < files.length; i++) {
    if (files.sizes[i]! <= bytes || !hasUnits(formatOfKind(files.kinds[i]!))) continue;
    if (packingOfKind(files.kinds[i]!) === null) found.push(i);
  }
  return found;
}

/** Looks up what a plan needs: files that are cut by size, and the whole files that sampleStep says. */
export function* lookUpSizes(files: FileTable): Stepwise<void> {
  for (const index of arrayFilesOf(files)) yield lookUp(files, index);
  for (let i = 0; i < files.length; i++) if (areRecords(files, i)) yield lookUp(files, i);
  const whole = wholeFilesOf(files);
  const step = sampleStep(whole.length);
  for (let i = 0; i < whole.length; i += step) yield lookUp(files, whole[i]!);
}

/** Looks up all that are not known yet. */
export function* lookUpAllSizes(files: FileTable): Stepwise<void> {
  for (let i = 0; i < files.length; i++) yield lookUp(files, i);
}

/** A file that is gone, or may not be looked at, counts as empty: reading will name it. */
function lookUp(files: FileTable, index: number): undefined {
  if (files.sizes[index] !== UNKNOWN) return;
  const { size, time } = lookAt(files, index);
  files.sizes[index] = size;
  files.times[index] = time;
}

/** Size and time of modification of a file now; of one that is gone, or may not be looked at, 0 and GONE. What a server said stands. */
export function lookAt(files: FileTable, index: number): { readonly size: number; readonly time: number } {
  if (files.isObject(index)) return { size: files.sizes[index]!, time: files.times[index]! };
  const found = lookAtInput(files.pathBytes(index));
  return found === null ? NOT_THERE : { size: found.size, time: found.mtimeMs };
}

/** Time of a file that is gone or may not be looked at. */
export const GONE = -2;
const NOT_THERE = { size: 0, time: GONE } as const;
