/**
 * The shingle sets of an index that has none of its own. A lookup notes the documents whose sets it needs; they are read from the sources
 * of the index (src/coordinator/index/indexSources.ts), and the lookup is repeated.
 */

/** A segment whose documents have sets of a known size. */
interface SizedSets {
  record(row: number): { readonly setCount: number };
}

/** A document whose set is needed. */
export interface WantedSet<Segment> {
  readonly segment: Segment;
  readonly row: number;
}

/** Hashes of sets that are read at a time. */
const MOST_HASHES = 1 << 23;

export class PendingSets<Segment extends SizedSets> {
  readonly #sets = new Map<Segment, Map<number, Uint32Array | null>>();
  #wanted: WantedSet<Segment>[] = [];
  #hashes = 0;

  /** The set of a document; null: it is not read yet, or its source is gone or changed. */
  setOf(segment: Segment, row: number): Uint32Array | null {
    const sets = this.#sets.get(segment);
    const set = sets?.get(row);
    if (set !== undefined) return set;
    this.#wanted.push({ segment, row });
    this.#hashes += segment.record(row).setCount;
    this.put(segment, row, null);
    return null;
  }

  put(segment: Segment, row: number, set: Uint32Array | null): void {
    const sets = this.#sets.get(segment) ?? new Map<number, Uint32Array | null>();
    this.#sets.set(segment, sets);
    sets.set(row, set);
  }

  /** Whether the sets that are needed should be read before more are. */
  get isFull(): boolean {
    return this.#hashes > MOST_HASHES;
  }

  /** The documents whose sets are needed and were not read, each once. */
  take(): readonly WantedSet<Segment>[] {
    const wanted = this.#wanted;
    this.#wanted = [];
    return wanted;
  }

  clear(): void {
    this.#sets.clear();
    this.#wanted = [];
    this.#hashes = 0;
  }
}
