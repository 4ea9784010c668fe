/**
 * The table of stages: what a task does, wherever it runs. The only door to mappers and reducers.
 *
 * Floor 3. A stage reads its blocks by name, calls a mapper or reducer, and writes its blocks by name; the coordinator
 * only plans tasks and joins their names. Names: `documents/k`, `tiles/k/s`, `partials/k/s`, `signatures/k`, `bands/k`,
 * `candidates/r/b`, `hot/r/b`, `agreement/r/t`, `sets/r.t`, `fused/r/t`, `verified/r/t` (k column block, s step of its tiles, r round
 * or call, b band, t part of the pairs).
 */
import type { Stage } from './protocol.js';
import { write } from './resultParts.js';
import { agreement, candidates, hot } from './stagesPairs.js';
import { gathered, labelled, rows, tilesOfSets } from './stagesRows.js';
import { fused, sets, verified } from './stagesSets.js';
import { minima, partials, sketch, tiles } from './stagesSketch.js';

export const STAGES: Readonly<Record<string, Stage>> = {
  sketch,
  rows,
  tilesOfSets,
  labelled,
  gathered,
  tiles,
  partials,
  minima,
  candidates,
  hot,
  agreement,
  sets,
  fused,
  verified,
  write,
};
