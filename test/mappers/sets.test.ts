/** The row form step by step: setRows, setTiles, labelledTiles and gatheredSets against sets of strings. */
import { deepEqual } from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { labelledTiles } from '../../mappers/labelledTiles.js';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { RowCollector, setRows } from '../../mappers/setRows.js';
import { gatheredSets } from '../../mappers/shingleSets.js';
import { setSignatures } from '../../mappers/signatures.js';
import { type RowsOfSplit, setTiles } from '../../reducers/setTiles.js';
import { signatures } from '../../reducers/signatures.js';
import type { Block } from '../../src/blocks/block.js';
import { SETS_A_BLOCK } from '../../src/blocks/sets.js';
import { stepOf } from '../../src/blocks/tiles.js';
import { rowChunkOf } from '../../src/sketch/rowChunks.js';
import { ElementHash, type RowRule } from '../../src/text/elements.js';
import { OccurrenceLabels } from '../../src/text/labels.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';

const SEED = 3;
const SKETCH = { sketch: 'fss', hashes: 32, seed: SEED } as const;
const kernel = createReferenceKernel();
const encoder = new TextEncoder();

type Line = readonly [set: string, element: string, value: number];

/** The split of this number as the reader gives it: all in one array, at places that move. */
function rowsOf(lines: readonly Line[], split: number, collector: RowCollector, rowChunks: number) {
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
    rowChunks,
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

test('splits, row chunks and column blocks together are the labelled sets', (t) => {
  const lines = fc.array(line, { maxLength: 300 });
  const rules = fc.constantFrom<RowRule>('set', 'bag', 'liked', 'liked-hated', 'stars');
  fc.assert(
    fc.property(lines, rules, fc.integer({ min: 1, max: 5 }), fc.nat(300), (given, rule, rowChunks, cut) => {
      const params = { rule, likedFrom: 4 };
      // The second collector begins anew; the first one takes splits 0 and 2, and knows names when it takes the latter.
      const collectors = [0, 1].map((first) => new RowCollector(params, first, kernel));
      const parts = [given.slice(0, cut), given.slice(cut, cut + 20), given.slice(cut + 20)];
      const splits = parts.map((part, k) => rowsOf(part, k, collectors[k % 2]!, rowChunks));
      const namesBy = [
        [...namesIn(splits[0]!.names), ...namesIn(splits[2]!.names)],
        namesIn(splits[1]!.names),
      ];
      for (const by of namesBy) t.is(new Set(by).size, by.length, 'a collector names a set once');
      const truth = truthOf(given, rule);
      const names = [...truth.keys()].sort();
      const tiles: Block[] = [];
      let entries = 0;
      let size = 0;
      for (let chunk = 0; chunk < rowChunks; chunk++) {
        const parts = splits.flatMap((split, k): RowsOfSplit[] => {
          const block = split.chunks[chunk]!;
          const documents = Uint32Array.from(namesBy[k % 2]!, (name) => names.indexOf(name));
          return block === null ? [] : [{ ...(block.columns as unknown as RowsOfSplit), documents }];
        });
        const result = setTiles(parts, names.length, rule, SEED, kernel);
        entries += result.entries;
        for (const one of result.facts.columns.sizes!) size += one;
        const tile = result.blocks.get(0);
        if (tile === undefined) continue;
        t.is(result.blocks.size, 1);
        tiles.push(tile);
        const { elements } = tile.columns as { elements: Uint32Array };
        if (rule === 'liked-hated') continue;
        for (let i = 0; i < elements.length; i += 2) {
          t.is(rowChunkOf(elements[i]!, elements[i + 1]!, rowChunks), chunk);
        }
      }
      t.is(
        entries,
        splits.reduce((sum, { counts }) => sum + counts.entries, 0),
      );
      for (const { counts } of splits) {
        t.is(counts.lines, counts.entries + counts.names + counts.skipped + counts.passed);
      }
      t.is(
        size,
        [...truth.values()].reduce((sum, set) => sum + set.length, 0),
      );
      t.deepEqual(
        gathered(tiles, names.length),
        names.map((name) => truth.get(name)!),
      );
      t.deepEqual(
        inSteps(tiles, names.length, rowChunks),
        names.map((name) => truth.get(name)!),
      );
    }),
    { seed: 6, numRuns: 150 },
  );
});

function gathered(tiles: readonly Block[], columns: number): string[][] {
  const all = Uint32Array.from({ length: columns }, (_, i) => i);
  const { offsets, hashes } = gatheredSets(tiles, all, kernel, SEED).columns as Record<string, Uint32Array>;
  return Array.from(all, (i) =>
    Array.from({ length: offsets![i + 1]! - offsets![i]! }, (_, j) => {
      const at = 2 * (offsets![i]! + j);
      return `${hashes![at + 1]} ${hashes![at]}`;
    }).sort(),
  );
}

function inSteps(tiles: readonly Block[], columns: number, rowChunks: number): string[][] {
  const sets = Array.from({ length: columns }, (): string[] => []);
  const all = { tiles, columns, without: [], labels: kernel.setLabels(SEED) };
  const { steps, rows } = labelledTiles(all, kernel, rowChunks);
  const partials = steps.map((step) => partialSignatures(step, kernel, SKETCH));
  const fused = setSignatures(all, kernel, SKETCH);
  if (fused.rows !== rows) throw new Error('the fused columns have other rows');
  deepEqual(fused.signatures, signatures(steps, partials, kernel, SKETCH));
  for (const step of steps) {
    const { scattered, firstColumn } = stepOf(step);
    scattered.runColumns.forEach((column, run) => {
      const from = run === 0 ? 0 : scattered.runEnds[run - 1]!;
      for (let i = from; i < scattered.runEnds[run]!; i++) {
        sets[firstColumn + column]!.push(`${scattered.rows[2 * i + 1]} ${scattered.rows[2 * i]}`);
      }
    });
  }
  for (const set of sets) set.sort();
  if (sets.reduce((sum, set) => sum + set.length, 0) !== rows) throw new Error('rows are counted wrongly');
  return sets;
}

test('setRows names sets in the order met, and keeps what was skipped', (t) => {
  const collector = new RowCollector({ rule: 'set', likedFrom: 0 }, 5, kernel);
  const { names, counts } = rowsOf(
    [
      ['b', 'x', 1],
      ['a', 'x', 1],
      ['b', 'y', 1],
    ],
    5,
    collector,
    1,
  );
  t.deepEqual(namesIn(names), ['b', 'a']);
  t.deepEqual(counts, { lines: 5, passed: 1, entries: 3, names: 0, skipped: 1 });
  t.deepEqual([[...names.columns.skipFile!], [...names.columns.skipRecord!]], [[4], [7]]);
  const unreadable = setRows(
    (sink) => {
      sink.skip(4, -1, 'UNREADABLE', null);
      return { lines: 0, passed: 0 };
    },
    6,
    collector,
    1,
  );
  t.deepEqual(namesIn(unreadable.names), []);
  t.deepEqual([collector.takes(6), collector.takes(7)], [false, true], 'splits come in their order alone');
  t.is(unreadable.counts.skipped, 0, 'a file that cannot be read has no lines');
  t.deepEqual([...unreadable.names.columns.skipRecord!], [-1]);
});

test('setTiles cuts at column blocks, and labelledTiles leaves out what it is told', (t) => {
  const rowsIn = (tiles: readonly Block[], columns: number, without: readonly number[]): number =>
    labelledTiles({ tiles, columns, without, labels: kernel.setLabels(SEED) }, kernel, 2).rows;
  const documents = Uint32Array.of(0, SETS_A_BLOCK - 1, SETS_A_BLOCK, 3 * SETS_A_BLOCK + 5);
  const elements = Uint32Array.of(1, 1, 2, 2, 3, 3, 4, 4);
  const split = { sets: Uint32Array.of(3, 2, 1, 0), elements, documents };
  const { blocks, facts } = setTiles([split], 4 * SETS_A_BLOCK, 'set', SEED, kernel);
  t.deepEqual([...blocks.keys()], [0, 1, 3]);
  t.deepEqual([...facts.columns.documents!], [...documents]);
  t.deepEqual([...blocks.get(0)!.columns.sets!], [0, SETS_A_BLOCK - 1]);
  t.deepEqual([...blocks.get(3)!.columns.sets!], [5]);
  t.deepEqual(
    [...blocks.values()].map(({ columns }) => [...columns.ends!]),
    [[1, 2], [1], [1]],
  );
  t.is(rowsIn([blocks.get(0)!], SETS_A_BLOCK, []), 2);
  t.is(rowsIn([blocks.get(0)!], SETS_A_BLOCK, [0]), 1);
  const three = { sets: Uint32Array.of(0, 1, 2), elements, documents: Uint32Array.of(0, 1, 2) };
  const neighbours = setTiles([three], 3, 'set', SEED, kernel).blocks.get(0)!;
  t.is(rowsIn([neighbours], 3, [0, 1]), 1);
  t.is(rowsIn([], 3, []), 0);
});

test('setTiles cuts an element that is in a bag more than 65,535 times, and says so', (t) => {
  const split = {
    sets: Uint32Array.of(0, 1),
    elements: Uint32Array.of(1, 1, 1, 1),
    weights: Float64Array.of(65_535e6, 65_536e6),
    documents: Uint32Array.of(0, 1),
  };
  const { blocks, facts } = setTiles([split], 2, 'bag', SEED, kernel);
  t.deepEqual([...blocks.get(0)!.columns.copies!], [65_535, 65_535]);
  t.deepEqual([...facts.columns.sizes!], [65_535, 65_535]);
  t.deepEqual([...facts.columns.isCut!], [0, 1]);
});
