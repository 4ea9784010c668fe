/**
 * Stages that find the components of accepted pairs: in one task, or by stars.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const components: StreamStage = NOT_BUILT;
export const starEdges: StreamStage = NOT_BUILT;
export const largeStar: StreamStage = NOT_BUILT;
export const smallStar: StreamStage = NOT_BUILT;
export const starLabels: StreamStage = NOT_BUILT;
