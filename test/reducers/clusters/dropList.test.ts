import test from 'ava';
import fc from 'fast-check';
import { dropList, keptDocuments } from '../../../reducers/dropList.js';
import { identityClasses } from '../../../reducers/identityClasses.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { type Corpus, classesOf, corpora, nearPairsOf, verified } from '../bruteForce.js';

/** The rule word for word, over documents. */
function dropListByDefinition(corpus: Corpus): { kept: number[]; rows: [number, number, number][] } {
  const kept: number[] = [];
  const rows: [number, number, number][] = [];
  for (let d = 0; d < corpus.labels.length; d++) {
    let best: [number, number] | undefined;
    for (const k of kept) {
      const jaccard = verified(corpus, k, d);
      if (jaccard !== undefined && (best === undefined || jaccard > best[1])) best = [k, jaccard];
    }
    if (best === undefined) kept.push(d);
    else rows.push([d, ...best]);
  }
  return { kept, rows };
}

test('dropList is the greedy rule over documents and names the best earlier kept one', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const found = atOnce(dropList(classesOf(corpus), nearPairsOf(corpus)));
      const wanted = dropListByDefinition(corpus);
      t.deepEqual(
        [...found.kept].flatMap((flag, d) => (flag === 1 ? [d] : [])),
        wanted.kept,
      );
      t.deepEqual(atOnce(keptDocuments(classesOf(corpus), nearPairsOf(corpus))), found.kept);
      const rows = [...found.document].map((d, i) => [d, found.keptDocument[i], found.jaccard[i]]);
      t.deepEqual(rows, wanted.rows);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test('dropList names a kept near-duplicate of all that it drops, and leaves no verified pair among the kept', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { kept, document, keptDocument, jaccard } = atOnce(
        dropList(classesOf(corpus), nearPairsOf(corpus)),
      );
      document.forEach((d, i) => {
        const keeper = keptDocument[i]!;
        t.true(keeper < d && kept[keeper] === 1 && kept[d] === 0);
        t.is(verified(corpus, keeper, d), jaccard[i]);
      });
      for (let d = 0; d < kept.length; d++) {
        for (let e = 0; e < d; e++) {
          if (kept[d] === 1 && kept[e] === 1) t.is(verified(corpus, e, d), undefined);
        }
      }
    }),
    { seed: 2, numRuns: 500 },
  );
});

test('dropList lets a later copy of a dropped document name a kept one that came between them', (t) => {
  // 1 is dropped for 0 at 0.8; 2 is kept and closer to 1; 3 is a copy of 1.
  const corpus: Corpus = {
    labels: [0, 1, 2, 1],
    empty: [false, false, false, false],
    near: new Map([
      ['0 1', 0.8],
      ['1 2', 0.9],
    ]),
  };
  const { document, keptDocument, jaccard } = atOnce(dropList(classesOf(corpus), nearPairsOf(corpus)));
  t.deepEqual([...document], [1, 3]);
  t.deepEqual([...keptDocument], [0, 2]);
  t.deepEqual([...jaccard], [0.8, 0.9]);
});

test('dropList keeps empty documents and, of a chain, every second link', (t) => {
  const corpus: Corpus = {
    labels: [0, 1, 2, 3, 4, 4],
    empty: [false, false, false, false, true, true],
    near: new Map([
      ['0 1', 0.9],
      ['1 2', 0.9],
      ['2 3', 0.9],
    ]),
  };
  t.deepEqual([...atOnce(dropList(classesOf(corpus), nearPairsOf(corpus))).kept], [1, 0, 1, 0, 1, 1]);
});

test('dropList of no documents has no row', (t) => {
  const none = atOnce(identityClasses(new Uint32Array(0), new Uint8Array(0)));
  const pairs = { a: new Uint32Array(0), b: new Uint32Array(0), count: 0, jaccard: new Float64Array(0) };
  t.is(atOnce(dropList(none, pairs)).document.length, 0);
});

test('dropList copes with 200,000 identical documents whose first member has a million near pairs', (t) => {
  const copies = 200_000;
  const others = 1_000_000;
  // Documents 0..others-1 differ; then come copies of document `others`, which is near to every one of them.
  const keys = new Uint32Array(4 * (others + copies));
  for (let d = 0; d < others; d++) keys[4 * d] = d + 1;
  const near = {
    a: Uint32Array.from({ length: others }, (_, d) => d),
    b: new Uint32Array(others).fill(others),
    jaccard: Float64Array.from({ length: others }, (_, d) => 0.8 + (d === 777_777 ? 0.1 : 0)),
    count: others,
  };
  const { document, keptDocument } = atOnce(
    dropList(atOnce(identityClasses(keys, new Uint8Array(others + copies))), near),
  );
  t.is(document.length, copies);
  t.true(keptDocument.every((keeper) => keeper === 777_777));
});
