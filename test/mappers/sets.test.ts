/** Lines of sets step by step: setRows, elementSets, setSignatures and gatheredSets against sets of strings. */
import test from 'ava';
import fc from 'fast-check';
import { RowCollector, setRows } from '../../mappers/setRows.js';
import { setSignatures } from '../../mappers/setSignatures.js';
import { gatheredSets } from '../../mappers/shingleSets.js';
import { elementSets, type SetRecords } from '../../reducers/elementSets.js';
import type { Block } from '../../src/blocks/block.js';
import { signatureBlock } from '../../src/blocks/signatureBlocks.js';
import { ElementHash, type RowRule } from '../../src/text/elements.js';
import { OccurrenceLabels } from '../../src/text/labels.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';

const SEED = 3;
const PARAMS = { sketch: { sketch: 'fss', hashes: 32, seed: SEED }, banding: { bands: 4, rows: 8 } } as const;
const kernel = createReferenceKernel();
const encoder = new TextEncoder();

type Line = readonly [set: string, element: string, value: number];

/** The split of this number as the reader gives it: all in one array, at places that move. */
function rowsOf(lines: readonly Line[], split: number, collector: RowCollector) {
  const hash = new ElementHash(SEED);
  const hashes = new Uint32Array(4);
  return setRows(
    (sink) => {
      for (const [set, element, value] of lines) {
        const bytes = encoder.encode(`..${set}\t${element}`);
        const setTo = 2 + encoder.encode(set).length;
        hash.write(bytes, 2, setTo, hashes, 0);
        hash.write(bytes, setTo + 1, bytes.length, hashes, 2);
        sink.row(bytes, 2, setTo, setTo + 1, bytes.length, value, hashes, 0);
      }
      sink.skip(4, 7, 'SETS_BAD_NAME', null);
      return { lines: lines.length + 2, passed: 1 };
    },
    split,
    collector,
  );
}

function namesIn({ columns }: Block): string[] {
  const { bytes, offsets } = columns as { bytes: Uint8Array; offsets: Uint32Array };
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    new TextDecoder().decode(bytes.slice(offsets[i]!, offsets[i + 1]!)),
  );
}

function hashOf(element: string, label: number): string {
  const out = new Uint32Array(2);
  const bytes = encoder.encode(element);
  new ElementHash(SEED).write(bytes, 0, bytes.length, out, 0);
  new OccurrenceLabels(SEED).writeLabelled(out, 0, out[0]!, out[1]!, label);
  return `${out[1]} ${out[0]}`;
}

/** By set: its labelled hashes, sorted. */
function truthOf(lines: readonly Line[], rule: RowRule): Map<string, string[]> {
  const values = new Map<string, Map<string, number[]>>();
  for (const [set, element, value] of lines) {
    const elements = values.get(set) ?? new Map<string, number[]>();
    values.set(set, elements.set(element, [...(elements.get(element) ?? []), value]));
  }
  const labels = (given: readonly number[]): number[] => {
    const highest = Math.max(...given);
    if (rule === 'liked') return highest >= 4 ? [1] : [];
    if (rule === 'liked-hated') return [highest >= 4 ? 1 : 2];
    const times = rule === 'stars' ? highest : rule === 'set' ? 1 : given.reduce((a, b) => a + b, 0);
    return Array.from({ length: times }, (_, i) => i + 1);
  };
  return new Map(
    [...values].map(([set, elements]) => {
      return [
        set,
        [...elements].flatMap(([element, given]) => labels(given).map((n) => hashOf(element, n))).sort(),
      ];
    }),
  );
}

const line = fc.tuple(
  fc.constantFrom('a', 'b', 'long name of a set', 'ä'),
  fc.integer({ min: 0, max: 40 }).map((number) => `element number ${number}`.slice(number % 16)),
  fc.integer({ min: 1, max: 5 }),
);

test('the records of all splits give the labelled sets', (t) => {
  const lines = fc.array(line, { maxLength: 300 });
  const rules = fc.constantFrom<RowRule>('set', 'bag', 'liked', 'liked-hated', 'stars');
  fc.assert(
    fc.property(lines, rules, fc.nat(300), (given, rule, cut) => {
      const params = { rule, likedFrom: 4 };
      // The second collector starts without names; the first one takes splits 0 and 2, and knows names when it takes the latter.
      const collectors = [0, 1].map((first) => new RowCollector(params, first, kernel));
      const parts = [given.slice(0, cut), given.slice(cut, cut + 20), given.slice(cut + 20)];
      const splits = parts.map((part, k) => rowsOf(part, k, collectors[k % 2]!));
      const namesBy = [[...namesIn(splits[0]!.rows), ...namesIn(splits[2]!.rows)], namesIn(splits[1]!.rows)];
      for (const by of namesBy) t.is(new Set(by).size, by.length, 'a collector names a set once');
      for (const { counts } of splits) {
        t.is(counts.lines, counts.entries + counts.names + counts.skipped + counts.passed);
      }
      const truth = truthOf(given, rule);
      const names = [...truth.keys()].sort();
      const records = joined(
        splits.map(({ rows }, k) => {
          const { sets, elements, weights } = rows.columns as Record<string, Uint32Array>;
          return {
            sets: sets!.map((set) => names.indexOf(namesBy[k % 2]![set]!)),
            elements: elements!,
            ...(weights !== undefined && { weights: Float64Array.from(weights) }),
          };
        }),
      );
      const { block, sizes } = elementSets(records, names.length, rule, SEED, kernel);
      t.deepEqual(
        [...sizes],
        names.map((name) => truth.get(name)!.length),
      );
      t.deepEqual(
        gathered(block, names.length),
        names.map((name) => truth.get(name)!),
      );
      t.deepEqual(
        signaturesOf(block, names.length),
        signaturesOfTruth(names.map((name) => truth.get(name)!)),
      );
    }),
    { seed: 6, numRuns: 150 },
  );
});

