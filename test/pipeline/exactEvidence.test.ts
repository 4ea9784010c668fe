/** ExactEvidence with sets from memory instead of files: groups, what is read how often, documents that change. */
import test from 'ava';
import fc from 'fast-check';
import { encodeBlock } from '../../src/blocks/block.js';
import { createInlineEngine } from '../../src/engine/inline.js';
import { STAGES } from '../../src/engine/task.js';
import { MinHashError } from '../../src/errors.js';
import { type EvidencePairs, ExactEvidence } from '../../src/pipeline/exactEvidence.js';
import { Run } from '../../src/pipeline/run.js';
import type { ReadPairs, ReadSets } from '../../src/pipeline/secondReading.js';
import type { Pairs } from '../../src/sketch/pairs.js';
import type { ResultParams } from '../../src/sketch/params.js';
import { createMemoryStore } from '../../src/storage/store.js';

const THRESHOLD = 0.5;
const MARGIN = 10;

/** A run on this thread over so many documents, whose sets are asked of `setOf`; null: it changed. */
class Corpus {
  readonly setHashes: Float64Array;
  readonly isAlone: Uint8Array;
  readonly isFile: Uint8Array;
  readonly run: Run;
  /** Documents asked for, call by call. */
  readonly asked: number[][] = [];
  private readonly setOf: (document: number) => readonly number[] | null;

  private constructor(
    run: Run,
    sizes: readonly number[],
    alone: readonly boolean[],
    setOf: (document: number) => readonly number[] | null,
    files: readonly boolean[],
  ) {
    this.run = run;
    this.setHashes = Float64Array.from(sizes);
    this.isAlone = Uint8Array.from(alone, Number);
    this.isFile = Uint8Array.from(files, Number);
    this.setOf = setOf;
  }

  static async of(
    sizes: readonly number[],
    alone: readonly boolean[],
    setOf: (document: number) => readonly number[] | null,
    files: readonly boolean[] = alone.map(() => false),
  ): Promise<Corpus> {
    const params = { threshold: THRESHOLD } as ResultParams;
    const setup = { params } as unknown as Record<string, never>;
    const engine = await createInlineEngine({ stages: { STAGES }, setup, store: createMemoryStore() });
    return new Corpus(new Run(params, engine, undefined, undefined), sizes, alone, setOf, files);
  }

  /** As a task does it that finds a changed document with other content, or none. */
  readPairs = async (documents: Uint32Array, { a, b }: Pairs, rows: Uint32Array): Promise<ReadPairs> => {
    this.asked.push([...documents]);
    const sets = [...rows].map((row) => [this.setOf(a[row]!) ?? [], this.setOf(b[row]!) ?? []] as const);
    const commons = sets.map(([x, y]) => x.filter((element) => y.includes(element)).length);
    const jaccard = Float64Array.from(sets, ([x, y], i) => commons[i]! / (x.length + y.length - commons[i]!));
    const evidence = {
      jaccard,
      containmentAB: Float64Array.from(sets, ([x], i) => commons[i]! / x.length),
      containmentBA: Float64Array.from(sets, ([, y], i) => commons[i]! / y.length),
      accepted: Uint8Array.from(jaccard, (value) => (value >= THRESHOLD ? 1 : 0)),
    };
    const unchanged = Uint8Array.from(documents, (d) => (this.setOf(d) === null ? 0 : 1));
    return { documents, unchanged, evidence, bytes: 0 };
  };

  /** Three documents a task. */
  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    if (documents.length === 0) return;
    const call = this.asked.push([...documents]);
    for (let from = 0; from < documents.length; from += 3) {
      const part = documents.slice(from, from + 3);
      const name = `sets/${call}/${from}`;
      const hashes: number[] = [];
      const offsets = [0];
      const unchanged = new Uint8Array(part.length);
      const indexes = new Uint32Array(part.length);
      part.forEach((document, i) => {
        const set = this.setOf(document);
        if (set === null) return;
        unchanged[i] = 1;
        indexes[i] = offsets.length - 1;
        for (const element of set) hashes.push(element, element);
        offsets.push(hashes.length / 2);
      });
      const columns = { hashes: Uint32Array.from(hashes), offsets: Float64Array.from(offsets) };
      this.run.put(name, encodeBlock('shingleSets', {}, columns, true));
      yield { name, documents: part, unchanged, indexes, bytes: 0 };
    }
  }
}

