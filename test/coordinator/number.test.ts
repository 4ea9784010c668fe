import test from 'ava';
import fc from 'fast-check';
import type { Column } from '../../src/blocks/block.js';
import { EMPTY } from '../../src/blocks/documents.js';
import { MISSING, NUMBER, TEXT } from '../../src/blocks/fieldValues.js';
import type { BatchTables } from '../../src/coordinator/documentList.js';
import { numbering, rowsTakingPart } from '../../src/coordinator/number.js';
import type { FileTable } from '../../src/readers/list/fileTable.js';
import { FileTableBuilder } from '../../src/readers/list/fileTable.js';
import type { KeepRule } from '../../src/sketch/params.js';

interface Row {
  readonly file: number;
  readonly content: number;
  readonly text: number;
  readonly bytes: number;
  readonly value: number | string | null;
  readonly isEmpty: boolean;
}

/** Keys that differ in one word only. */
const keyOf = (content: number): number[] =>
  [0, 1, 2, 3].map((word) => ((content & 3) === word ? 0x1000001 * (1 + (content >> 2)) : 9));

/** Tables of batches of so many rows. */
function tablesOf(rows: readonly Row[], sizes: readonly number[]): BatchTables {
  const starts = [0];
  for (let i = 0; starts.at(-1)! < rows.length; i++)
    starts.push(Math.min(rows.length, starts.at(-1)! + (sizes[i % sizes.length] ?? 1)));
  const table = (batch: number) => {
    const some = rows.slice(starts[batch], starts[batch + 1]);
    const texts = some.map(({ value }) => (typeof value === 'string' ? value : ''));
    const ends = texts.map((_, i) => texts.slice(0, i + 1).join('').length);
    const columns: Record<string, Column> = {
      file: Uint32Array.from(some, ({ file }) => file),
      contentKey: Uint32Array.from(some.flatMap(({ content }) => keyOf(content))),
      textKey: Uint32Array.from(some.flatMap(({ text }) => keyOf(text))),
      flags: Uint8Array.from(some, ({ isEmpty }) => (isEmpty ? EMPTY : 0)),
      textBytes: Float64Array.from(some, ({ bytes }) => bytes),
      fieldKinds0: Uint8Array.from(some, ({ value }) =>
        value === null ? MISSING : typeof value === 'number' ? NUMBER : TEXT,
      ),
      fieldNumbers0: Float64Array.from(some, ({ value }) => (typeof value === 'number' ? value : 0)),
      fieldOffsets0: Uint32Array.from([0, ...ends]),
      fieldBytes0: new TextEncoder().encode(texts.join('')),
      openedFile: new Uint32Array(0),
      openedBytes: new Float64Array(0),
      openedTime: new Float64Array(0),
    };
    return { columns, meta: {} };
  };
  const facts = starts.slice(0, -1).map((_, batch) => {
    const { file, flags, textBytes } = table(batch).columns as Record<string, never>;
    const none = new Float64Array(0);
    return { file: file!, flags: flags!, textBytes: textBytes!, record: none, unit: null, occurrences: none };
  });
  return { starts: Uint32Array.from(starts), facts, table };
}

/** Six files, one below each PATH; the first PATHs are the reference. Later files are older, but two of the same age. */
function sixFiles(references: number): FileTable {
  const files = new FileTableBuilder();
  for (let file = 0; file < 6; file++) files.addSingle(`/f${file}`, `f${file}`, 0, file);
  const table = files.finish(references);
  table.sizes.fill(1);
  table.times.forEach((_, file, times) => {
    times[file] = 1000 - (file >> 1);
  });
  return table;
}

const RULES: readonly KeepRule[] = [
  ...(['first', 'last', 'longest', 'shortest', 'newest', 'oldest'] as const).map((by) => {
    return { by, field: null, best: null };
  }),
  { by: 'field', field: 'score', best: 'max' },
  { by: 'field', field: 'score', best: 'min' },
];

const cases = fc.record({
  rows: fc.array(
    fc.record({
      file: fc.nat({ max: 5 }),
      content: fc.nat({ max: 9 }),
      text: fc.nat({ max: 2 }),
      bytes: fc.nat({ max: 3 }),
      value: fc.constantFrom(null, 1, 2, -1, 'a', 'ab', 'b'),
      isEmpty: fc.boolean(),
    }),
    { maxLength: 20 },
  ),
  isSorted: fc.boolean(),
  sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  references: fc.nat({ max: 3 }),
  keep: fc.constantFrom(...RULES),
});

