/**
 * The Unicode tables of the text side, copied into kernel memory once per kernel; the scratch and the state
 * of its streams.
 *
 * Flags are those of codePoints.ts, except that in a mark the three highest bits encode how NFC treats the mark;
 * assembly/text/tables.ts has the layout.
 */

import { seededConstants } from '../../arrays/hashing.js';
import { looksLikeCode, SAMPLE, type TextHash } from '../../text/keys/textKey.js';
import { SHINGLE_COLUMN } from '../../text/rolling.js';
import { hashesOfWords, type ShingleParams } from '../../text/shingles.js';
import { CHANGES, codePointTable } from '../../text/unicode/codePoints.js';
import { type KernelMemory, PADDING } from '../wasmMemory.js';

/** Offsets in words of 32 bits. */
const LENGTH = 16;

const MARKS = 18;

const KEY_PARAMETERS = 36;

const KEY = 56;

const TEXT_KEY_BYTES = 240;

/** The parameters of the struct, as words from KEY_PARAMETERS on. */
function textKeyWords(seed: number): Uint32Array {
  return seededConstants(seed, 'text', 10, true);
}

/** Writes the parameters of a seed into the struct at `address`. */
function writeTextKey(memory: KernelMemory, address: number, words: Uint32Array): void {
  memory.words.set(words, address / 4 + KEY_PARAMETERS);
}

/** Results for the text that ended. */
export interface TextFacts {
  readonly textKey: Uint32Array;
  looksLikeCode: boolean;
}

/** Copies the kernel's results for the last text. */
export function readTextKey({ words }: KernelMemory, address: number, into: TextFacts): void {
  const struct = address / 4;
  for (let i = 0; i < 4; i++) into.textKey[i] = words[struct + KEY + i]!;
  // All lengths beyond the sample are equivalent, so SAMPLE replaces a length with a nonzero upper half.
  const length = words[struct + LENGTH + 1] === 0 ? words[struct + LENGTH]! : SAMPLE;
  into.looksLikeCode = looksLikeCode(words[struct + MARKS]!, length);
}

/** Bytes copied into kernel memory at a time. */
const PIECE = 32768;

/**
 * Structs, each lent to one text from its first byte to its end, and a buffer for bytes. They are used again, because kernel
 * memory is never freed.
 */
class TextKeyPool {
  private readonly memory: KernelMemory;
  private readonly free: number[] = [];
  private room = 0;

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  take(): number {
    return this.free.pop() ?? this.memory.allocate(TEXT_KEY_BYTES);
  }

  giveBack(address: number): void {
    this.free.push(address);
  }

  /** Address of the bytes of one call. */
  get source(): number {
    if (this.room === 0) this.room = this.memory.allocate(PIECE + PADDING);
    return this.room;
  }
}

class WasmTextHash implements TextHash {
  readonly key = new Uint32Array(4);
  looksLikeCode = false;
  readonly textKey = this.key;
  private readonly memory: KernelMemory;
  private readonly pool: TextKeyPool;
  private readonly words: Uint32Array;
  /** Address of the struct in use; 0: none. */
  private address = 0;

  constructor(memory: KernelMemory, pool: TextKeyPool, seed: number) {
    this.memory = memory;
    this.pool = pool;
    this.words = textKeyWords(seed);
  }

  begin(): void {
    this.close();
  }

  push(bytes: Uint8Array): void {
    const { memory } = this;
    const { source } = this.pool;
    const address = this.open();
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      memory.bytes.set(piece, source);
      memory.call.textKeyPush!(address, source, source + piece.length);
    }
  }

  end(): void {
    const address = this.open();
    this.memory.call.textKeyEnd!(address);
    readTextKey(this.memory, address, this);
    this.close();
  }

  private open(): number {
    if (this.address !== 0) return this.address;
    this.address = this.pool.take();
    writeTextKey(this.memory, this.address, this.words);
    this.memory.call.textKeyBegin!(this.address);
    return this.address;
  }

  private close(): void {
    if (this.address !== 0) this.pool.giveBack(this.address);
    this.address = 0;
  }
}

/** Creates hashes of texts with the results of `TextKey`. */
export function createWasmTextHashes(memory: KernelMemory): (seed: number) => TextHash {
  const pool = new TextKeyPool(memory);
  return (seed) => new WasmTextHash(memory, pool, seed);
}

const MARK_ORDER = 5;
/** The order of marks that can change or compose. */
const COMPOSES = 7;

/**
 * Marks of the classes 10, 107, 122, 220 and 230: a higher order begins at each of these classes, so that the two classes of
 * Thai, and of Lao, have different orders.
 */
const ORDERS = '\u05b0\u0e48\u0ec8\u0316\u0301';
/** A mark of class 1, the lowest. */
const LOWEST = '\u0334';

/**
 * First and last of each run of marks that can compose with the code points before them: NFC_Quick_Check=Maybe of
 * DerivedNormalizationProps 15.0, without the jamo. (Other marks within a run only take the slower
 * path.)
 */
