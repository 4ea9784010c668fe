/**
 * Stages that give rows the ids of both documents, in the order of the result.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const seconds: StreamStage = NOT_BUILT;
export const firsts: StreamStage = NOT_BUILT;
