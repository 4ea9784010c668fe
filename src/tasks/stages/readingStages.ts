/**
 * Stages that read the corpus: documents -> sketches, and in the second reading shingle sets.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const sketch: StreamStage = NOT_BUILT;
export const sets: StreamStage = NOT_BUILT;
