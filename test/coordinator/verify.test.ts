import { readdirSync } from 'node:fs';
import test from 'ava';
import { shingleSets } from '../../mappers/shingleSets.js';
import { NOT_COMPARED } from '../../reducers/intersections.js';
import type { Block, Column } from '../../src/blocks/block.js';
import { NAMES } from '../../src/blocks/names.js';
import { Run } from '../../src/coordinator/context.js';
import type { BatchFacts, BatchTables } from '../../src/coordinator/documentList.js';
import { PairList } from '../../src/coordinator/pairList.js';
import { Storage } from '../../src/coordinator/storage.js';
import { exactSizes } from '../../src/coordinator/verify.js';
import { createInlineEngine } from '../../src/engines/inline.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { DocumentPacker } from '../../src/readers/formats/memoryDocuments.js';
import { SplitReader } from '../../src/readers/reader.js';
import { type Budget, UNBOUNDED } from '../../src/store/budget.js';
import { Store } from '../../src/store/store.js';
import { KERNEL_MODULE } from '../../src/tasks/kernelModule.js';
import { TASKS } from '../../src/tasks/table.js';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { kernelModule } from '../kernel/sketchKernels.js';

/** Texts in families: those of a family are alike. */
function families(count: number, size: number, words: number): string[] {
  const random = randomFrom(7);
  return Array.from({ length: count }, () => {
    const base = wordsFrom(random, words);
    return Array.from({ length: size }, (_, i) => edited(random, base, i).join(' '));
  }).flat();
}

const MEMORY = { kind: 'memory' } as const;

function packed(texts: readonly string[]): Block {
  const packer = new DocumentPacker();
  let full: Block | null = null;
  for (const [i, text] of texts.entries()) full ??= packer.add({ id: `d${i}`, text });
  return packer.end() ?? full!;
}

/** A corpus in batches: the tables and the sets of its first reading. */
function read(batches: readonly (readonly string[])[], options: RunOptions) {
  const { params } = checkOptions(options).resolved;
  const kernel = createWasmKernel(kernelModule);
  const tables: Record<string, Column>[] = [];
  const facts: BatchFacts[] = [];
  const sets: Set<string>[] = [];
  for (const texts of batches) {
    const block = packed(texts);
    const wanted = { file: new Uint32Array(texts.length), record: Float64Array.from(texts.keys()) };
    const { documents, counts, hashes } = shingleSets(
      (sink) => void new SplitReader().read(MEMORY, block, params, sink),
      kernel,
      params.shingle,
      wanted,
    );
    const occurrences = Float64Array.from(counts);
    tables.push({ contentKey: documents(0).columns.contentKey! });
    const flags = new Uint8Array(texts.length);
    facts.push({ ...wanted, unit: null, flags, occurrences, textBytes: null });
    let at = 0;
    for (const count of counts) {
      const set = new Set<string>();
      for (const end = at + count; at < end; at++) set.add(`${hashes[2 * at]} ${hashes[2 * at + 1]}`);
      sets.push(set);
    }
  }
  const starts = Uint32Array.from([0, ...batches.map((_, k) => batches.slice(0, k + 1).flat().length)]);
  const ofBatches: BatchTables = { starts, facts, table: (k) => ({ columns: tables[k]!, meta: {} }) };
  return { params, tables: ofBatches, sets };
}

interface Given {
  readonly batches: readonly (readonly string[])[];
  /** What the second reading finds; default the same. */
  readonly again?: readonly (readonly string[])[];
  readonly options?: RunOptions;
  readonly budget?: Partial<Budget>;
  readonly folder?: string;
}

