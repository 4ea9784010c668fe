/**
 * The table of stages: what a task does, wherever it runs. The only door to mappers and reducers.
 *
 * A stage reads its blocks by name, calls a mapper or reducer, and writes its blocks by name; the coordinator
 * only plans tasks and joins their names. Names: `documents/k`, `tiles/k/s`, `partials/k/s`, `signatures/k`, `bands/k`,
 * `fingerprints/k`, `lists/f`, `sharing/t`, `frequent/r/g/s/..`, `shares/r/t`, `keys/g/b`, `candidates/r/b/p/s/..`, `hot/r/b/s/..`, `agreement/r/t`, `sets/r/t`, `fused/r`, `grouped/r/t/g`,
 * `verified/r/t`, `scatter/r/t`, `counts/r/k`, `cuts/i` (i input file, k column block, s step of its tiles or slice of a list, g group of column
 * blocks or of pairs, r round or call, b band, f range of fingerprints, p range of its keys, t part of the pairs or documents).
 */

import { agreement } from './agreementTasks.js';
import { counts, cuts, texts } from './countTasks.js';
import { keys } from './keyTasks.js';
import { candidates, hot } from './pairTasks.js';
import { gathered, gatheredRanges, labelled, rows, tilesOfSets } from './rowTasks.js';
import { frequent, lists, shares, sharing } from './sampleTasks.js';
import { fused, grouped, ranged, scatter, sets, verified } from './setTasks.js';
import { contents, minima, partials, sketch, tiles } from './sketchTasks.js';
import type { TaskKind, TaskTable } from './task.js';
import { digest, write } from './writeTasks.js';

export const TASKS = {
  counts,
  texts,
  cuts,
  contents,
  sketch,
  rows,
  tilesOfSets,
  labelled,
  gathered,
  gatheredRanges,
  tiles,
  partials,
  minima,
  keys,
  candidates,
  hot,
  agreement,
  lists,
  sharing,
  frequent,
  shares,
  sets,
  fused,
  grouped,
  verified,
  scatter,
  ranged,
  write,
  digest,
} satisfies TaskTable;

export type Tasks = typeof TASKS;
export type KindName = keyof Tasks;
/** The parameters and the report of a kind of task. */
export type ParamsOf<K extends KindName> = Tasks[K] extends TaskKind<infer P, infer _> ? P : never;
export type ReportOf<K extends KindName> = Tasks[K] extends TaskKind<infer _, infer R> ? R : never;
