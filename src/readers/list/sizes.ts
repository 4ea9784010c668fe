/**
 * The files whose sizes are looked up before a run, because they decide its plan.
 *
 * A lookup costs a third of reading a small file, so a large corpus is sampled. The sample follows from the list alone, because the
 * boundaries of batches depend on it.
 */

import type { LoopTurns } from '../../store/turns.js';
import { codecOfKind } from '../bytes/codecs.js';
import type { FileKind } from './fileList.js';
import type { FileTable } from './fileTable.js';
import { formatOfKind, hasRows, hasUnits, isWhole } from './formats.js';

/** Up to this many whole files, all sizes are looked up. */
export const SIZED_FILES = 4096;

/** Of more files, this many sizes at most, evenly spread: their mean decides the number of files per task. */
const SAMPLED_FILES = 1024;

/** The files that are read whole or by elements, by their numbers, ascending. */
export const wholeFilesOf = (files: FileTable): Uint32Array =>
  Uint32Array.from(files.ofKind((kind) => isWhole(formatOfKind(kind))));

/** Every n-th of `count` whole files is looked up; 1: all are. */
export function sampleStep(count: number): number {
  return count <= SIZED_FILES ? 1 : Math.ceil(count / SAMPLED_FILES);
}

/**
 * The numbers of files, except texts, that are cut between their elements if they are large; none if there are more than SIZED_FILES,
 * which are enough for all workers uncut.
 */
export function arrayFilesOf(files: FileTable): readonly number[] {
  const areCut = (kind: FileKind): boolean => hasRows(formatOfKind(kind)) && codecOfKind(kind) === null;
  const arrays: number[] = [];
  for (const index of files.ofKind(areCut)) if (arrays.push(index) > SIZED_FILES) return [];
  return arrays;
}

/** The texts above a size, which may be cut between their units. */
export function textsAbove(files: FileTable, bytes: number): number[] {
  const areCut = (kind: FileKind): boolean => hasUnits(formatOfKind(kind)) && codecOfKind(kind) === null;
  return [...files.ofKind(areCut)].filter((i) => files.sizes[i]! > bytes);
}

/** Looks up the sizes that a plan needs: of all files that are cut by size, and of a sample of the others. `isCut`: texts are cut, too. */
export async function lookUpSizes(files: FileTable, turns: LoopTurns, isCut = false): Promise<void> {
  const whole = wholeFilesOf(files);
  const step = isCut ? 1 : sampleStep(whole.length);
  const sample = whole.filter((_, i) => i % step === 0);
  const ofRecords = files.ofKind((kind) => !isWhole(formatOfKind(kind)));
  for (const indexes of [arrayFilesOf(files), ofRecords, sample])
    for (const index of indexes) {
      files.lookUp(index);
      await turns.give();
    }
}
