/**
 * Stages that turn signatures into candidate pairs.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const bands: StreamStage = NOT_BUILT;
export const hotFirsts: StreamStage = NOT_BUILT;
