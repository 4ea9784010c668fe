import test from 'ava';
import fc from 'fast-check';
import { exactPairs } from '../../reducers/exactPairs.js';
import { agreements, type Pairs } from '../../src/blocks/pairs.js';
import { unlistedOf } from '../../src/coordinator/cluster/clusterRecipe.js';
import { Jobs } from '../../src/coordinator/cluster/jobs.js';
import type { DatasetRecord } from '../../src/engines/job.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { checkOptions } from '../../src/options/check.js';
import { type ResultParams, SIGNATURE_NAMES, signatureParams } from '../../src/sketch/params.js';
import { COMPARED_KINDS, EvidenceReader } from '../../src/tasks/stream/evidence.js';
import { KINDS, type TaskFact } from '../../src/tasks/stream/kinds.js';
import { LARGE, LargeSets } from '../../src/tasks/stream/largeSets.js';
import { FieldWriter, f64At, u64At } from '../../src/tasks/stream/records.js';
import { RECORD_FORMAT } from '../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../engines/processEngine.js';
import { createReferenceKernel, createSetComparer } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { pairsOf } from '../reducers/bruteForce.js';
import { filesOf } from './manifestTables.js';
import {
  bucketed,
  documentOf,
  idRecords,
  placeOf,
  rankOf,
  type SignedCorpus,
  setRecords,
  signatureRecords,
  signedCorpus,
} from './signedCorpus.js';

const KERNELS = [createReferenceKernel(), createWasmKernel(kernelModule)];

function paramsOf(options: Parameters<typeof checkOptions>[0]): ResultParams {
  return checkOptions({ paths: ['x'], hashes: 16, bands: 6, rows: 2, threshold: 0.7, ...options }).resolved
    .params;
}

/** An engine with datasets to begin with, and its jobs. */
async function engineWith(
  params: ResultParams,
  datasets: Readonly<Record<string, readonly DatasetRecord[]>>,
  kernel = KERNELS[1]!,
) {
  const engine = new ProcessEngine({ kernel, splits: [], reducers: 2 });
  for (const [name, records] of Object.entries(datasets)) await engine.write(name, records);
  const files = filesOf(['a', 'b', 'c'].map((uri) => ({ uri, id: uri, bytes: 1 })));
  const run = { format: RECORD_FORMAT, version: '0', run: 'run', params, files };
  return { engine, jobs: new Jobs(engine, run) };
}

function recordsOf({ datasets }: ProcessEngine, name: string, ...kinds: readonly number[]): DatasetRecord[] {
  return datasets.get(name)!.filter(([key]) => kinds.includes(key[0]!));
}

/** The largest that tasks counted of a name. */
function mostOf({ datasets }: ProcessEngine, name: string, what: string): number {
  const facts = datasets.get(name)!.filter(([key]) => key[0] === KINDS.fact);
  return Math.max(
    0,
    ...facts.map(([, value]) => (JSON.parse(Buffer.from(value).toString()) as TaskFact).most[what] ?? 0),
  );
}

const pairOf = ([key]: DatasetRecord): [number, number] => [
  documentOf(u64At(key, 1)),
  documentOf(u64At(key, 9)),
];

/** What a record says of its pair: what the reducers say, in words that compare. */
function told([a, b]: readonly [number, number], ...values: readonly number[]): string {
  return [a, b, ...values].join(' ');
}

function pairRecord(a: number, b: number, kind: number = KINDS.pair): DatasetRecord {
  const key = new FieldWriter().u8(kind).u64(rankOf(a)).u64(rankOf(b)).view.slice();
  if (kind === KINDS.pair) return [key, Uint8Array.of(1)];
  return [key, new FieldWriter().f64(0).raw(placeOf(a)).raw(placeOf(b)).view.slice()];
}

/** Whether a record of kind `compared` has the places of its documents. */
function hasPlaces([key, value]: DatasetRecord): boolean {
  const [a, b] = pairOf([key, value]);
  const places = Buffer.concat([placeOf(a), placeOf(b)]);
  return places.equals(value.subarray(8));
}

const classRecords = (corpus: SignedCorpus, hashes: number): DatasetRecord[] => [
  ...signatureRecords(corpus, hashes),
  ...idRecords(corpus),
];

