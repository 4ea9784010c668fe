/** Objects that will be opened one after the other, fetched side by side: a latency a file would be longer than the reading. */
import type { Part } from './fetchedObjects.js';

/** So many at once, */
const MOST_AT_ONCE = 16;
/** and so many bytes that nobody took yet. */
const MOST_BYTES = 16 << 20;

interface Entry {
  readonly first: number;
  part: Promise<Part> | null;
}

export class Announced {
  readonly #fetch: (address: string, first: number) => Promise<Part>;
  #entries = new Map<string, Entry>();
  #waiting: string[] = [];
  #next = 0;
  #active = 0;
  #held = 0;

  constructor(fetch: (address: string, first: number) => Promise<Part>) {
    this.#fetch = fetch;
  }

  /** Announces others; what nobody opened is forgotten. */
  replace(addresses: readonly string[], first: Float64Array): void {
    this.#entries = new Map(addresses.map((address, i) => [address, { first: first[i]!, part: null }]));
    this.#waiting = [...addresses];
    this.#next = 0;
    this.#held = 0;
    this.#pump();
  }

  /** The first bytes of an object, at least as many as were announced, else `first`. */
  take(address: string, first: number): Promise<Part> {
    const entry = this.#entries.get(address);
    if (entry === undefined) return this.#fetch(address, first);
    this.#entries.delete(address);
    if (entry.part === null) return this.#fetch(address, entry.first);
    this.#held -= entry.first;
    this.#pump();
    return entry.part;
  }

  #pump(): void {
    while (this.#active < MOST_AT_ONCE && this.#held < MOST_BYTES && this.#next < this.#waiting.length) {
      const address = this.#waiting[this.#next++]!;
      const entry = this.#entries.get(address);
      if (entry !== undefined) this.#begin(address, entry);
    }
  }

  #begin(address: string, entry: Entry): void {
    this.#active++;
    this.#held += entry.first;
    entry.part = this.#fetch(address, entry.first);
    const over = (): void => {
      this.#active--;
      this.#pump();
    };
    entry.part.then(over, over);
  }
}