const COMPOSING: readonly (readonly [first: number, last: number])[] = [
  [0x300, 0x304],
  [0x306, 0x30c],
  [0x30f, 0x30f],
  [0x311, 0x314],
  [0x31b, 0x31b],
  [0x323, 0x328],
  [0x32d, 0x331],
  [0x338, 0x338],
  [0x342, 0x345],
  [0x653, 0x655],
  [0x93c, 0x93c],
  [0x9be, 0x9be],
  [0x9d7, 0x9d7],
  [0xb3e, 0xb3e],
  [0xb56, 0xb57],
  [0xbbe, 0xbbe],
  [0xbd7, 0xbd7],
  [0xc56, 0xc56],
  [0xcc2, 0xcc2],
  [0xcd5, 0xcd6],
  [0xd3e, 0xd3e],
  [0xd57, 0xd57],
  [0xdca, 0xdca],
  [0xdcf, 0xdcf],
  [0xddf, 0xddf],
  [0x102e, 0x102e],
  [0x1b35, 0x1b35],
  [0x3099, 0x309a],
  [0x110ba, 0x110ba],
  [0x11127, 0x11127],
  [0x1133e, 0x1133e],
  [0x11357, 0x11357],
  [0x114b0, 0x114b0],
  [0x114ba, 0x114ba],
  [0x114bd, 0x114bd],
  [0x115af, 0x115af],
  [0x11930, 0x11930],
];

/** Whether a mark can become part of another code point under NFC, or needs a closer look. */
export function canCompose(mark: number): boolean {
  return COMPOSING.some(([first, last]) => mark >= first && mark <= last);
}

/** The order of a mark. Canonical ordering reveals its class: a mark moves before marks of a higher class. */
function orderOf(mark: number): number {
  const character = String.fromCodePoint(mark);
  const text = (ORDERS + character + LOWEST).normalize('NFD');
  // No mark moves across class 0.
  if (text.endsWith(LOWEST)) return 0;
  // Before the mark are LOWEST, unless the two have the same class, and the marks of ORDERS whose class is
  // not higher.
  const before = text.lastIndexOf(character);
  return text.startsWith(LOWEST) ? before : before + 1;
}

/** Writes the order of every mark, given by `of`, into its flags. */
function orderMarks(flags: Uint8Array, of: (mark: number) => number): void {
  const { marks } = codePointTable();
  for (let run = 0; run < marks.length; run += 2) {
    for (let i = marks[run]!; i < marks[run + 1]!; i++) flags[i] = (flags[i]! & 31) | (of(i) << MARK_ORDER);
  }
}

export class TextTables {
  private readonly memory: KernelMemory;
  private readonly address: number;
  private ordered = false;

  /** Copies the tables, about 1.2 MB, into memory and passes their addresses to the kernel. */
  constructor(memory: KernelMemory) {
    const { call } = memory;
    const { flags, lowerPages, lowerSteps } = codePointTable();
    const pages = lowerSteps.length >> 8;
    const at = memory.allocate(call.textTablesSize!(pages));
    memory.bytes.set(flags, at);
    memory.bytes.set(lowerPages, at + flags.length);
    memory.bytes.set(new Uint8Array(lowerSteps.buffer), at + flags.length + lowerPages.length);
    this.memory = memory;
    this.address = at;
    orderMarks(this.flags, () => COMPOSES);
    call.textTables!(at, pages);
  }

  /** Flags by code point as the kernel reads them; valid until the next allocation. */
  get flags(): Uint8Array {
    return this.memory.bytes.subarray(this.address, this.address + codePointTable().flags.length);
  }

  /**
   * Computes the order of marks on the first call: until then the kernel declines all marks. This
   * takes some 20 ms (the platform loads the normaliser's data), which most corpora do not need.
   */
  learnMarks(): void {
    if (this.ordered) return;
    this.ordered = true;
    const { flags } = codePointTable();
    orderMarks(this.flags, (mark) => {
      return (flags[mark]! & CHANGES) !== 0 || canCompose(mark) ? COMPOSES : orderOf(mark);
    });
  }
}

/** The tables of a kernel, allocated on the first call. */
export type TablesOnce = () => TextTables;

export function tablesOnce(memory: KernelMemory): TablesOnce {
  let tables: TextTables | undefined;
  return () => {
    tables ??= new TextTables(memory);
    return tables;
  };
}

/** Bytes of source per block: all arenas that a block uses fit into the second cache. */
export const BLOCK = 32768;
/** The most tokens of a shingle, and so of a window. */
export const LONGEST_WINDOW = 64;
/** Bytes that a block can have besides its own: an unfinished word, a blank, an open segment. */
const CARRY = 4096;
/** Offset of the text's key, which is the end of the state; assembly/text/state.ts has the layout. */
export const TEXT_KEY = 256 + 2 * 8 * 256;
export const STATE = TEXT_KEY + TEXT_KEY_BYTES;

