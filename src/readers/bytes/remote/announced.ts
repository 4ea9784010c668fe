/** Objects that will be opened one after the other, fetched side by side: a latency a file would be longer than the reading. */
import type { AnnouncedObject } from './messages.js';
import type { Part } from './replies.js';

/** So many at once, */
const MOST_AT_ONCE = 16;
/** and so many bytes that nobody took yet. */
const MOST_BYTES = 16 << 20;

interface Entry {
  readonly object: AnnouncedObject;
  part: Promise<Part> | null;
}

export class Announced {
  readonly #fetch: (object: AnnouncedObject) => Promise<Part>;
  #entries = new Map<string, Entry>();
  #waiting: readonly Entry[] = [];
  #next = 0;
  #active = 0;
  #held = 0;

  constructor(fetch: (object: AnnouncedObject) => Promise<Part>) {
    this.#fetch = fetch;
  }

  /** Announces others; what nobody opened is forgotten. */
  replace(objects: readonly AnnouncedObject[]): void {
    this.#waiting = objects.map((object) => ({ object, part: null }));
    this.#entries = new Map(this.#waiting.map((entry) => [entry.object.address, entry]));
    this.#next = 0;
    this.#held = 0;
    this.#pump();
  }

  /** The first bytes of an object: those that were announced, else those that are wanted now. */
  take(wanted: AnnouncedObject): Promise<Part> {
    const entry = this.#entries.get(wanted.address);
    if (entry === undefined) return this.#fetch(wanted);
    this.#entries.delete(wanted.address);
    if (entry.part === null) return this.#fetch(entry.object);
    this.#held -= entry.object.first.length;
    this.#pump();
    return entry.part;
  }

  #pump(): void {
    while (this.#active < MOST_AT_ONCE && this.#held < MOST_BYTES && this.#next < this.#waiting.length) {
      const entry = this.#waiting[this.#next++]!;
      if (this.#entries.get(entry.object.address) === entry) this.#begin(entry);
    }
  }

  #begin(entry: Entry): void {
    this.#active++;
    this.#held += entry.object.first.length;
    entry.part = this.#fetch(entry.object);
    const over = (): void => {
      this.#active--;
      this.#pump();
    };
    entry.part.then(over, over);
  }
}
