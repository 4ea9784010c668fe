/**
 * Notices tasks that no longer get on.
 *
 * Floor 3: knows pulses and time, neither tasks nor threads. Quiet time is counted in looks, each of which is a turn of
 * this thread, and not by the clock: when this thread was busy, or the whole process was stopped for a while, one look
 * follows, and no task is taken for dead because nobody looked.
 */
import { beatsOf, type Pulse } from './pulse.js';

const LOOKS = 16;
const LONGEST_PAUSE = 1000;

interface Watched {
  beats: number;
  quiet: number;
  readonly giveUp: () => void;
}

export class Watch {
  private readonly watched = new Map<Pulse, Watched>();
  private readonly pause: number;
  private readonly most: number;
  private timer: NodeJS.Timeout | null = null;

  /** `timeout`: milliseconds without a beat after which a task is given up; 0: never. */
  constructor(timeout: number) {
    this.pause = Math.max(1, Math.min(LONGEST_PAUSE, timeout / LOOKS));
    this.most = timeout === 0 ? Number.POSITIVE_INFINITY : Math.ceil(timeout / this.pause);
  }

  /** Calls `giveUp` once, when the pulse has been quiet for too long; `end` must follow in any case. */
  begin(pulse: Pulse, giveUp: () => void): void {
    if (this.most === Number.POSITIVE_INFINITY) return;
    this.watched.set(pulse, { beats: beatsOf(pulse), quiet: 0, giveUp });
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
      state.quiet = beats === state.beats ? state.quiet + 1 : 0;
      state.beats = beats;
      if (state.quiet < this.most) continue;
      this.watched.delete(pulse);
      state.giveUp();
    }
  }
}
