/**
 * Scans lines of JSON in the kernel; src/kernel/assembly/json/lines.ts has the algorithm.
 *
 * A call copies a few hundred records in, and decodes strings to a second arena, in which they are never longer than the lines.
 * Streams of the same kernel read the strings there. For other readers all strings are copied out at once, because growth of kernel
 * memory detaches its views.
 */
import type { PlacedRows } from '../text/shingles.js';
import { type JsonLineScanner, type Kernel, ROW_WORDS } from './kernel.js';
import { type KernelMemory, once, oncePer } from './wasmMemory.js';

const LINE_FEED = 0x0a;

/** Best number of bytes per call: lines and their decoded strings fit into the L2 cache. */
const WINDOW = 128 << 10;
/** Maximum number of bytes per call. The reference scans longer lines, because arenas are never freed. */
const MOST = 16 << 20;
const ROWS = 2048;

// Positions in the state, in words; assembly/json/state.ts has the layout.
const STATE_BYTES = 320 + 256;
const ROWS_AT = 0;
const OUT = 2;
const AT = 8;
const ESCAPES = 64;
const DIGITS = 320;
const NO_DIGIT = 0x80;

/** The memory that all scanners of a kernel share. */
interface JsonArenas {
  readonly state: number;
  readonly rows: number;
  /** Room for `room` bytes of lines, and for as many decoded bytes. */
  source: number;
  decoded: number;
  room: number;
  /** The decoded strings of the last scan, copied out of the kernel at the first call of `bytes`. */
  out: Uint8Array;
  isCopied: boolean;
}

function createArenas(memory: KernelMemory): JsonArenas {
  const state = memory.allocate(STATE_BYTES);
  const rows = memory.allocate(4 * ROW_WORDS * ROWS);
  const { bytes } = memory;
  const letters = '"\\/bfnrt';
  const meanings = '"\\/\b\f\n\r\t';
  for (let i = 0; i < letters.length; i++) {
    bytes[state + ESCAPES + letters.charCodeAt(i)] = meanings.charCodeAt(i);
  }
  bytes.fill(NO_DIGIT, state + DIGITS, state + DIGITS + 256);
  for (let value = 0; value < 16; value++) {
    const digit = value.toString(16);
    bytes[state + DIGITS + digit.charCodeAt(0)] = value;
    bytes[state + DIGITS + digit.toUpperCase().charCodeAt(0)] = value;
  }
  return { state, rows, source: 0, decoded: 0, room: 0, out: new Uint8Array(0), isCopied: false };
}

/** Makes room for lines of `size` bytes and for the eight bytes by which they may be shifted. */
function makeRoom(memory: KernelMemory, arenas: JsonArenas, size: number): void {
  if (size <= arenas.room) return;
  arenas.room = Math.max(WINDOW, Math.min(2 * size, MOST));
  arenas.source = memory.allocate(arenas.room + 8);
  arenas.decoded = memory.allocate(arenas.room + 8);
  arenas.out = new Uint8Array(0);
}

class WasmJsonLines implements JsonLineScanner {
  readonly window = WINDOW;
  readonly most = MOST;
  readonly rows = new Uint32Array(ROW_WORDS * ROWS);
  end = 0;

  private readonly memory: KernelMemory;
  private readonly arenas: JsonArenas;
  private readonly textName: number;
  private readonly idName: number;
  private readonly lengths: readonly [number, number];

  constructor(memory: KernelMemory, arenas: JsonArenas, textField: Uint8Array, idField: Uint8Array) {
    this.memory = memory;
    this.arenas = arenas;
    this.lengths = [textField.length, idField.length];
    this.textName = memory.allocate(textField.length);
    this.idName = memory.allocate(idField.length);
    memory.bytes.set(textField, this.textName);
    memory.bytes.set(idField, this.idName);
  }

  scan(bytes: Uint8Array, from: number, to: number, longest: number): number {
    const { memory, arenas } = this;
    const start = this.copyIn(bytes, from, to, longest);
    const stop = start + to - from;
    const fed = memory.bytes[stop - 1] === LINE_FEED;
    if (!fed) memory.bytes[stop] = LINE_FEED;
    const lines = memory.call.jsonLines!(arenas.state, start, fed ? stop : stop + 1);
    this.end = Math.min(to, from + this.takeRows(lines) - start);
    return lines;
  }

  bytes(place: number, length: number): Uint8Array {
    const { arenas } = this;
    if (!arenas.isCopied) this.copyOut();
    const from = place - arenas.decoded;
    return arenas.out.subarray(from, from + length);
  }

  get placedRows(): PlacedRows {
    return { bytes: this.memory.bytes, at: this.arenas.rows };
  }

  placed(place: number, length: number): Uint8Array {
    return this.memory.bytes.subarray(place, place + length);
  }

  /** Copies the input into the kernel; returns its address there. */
  private copyIn(bytes: Uint8Array, from: number, to: number, longest: number): number {
    const { memory, arenas } = this;
    makeRoom(memory, arenas, to - from);
    // The engine copies word by word from shared memory only if both ends have the same alignment.
    const start = arenas.source + ((bytes.byteOffset + from) & 7);
    memory.bytes.set(bytes.subarray(from, to), start);
    this.writeState(longest);
    return start;
  }

  /** Copies rows out of the kernel; returns the position in the kernel after the scanned input. */
  private takeRows(rows: number): number {
    const { memory, arenas } = this;
    this.rows.set(memory.wordsAt(arenas.rows, ROW_WORDS * rows));
    arenas.isCopied = false;
    return memory.words[arenas.state / 4 + AT]!;
  }

  /** Copies the strings of the last scan out of the kernel. */
  private copyOut(): void {
    const { bytes, words } = this.memory;
    const { arenas } = this;
    if (arenas.out.length < arenas.room) arenas.out = new Uint8Array(arenas.room + 8);
    arenas.out.set(bytes.subarray(arenas.decoded, words[arenas.state / 4 + OUT]!));
    arenas.isCopied = true;
  }

  private writeState(longest: number): void {
    const { memory, arenas, lengths } = this;
    const { rows, decoded } = arenas;
    const state = [rows, rows + 4 * ROW_WORDS * ROWS, decoded, longest];
    state.push(this.textName, lengths[0], this.idName, lengths[1]);
    memory.words.set(state, arenas.state / 4 + ROWS_AT);
  }
}

/** `jsonLines` in this memory: a scanner for each pair of names. */
export function createWasmJsonLines(memory: KernelMemory): NonNullable<Kernel['jsonLines']> {
  const encoder = new TextEncoder();
  const arenas = once(() => createArenas(memory));
  const scannerOf = oncePer(
    ([text, id]: readonly [string, string]) =>
      new WasmJsonLines(memory, arenas(), encoder.encode(text), encoder.encode(id)),
  );
  return (textField, idField) => scannerOf([textField, idField]);
}