/** Pairs of which nothing is known but their agreement. */
function pairsWithout(
  list: readonly (readonly [number, number])[],
  agreement: readonly number[],
): EvidencePairs {
  const nothing = (): Float64Array => new Float64Array(list.length).fill(Number.NaN);
  return {
    a: Uint32Array.from(list, ([a]) => a),
    b: Uint32Array.from(list, ([, b]) => b),
    count: list.length,
    agreement: Uint16Array.from(agreement),
    jaccard: nothing(),
    containmentAB: nothing(),
    containmentBA: nothing(),
    accepted: new Uint8Array(list.length),
  };
}

const DOCUMENTS = 12;
const documents = fc.array(
  fc.record({
    set: fc.uniqueArray(fc.nat(15), { minLength: 1, maxLength: 9 }).map((set) => set.sort((x, y) => x - y)),
    alone: fc.boolean(),
    file: fc.boolean(),
    changed: fc.constantFrom(true, false, false, false, false),
  }),
  { minLength: DOCUMENTS, maxLength: DOCUMENTS },
);
const pairLists = fc
  .uniqueArray(fc.tuple(fc.nat(DOCUMENTS - 1), fc.nat(DOCUMENTS - 1)), {
    maxLength: 40,
    selector: ([a, b]) => `${a} ${b}`,
  })
  .map((list) => list.filter(([a, b]) => a < b).sort(([a, b], [c, d]) => a - c || b - d));

test('ExactEvidence has the resemblance of every pair at or above the margin, whatever is held at a time', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      documents,
      pairLists,
      fc.array(fc.nat(20), { minLength: 40, maxLength: 40 }),
      fc.constantFrom(0, 100, 200, 1e9),
      async (corpus, list, agreement, bound) => {
        const reader = await Corpus.of(
          corpus.map(({ set }) => set.length),
          corpus.map(({ alone }) => alone),
          (d) => (corpus[d]!.changed ? null : corpus[d]!.set),
          corpus.map(({ alone, file }) => alone && file),
        );
        const evidence = new ExactEvidence(reader.run, reader, MARGIN, bound);
        const pairs = pairsWithout(list, agreement.slice(0, list.length));
        const changed = await evidence.complete(pairs);
        const wanted = new Set<number>();
        list.forEach(([a, b], i) => {
          const above = agreement[i]! >= MARGIN;
          if (above) wanted.add(a).add(b);
          if (!above || corpus[a]!.changed || corpus[b]!.changed) {
            t.is(pairs.jaccard[i], Number.NaN);
            t.is(pairs.accepted[i], 0);
            return;
          }
          const [x, y] = [corpus[a]!.set, corpus[b]!.set];
          const common = x.filter((element) => y.includes(element)).length;
          const jaccard = common / (x.length + y.length - common);
          t.is(pairs.jaccard[i], jaccard);
          t.is(pairs.containmentAB[i], common / x.length);
          t.is(pairs.containmentBA[i], common / y.length);
          t.is(pairs.accepted[i], jaccard >= THRESHOLD ? 1 : 0);
        });
        const sorted = [...wanted].sort((x, y) => x - y);
        t.deepEqual(
          [...changed],
          sorted.filter((d) => corpus[d]!.changed),
        );
        t.is(evidence.documentsReadAgain, wanted.size - changed.length);
        const asked = reader.asked.flat();
        t.deepEqual(
          [...new Set(asked)].sort((x, y) => x - y),
          sorted,
        );
        // What cannot be read alone, or has room, is read once.
        for (const d of wanted) {
          if (bound === 1e9 || !corpus[d]!.alone) t.is(asked.filter((one) => one === d).length, 1);
        }
      },
    ),
    { seed: 1, numRuns: 150 },
  );
});