/** The jobs of large and hot buckets. */
async function crowdedJobs(jobs: Jobs, bands: string) {
  const members = await jobs.run('bucketMembers', ['classes', bands]);
  const large = await jobs.run('largePairs', [members.name]);
  const hot = await jobs.run('hotPairs', [members.name, bands]);
  return { large, hot };
}

const cases = fc.record({
  documents: fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 200, max: 300 })),
  seed: fc.integer({ min: 1, max: 1e6 }),
  sketch: fc.constantFrom(...SIGNATURE_NAMES),
  hotBucket: fc.constantFrom(2, 3, 8, 40, 256),
  kernel: fc.constantFrom(0, 1),
});

/** Distinct pairs with how many slots of their signatures are equal. */
function expected(params: ResultParams, corpus: SignedCorpus, pairs: Pairs) {
  const { slots, stride, sets } = corpus;
  const signatures = {
    ...{ blocks: [slots], blockOf: new Uint32Array(sets.length), stride },
    columnOf: Uint32Array.from(sets, (_, d) => d),
    hashes: signatureParams(params).sketch.hashes,
  };
  return { ...pairs, agreement: agreements(pairs, signatures) };
}

test('bands, the jobs of large and hot buckets, leftSignatures and rightSignatures give the pairs and agreements of the reducers of threads', async (t) => {
  let [hotBuckets, largePairs] = [0, 0];
  await fc.assert(
    fc.asyncProperty(cases, async ({ documents, seed, sketch, hotBucket, kernel }) => {
      const params = paramsOf({ sketch, hotBucket, candidates: 'all' });
      const corpus = signedCorpus(params, documents, seed);
      const wanted = bucketed(params, corpus);
      const { engine, jobs } = await engineWith(
        params,
        { classes: classRecords(corpus, 16) },
        KERNELS[kernel]!,
      );
      const bands = await jobs.run('bands', ['classes']);
      const { large, hot } = await crowdedJobs(jobs, bands.name);
      const ofLarge = recordsOf(engine, large.name, ...COMPARED_KINDS);
      largePairs += ofLarge.length;
      t.true(ofLarge.every(hasPlaces));
      t.is(new Set(ofLarge.map((pair) => told(pairOf(pair)))).size, ofLarge.length);
      const made = [bands, hot].flatMap(({ name }) => recordsOf(engine, name, KINDS.pair));
      t.deepEqual(
        [...new Set([...made, ...ofLarge].map((pair) => told(pairOf(pair))))].sort(),
        [...wanted.pairs.a.subarray(0, wanted.pairs.count)]
          .map((a, i) => told([a, wanted.pairs.b[i]!]))
          .sort(),
      );
      t.is(hot.sums['pairs made in hot buckets'] ?? 0, wanted.hot);
      t.is(hot.sums['hot buckets'] ?? 0, wanted.hotBuckets);
      t.is(bands.sums.buckets ?? 0, wanted.buckets);
      t.is(mostOf(engine, bands.name, 'largest bucket'), wanted.largestBucket);
      hotBuckets += wanted.hotBuckets;
      // Every third pair is known.
      const known = made.flatMap((pair, i) =>
        i % 3 === 0 ? [pairRecord(...pairOf(pair), KINDS.compared)] : [],
      );
      await engine.write('known', known);
      const names = [bands.name, hot.name, 'known'];
      const lefts = await jobs.run('leftSignatures', ['classes', ...names, large.name]);
      const rights = await jobs.run('rightSignatures', [lefts.name]);
      const listed = recordsOf(engine, rights.name, ...COMPARED_KINDS);
      const compared = [...listed, ...ofLarge];
      const knownPairs = new Set(known.map((pair) => told(pairOf(pair))));
      const ofLargeToo = new Set(ofLarge.map((pair) => told(pairOf(pair))));
      const all = expected(params, corpus, wanted.pairs);
      t.deepEqual(
        compared.map((pair) => told(pairOf(pair), f64At(pair[1], 0))).sort(),
        [...all.agreement]
          .map((equal, i) => told([all.a[i]!, all.b[i]!], equal))
          .filter(
            (_, i) =>
              !knownPairs.has(told([all.a[i]!, all.b[i]!])) || ofLargeToo.has(told([all.a[i]!, all.b[i]!])),
          )
          .sort(),
      );
      t.true(listed.every(hasPlaces));
      t.is(rights.sums['compared pairs'] ?? 0, listed.length);
    }),
    { seed: 1, numRuns: 25 },
  );
  t.true(
    hotBuckets > 40 && largePairs > 1000,
    `${hotBuckets} hot buckets, ${largePairs} pairs of large ones`,
  );
});

