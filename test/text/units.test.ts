/** Units of texts against what splitting a string says. */
import test from 'ava';
import fc from 'fast-check';
import { type CutUnit, textWithout, UnitCutter, unitMark, unitOfId } from '../../src/text/units.js';
import { encode } from '../data/shingledDocuments.js';

type Unit = readonly [number: number, text: string];

const MARK = '\ufeff';

/** Lines with their numbers; a line end is LF, or CR LF. */
function naiveLines(text: string): Unit[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line, i, all): Unit => [i + 1, i + 1 < all.length ? line.replace(/\r$/, '') : line])
    .filter(([, line]) => /\P{White_Space}/u.test(line));
}

function naiveParagraphs(text: string): Unit[] {
  const paragraphs: string[][] = [];
  let isOpen = false;
  for (const line of text.replace(/^\ufeff/, '').split('\n')) {
    const isBlank = !/\P{White_Space}/u.test(line);
    if (!isBlank && !isOpen) paragraphs.push([]);
    if (!isBlank) paragraphs.at(-1)!.push(line);
    isOpen = !isBlank;
  }
  const isAtEnd = isOpen;
  return paragraphs.map((lines, i): Unit => {
    const paragraph = lines.join('\n');
    return [i + 1, isAtEnd && i + 1 === paragraphs.length ? paragraph : paragraph.replace(/\r$/, '')];
  });
}

const NAIVE: Readonly<Record<CutUnit, (text: string) => Unit[]>> = {
  line: naiveLines,
  paragraph: naiveParagraphs,
};

/** Units and gaps as they come; `cuts`: where the text is cut into pieces. */
function cutUp(text: Uint8Array, unit: CutUnit, cuts: readonly number[]) {
  const units: [number, string][] = [];
  const all: Uint8Array[] = [];
  let open: Uint8Array[] | null = null;
  const cutter = new UnitCutter(unit, {
    unit(number, bytes, begins, ends) {
      if (begins !== (open === null)) throw new Error('units overlap');
      open = [...(open ?? []), bytes.slice()];
      all.push(bytes.slice());
      if (!ends) return;
      units.push([number, Buffer.concat(open).toString()]);
      open = null;
    },
    gap: (bytes) => {
      if (open !== null) throw new Error('a gap in a unit');
      all.push(bytes.slice());
    },
  });
  cutter.begin();
  let from = 0;
  for (const to of [...cuts, text.length]) {
    // The memory of a piece is written over when it was taken.
    const piece = text.slice(from, to);
    cutter.push(piece);
    piece.fill(0x7e);
    from = to;
  }
  cutter.end();
  return { units, all: Buffer.concat(all).toString() };
}

const PIECES = [
  'a',
  'b c',
  '\n',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  ' ',
  '\t',
  '\u00a0',
  '\u3000',
  '\u2028',
  '\u0085',
];
const OTHERS = ['é', '\u2060', '\u30ff', MARK, '\u{1f600}'];

const texts = fc
  .tuple(fc.constantFrom('', '', MARK), fc.array(fc.constantFrom(...PIECES, ...OTHERS), { maxLength: 30 }))
  .map(([mark, parts]) => mark + parts.join(''));
const units = fc.constantFrom<CutUnit>('line', 'paragraph');

test('units of a text do not depend on how it is cut into pieces, and no bytes are lost', (t) => {
  fc.assert(
    fc.property(texts, units, fc.array(fc.nat(60), { maxLength: 6 }), (text, unit, places) => {
      const bytes = encode(text);
      const cuts = places.map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b);
      const found = cutUp(bytes, unit, cuts);
      t.deepEqual(found.units, NAIVE[unit](text));
      t.is(found.all, text);
      t.deepEqual(cutUp(bytes, unit, []).units, found.units);
    }),
    { numRuns: 1500, seed: 17 },
  );
});

test('a text byte by byte', (t) => {
  const text = encode(`${MARK}one\r\ntwo\r\n \u3000\r\n\r\nthree\rfour\n`);
  const cuts = Array.from(text, (_, i) => i);
  t.deepEqual(cutUp(text, 'line', cuts).units, [
    [1, 'one'],
    [2, 'two'],
    [5, 'three\rfour'],
  ]);
  t.deepEqual(cutUp(text, 'paragraph', cuts).units, [
    [1, 'one\r\ntwo'],
    [2, 'three\rfour'],
  ]);
});