function joined(parts: readonly SetRecords[]): SetRecords {
  const weights = parts.flatMap((part) => Array.from(part.weights ?? []));
  return {
    sets: Uint32Array.from(parts.flatMap(({ sets }) => [...sets])),
    elements: Uint32Array.from(parts.flatMap(({ elements }) => [...elements])),
    ...(parts.some((part) => part.weights !== undefined) && { weights: Float64Array.from(weights) }),
  };
}

function gathered(elements: Block, count: number): string[][] {
  const all = Uint32Array.from({ length: count }, (_, i) => i);
  const { counts, hashes } = gatheredSets(elements, all, kernel, SEED);
  let at = 0;
  return Array.from(counts, (length) =>
    Array.from({ length }, () => {
      at += 2;
      return `${hashes[at - 1]} ${hashes[at - 2]}`;
    }).sort(),
  );
}

function signaturesOf(elements: Block, count: number): Block['columns'] {
  const all = Uint32Array.from({ length: count }, (_, i) => i);
  return setSignatures(elements, all, kernel, PARAMS).columns;
}

function signaturesOfTruth(sets: readonly (readonly string[])[]): Block['columns'] {
  const sketcher = kernel.sketcher(PARAMS.sketch);
  const rows = sets.map((set) => {
    const signature = new Uint32Array(sketcher.stride);
    sketcher.clear(signature);
    const hashes = Uint32Array.from(set.flatMap((hash) => hash.split(' ').map(Number).reverse()));
    sketcher.update(signature, hashes, set.length);
    return signature;
  });
  return signatureBlock(rows, sets.length, sketcher.stride, PARAMS).columns;
}

test('setRows numbers sets in order of appearance, and keeps skipped lines', (t) => {
  const collector = new RowCollector({ rule: 'set', likedFrom: 0 }, 5, kernel);
  const { rows, counts } = rowsOf(
    [
      ['b', 'x', 1],
      ['a', 'x', 1],
      ['b', 'y', 1],
    ],
    5,
    collector,
  );
  t.deepEqual(namesIn(rows), ['b', 'a']);
  t.deepEqual([...rows.columns.sets!], [0, 1, 0]);
  t.deepEqual(counts, { lines: 5, passed: 1, entries: 3, names: 0, skipped: 1 });
  t.deepEqual([[...rows.columns.skipFile!], [...rows.columns.skipRecord!]], [[4], [7]]);
  const unreadable = setRows(
    (sink) => {
      sink.skip(4, -1, 'UNREADABLE', null);
      return { lines: 0, passed: 0 };
    },
    6,
    collector,
  );
  t.deepEqual(namesIn(unreadable.rows), []);
  t.deepEqual([collector.takes(6), collector.takes(7)], [false, true], 'splits come in their order alone');
  t.is(unreadable.counts.skipped, 0, 'a file that cannot be read has no lines');
  t.deepEqual([...unreadable.rows.columns.skipRecord!], [-1]);
});

test('a set without records is empty, and unwanted sets have no signature', (t) => {
  const records = { sets: Uint32Array.of(2, 0), elements: Uint32Array.of(1, 1, 2, 2) };
  const { block, sizes, keys } = elementSets(records, 3, 'set', SEED, kernel);
  t.deepEqual([...sizes], [1, 0, 1]);
  t.deepEqual([...keys.subarray(4, 8)], [0, 0, 0, 0]);
  t.deepEqual([...block.columns.ends!], [1, 1, 2]);
  t.is(setSignatures(block, Uint32Array.of(0, 2), kernel, PARAMS).columns.slots!.length, 64);
});

test('an element that is in a bag more than 65,535 times is cut, and counted', (t) => {
  const records = {
    sets: Uint32Array.of(0, 1),
    elements: Uint32Array.of(1, 1, 1, 1),
    weights: Float64Array.of(65_535e6, 65_536e6),
  };
  const { block, sizes, isCut } = elementSets(records, 2, 'bag', SEED, kernel);
  t.deepEqual([...block.columns.copies!], [65_535, 65_535]);
  t.deepEqual([...sizes], [65_535, 65_535]);
  t.deepEqual([...isCut], [0, 1]);
});
