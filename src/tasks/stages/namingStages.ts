/**
 * Stages that give documents their ids, their ranks, and their classes.
 */

import type { StreamStage } from '../stream/stage.js';
import { NOT_BUILT } from '../stream/stage.js';

export const facts: StreamStage = NOT_BUILT;
export const order: StreamStage = NOT_BUILT;
export const clashes: StreamStage = NOT_BUILT;
export const classes: StreamStage = NOT_BUILT;
