/**
 * The table of stages: every Map and Reduce of a run on an engine that sorts. A row says by what its records are brought
 * together; the recipe (src/coordinator/cluster/clusterRecipe.ts) says which follows which.
 */
import type { StreamStage } from './stage.js';

export const STAGES = {} as const satisfies Readonly<Record<string, StreamStage>>;

export type StageName = keyof typeof STAGES;
