/**
 * Stages that make the drop list.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const steps: StreamStage = NOT_BUILT;
export const drops: StreamStage = NOT_BUILT;