test('wanted, tileSets, tilePairs and addedSizes give the evidence of exactPairs, bit by bit', async (t) => {
  let [verified, ranged] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      cases,
      fc.constantFrom(1, 3, 4),
      fc.constantFrom(1, 2, 7),
      async (drawn, split, tiles) => {
        const { documents, seed, sketch, hotBucket, kernel } = drawn;
        const params = paramsOf({ sketch, hotBucket });
        const corpus = signedCorpus(params, documents, seed);
        const all = expected(params, corpus, bucketed(params, corpus).pairs);
        const rule = new EvidenceReader(params);
        const compared = [...all.agreement].map((equal, i): DatasetRecord => {
          const [key, value] = pairRecord(all.a[i]!, all.b[i]!, rule.kindOf(equal));
          return [key, new FieldWriter().f64(equal).raw(value.subarray(8)).view.slice()];
        });
        const rows = [...all.agreement.keys()].filter(
          (i) => rule.kindOf(all.agreement[i]!) === KINDS.unverified,
        );
        const pairs = {
          a: Uint32Array.from(rows, (i) => all.a[i]!),
          b: Uint32Array.from(rows, (i) => all.b[i]!),
          count: rows.length,
        };
        const bits = (d: number): number => d % split;
        const sets = setRecords(corpus, bits);
        const { engine, jobs } = await engineWith(params, { compared, sets }, KERNELS[kernel]!);
        const wanted = await jobs.run('wanted', ['compared']);
        const places = recordsOf(engine, wanted.name, KINDS.wanted).map(([key]) =>
          Buffer.from(key.subarray(1)).toString('hex'),
        );
        const documentsOfPairs = [...new Set([...pairs.a, ...pairs.b])];
        t.deepEqual(
          places.sort(),
          documentsOfPairs.map((d) => Buffer.from(placeOf(d)).toString('hex')).sort(),
        );
        t.is(wanted.sums['wanted documents'] ?? 0, documentsOfPairs.length);
        const large = new LargeSets();
        for (let d = 0; d < documents; d++) if (bits(d) > 0) large.add(placeOf(d), bits(d));
        if (large.bytes !== null) jobs.learn({ sides: { [LARGE]: await engine.side(LARGE, large.bytes) } });
        jobs.learn({ tiles });
        const tiled = await jobs.run('tileSets', ['sets', 'compared']);
        const rights = await jobs.run('tilePairs', [tiled.name, 'compared']);
        const added = await jobs.run('addedSizes', [rights.name]);
        const exact = exactPairs(
          pairs,
          setsOf(corpus),
          params.threshold,
          createSetComparer(),
          params.measure,
        );
        const records = [rights, added].flatMap(({ name }) => recordsOf(engine, name, KINDS.evidence));
        ranged += added.sums['pairs verified'] ?? 0;
        const found = records.map((record) => {
          t.true(rule.read({ key: record[0], value: record[1] }));
          return told(
            pairOf(record),
            rule.agreement,
            Number(rule.accepted),
            rule.jaccard,
            rule.aInB,
            rule.bInA,
          );
        });
        t.deepEqual(
          found.sort(),
          rows
            .map((row, i) =>
              told(
                [pairs.a[i]!, pairs.b[i]!],
                all.agreement[row]!,
                exact.accepted[i]!,
                exact.jaccard[i]!,
                exact.containmentAB[i]!,
                exact.containmentBA[i]!,
              ),
            )
            .sort(),
        );
        verified += rows.length;
      },
    ),
    { seed: 2, numRuns: 25 },
  );
  t.true(verified > 200 && ranged > 50, `${verified} pairs, ${ranged} by ranges`);
});

function setsOf({ sets }: SignedCorpus) {
  const blocks = sets.map((hashes) => ({ hashes, offsets: Float64Array.of(0, hashes.length / 2) }));
  return {
    blocks,
    setBlock: Uint32Array.from(sets, (_, d) => d),
    setIndex: new Uint32Array(sets.length),
  };
}

