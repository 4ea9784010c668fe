/**
 * The progress of a task, in shared memory: a busy worker answers no message, and reporting must cost nothing.
 *
 *      word 0   beats: grows whenever the task makes progress
 *      word 1   place: the number of the record that the task works on, from 1; 0: no record
 *
 * Outlives the worker: its last values tell where a dead task was. Only the worker writes, and a write need not be visible at
 * once, so writes are plain: they cost a tenth of atomic ones, and there is one per record.
 */
export type Pulse = Int32Array<SharedArrayBuffer>;

const WORDS = 2;
const BEATS = 0;
const PLACE = 1;

export function createPulse(): Pulse {
  return new Int32Array(new SharedArrayBuffer(4 * WORDS));
}

/** Reports progress and, where `place` is given, the record that the task works on from now on. */
export function beat(pulse: Pulse, place?: number): void {
  if (place !== undefined) pulse[PLACE] = place;
  pulse[BEATS] = pulse[BEATS]! + 1;
}

/** Differs from its value before whenever the task made progress (after 2^32 steps it may be equal again). */
function beatsOf(pulse: Pulse): number {
  return Atomics.load(pulse, BEATS);
}

export function placeOf(pulse: Pulse): number {
  return Atomics.load(pulse, PLACE);
}

/*
 * Notices tasks that make no progress.
 *
 * Silence is counted in looks, each a turn of this thread, and not by the clock: when this thread was busy, or the whole process
 * was stopped for a while, only one look follows, so that no task counts as hung because this thread did not look.
 */

const LOOKS = 16;
const LONGEST_PAUSE = 1000;

interface Watched {
  beats: number;
  quiet: number;
  /** Whether the task has reported progress. */
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
   * `timeout`: milliseconds without progress after which a task is given up; 0: never. `startTimeout`: the same before the first
   * report, since the worker may have to start; the longer of the two counts.
   */
  constructor(timeout: number, startTimeout = timeout) {
    this.pause = Math.max(1, Math.min(LONGEST_PAUSE, timeout / LOOKS));
    this.timeout = timeout;
    this.startTimeout = Math.max(timeout, startTimeout);
  }

  /**
   * Calls `giveUp` once, when the pulse has been silent for too long, with the length of the silence; `end` must follow in any
   * case.
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
