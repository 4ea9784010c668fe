/**
 * Rows of the characteristic matrix in the kernel: finds them in lines `set, element[, value]` (src/kernel/assembly/rows/rowLines.ts
 * has the algorithm and draws the state; a call copies some thousand lines in, and rows out), computes the keys of sets, and labels their
 * elements.
 */
import { seededConstants } from '../arrays/hashing.js';
import { APPENDED_ROWS, type SetLabels, type SetNames } from '../blocks/sets.js';
import { type Kernel, type RowFields, type RowLineScanner, SET_ROW_WORDS } from './kernel.js';
import { type KernelMemory, LastingView, once } from './wasmMemory.js';

const LINE_FEED = 0x0a;
const NO_FIELD = 0xffffffff;

/** Maximum number of bytes per call: lines and rows fit into the L2 cache. */
const WINDOW = 64 << 10;
const ROWS = 2048;
/** Lines with a fieldCount field after this one are left to the reference. */
const MOST_FIELDS = 256;

// Words of the state.
const STATE_WORDS = 20;
const HASH_WORDS = 10;
const LINES = 14;
const BLANK = 15;
const FOUND = 16;

class WasmRowLines implements RowLineScanner {
  readonly rows = new Uint32Array(SET_ROW_WORDS * ROWS);
  readonly values = new Float64Array(this.rows.buffer);
  end = 0;
  lines = 0;
  blank = 0;
  /** Added to an address, gives the position in the bytes of the last scan. */
  private moved = 0;
  private readonly memory: KernelMemory;
  private readonly state: number;
  private readonly room: number;
  private readonly fields: number;
  private readonly rowsAt: number;
  private count = 0;

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.state = memory.allocate(4 * STATE_WORDS);
    this.room = memory.allocate(WINDOW);
    this.fields = memory.allocate(8 * MOST_FIELDS);
    this.rowsAt = memory.allocate(4 * SET_ROW_WORDS * ROWS);
  }

  /** Sets the fields of the next scans; false: use the reference. */
  take({ set, element, weight, separator }: RowFields, quote: number, seed: number): boolean {
    const fieldCount = 1 + Math.max(set, element, weight);
    if (fieldCount > MOST_FIELDS || separator === LINE_FEED || separator === quote) return false;
    const { memory, state, rowsAt } = this;
    const words = [rowsAt, rowsAt + 4 * SET_ROW_WORDS * ROWS, separator, quote < 0 ? LINE_FEED : quote];
    words.push(set, element, weight < 0 ? NO_FIELD : weight, fieldCount, this.fields);
    memory.words.set(words, state / 4);
    memory.words.set(seededConstants(seed, 'word', 2), state / 4 + HASH_WORDS);
    return true;
  }

  scan(bytes: Uint8Array, from: number, to: number): number {
    const { memory, state } = this;
    const end = this.linesEnd(bytes, from, to);
    this.lines = 0;
    this.count = 0;
    if (end === from) return 0;
    memory.bytes.set(bytes.subarray(from, end), this.room);
    let stop = this.room + end - from;
    if (bytes[end - 1] !== LINE_FEED) memory.bytes[stop++] = LINE_FEED;
    const next = memory.call.rowLines!(state, this.room, stop);
    const { words } = memory;
    this.moved = from - this.room;
    this.end = Math.min(to, next + this.moved);
    this.lines = words[state / 4 + LINES]!;
    this.blank = words[state / 4 + BLANK]!;
    const rows = words[state / 4 + FOUND]!;
    this.rows.set(memory.wordsAt(this.rowsAt, SET_ROW_WORDS * rows));
    this.count = rows;
    return rows;
  }

  number(names: SetNames, numbers: Uint32Array): void {
    const { memory, rowsAt, count } = this;
    names.reserve(count, WINDOW);
    memory.call.numberRows!(names.address, rowsAt, count);
    const { words } = memory;
    for (let i = 0, at = rowsAt / 4; i < count; i++, at += SET_ROW_WORDS) numbers[i] = words[at]!;
  }

  /** The end of the last line that fits into a call; `from` if none does. */
  private linesEnd(bytes: Uint8Array, from: number, to: number): number {
    // One byte is reserved for the line feed that the last line may lack.
    if (to - from < WINDOW) return to;
    return bytes.subarray(from, from + WINDOW).lastIndexOf(LINE_FEED) + 1 + from;
  }
}

