/**
 * Where shingle hashes wait for the sink: one column of fixed size, labelled on the way out when repetitions
 * count.
 *
 * Floor 0. It must never know how a shingle was hashed.
 */
import type { OccurrenceLabels } from './occurrenceLabels.js';

/**
 * Receives the shingle hashes of the document in hand, in text order, in one or more calls: `hashes[0 ..
 * 2*count)`. The array is scratch memory: what is to outlive the call must be copied.
 */
export type ShingleSink = (hashes: Uint32Array, count: number) => void;

/** Most hashes that a sink gets at once. */
export const SHINGLE_COLUMN = 65536;

export class ShingleColumn {
  /** Waiting hashes, low half first. Whoever writes hashes from number `count` on says so by `added`. */
  readonly hashes = new Uint32Array(2 * SHINGLE_COLUMN);
  count = 0;
  /** Shingles of the document, repeated ones counted every time. */
  occurrences = 0;

  private readonly sink: ShingleSink;
  private readonly labels: OccurrenceLabels | undefined;

  constructor(sink: ShingleSink, labels: OccurrenceLabels | undefined) {
    this.sink = sink;
    this.labels = labels;
  }

  begin(): void {
    this.count = 0;
    this.occurrences = 0;
    this.labels?.begin();
  }

  /** Hashes that can be written before the next call of `added`; at least 1. */
  get room(): number {
    return SHINGLE_COLUMN - this.count;
  }

  added(hashes: number): void {
    this.occurrences += hashes;
    this.count += hashes;
    if (this.count === SHINGLE_COLUMN) this.flush();
  }

  end(): void {
    if (this.count > 0) this.flush();
  }

  private flush(): void {
    const { count } = this;
    this.labels?.label(this.hashes, count);
    this.count = 0;
    this.sink(this.hashes, count);
  }
}