export interface Scratch {
  readonly state: number;
  /** Room for BLOCK bytes. */
  readonly source: number;
  /** Words or characters: at most three bytes for one of the source (UAX 15, "maximum expansion factor"). */
  readonly folded: number;
  /** Token hashes or character values, 8 bytes each; the window before them ends here. */
  readonly hashes: number;
  /** Shingle hashes waiting for the sink. */
  readonly column: number;
  /** The stream whose parameters are in the state. */
  owner: object | null;
}

export class ScratchPool {
  private readonly memory: KernelMemory;
  private readonly free: Scratch[] = [];

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  /**
   * Lends a scratch for one document, preferably the scratch that the owner had before. Kernel memory is never
   * freed, and every task makes streams, so streams do not own arenas.
   */
  take(owner: object): Scratch {
    const { free } = this;
    const last = free.length - 1;
    for (let i = last - 1; i >= 0 && free[last]!.owner !== owner; i--) {
      if (free[i]!.owner === owner) [free[i], free[last]] = [free[last]!, free[i]!];
    }
    return free.pop() ?? this.make();
  }

  giveBack(scratch: Scratch): void {
    this.free.push(scratch);
  }

  private make(): Scratch {
    const { memory } = this;
    const padded = (bytes: number): number => memory.allocate(bytes + PADDING);
    return {
      state: padded(STATE),
      source: padded(BLOCK),
      folded: padded(3 * BLOCK + CARRY),
      hashes: padded(8 * (LONGEST_WINDOW + BLOCK + CARRY)) + 8 * LONGEST_WINDOW,
      column: padded(8 * SHINGLE_COLUMN),
      owner: null,
    };
  }
}

/**
 * Offsets in bytes of the polynomials over the window, and over all tokens of a document. assembly/text/state.ts
 * has the layout of the struct.
 */
export const ROLLING = 0;
export const ALL = 8;
/** Offsets in words of 32 bits. */
export const SOURCE = 16;
export const AFTER = 17;
export const REPAIRED = 18;
export const CONTENT_KEY = 48;

const PARAMETERS = 20;
const SIZE = 40;
const SET_MASK = 41;
const SET = 42;

/** An open-addressing table of hashes in kernel memory: pairs (hash, taken) of u64, `mask` + 1 places. */
export interface KernelSet {
  readonly address: number;
  readonly mask: number;
}

/** `base ** exponent` modulo 2^64 for a pair (low, high), in place. Set-up only. */
function raise(pair: Uint32Array, exponent: number): void {
  const base = BigInt(pair[0]!) | (BigInt(pair[1]!) << 32n);
  const power = BigInt.asUintN(64, base ** BigInt(exponent));
  pair[0] = Number(power & 0xffffffffn);
  pair[1] = Number(power >> 32n);
}

export interface StateWords {
  /** The words from PARAMETERS on. */
  readonly shingle: Uint32Array;
  readonly text: Uint32Array;
}

export function parameterWords(params: ShingleParams): StateWords {
  const { seed, size } = params;
  const words = new Uint32Array(SIZE - PARAMETERS);
  const base = seededConstants(seed, 'shingle', 1, true);
  words.set(seededConstants(seed, 'word', 2), 0);
  words.set(base, 4);
  raise(base, size);
  words.set(base, 6);
  words.set(seededConstants(seed, 'content', 4, true), 8);
  words.set(seededConstants(seed, 'character', 2), 16);
  return { shingle: words, text: textKeyWords(seed) };
}

/** Writes these parameters into the state at `address`. */
export function writeParameters(
  memory: KernelMemory,
  address: number,
  words: StateWords,
  size: number,
  set: KernelSet | null,
): void {
  const state = memory.words.subarray(address / 4);
  state.set(words.shingle, PARAMETERS);
  state[SIZE] = size;
  state[SET_MASK] = set?.mask ?? 0;
  state[SET] = set?.address ?? 0;
  writeTextKey(memory, address + TEXT_KEY, words.text);
  memory.call.textCharacterTable!(address);
}

/** Writes the set of the stop words into kernel memory; a place is four words: hash, taken, unused. */
export function installStopWords(
  memory: KernelMemory,
  { stopWords, seed }: Pick<ShingleParams, 'stopWords' | 'seed'>,
): KernelSet {
  // The reference computes the hashes, because this is set-up.
  const hashes = hashesOfWords(stopWords, seed);
  let places = 16;
  while (places < 2 * hashes.length) places *= 2;
  const address = memory.allocate(16 * places);
  const mask = places - 1;
  const table = memory.words.subarray(address / 4, address / 4 + 4 * places);
  for (let i = 0; i < hashes.length; i += 2) {
    let place = hashes[i]! & mask;
    while (
      table[4 * place + 2] !== 0 &&
      (table[4 * place] !== hashes[i] || table[4 * place + 1] !== hashes[i + 1])
    ) {
      place = (place + 1) & mask;
    }
    table.set([hashes[i]!, hashes[i + 1]!, 1], 4 * place);
  }
  return { address, mask };
}
