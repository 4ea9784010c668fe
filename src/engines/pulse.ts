/**
 * How far a task is, in shared memory: a busy worker answers no message, and telling must cost nothing.
 *
 *      word 0   beats: grows whenever the task gets on
 *      word 1   place: what the task is at work on, as it counts its records from 1; 0: nothing that has a number
 *
 * Survives the worker: what it says last is what is known of a task that died. Only the worker writes, and what it wrote
 * need not be seen at once, so plain writes do: they are a tenth of the price of atomic ones, and there is one a record.
 */
export type Pulse = Int32Array<SharedArrayBuffer>;

const WORDS = 2;
const BEATS = 0;
const PLACE = 1;

export function createPulse(): Pulse {
  return new Int32Array(new SharedArrayBuffer(4 * WORDS));
}

/** Says that the task gets on, and what it is at work on from now on where that is given. */
export function beat(pulse: Pulse, place?: number): void {
  if (place !== undefined) pulse[PLACE] = place;
  pulse[BEATS] = pulse[BEATS]! + 1;
}

/** Differs from what it was before whenever the task got on (after 2^32 steps it may be equal again). */
function beatsOf(pulse: Pulse): number {
  return Atomics.load(pulse, BEATS);
}

export function placeOf(pulse: Pulse): number {
  return Atomics.load(pulse, PLACE);
}

/*
 * Notices tasks that no longer get on.
 *
 * Quiet time is counted in looks, each of which is a turn of
 * this thread, and not by the clock: when this thread was busy, or the whole process was stopped for a while, one look
 * follows, and no task is taken for dead because nobody looked.
 */

const LOOKS = 16;
const LONGEST_PAUSE = 1000;

interface Watched {
  beats: number;
  quiet: number;
  /** Whether there was a beat. */
  begun: boolean;
  readonly giveUp: (milliseconds: number) => void;
}

export class Watch {
  private readonly watched = new Map<Pulse, Watched>();
  private readonly pause: number;
  private readonly timeout: number;
  private readonly startTimeout: number;
  private timer: NodeJS.Timeout | null = null;

  /**
   * `timeout`: milliseconds without a beat after which a task is given up; 0: never. `startTimeout`: the same for the first
   * beat, since a worker may have to start before; the longer of the two counts.
   */
  constructor(timeout: number, startTimeout = timeout) {
    this.pause = Math.max(1, Math.min(LONGEST_PAUSE, timeout / LOOKS));
    this.timeout = timeout;
    this.startTimeout = Math.max(timeout, startTimeout);
  }

  /**
   * Calls `giveUp` once, when the pulse has been quiet for too long, with how long that was; `end` must follow in any case.
   */
  begin(pulse: Pulse, giveUp: (milliseconds: number) => void): void {
    if (this.timeout === 0) return;
    this.watched.set(pulse, { beats: beatsOf(pulse), quiet: 0, begun: false, giveUp });
    this.timer ??= setInterval(() => this.look(), this.pause);
  }

  end(pulse: Pulse): void {
    this.watched.delete(pulse);
    if (this.watched.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private look(): void {
    for (const [pulse, state] of this.watched) {
      const beats = beatsOf(pulse);
      state.begun ||= beats !== state.beats;
      state.quiet = beats === state.beats ? state.quiet + 1 : 0;
      state.beats = beats;
      const most = state.begun ? this.timeout : this.startTimeout;
      if (state.quiet * this.pause < most) continue;
      this.watched.delete(pulse);
      state.giveUp(most);
    }
  }
}