test('pairs are compared wherever a block of signatures ends, and whatever the partners of a document', async (t) => {
  const params = paramsOf({});
  const corpus = signedCorpus(params, 1100, 7);
  // Three signatures each: of 341 documents a block has room for one more, which is none for another pair.
  const rows = Array.from({ length: 345 }, (_, i) => [
    [i, i + 2],
    [i + 1, i + 2],
  ]).flat();
  for (let a = 0; a < 1099; a++) rows.push([a, 1099]);
  const pairs = rows.map(([a, b]) => pairRecord(a!, b!));
  const { engine, jobs } = await engineWith(params, {
    classes: signatureRecords(corpus, 16),
    pairs: [...pairs, ...pairs.slice(-100)],
  });
  const lefts = await jobs.run('leftSignatures', ['classes', 'pairs']);
  t.is(lefts.sums['pairs repeated'], 100);
  const rights = await jobs.run('rightSignatures', [lefts.name], { reducers: 'one' });
  const all = expected(params, corpus, pairsOf(rows.map(([a, b]) => [a!, b!])));
  t.deepEqual(
    recordsOf(engine, rights.name, ...COMPARED_KINDS)
      .map((pair) => told(pairOf(pair), f64At(pair[1], 0)))
      .sort(),
    [...all.agreement].map((equal, i) => told([all.a[i]!, all.b[i]!], equal)).sort(),
  );
});

test('small buckets beyond a block of members and of pairs, and more signatures than a block', async (t) => {
  const params = paramsOf({ hotBucket: 1000, bands: 2, rows: 8 });
  const corpus = signedCorpus(params, 20_000, 3);
  for (let d = 0; d < 20_000; d++) corpus.slots.fill(1 + (d >> 5), 16 * d, 16 * d + 8);
  const { engine, jobs } = await engineWith(params, { classes: classRecords(corpus, 16) });
  const bands = await jobs.run('bands', ['classes']);
  const found = new Set(recordsOf(engine, bands.name, KINDS.pair).map((pair) => told(pairOf(pair))));
  let missing = 0;
  for (let d = 0; d < 20_000; d++) for (let a = d & ~31; a < d; a++) if (!found.has(told([a, d]))) missing++;
  t.is(missing, 0);
});

test('of a bucket of more members than two parts have room for every pair is compared once, also where documents have groups', async (t) => {
  const [hashes, documents] = [1024, 2600];
  const asked = { hashes, bands: 2, rows: 512, hotBucket: 4000, verify: 'none' } as const;
  const corpus = signedCorpus(paramsOf(asked), documents, 5);
  // One bucket, in three parts of at most 1,024. Of the other slots, every hundredth document has nearly all of another's.
  for (let d = 0; d < documents; d++) {
    corpus.slots.copyWithin(hashes * d, 0, 512);
    corpus.slots.fill(d % 100 === 0 ? d % 1300 : d, hashes * d + 512, hashes * (d + 1));
    corpus.slots[hashes * d + 1023] = d;
  }
  const groupOf = (d: number): number => (d < 900 ? 1 : d < 2100 ? 2 : d);
  for (const isCross of [false, true]) {
    const params = paramsOf({ ...asked, ...(isCross && { groupBy: 'path:1' }) });
    const records = signatureRecords(corpus, hashes).map(([key, value], d): DatasetRecord => {
      return [key, isCross ? new FieldWriter().raw(value).u64(groupOf(d)).u64(0).view.slice() : value];
    });
    const { engine, jobs } = await engineWith(params, { classes: records });
    const bands = await jobs.run('bands', ['classes']);
    const { large } = await crowdedJobs(jobs, bands.name);
    const alike: string[] = [];
    let apart = 0;
    for (let b = 0; b < documents; b++) {
      for (let a = 0; a < b; a++) {
        if (isCross && groupOf(a) === groupOf(b)) continue;
        apart++;
        if (a % 100 === 0 && b === a + 1300) alike.push(told([a, b], 1023));
      }
    }
    const found = recordsOf(engine, large.name, ...COMPARED_KINDS).map((pair) =>
      told(pairOf(pair), f64At(pair[1], 0)),
    );
    t.deepEqual(found.sort(), alike.sort());
    t.is((await unlistedOf(jobs, large.name, hashes))[512], apart - alike.length);
  }
});

