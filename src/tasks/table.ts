/**
 * The table of task kinds, for all engines. Mappers and reducers are called only from here.
 *
 * A row has the types of parameters and report. The coordinator plans tasks and chooses their blocks: src/blocks/names.ts lists all blocks
 * with their writers and readers.
 */

import { bucketPairs, buckets, candidatePairs } from './kinds/bandTasks.js';
import { containments, referenceSets } from './kinds/containmentTasks.js';
import { cuts } from './kinds/cutTasks.js';
import { matches, wordCounts } from './kinds/matchTasks.js';
import { elements, rows } from './kinds/rowTasks.js';
import { minima, partials, sketch } from './kinds/sketchTasks.js';
import { writeTable } from './kinds/tableTasks.js';
import { commonOfPairs, setsOfBatch } from './kinds/verifyTasks.js';
import type { TaskKind } from './task.js';

/** In the order of a run; the last three kinds are those of a query. */
export const TASKS = {
  cuts,
  sketch,
  partials,
  minima,
  referenceSets,
  containments,
  rows,
  elements,
  buckets,
  bucketPairs,
  candidatePairs,
  setsOfBatch,
  commonOfPairs,
  writeTable,
  wordCounts,
  matches,
} satisfies Readonly<Record<string, TaskKind<never, unknown>>>;

export type Tasks = typeof TASKS;
export type KindName = keyof Tasks;
export type ParamsOf<K extends KindName> = Tasks[K] extends TaskKind<infer P, infer _> ? P : never;
export type ReportOf<K extends KindName> = Tasks[K] extends TaskKind<infer _, infer R> ? R : never;