/** All pairs of documents, whose numbers are reversed rows, verified; every fifth agrees in too few slots. */
async function verified({ batches, again = batches, options = {}, budget = {}, folder }: Given) {
  const { params, tables, sets } = read(batches, options);
  const documents = sets.length;
  const store = new Store();
  const engine = await createInlineEngine({
    tasks: { TASKS },
    setup: { params },
    store,
    workerData: { [KERNEL_MODULE]: kernelModule },
  });
  let tasks = 0;
  const { run: perform } = engine;
  engine.run = (task) => {
    if (task.kind === 'commonOfPairs') tasks++;
    return perform(task);
  };
  const run = new Run(
    params,
    engine,
    undefined,
    undefined,
    { ...UNBOUNDED, ...budget },
    new Storage(folder ?? null, { data: 0 }),
  );
  const rowOf = Uint32Array.from({ length: documents }, (_, d) => documents - 1 - d);
  const rows = Array.from({ length: documents }, (_, a) =>
    Array.from({ length: documents - a - 1 }, (_, i) => [a, a + 1 + i] as const),
  ).flat();
  const pairs = {
    count: rows.length,
    a: Uint32Array.from(rows, ([a]) => a),
    b: Uint32Array.from(rows, ([, b]) => b),
    agreement: Uint16Array.from(rows, (_, i) => (i % 5 === 0 ? 9 : 10)),
  };
  const reading = {
    batches: batches.map((_, block) => ({
      block,
      split: MEMORY,
      text: NAMES.text(block),
      label: `batch ${block}`,
    })),
    source: {
      input: null,
      async *again(wanted: readonly { block: number; split: typeof MEMORY; text: string; label: string }[]) {
        for (const batch of wanted) {
          run.put(batch.text, packed(again[batch.block]!));
          yield batch;
        }
      },
    },
    locationOf: (row: number) => `#${row + 1}`,
  };
  const numbers = { numberOf: rowOf, rowOf, documents };
  const list = PairList.of(pairs);
  const sizesFound = await exactSizes(run, tables, numbers, reading, list, 10);
  const found = { ...sizesFound, common: [...list.parts()].flatMap(({ common }) => [...common]) };
  const setOf = (number: number) => sets[rowOf[number]!]!;
  const commonOf = ([a, b]: readonly [number, number], i: number): number =>
    i % 5 === 0 ? NOT_COMPARED : [...setOf(a)].filter((hash) => setOf(b).has(hash)).length;
  const left = NAMES.sets(0);
  return {
    found,
    tasks,
    wanted: rows.map(commonOf),
    sizes: sets.map((set) => set.size).reverse(),
    isLeft: store.has(left),
  };
}

const TEXTS = families(6, 4, 120);
const BATCHES = [TEXTS.slice(0, 7), TEXTS.slice(7, 8), TEXTS.slice(8)];

const SHINGLES: Readonly<Record<string, RunOptions>> = {
  'sets of words': {},
  bags: { bag: true, shingle: 'words:1' },
  characters: { shingle: 'chars:5' },
};

for (const [name, options] of Object.entries(SHINGLES)) {
  test(`pairs get the common elements of their sets: ${name}`, async (t) => {
    const { found, wanted, sizes, isLeft } = await verified({ batches: BATCHES, options });
    t.deepEqual([...found.common], wanted);
    t.deepEqual([...found.sizes], sizes);
    t.is(found.documentsReadAgain, TEXTS.length);
    t.false(isLeft);
  });
}

test('common elements do not depend on files or on the memory of tasks', async (t) => {
  const folder = temporaryFolder(t, {});
  const once = await verified({ batches: BATCHES, folder, budget: { task: 3 * 3000, data: 3 * 3000 } });
  t.deepEqual([...once.found.common], once.wanted);
  t.deepEqual([...once.found.sizes], once.sizes);
  t.true(once.tasks > 10, `${once.tasks} tasks`);
  t.deepEqual(readdirSync(folder).sort(), ['sets-0', 'sets-1', 'sets-2']);
});

test('existing files of sets are reused', async (t) => {
  const folder = temporaryFolder(t, {});
  const once = await verified({ batches: BATCHES, folder });
  const again = BATCHES.map((texts) => texts.map(() => 'something else'));
  const twice = await verified({ batches: BATCHES, again, folder });
  t.deepEqual([...twice.found.common], [...once.found.common]);
});

test('a document that changed between its readings ends the run with its location', async (t) => {
  const again = [BATCHES[0]!, BATCHES[1]!, BATCHES[2]!.map((text, i) => (i === 3 ? `${text} more` : text))];
  const error = await t.throwsAsync(verified({ batches: BATCHES, again }));
  t.regex(error.message, /#12/);
  const gone = [BATCHES[0]!, BATCHES[1]!, BATCHES[2]!.slice(0, -1)];
  const missing = await t.throwsAsync(verified({ batches: BATCHES, again: gone }));
  t.regex(missing.message, /#24/);
});

test('two sets that do not fit in a task end the run with the memory that is enough', async (t) => {
  const error = await t.throwsAsync(
    verified({ batches: [TEXTS], budget: { task: 3000, data: 3000, total: 1e6 } }),
  );
  t.regex(error.message, /the shingle sets of a pair take .*memory \d+MB has room for them/);
});

test('two documents of 120,000 words are compared', async (t) => {
  const words = Array.from({ length: 120_000 }, (_, i) => `w${i % 118_000}`);
  const other = [...words.slice(0, 60_000), 'new', ...words.slice(60_000)];
  const { found, wanted, sizes } = await verified({
    batches: [['one more'], [words.join(' ')], [other.join(' ')]],
  });
  t.deepEqual([...found.common], wanted);
  t.deepEqual([...found.sizes], sizes);
});