test('bands beyond 255 are told apart', async (t) => {
  const params = paramsOf({ hashes: 300, bands: 300, rows: 1, hotBucket: 2 });
  const corpus = signedCorpus(params, 6, 11);
  const { engine, jobs } = await engineWith(params, { classes: classRecords(corpus, 300) });
  const bands = await jobs.run('bands', ['classes']);
  const wanted = bucketed(params, corpus);
  t.true(wanted.hotBuckets > 256);
  t.is(bands.sums.buckets, wanted.buckets);
  const { hot } = await crowdedJobs(jobs, bands.name);
  t.is(hot.sums['hot buckets'], wanted.hotBuckets);
  t.is(hot.sums['pairs made in hot buckets'], wanted.hot);
  t.is(recordsOf(engine, hot.name, KINDS.head).length, wanted.hotBuckets);
});

test('sets that are together larger than a block give the evidence of exactPairs', async (t) => {
  const params = paramsOf({});
  const corpus = signedCorpus(params, 12, 5);
  const large = new Uint32Array(2 * 140_000).map((_, i) => Math.imul(i + 1, 0x9e3779b1));
  const sets = corpus.sets.map((set, d) => {
    if (d < 2) return set;
    return large.slice(0, 2 * (140_000 - 1000 * d));
  });
  const rows = [
    [0, 2],
    [1, 2],
    [0, 11],
    [3, 11],
    [4, 11],
    [5, 11],
    [6, 11],
    [7, 11],
    [8, 11],
    [9, 11],
    [10, 11],
    [2, 3],
    [0, 1],
  ];
  const compared = rows.map(([a, b]): DatasetRecord => {
    const [key, value] = pairRecord(a!, b!, KINDS.unverified);
    return [key, new FieldWriter().f64(16).raw(value.subarray(8)).view.slice()];
  });
  const made = { ...corpus, sets };
  const { engine, jobs } = await engineWith(params, { compared, sets: setRecords(made) });
  const tiled = await jobs.run('tileSets', ['sets', 'compared']);
  const rights = await jobs.run('tilePairs', [tiled.name, 'compared']);
  const pairs = {
    a: Uint32Array.from(rows, ([a]) => a!),
    b: Uint32Array.from(rows, ([, b]) => b!),
    count: rows.length,
  };
  const exact = exactPairs(pairs, setsOf(made), params.threshold, createSetComparer(), params.measure);
  const reader = new EvidenceReader(params);
  const found = recordsOf(engine, rights.name, KINDS.evidence).map((record) => {
    reader.read({ key: record[0], value: record[1] });
    return told(pairOf(record), Number(reader.accepted), reader.jaccard, reader.aInB, reader.bInA);
  });
  t.deepEqual(
    found.sort(),
    rows
      .map(([a, b], i) =>
        told(
          [a!, b!],
          exact.accepted[i]!,
          exact.jaccard[i]!,
          exact.containmentAB[i]!,
          exact.containmentBA[i]!,
        ),
      )
      .sort(),
  );
});

test('a pair without a signature is our own defect, one without a set is counted', async (t) => {
  const params = paramsOf({});
  const corpus = signedCorpus(params, 3, 1);
  const [first, second, third] = signatureRecords(corpus, 16);
  const pairs = [pairRecord(0, 1)];
  const withoutA = await engineWith(params, { classes: [second!, third!], pairs });
  await t.throwsAsync(withoutA.jobs.run('leftSignatures', ['classes', 'pairs']), {
    message: /^document 0 .* no signature/,
  });
  const withoutB = await engineWith(params, { classes: [first!, third!], pairs });
  const lefts = await withoutB.jobs.run('leftSignatures', ['classes', 'pairs']);
  await t.throwsAsync(withoutB.jobs.run('rightSignatures', [lefts.name]), {
    message: /^document 3 .* no signature/,
  });
  const [pair, places] = pairRecord(0, 1, KINDS.unverified);
  const compared: DatasetRecord[] = [[pair, new FieldWriter().f64(16).raw(places.subarray(8)).view.slice()]];
  const sets = setRecords(corpus);
  const counted = { 'without a set': 1 };
  const noA = await engineWith(params, { sets: sets.slice(1), compared });
  t.like((await noA.jobs.run('tileSets', ['sets', 'compared'])).sums, counted);
  const noB = await engineWith(params, { sets: [sets[0]!, sets[2]!], compared });
  const tiled = await noB.jobs.run('tileSets', ['sets', 'compared']);
  t.like(tiled.sums, counted);
  const voided = await noB.jobs.run('tilePairs', [tiled.name, 'compared']);
  t.deepEqual(recordsOf(noB.engine, voided.name, KINDS.evidence), []);
});
