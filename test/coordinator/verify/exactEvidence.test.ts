/** ExactEvidence with sets from memory instead of files: what is read how often, documents that change. */
import test from 'ava';
import fc from 'fast-check';
import { ExactEvidence, type Reader, type SetBounds } from '../../../src/coordinator/verify/exactEvidence.js';
import type { GroupBounds } from '../../../src/coordinator/verify/groups.js';
import { MinHashError } from '../../../src/errors.js';
import { evidenceOf, FakeCorpus, type FakeDocument, LIMITS, pairsWithout } from './fakeCorpus.js';

const { threshold, margin } = LIMITS;

const DOCUMENTS = 12;
const documents = fc.array(
  fc.record({
    set: fc.uniqueArray(fc.nat(15), { minLength: 1, maxLength: 9 }).map((set) => set.sort((x, y) => x - y)),
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

const boundsOf = ([gathered, alone]: readonly number[]): GroupBounds => ({
  gathered: gathered!,
  alone: alone!,
});

/** What may be held, from all to nothing. */
const places = fc.record({
  bounds: fc.record<SetBounds>({
    task: fc.constantFrom(
      ...[
        [0, 0],
        [100, 100],
        [40, 200],
        [1e9, 1e9],
      ].map(boundsOf),
    ),
    pair: fc.constantFrom(1e9, 1e9, 1e9, 100),
  }),
  task: fc.constantFrom(16, 64, 200, Number.POSITIVE_INFINITY),
  tables: fc.constantFrom(1e9, 1e9, 150, 300),
});

test('ExactEvidence has the resemblance of every pair at or above the margin, whatever is held at a time', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      documents,
      pairLists,
      fc.array(fc.nat(20), { minLength: 40, maxLength: 40 }),
      places,
      async (corpus, list, agreement, { bounds, task, tables }) => {
        const documentOf = (d: number): FakeDocument => {
          const { set, file, changed } = corpus[d]!;
          return { set: changed ? null : set, size: set.length, file };
        };
        const reader = await FakeCorpus.of(DOCUMENTS, documentOf, { task, tables, blocks: 0 });
        const evidence = new ExactEvidence(reader.run, reader, margin, bounds);
        const pairs = pairsWithout(list, agreement.slice(0, list.length));
        const isShort = tables < 1e9 || bounds.pair < 1e9;
        const changed = await evidence.complete(pairs).catch((error: unknown) => {
          if (error instanceof MinHashError && error.code === 'MEMORY_BUDGET' && isShort) return null;
          throw error;
        });
        if (changed === null) return;
        const wanted = new Set<number>();
        list.forEach(([a, b], i) => {
          const above = agreement[i]! >= margin;
          if (above) wanted.add(a).add(b);
          if (!above || corpus[a]!.changed || corpus[b]!.changed) {
            t.is(pairs.jaccard[i], Number.NaN);
            t.is(pairs.accepted[i], 0);
            return;
          }
          const expected = evidenceOf(corpus[a]!.set, corpus[b]!.set);
          t.is(pairs.jaccard[i], expected.jaccard);
          t.is(pairs.containmentAB[i], expected.containmentAB);
          t.is(pairs.containmentBA[i], expected.containmentBA);
          t.is(pairs.accepted[i], expected.jaccard >= threshold ? 1 : 0);
        });
        const sorted = [...wanted].sort((x, y) => x - y);
        t.deepEqual(
          [...changed],
          sorted.filter((d) => corpus[d]!.changed),
        );
        t.is(evidence.documentsReadAgain, wanted.size - changed.length);
        const asked = reader.asked.flat();
        t.deepEqual(
          asked.sort((x, y) => x - y),
          sorted,
        );
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test('sets are kept for the next round where there is room, else read again and counted once', async (t) => {
  for (const [blocks, reads] of [
    [1e9, [[0, 1, 2, 3], [4]]],
    // The sets of the first round take more than a quarter of what their places leave.
    [
      100,
      [
        [0, 1, 2, 3],
        [0, 4],
      ],
    ],
  ] as const) {
    const corpus = await FakeCorpus.of(5, (d) => ({ set: [d % 2] }), { blocks, tables: 40 });
    const evidence = new ExactEvidence(corpus.run, corpus, margin);
    const first = pairsWithout([
      [0, 1],
      [2, 3],
    ]);
    await evidence.complete(first);
    t.deepEqual([...first.jaccard], [0, 0]);
    await evidence.complete(first);
    const second = pairsWithout([[0, 4]]);
    await evidence.complete(second);
    t.deepEqual([...second.jaccard], [1]);
    t.deepEqual(corpus.asked, reads);
    t.is(evidence.documentsReadAgain, 5);
    evidence.drop();
    t.is(corpus.run.engine.store.bytes, 0);
  }
});

test('a document that changes before it is read once more is told, and its pairs stay unknown', async (t) => {
  let changed = false;
  const documentOf = (d: number): FakeDocument => ({ set: changed && d === 0 ? null : [7], size: 1 });
  const corpus = await FakeCorpus.of(4, documentOf, { blocks: 100, tables: 32 });
  const evidence = new ExactEvidence(corpus.run, corpus, margin);
  await evidence.complete(
    pairsWithout([
      [0, 1],
      [2, 3],
    ]),
  );
  changed = true;
  const later = pairsWithout([
    [0, 2],
    [1, 3],
  ]);
  t.deepEqual([...(await evidence.complete(later))], [0]);
  t.deepEqual([...later.jaccard], [Number.NaN, 1]);
  t.is(evidence.documentsReadAgain, 4);
});

test('a pair that is too large for a task ends the run before anything is read, with a size that is enough', async (t) => {
  const corpus = await FakeCorpus.of(3, (d) => ({ set: [7], size: d === 1 ? 100 : 1 }));
  const bounds = { task: boundsOf([1e9, 1e9]), pair: 400 };
  const evidence = new ExactEvidence(corpus.run, corpus, margin, bounds);
  const pairs = pairsWithout([
    [0, 1],
    [0, 2],
  ]);
  const error = await t.throwsAsync(evidence.complete(pairs), { instanceOf: MinHashError });
  t.is(error.code, 'MEMORY_BUDGET');
  t.regex(error.message, /the shingle sets of a pair take 808 bytes, of 400 bytes that a task has for them/);
  t.deepEqual(corpus.asked, []);
});

async function unbalanced(evidence: ExactEvidence): Promise<string | undefined> {
  return evidence.complete(pairsWithout([[0, 1]])).then(
    () => undefined,
    (error: unknown) => (error instanceof MinHashError ? error.code : String(error)),
  );
}

test('a reader that loses a document without a word makes the run fail', async (t) => {
  const corpus = await FakeCorpus.of(2, () => ({ set: [1] }));
  const losing: Reader = Object.create(corpus, {
    read: { value: (wanted: Uint32Array) => corpus.read(wanted.subarray(1)) },
  });
  t.is(await unbalanced(new ExactEvidence(corpus.run, losing, margin)), 'COUNTS_UNBALANCED');
});

test('a task that has no evidence for a pair of unchanged documents makes the run fail', async (t) => {
  const corpus = await FakeCorpus.of(2, () => ({ set: [1], file: true }));
  corpus.readPairs = async (list) => ({
    documents: list,
    unchanged: Uint8Array.of(1, 1),
    evidence: {
      jaccard: Float64Array.of(Number.NaN),
      containmentAB: Float64Array.of(Number.NaN),
      containmentBA: Float64Array.of(Number.NaN),
      accepted: Uint8Array.of(0),
    },
    bytes: 0,
  });
  t.is(await unbalanced(new ExactEvidence(corpus.run, corpus, margin)), 'COUNTS_UNBALANCED');
});

test('whole components of files are compared at once, larger ones and other documents as sets', async (t) => {
  // Three files; a pair of a file with what is no file; two files of which one is too large for a task.
  const corpus = await FakeCorpus.of(7, (d) => ({
    set: [7],
    size: d === 6 ? 9e6 : 1,
    file: d !== 4,
  }));
  const evidence = new ExactEvidence(corpus.run, corpus, margin);
  const pairs = pairsWithout([
    [0, 1],
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  await evidence.complete(pairs);
  t.deepEqual([...pairs.jaccard], [1, 1, 1, 1]);
  t.deepEqual(corpus.asked, [
    [0, 1, 2],
    [3, 4, 5, 6],
  ]);
});

test('sets that have no room together end the run before any is read, with a size that is enough', async (t) => {
  // 60 sets of 160 bytes, and 480 bytes for their places.
  const documentOf = (d: number): FakeDocument => ({ set: Array.from({ length: 20 }, (_, i) => d + i) });
  const chain = Array.from({ length: 59 }, (_, d) => [d, d + 1] as const);
  const evidenceIn = async (tables: number) => {
    const corpus = await FakeCorpus.of(60, documentOf, { task: 1000, tables, blocks: 0, total: 1e9 });
    const pairs = pairsWithout(chain);
    return { corpus, pairs, compared: new ExactEvidence(corpus.run, corpus, margin).complete(pairs) };
  };
  const { compared, ...short } = await evidenceIn(480 + 60 * 160 - 1);
  const error = await t.throwsAsync(compared, { instanceOf: MinHashError });
  t.is(error.code, 'MEMORY_BUDGET');
  t.regex(error.message, /shingle sets of 60 documents take 9600 bytes, of which 9599 bytes are left/);
  t.deepEqual(short.corpus.asked, []);
  const enough = await evidenceIn(480 + 60 * 160);
  await enough.compared;
  t.true(enough.pairs.jaccard.every((value) => value === 19 / 21));
  t.is(enough.corpus.asked.length, 1);
});