/** Negative where x is kept rather than y, by the rule alone. */
function byRule({ by, best }: KeepRule, x: Row, y: Row): number {
  const age = (row: Row): number => row.file >> 1;
  switch (by) {
    case 'longest':
      return y.bytes - x.bytes;
    case 'shortest':
      return x.bytes - y.bytes;
    case 'newest':
      return age(x) - age(y);
    case 'oldest':
      return age(y) - age(x);
    case 'field': {
      const kind = ({ value }: Row): number => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
      if (kind(x) !== kind(y)) return kind(x) - kind(y);
      const order = x.value === y.value ? 0 : x.value! < y.value! ? -1 : 1;
      return best === 'max' ? -order : order;
    }
    default:
      return 0;
  }
}

function numbered(
  rows: readonly Row[],
  sizes: readonly number[],
  keep: KeepRule,
  references: number,
  room?: number,
) {
  const params = { keep, groups: null, measure: 'resemblance' } as const;
  return numbering(tablesOf(rows, sizes), params, sixFiles(references), room);
}

test('documents are numbered by reference, by the rule of --keep, and by location', (t) => {
  fc.assert(
    fc.property(cases, ({ rows: drawn, isSorted, sizes, references, keep }) => {
      const rows = isSorted ? [...drawn].sort((x, y) => x.file - y.file) : drawn;
      const found = numbered(rows, sizes, keep, references);
      const side = ({ file }: Row): number => (file < references ? 0 : 1);
      const location = (x: number, y: number): number => rows[x]!.file - rows[y]!.file || x - y;
      const order = [...rows.keys()].sort(
        (x, y) =>
          side(rows[x]!) - side(rows[y]!) ||
          byRule(keep, rows[x]!, rows[y]!) ||
          (keep.by === 'last' ? location(y, x) : location(x, y)),
      );
      t.deepEqual([...(found.rowOf ?? rows.keys())], order);
      if (found.rowOf !== null)
        for (const [number, row] of order.entries()) t.is(found.numberOf![row], number);
      t.is(found.references, rows.filter((row) => side(row) === 0).length);
    }),
    { seed: 3, numRuns: 400 },
  );
});

test('documents with the same content key are a group, identified by its first member; empty ones are in no group', (t) => {
  fc.assert(
    fc.property(cases, ({ rows, sizes, keep, references }) => {
      const { groups, rowOf } = numbered(rows, sizes, keep, references);
      // With room for a document, keys are compared range by range.
      t.deepEqual(numbered(rows, sizes, keep, references, 64).groups, groups);
      const numbers = [...rows.keys()];
      const row = (number: number): Row => rows[rowOf?.[number] ?? number]!;
      const isSame = (x: number, y: number): boolean =>
        x === y || (row(x).content === row(y).content && !row(x).isEmpty && !row(y).isEmpty);
      t.deepEqual(
        [...groups.firstOf],
        numbers.map((x) => numbers.find((y) => isSame(x, y))!),
      );
      const lists = numbers
        .filter((x) => groups.firstOf[x] === x)
        .map((x) => numbers.filter((y) => isSame(x, y)))
        .filter((list) => list.length > 1);
      t.deepEqual([...groups.members], lists.flat());
      t.deepEqual([...groups.offsets], [0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)]);
      t.deepEqual(
        [...groups.texts],
        lists.flatMap((list) => list.map((x) => list.find((y) => row(x).text === row(y).text)!)),
      );
    }),
    { seed: 4, numRuns: 400 },
  );
});

test('the first of a group is compared; in a group with reference documents the first other one as well', (t) => {
  fc.assert(
    fc.property(cases, ({ rows, sizes, keep, references: paths }) => {
      const found = numbered(rows, sizes, keep, paths);
      const { groups, references, rowOf } = found;
      const bits = rowsTakingPart(found);
      for (const number of rows.keys()) {
        const row = rowOf?.[number] ?? number;
        const first = groups.firstOf[number]!;
        const isFirstOther =
          first < references &&
          groups.firstOf.findIndex((of, other) => of === first && other >= references) === number;
        const takesPart = !rows[row]!.isEmpty && (first === number || isFirstOther);
        t.is((bits[row >>> 3]! >> (row & 7)) & 1, takesPart ? 1 : 0);
      }
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('sets have no location and no text: they keep their reading order, and equal ones form a group', (t) => {
  const row = { file: 3, content: 1, bytes: 0, value: null, isEmpty: false };
  const rows = [
    { ...row, text: 0 },
    { ...row, file: 1, text: 1 },
  ];
  const params = {
    keep: { by: 'last', field: null, best: null },
    groups: null,
    measure: 'resemblance',
    sets: { columns: [], named: false, ratings: null, likedFrom: null },
  } as const;
  const { rowOf, groups } = numbering(tablesOf(rows, [1]), params, sixFiles(0));
  t.is(rowOf, null);
  t.deepEqual([...groups.members, ...groups.texts], [0, 1, 0, 0]);
});

test('an empty corpus has no numbers', (t) => {
  const { documents, groups } = numbered([], [1], RULES[2]!, 0);
  t.is(documents, 0);
  t.deepEqual([...groups.offsets], [0]);
});