/** `rowLines` in this memory; always returns the same scanner. */
export function createWasmRowLines(memory: KernelMemory): NonNullable<Kernel['rowLines']> {
  const scanner = once(() => new WasmRowLines(memory));
  return (...fieldCount) => (scanner().take(...fieldCount) ? scanner() : null);
}

/** Maximum number of elements, and of sets, per call of `setKeys`. */
const ELEMENTS = 8192;
const CONSTANT_WORDS = 8;

/** `setKeys` in this memory; the function of a seed is created once. */
export function createWasmSetKeys(memory: KernelMemory): Kernel['setKeys'] {
  let room = 0;
  return (seed) => {
    room ||= memory.allocate((8 + 2 + 4 + 16) * ELEMENTS + 4 * CONSTANT_WORDS);
    const copiesAt = room + 8 * ELEMENTS;
    const endsAt = copiesAt + 2 * ELEMENTS;
    const keysAt = endsAt + 4 * ELEMENTS;
    const constantsAt = keysAt + 16 * ELEMENTS;
    memory.words.set(seededConstants(seed, 'set', 4, true), constantsAt / 4);
    return (keys, ends, sets, hashes, copies) => {
      const { bytes, words, call } = memory;
      for (let set = 0, from = 0, next = 0; set < sets; set = next, from = ends[next - 1]!) {
        next = set + 1;
        while (next < sets && next - set < ELEMENTS && ends[next]! - from <= ELEMENTS) next++;
        const to = ends[next - 1]!;
        words.fill(0, keysAt / 4, keysAt / 4 + 4 * (next - set));
        // A larger set is processed in parts, whose keys are added.
        for (let first = from; first < to; first += ELEMENTS) {
          const stop = Math.min(to, first + ELEMENTS);
          words.set(hashes.subarray(2 * first, 2 * stop), room / 4);
          if (copies !== null) {
            const part = copies.subarray(first, stop);
            bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), copiesAt);
          }
          for (let s = set; s < next; s++) words[endsAt / 4 + s - set] = Math.min(ends[s]!, stop) - first;
          call.setKeys!(constantsAt, room, copies === null ? 0 : copiesAt, endsAt, next - set, keysAt);
        }
        keys.set(memory.wordsAt(keysAt, 4 * (next - set)), 4 * set);
      }
    };
  };
}

/** Labels of elements in this memory. */
class WasmLabels implements SetLabels {
  private readonly memory: KernelMemory;
  private readonly elementsView: LastingView;
  private readonly copiesView: LastingView;
  private readonly labelledAt: number;
  private readonly oddAt: number;

  constructor(memory: KernelMemory) {
    const [elementsAt, copiesAt] = [memory.allocate(8 * APPENDED_ROWS), memory.allocate(4 * APPENDED_ROWS)];
    this.memory = memory;
    this.labelledAt = memory.allocate(8 * APPENDED_ROWS);
    this.oddAt = memory.allocate(8);
    this.elementsView = new LastingView(memory, elementsAt, 2 * APPENDED_ROWS);
    this.copiesView = new LastingView(memory, copiesAt, APPENDED_ROWS);
  }

  take(seed: number): this {
    this.memory.words.set(seededConstants(seed, 'occurrence', 1, true), this.oddAt / 4);
    return this;
  }

  get elements(): Uint32Array {
    return this.elementsView.words;
  }

  get copies(): Uint32Array {
    return this.copiesView.words;
  }

  label(count: number, rows: number): Uint32Array {
    const { memory, elementsView, copiesView, labelledAt, oddAt } = this;
    memory.call.labelElements!(elementsView.address, copiesView.address, count, oddAt, labelledAt);
    return memory.wordsAt(labelledAt, 2 * rows);
  }
}

/** `setLabels` in this memory, one object. */
export function createWasmSetLabels(memory: KernelMemory): Kernel['setLabels'] {
  const labels = once(() => new WasmLabels(memory));
  return (seed) => labels().take(seed);
}
