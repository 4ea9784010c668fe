/**
 * Gives memory of buffers back to the system soon after nobody holds them any more.
 *
 * Floor 2. Left to itself the platform collects when its own heap is full, and hardly counts the buffers beside it: ten
 * objects of a few bytes may stand for 100 MB that are shared with other threads. Where a run has a small budget that
 * is the difference between keeping and breaking it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Young objects are collected in a fraction of the time of all, and most buffers die young. */
type Collect = (what: 'young' | 'all') => void;

/** The platform's collector; does nothing where it cannot be had. */
function collector(): Collect {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect === 'function') {
      return (what) => void collect(what === 'young' ? { type: 'minor' } : undefined);
    }
  } catch {
    // A platform without it collects by itself, later.
  }
  return () => {};
}

/** Of so many collections one takes all objects. */
const YOUNG_ONES = 4;

/** Collects whenever buffers of so many bytes were let go by this thread. */
export class GarbageValve {
  private readonly every: number;
  private collect: Collect | null = null;
  private waiting = 0;
  private collections = 0;

  /** `every`: bytes; infinite: never. */
  constructor(every: number) {
    this.every = every;
  }

  /** So many bytes of buffers are no longer held by this thread. */
  released(bytes: number): void {
    this.waiting += bytes;
    if (this.waiting < this.every) return;
    this.waiting = 0;
    this.collect ??= collector();
    this.collect(this.collections++ % YOUNG_ONES === 0 ? 'all' : 'young');
  }
}
