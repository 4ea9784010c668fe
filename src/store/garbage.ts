/** Collects the garbage of a thread when it has released many bytes of buffers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { giveLargePages } from '../arrays/ownPages.js';

/** Collects garbage. Collecting only young objects takes a fraction of the time, and most buffers are young. */
type Collect = (what: 'young' | 'all') => void;

/** The garbage collector of the platform; does nothing if Node does not expose it. */
function collector(): Collect {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect === 'function') {
      return (what) => void collect(what === 'young' ? { type: 'minor' } : undefined);
    }
  } catch {
    // Without it, the platform collects later.
  }
  return () => {};
}

let collect: Collect | null = null;

/** Collects the garbage of this thread now. The platform waits until its heap is full, and ignores buffers outside the heap. */
export function collectGarbage(what: Parameters<Collect>[0]): void {
  collect ??= collector();
  collect(what);
}

/** Bytes that are worth a collection, which takes tens of milliseconds in a process that has loaded much code. */
const WORTH_COLLECTING = 8e6;

/** Collects the garbage of this thread if it has just released many bytes of buffers. */
export function collectReleased(bytes: number): void {
  if (bytes >= WORTH_COLLECTING) collectGarbage('all');
}

/** Every so many collections, all objects are visited, not only young ones. */
const YOUNG_ONES = 4;

/** The fraction of the bytes of new large arrays that counts as released. Counting all would take a tenth of the time of a run. */
const ARRAYS = 1 / 8;

/**
 * Collects garbage whenever this thread has released a number of bytes of buffers. The platform collects when its heap is full and
 * hardly counts buffers outside the heap: ten small objects may hold 100 MB that are shared with other threads. Without these
 * collections a run would exceed a small budget.
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
    // A large buffer may no longer be a young object, and must be freed before the next one is allocated.
    const isLarge = bytes >= YOUNG_ONES * this.every;
    this.waiting = 0;
    collectGarbage(isLarge || this.collections++ % YOUNG_ONES === 0 ? 'all' : 'young');
  }
}
