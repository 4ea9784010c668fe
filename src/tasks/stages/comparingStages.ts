/**
 * Stages that compare the signatures of pairs, and their shingle sets.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const lefts: StreamStage = NOT_BUILT;
export const rights: StreamStage = NOT_BUILT;
export const wanted: StreamStage = NOT_BUILT;
export const leftSets: StreamStage = NOT_BUILT;
export const rightSets: StreamStage = NOT_BUILT;
