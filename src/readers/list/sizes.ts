/**
 * Sizes and modification times of input files, looked up only if they decide something.
 *
 * A lookup costs a third of reading a small file, so a large corpus is sampled. The sample follows from the list alone, because the
 * boundaries of batches depend on it.
 */

import type { LoopTurns } from '../../store/turns.js';
import { codecOfKind } from '../bytes/codecs.js';
import { lookAtInput } from '../bytes/wholeFiles.js';
import { type FileKind, UNKNOWN } from './fileList.js';
import type { FileTable } from './fileTable.js';
import { formatOfKind, hasUnits, isWhole } from './formats.js';

/** Up to this many whole files, all sizes are looked up. */
export const SIZED_FILES = 4096;

/** Of more files, this many sizes at most, evenly spread: their mean decides the number of files per task. */
const SAMPLED_FILES = 1024;

/** The files that are read whole or by elements, by their numbers, ascending. */
export function wholeFilesOf(files: FileTable): Uint32Array {
  const whole = new Uint32Array(files.length);
  let count = 0;
  for (let i = 0; i < files.length; i++) if (!areRecords(files.kinds[i]!)) whole[count++] = i;
  return whole.subarray(0, count);
}

/** Whether files of a kind are cut into ranges or chunks of records. */
function areRecords(kind: FileKind): boolean {
  return !isWhole(formatOfKind(kind));
}

/** Every n-th of `count` whole files is looked up; 1: all are. */
export function sampleStep(count: number): number {
  return count <= SIZED_FILES ? 1 : Math.ceil(count / SAMPLED_FILES);
}

/**
 * The numbers of files, except texts, that are cut between their elements if they are large; none if there are more than SIZED_FILES,
 * which are enough for all workers uncut.
 */
export function arrayFilesOf(files: FileTable): number[] {
  const found: number[] = [];
  const areCut = (kind: FileKind): boolean => {
    const { splits, holds } = formatOfKind(kind);
    return splits === 'by elements' && holds !== 'text' && codecOfKind(kind) === null;
  };
  for (const i of files.ofKind(areCut)) {
    if (found.length === SIZED_FILES) return [];
    found.push(i);
  }
  return found;
}

/** The texts above a size, which may be cut between their units. */
export function textsAbove(files: FileTable, bytes: number): number[] {
  const areCut = (kind: FileKind): boolean => hasUnits(formatOfKind(kind)) && codecOfKind(kind) === null;
  return [...files.ofKind(areCut)].filter((i) => files.sizes[i]! > bytes);
}

/** Looks up the files that a plan needs: those that are cut by size, and the whole files of sampleStep. */
export async function lookUpSizes(files: FileTable, turns: LoopTurns): Promise<void> {
  const whole = wholeFilesOf(files);
  const step = sampleStep(whole.length);
  const sample = whole.filter((_, i) => i % step === 0);
  for (const indexes of [arrayFilesOf(files), files.ofKind(areRecords), sample])
    for (const index of indexes) {
      lookUp(files, index);
      await turns.give();
    }
}

export async function lookUpAllSizes(files: FileTable, turns: LoopTurns): Promise<void> {
  for (let i = 0; i < files.length; i++) {
    lookUp(files, i);
    await turns.give();
  }
}

/** A file that is gone or denied counts as empty: its reader reports it. */
function lookUp(files: FileTable, index: number): void {
  if (files.sizes[index] !== UNKNOWN) return;
  const { size, time } = lookAt(files, index);
  files.sizes[index] = size;
  files.times[index] = time;
}

/** Size and modification time of a file now; 0 and GONE if it is gone or denied. */
export function lookAt(files: FileTable, index: number): { readonly size: number; readonly time: number } {
  const found = lookAtInput(files.pathBytes(index));
  return found === null ? NOT_THERE : { size: found.size, time: found.mtimeMs };
}

/** Time of a file that is gone or denied. */
export const GONE = -2;
const NOT_THERE = { size: 0, time: GONE } as const;