test('sets are kept for the next round where there is room, else read again and counted once', async (t) => {
  for (const [bound, reads] of [
    [1e9, [[0, 1, 2, 3], [4]]],
    [
      16,
      [
        [0, 1],
        [2, 3],
        [0, 4],
      ],
    ],
  ] as const) {
    const corpus = await Corpus.of([1, 1, 1, 1, 1], Array(5).fill(true), (d) => [d % 2]);
    const evidence = new ExactEvidence(corpus.run, corpus, MARGIN, bound);
    const first = pairsWithout(
      [
        [0, 1],
        [2, 3],
      ],
      [10, 10],
    );
    await evidence.complete(first);
    t.deepEqual([...first.jaccard], [0, 0]);
    await evidence.complete(first);
    const second = pairsWithout([[0, 4]], [10]);
    await evidence.complete(second);
    t.deepEqual([...second.jaccard], [1]);
    t.deepEqual(corpus.asked, reads);
    t.is(evidence.documentsReadAgain, 5);
    t.true(corpus.run.engine.store.bytes > 0);
  }
});

test('a document that changes before it is read once more is told, and its pairs stay unknown', async (t) => {
  let changed = false;
  const corpus = await Corpus.of([1, 1, 1, 1], Array(4).fill(true), (d) => (changed && d === 0 ? null : [7]));
  const evidence = new ExactEvidence(corpus.run, corpus, MARGIN, 16);
  await evidence.complete(
    pairsWithout(
      [
        [0, 1],
        [2, 3],
      ],
      [10, 10],
    ),
  );
  changed = true;
  const later = pairsWithout(
    [
      [0, 2],
      [1, 3],
    ],
    [10, 10],
  );
  t.deepEqual([...(await evidence.complete(later))], [0]);
  t.deepEqual([...later.jaccard], [Number.NaN, 1]);
  t.is(evidence.documentsReadAgain, 4);
});

test('a reader that loses a document without a word makes the run fail', async (t) => {
  const corpus = await Corpus.of([1, 1], [true, true], () => [1]);
  const losing = {
    setHashes: corpus.setHashes,
    isAlone: corpus.isAlone,
    isFile: corpus.isFile,
    readPairs: corpus.readPairs,
    read: (wanted: Uint32Array) => corpus.read(wanted.subarray(1)),
  };
  const evidence = new ExactEvidence(corpus.run, losing, MARGIN);
  const error = await t.throwsAsync(evidence.complete(pairsWithout([[0, 1]], [10])), {
    instanceOf: MinHashError,
  });
  t.is((error as MinHashError).code, 'COUNTS_UNBALANCED');
});

test('a task that has no evidence for a pair of unchanged documents makes the run fail', async (t) => {
  const corpus = await Corpus.of([1, 1], [true, true], () => [1], [true, true]);
  corpus.readPairs = async (documents) => ({
    documents,
    unchanged: Uint8Array.of(1, 1),
    evidence: {
      jaccard: Float64Array.of(Number.NaN),
      containmentAB: Float64Array.of(Number.NaN),
      containmentBA: Float64Array.of(Number.NaN),
      accepted: Uint8Array.of(0),
    },
    bytes: 0,
  });
  const evidence = new ExactEvidence(corpus.run, corpus, MARGIN);
  const error = await t.throwsAsync(evidence.complete(pairsWithout([[0, 1]], [10])), {
    instanceOf: MinHashError,
  });
  t.is((error as MinHashError).code, 'COUNTS_UNBALANCED');
});

test('whole components of files are compared at once, larger ones and other documents as sets', async (t) => {
  // Three files; a pair of a file with what is no file; two files of which one is too large for a task.
  const sizes = [1, 1, 1, 1, 1, 1, 9e6];
  const files = [true, true, true, true, false, true, true];
  const corpus = await Corpus.of(
    sizes,
    sizes.map(() => true),
    () => [7],
    files,
  );
  const evidence = new ExactEvidence(corpus.run, corpus, MARGIN);
  const pairs = pairsWithout(
    [
      [0, 1],
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    [10, 10, 10, 10],
  );
  await evidence.complete(pairs);
  t.deepEqual([...pairs.jaccard], [1, 1, 1, 1]);
  t.deepEqual(corpus.asked, [
    [0, 1, 2],
    [3, 4, 5, 6],
  ]);
});
