/**
 * How far a task is, in shared memory: a worker that is at work can say nothing else, and saying it must cost nothing.
 *
 *      word 0   beats: grows whenever the task gets on
 *      word 1   place: the part of the task in work, as the stage counts its parts from 1; 0: it named none yet
 *
 * Floor 3. Survives the worker: what it says last is what is known of a task that died.
 */
export type Pulse = Int32Array<SharedArrayBuffer>;

const WORDS = 2;
const BEATS = 0;
const PLACE = 1;

export function createPulse(): Pulse {
  return new Int32Array(new SharedArrayBuffer(4 * WORDS));
}

/** Says that the task gets on, and which part of it is in work from now on where one is given. */
export function beat(pulse: Pulse, place?: number): void {
  if (place !== undefined) Atomics.store(pulse, PLACE, place);
  Atomics.add(pulse, BEATS, 1);
}

/** Differs from what it was before whenever the task got on (after 2^32 steps it may be equal again). */
export function beatsOf(pulse: Pulse): number {
  return Atomics.load(pulse, BEATS);
}

export function placeOf(pulse: Pulse): number {
  return Atomics.load(pulse, PLACE);
}
