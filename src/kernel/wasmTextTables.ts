/**
 * The Unicode tables of the text side, copied into kernel memory once a kernel.
 *
 * Floor 1. Flags are those of codePoints.ts, except that of a mark the three highest bits say how NFC treats it;
 * assembly/textTables.ts draws them.
 */
import { CHANGES, CLASS, codePointTable, MARK } from '../sketch/unicode/codePoints.js';
import type { KernelMemory } from './wasmMemory.js';

/** A mark that no composition takes part of, of combining class 0: whatever surrounds it, it stays as it is. */
const FREE_MARK = 32;
/** A mark of a higher class that no composition takes part of: it may have to change places with another one. */
const ORDERED_MARK = 64;

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

/**
 * What a mark that neither changes by itself nor composes means to the kernel. Its class is above 0 if U+0334 (class
 * 1) behind it moves before it, or it before U+0301 (class 230): then U+0334 is not the last any more.
 */
function markFlags(mark: number): number {
  const text = `\u0301${String.fromCodePoint(mark)}\u0334`.normalize('NFD');
  return text.endsWith('\u0334') ? FREE_MARK : ORDERED_MARK;
}

/** The flags of all code points as the kernel reads them. */
export function kernelFlags(): Uint8Array {
  const flags = codePointTable().flags.slice();
  for (let i = 0; i < flags.length; i++) {
    if ((flags[i]! & CLASS) !== MARK) continue;
    flags[i]! &= 0x1f;
    if ((flags[i]! & CHANGES) === 0 && !canCompose(i)) flags[i]! |= markFlags(i);
  }
  return flags;
}

/** Copies the tables into memory and tells the kernel where they are; about 1.2 MB and 5 ms. */
export function installTextTables(memory: KernelMemory): void {
  const { call } = memory;
  const { lowerPages, lowerSteps } = codePointTable();
  const pages = lowerSteps.length >> 8;
  const at = memory.allocate(call.textTablesSize!(pages));
  const flags = kernelFlags();
  memory.bytes.set(flags, at);
  memory.bytes.set(lowerPages, at + flags.length);
  memory.bytes.set(new Uint8Array(lowerSteps.buffer), at + flags.length + lowerPages.length);
  call.textTables!(at, pages);
}
