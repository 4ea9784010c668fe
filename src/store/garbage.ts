/** Collects the garbage of a thread when it has released many bytes of buffers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { giveLargePages } from '../arrays/ownPages.js';

/** Collects garbage. Most buffers die young, and collecting young objects takes a fraction of the time of all. */
type Collect = (what: 'young' | 'all') => void;

/** The garbage collector of the platform; does nothing where Node does not expose it. */
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

let collect: Collect | null = null;

/** Collects the garbage of this thread now: the platform does it when the heap is full, however large the buffers beside it are. */
export function collectGarbage(what: Parameters<Collect>[0]): void {
  collect ??= collector();
  collect(what);
}

/** One of this many collections visits all objects. */
const YOUNG_ONES = 4;

/** The part of the bytes of new large arrays that counts as released: to count all wins no memory, and takes a tenth of the time of a run. */
const ARRAYS = 1 / 8;

/**
 * Collects garbage whenever this thread has released a given number of bytes of buffers. The platform by itself
 * collects when its own heap is full, and hardly counts the buffers beside the heap: ten objects of a few bytes may
 * hold 100 MB that are shared with other threads. Without these collections a run would exceed a small budget.
 */
export class GarbageValve {
  private readonly every: number;
  private waiting = 0;
  private collections = 0;

  /** `every`: bytes; infinite: never. */
  constructor(every: number) {
    this.every = every;
    giveLargePages(Number.isFinite(every) ? (bytes) => this.released(ARRAYS * bytes) : null);
  }

  /** Counts bytes of buffers that this thread no longer holds. */
  released(bytes: number): void {
    this.waiting += bytes;
    if (this.waiting < this.every) return;
    // A large buffer may no longer be a young object, and must be freed before the next one is made.
    const isLarge = bytes >= YOUNG_ONES * this.every;
    this.waiting = 0;
    collectGarbage(isLarge || this.collections++ % YOUNG_ONES === 0 ? 'all' : 'young');
  }
}
