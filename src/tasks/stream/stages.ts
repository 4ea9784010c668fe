/**
 * The table of stages: every Map and Reduce of a run on an engine that sorts. Each stage says by which fields its records are
 * grouped; the recipe (src/coordinator/cluster/clusterRecipe.ts) says in which order the stages run.
 */

import { bands, hotPairs } from '../stages/bucketStages.js';
import { clusterRows, representatives } from '../stages/clusterStages.js';
import { leftSignatures, rightSamples, rightSignatures, wanted } from '../stages/comparingStages.js';
import { components, largeStar, smallStar, starEdges, starLabels } from '../stages/componentStages.js';
import { heldDrops, heldSteps, identicalRows } from '../stages/crossStages.js';
import { signatures } from '../stages/documents/classSignatures.js';
import { classes } from '../stages/documents/classStages.js';
import { decided } from '../stages/documents/decidedStage.js';
import { clashes, facts, groups, nameHashes, names } from '../stages/documents/namingStages.js';
import { sets, sketch } from '../stages/documents/readingStages.js';
import { elements, gathered, rows } from '../stages/documents/setStages.js';
import { drops, leads, steps } from '../stages/droppingStages.js';
import { resultRows, secondIds } from '../stages/finishingStages.js';
import { bucketMembers, largePairs } from '../stages/largeStages.js';
import { memberRanks, pairRanks, rootRanks, rowRanks } from '../stages/rankStages.js';
import { drawnBuckets, drawnMembers, hotHeads, likeness } from '../stages/rounds/drawnStages.js';
import {
  dependentPairs,
  dependents,
  freshPairs,
  keptMembers,
  leanings,
  memberPairs,
  passing,
  risks,
} from '../stages/rounds/roundStages.js';
import { hotDocuments, keptSizes, sharing, uncompared, unpaired } from '../stages/rounds/uncomparedStages.js';
import {
  chosen,
  fullLists,
  fullPairs,
  holders,
  hotHolders,
  reliance,
  relying,
} from '../stages/samples/frequentStages.js';
import { fingerprints, lists, sharedPairs } from '../stages/samples/listStages.js';
import { addedSizes, tilePairs, tileSets } from '../stages/setPairStages.js';
import { changed, remaining } from '../stages/withdrawnStages.js';
import type { StreamStage } from './stage.js';

export const STAGES = {
  sketch,
  rows,
  gathered,
  sets,
  elements,
  facts,
  nameHashes,
  names,
  clashes,
  groups,
  classes,
  decided,
  memberRanks,
  pairRanks,
  signatures,
  bands,
  bucketMembers,
  largePairs,
  hotPairs,
  fingerprints,
  holders,
  reliance,
  relying,
  fullLists,
  fullPairs,
  chosen,
  hotHolders,
  lists,
  sharedPairs,
  leftSignatures,
  rightSignatures,
  rightSamples,
  wanted,
  tileSets,
  tilePairs,
  addedSizes,
  changed,
  remaining,
  components,
  starEdges,
  largeStar,
  smallStar,
  starLabels,
  leads,
  steps,
  drops,
  identicalRows,
  heldSteps,
  heldDrops,
  representatives,
  clusterRows,
  hotHeads,
  drawnMembers,
  drawnBuckets,
  keptMembers,
  memberPairs,
  passing,
  freshPairs,
  risks,
  leanings,
  dependents,
  dependentPairs,
  keptSizes,
  sharing,
  uncompared,
  unpaired,
  hotDocuments,
  likeness,
  rootRanks,
  rowRanks,
  secondIds,
  resultRows,
} as const satisfies Readonly<Record<string, StreamStage>>;

export type StageName = keyof typeof STAGES;
