/**
 * The Unicode tables of the text side, copied into kernel memory once per kernel.
 *
 * Flags are those of codePoints.ts, except that in a mark the three highest bits encode how NFC treats the mark;
 * assembly/text/tables.ts has the layout.
 */
import { CHANGES, codePointTable } from '../../text/unicode/codePoints.js';
import type { KernelMemory } from '../wasmMemory.js';

const MARK_ORDER = 5;
/** The order value of marks that can change or compose. */
const COMPOSES = 7;

/**
 * Marks of the classes 10, 107, 122, 220 and 230: a higher order begins at each of these classes, so that the two classes of Thai
 * (and of Lao) have different orders.
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

/** Whether a mark can become part of another code point under NFC, or has to be checked. */
export function canCompose(mark: number): boolean {
  return COMPOSING.some(([first, last]) => mark >= first && mark <= last);
}

/** The order of a mark. Canonical ordering reveals its class: a mark moves before marks of a higher class. */
function orderOf(mark: number): number {
  const character = String.fromCodePoint(mark);
  const text = (ORDERS + character + LOWEST).normalize('NFD');
  // No mark moves across class 0.
  if (text.endsWith(LOWEST)) return 0;
  // The mark follows LOWEST (unless both have the same class) and the marks of ORDERS whose class is not higher.
  const before = text.lastIndexOf(character);
  return text.startsWith(LOWEST) ? before : before + 1;
}

/** Writes the order of every mark, from `of`, into its flags. */
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
   * Computes the order of marks on the first call; before it, the kernel declines all marks. This takes about 20 ms (the platform
   * loads data for normalisation), which most corpora do not need.
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