test('a line with more than 64 KiB of white space is not blank, and is not held in memory', (t) => {
  const blank = ' '.repeat(64 << 10);
  for (const [text, expected] of [
    [`a\n${blank.slice(1)}\nb`, ['a', 'b']],
    [`a\n${blank} \nb`, [`a\n${blank} \nb`]],
  ] as const) {
    for (const cuts of [[], [1000, 70_000].filter((at) => at < text.length)]) {
      const found = cutUp(encode(text), 'paragraph', cuts).units;
      t.deepEqual(
        found.map(([, unit]) => unit),
        expected,
      );
    }
  }
});

/** What is left, by splitting and joining strings. */
function naiveWithout(text: string, drop: ReadonlySet<number>, unit: CutUnit): string {
  const found = NAIVE[unit](text);
  if (found.length > 0 && found.every(([number]) => drop.has(number))) return '';
  const mark = text.startsWith(MARK) ? MARK : '';
  if (unit === 'line') {
    const lines = text.slice(mark.length).split(/(?<=\n)/);
    const numbers = new Set(found.map(([number]) => number));
    return mark + lines.filter((_, i) => !(drop.has(i + 1) && numbers.has(i + 1))).join('');
  }
  const gaps: string[] = [];
  let rest = text.slice(mark.length);
  for (const [, paragraph] of found) {
    const at = rest.indexOf(paragraph);
    gaps.push(rest.slice(0, at));
    rest = rest.slice(at + paragraph.length);
  }
  gaps.push(rest);
  const kept = found.map((_, i) => i).filter((i) => !drop.has(found[i]![0]));
  if (kept.length === 0) return text;
  const parts = kept.map((i, k) => found[i]![1] + (k + 1 < kept.length ? gaps[i + 1]! : gaps.at(-1)!));
  return mark + gaps[0]! + parts.join('');
}

function withoutUnits(text: string, drop: readonly number[], unit: CutUnit): string {
  const bytes = encode(text);
  const { spans } = textWithout(bytes, drop, unit);
  const parts = Array.from({ length: spans.length / 2 }, (_, i) =>
    bytes.subarray(spans[2 * i]!, spans[2 * i + 1]!),
  );
  return Buffer.concat(parts).toString();
}

test('a text without some units', (t) => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 });
  fc.assert(
    fc.property(texts, units, numbers, (text, unit, drop) => {
      const ascending = [...drop].sort((a, b) => a - b);
      const left = withoutUnits(text, ascending, unit);
      t.is(left, naiveWithout(text, new Set(drop), unit));
      const { removed, kept } = textWithout(encode(text), ascending, unit);
      const found = NAIVE[unit](text);
      t.is(removed, found.filter(([number]) => drop.includes(number)).length);
      t.is(kept + removed, found.length);
      // One that begins a text now would be its byte order mark.
      if (text.slice(1).includes(MARK)) return;
      t.deepEqual(
        NAIVE[unit](left).map(([, one]) => one.trim()),
        found.filter(([number]) => !drop.includes(number)).map(([, one]) => one.trim()),
      );
    }),
    { numRuns: 1500, seed: 18 },
  );
  t.is(withoutUnits('A\n\nB\n', [2], 'paragraph'), 'A\n');
  t.is(withoutUnits('A\n\nB\n\n\nC', [2], 'paragraph'), 'A\n\nC');
  t.is(withoutUnits('A\n\nB\n', [1, 2], 'paragraph'), '');
  t.is(withoutUnits('a\r\nb\r\n\r\nc', [2, 4], 'line'), 'a\r\n\r\n');
});

test('ids of units differ from those of documents', (t) => {
  t.is(`a.txt${unitMark('line')}12`, 'a.txt#l12');
  t.deepEqual(unitOfId('a.txt#12#p3', 'paragraph'), { name: 'a.txt#12', number: 3 });
  t.deepEqual(unitOfId('a#p1\n#p30', 'paragraph'), { name: 'a#p1\n', number: 30 });
  for (const id of ['a.txt', 'a.txt#p', 'a.txt#p0', 'a.txt#l3', 'a#p3x'])
    t.is(unitOfId(id, 'paragraph'), null);
});
