import test from 'ava';
import { canCompose, TextTables } from '../../../src/kernel/text/wasmTables.js';
import {
  CHANGES,
  CLASS,
  canJoin,
  codePointTable,
  MARK,
  UNASSIGNED,
} from '../../../src/text/unicode/codePoints.js';
import { newMemory } from '../sketchKernels.js';

const table = codePointTable().flags;
const tables = new TextTables(newMemory());
const flagsAtFirst = tables.flags.slice();
tables.learnMarks();
const { flags } = tables;

const marks = Array.from({ length: 0x110000 }, (_, i) => i).filter((i) => (table[i]! & CLASS) === MARK);
/** Orders as the kernel reads them, 0..7. */
const orderOf = (mark: number): number => flags[mark]! >> 5;

test('every mark that is part of a composition counts as one that can compose', (t) => {
  const missing = new Set<number>();
  for (let codePoint = 0x80; codePoint < 0x110000; codePoint++) {
    const surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
    if (surrogate || (table[codePoint]! & (UNASSIGNED | CHANGES)) !== 0) continue;
    const parts = String.fromCodePoint(codePoint).normalize('NFD');
    for (const part of Array.from(parts).slice(1)) {
      const second = part.codePointAt(0)!;
      if ((table[second]! & CLASS) === MARK ? !canCompose(second) : !canJoin(table[second]!))
        missing.add(second);
    }
  }
  t.deepEqual([...missing], []);
});

test('NFC leaves marks alone that the kernel keeps: those of order 0, and those in growing order', (t) => {
  const kept = marks.filter((mark) => orderOf(mark) !== 7);
  t.true(kept.length > 1800);
  const characters = kept.map((mark) => String.fromCodePoint(mark));
  for (const [i, first] of kept.entries()) {
    const after = characters.filter((_, j) => orderOf(kept[j]!) === 0 || orderOf(kept[j]!) > orderOf(first));
    const text = after.map((second) => `é${characters[i]}${second}`).join('');
    if (text.normalize('NFC') !== text) t.fail(`U+${first.toString(16)}`);
  }
  t.pass();
});

test('before the order of marks is computed, the kernel declines all of them', (t) => {
  t.true(marks.every((mark) => flagsAtFirst[mark]! >> 5 === 7));
});

test('the order of a mark grows with its combining class', (t) => {
  // U+0334 has class 1, U+094D 9, U+05B0 10, U+064B 27, U+0E38 103, U+0E48 107, U+0EB8 118, U+0EC8 122, U+0316 220.
  const orders = [0x903, 0x334, 0x94d, 0x5b0, 0x64b, 0xe38, 0xe48, 0xeb8, 0xec8, 0x316, 0x483, 0x301].map(
    orderOf,
  );
  t.deepEqual(orders, [0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7]);
});

test('only marks have other flags than the table of the reference', (t) => {
  t.true(
    flags.every((flag, i) => ((table[i]! & CLASS) === MARK ? (flag & 31) === table[i]! : flag === table[i])),
  );
});
