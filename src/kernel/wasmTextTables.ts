/**
 * The Unicode tables of the text side, copied into kernel memory once a kernel.
 *
 * Floor 1. Flags are those of codePoints.ts, except that of a mark the three highest bits say how NFC treats it;
 * assembly/textTables.ts draws them.
 */
import { CHANGES, CLASS, codePointTable, MARK } from '../sketch/unicode/codePoints.js';
import type { KernelMemory } from './wasmMemory.js';

const MARK_ORDER = 5;
/** The order of marks that can change or compose. */
const COMPOSES = 7;

/** Marks of the classes 10, 107, 122, 220 and 230: where a higher order begins. Two of Thai, and of Lao, differ. */
const ORDERS = '\u05b0\u0e48\u0ec8\u0316\u0301';
/** A mark of class 1, the lowest. */
const LOWEST = '\u0334';

/**
 * First and last of each run of marks that can compose with what is before them: NFC_Quick_Check=Maybe of
 * DerivedNormalizationProps 15.0, less the jamo. (Where a run has others too, they only take the slower way.)
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

/** Whether a mark can become part of another code point under NFC, or needs to be looked at more closely. */
export function canCompose(mark: number): boolean {
  return COMPOSING.some(([first, last]) => mark >= first && mark <= last);
}

/** The order of a mark, of which canonical ordering tells the class: it moves before marks of a higher one. */
function orderOf(mark: number): number {
  const character = String.fromCodePoint(mark);
  const text = (ORDERS + character + LOWEST).normalize('NFD');
  // Nothing moves across class 0.
  if (text.endsWith(LOWEST)) return 0;
  // Before the mark is LOWEST, unless the two are of one class, and those of ORDERS whose class is not higher.
  const before = text.lastIndexOf(character);
  return text.startsWith(LOWEST) ? before : before + 1;
}

/** Code points among which all marks are: a loop over all others costs more than all else here. */
const PLACES_OF_MARKS: readonly (readonly [first: number, end: number])[] = [
  [0x300, 0x20000],
  [0xe0100, 0xe0200],
];

/** Puts the order that `of` gives into the flags of every mark. */
function orderMarks(flags: Uint8Array, of: (mark: number) => number): void {
  for (const [first, end] of PLACES_OF_MARKS) {
    for (let i = first; i < end; i++) {
      if ((flags[i]! & CLASS) === MARK) flags[i] = (flags[i]! & 31) | (of(i) << MARK_ORDER);
    }
  }
}

/** The tables in the memory of one kernel. */
export class TextTables {
  private readonly memory: KernelMemory;
  private readonly address: number;
  private ordered = false;

  /** Copies them into memory and tells the kernel where they are; about 1.2 MB. */
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
   * Finds out the order of marks, if it is not known yet: until then all of them leave the kernel. It takes some 20 ms
   * (the normaliser's data are read), which most corpora need not pay.
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

/** The tables of a kernel, made when they are first asked for. */
export type TablesOnce = () => TextTables;

export function tablesOnce(memory: KernelMemory): TablesOnce {
  let tables: TextTables | undefined;
  return () => {
    tables ??= new TextTables(memory);
    return tables;
  };
}
