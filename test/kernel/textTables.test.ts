import test from 'ava';
import { canCompose, kernelFlags } from '../../src/kernel/wasmTextTables.js';
import {
  CHANGES,
  CLASS,
  canJoin,
  codePointTable,
  MARK,
  UNASSIGNED,
} from '../../src/sketch/unicode/codePoints.js';

const table = codePointTable().flags;
const flags = kernelFlags();

const marks = Array.from({ length: 0x110000 }, (_, i) => i).filter((i) => (table[i]! & CLASS) === MARK);
/** Orders as the kernel reads them, 0..7. */
const orderOf = (mark: number): number => flags[mark]! >> 5;

test('every mark that is a part of a composition counts as one that can compose', (t) => {
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

test('only marks have other flags than the table of the reference', (t) => {
  t.true(
    flags.every((flag, i) => ((table[i]! & CLASS) === MARK ? (flag & 31) === table[i]! : flag === table[i])),
  );
});
