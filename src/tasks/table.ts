/**
 * The table of tasks: what each kind of task does, on any engine. Only this table leads to mappers and reducers.
 *
 * A row says the types of a kind's parameters and report, which blocks it reads and writes, and how many tasks of the kind a run
 * has, from which `--dry-run` is made. The coordinator plans tasks and names their blocks (src/blocks/names.ts).
 */

import { agreement } from './kinds/agreementTasks.js';
import { bucketPairs, buckets, candidatePairs } from './kinds/bandTasks.js';
import { cuts } from './kinds/cutTasks.js';
import { large } from './kinds/largeTasks.js';
import { counts, matches, wordCounts } from './kinds/matchTasks.js';
import { candidates, hot } from './kinds/pairTasks.js';
import { gathered, labelled, rows, sketchedSets, tilesOfSets } from './kinds/rowTasks.js';
import { fused, sets, verified } from './kinds/setTasks.js';
import { contents, minima, partials, sketch, tiles } from './kinds/sketchTasks.js';
import { writeTable } from './kinds/tableTasks.js';
import { commonOfPairs, setsOfBatch } from './kinds/verifyTasks.js';
import { digest, write } from './kinds/writeTasks.js';
import type { PlannedKind, TaskKind } from './task.js';

/** In the order of a run; the last three kinds are those of a query. */
export const TASKS = {
  cuts,
  contents,
  sketch,
  tiles,
  rows,
  tilesOfSets,
  sketchedSets,
  labelled,
  partials,
  minima,
  buckets,
  bucketPairs,
  candidatePairs,
  candidates,
  large,
  hot,
  agreement,
  sets,
  fused,
  gathered,
  verified,
  setsOfBatch,
  commonOfPairs,
  write,
  writeTable,
  digest,
  wordCounts,
  counts,
  matches,
} satisfies Readonly<Record<string, PlannedKind<never, unknown>>>;

export type Tasks = typeof TASKS;
export type KindName = keyof Tasks;
export type ParamsOf<K extends KindName> = Tasks[K] extends TaskKind<infer P, infer _> ? P : never;
export type ReportOf<K extends KindName> = Tasks[K] extends TaskKind<infer _, infer R> ? R : never;
