/**
 * Stages that give the documents of clusters their similarity to the representative.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const asked: StreamStage = NOT_BUILT;
export const clusterRows: StreamStage = NOT_BUILT;
