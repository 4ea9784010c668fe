/**
 * The stage that finds where a large JSON array is cut into batches.
 */

import type { ArrayFile } from '../../readers/split.js';
import type { TaskKind } from '../task.js';
import { put, readerOf, readParamsOf } from '../workplace.js';

export interface CutsTask extends ArrayFile {
  readonly name: string;
}

/** Map: a file that may be one JSON array becomes the offsets where its batches end. */
export const cuts: TaskKind<CutsTask, null> = {
  work({ name, ...file }, here) {
    put(here, name, readerOf(here).cuts(file, readParamsOf(here)));
    return null;
  },
};
