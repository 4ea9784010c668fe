/**
 * Random hot buckets over documents whose similarities are known, for rounds on worker threads and as jobs: the steps around
 * them, which have stages of their own, are short here.
 */

import { drawnPairs } from '../../../reducers/drawnPairs.js';
import { BY_PLACE, keptDocuments } from '../../../reducers/dropList.js';
import { hotOrder, hotPairs } from '../../../reducers/hotPairs.js';
import { identityClasses } from '../../../reducers/identityClasses.js';
import type { VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { writeFmix64 } from '../../../src/arrays/hashing.js';
import { sortByKey64 } from '../../../src/arrays/sort.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { decodeBlock } from '../../../src/blocks/block.js';
import type { AgreeingPairs, HotMembers, Pairs } from '../../../src/blocks/pairs.js';
import type { RoundSteps } from '../../../src/coordinator/cluster/hot/steps.js';
import { Jobs } from '../../../src/coordinator/cluster/jobs.js';
import { Run } from '../../../src/coordinator/context.js';
import type { PairComparer } from '../../../src/coordinator/pair/agreements.js';
import { type StoredPairs, storePairs } from '../../../src/coordinator/pair/pairLists.js';
import { compareInRounds, keptInOrder } from '../../../src/coordinator/pair/rounds.js';
import type { SampleBounds } from '../../../src/coordinator/pair/skippedSample.js';
import type { Verifier } from '../../../src/coordinator/verify/verify.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import type { DatasetRecord } from '../../../src/engines/job.js';
import { leastNear } from '../../../src/sketch/family.js';
import type { ResultParams } from '../../../src/sketch/params.js';
import { Store } from '../../../src/store/store.js';
import { COMPARED_KINDS, EvidenceReader } from '../../../src/tasks/stream/evidence.js';
import { KIND, KINDS, PLACE, RANK } from '../../../src/tasks/stream/kinds.js';
import { FieldWriter, u64At } from '../../../src/tasks/stream/records.js';
import { RECORD_FORMAT } from '../../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../../engines/processEngine.js';
import { createReferenceKernel } from '../../kernel/referenceKernel.js';
import { distinctPairs } from '../../kernel/referencePairs.js';
import { parametersFor } from '../../output/resultSample.js';
import { listOf, pairsOf } from '../../reducers/bruteForce.js';
import { withdrawingOf } from '../../tasks/clusteredCorpus.js';

const HASHES = 16;

export interface HotCorpus {
  readonly documents: number;
  /** By band: by document its bucket; 0: it is in no hot one. */
  readonly bands: readonly (readonly number[])[];
  readonly hotBucket: number;
  /** Documents of one of so many topics are alike. */
  readonly topics: number;
  readonly seed: number;
  readonly verify: ResultParams['verify'];
  readonly bounds: SampleBounds;
}

export function paramsOf({ verify, hotBucket, seed }: HotCorpus): ResultParams {
  const params = parametersFor(verify);
  const sketch = { sketch: 'fss', hashes: HASHES, seed } as const;
  return { ...params, sketch, threshold: 0.6, banding: { bands: 4, rows: 4 }, hotBucket, seed };
}

/** Ranks have gaps, and go beyond 32 bits. */
const rankOf = (document: number): number => Math.floor(document / 5) * 2 ** 32 + 3 * (document % 5);
const documentOf = (rank: number): number => 5 * Math.floor(rank / 2 ** 32) + (rank % 2 ** 32) / 3;

/** A random number below `below` that follows from what it is for. */
function chance(seed: number, a: number, b: number, below: number): number {
  const out = new Uint32Array(2);
  writeFmix64(out, 0, a * 65537 + b, seed + 1);
  return out[1]! % below;
}

/** What is known of a pair: equal slots, and the share of common shingles. */
export class HotOracle {
  readonly corpus: HotCorpus;
  readonly params: ResultParams;

  constructor(corpus: HotCorpus) {
    this.corpus = corpus;
    this.params = paramsOf(corpus);
  }

  agreement(a: number, b: number): number {
    const { seed, topics } = this.corpus;
    const isAlike = chance(seed, a, 7, topics) === chance(seed, b, 7, topics);
    return isAlike ? 8 + chance(seed, a, 1000 + b, 9) : chance(seed, a, 1000 + b, 9);
  }

  jaccard(a: number, b: number): number {
    return Math.min(1, this.agreement(a, b) / HASHES + chance(this.corpus.seed, a, 5000 + b, 100) / 700);
  }

  idHash(document: number): Uint32Array {
    const out = new Uint32Array(2);
    writeFmix64(out, 0, document, this.corpus.seed + 99);
    return out;
  }

  readonly idHashes = (documents: Uint32Array): Uint32Array =>
    Uint32Array.from([...documents].flatMap((document) => [...this.idHash(document)]));

  slot(band: number, document: number): number {
    return chance(this.corpus.seed, document, 9000 + band, 4);
  }

  members(band: number): HotMembers {
    const names: number[] = [];
    const rows: [number, number][] = [];
    this.corpus.bands[band]!.forEach((name, document) => {
      if (name === 0) return;
      if (!names.includes(name)) names.push(name);
      rows.push([document, names.indexOf(name)]);
    });
    return {
      documents: Uint32Array.from(rows, ([document]) => document),
      buckets: Uint32Array.from(rows, ([, bucket]) => bucket),
    };
  }

  get hot(): HotMembers[] {
    return this.corpus.bands.map((_, band) => this.members(band));
  }

  /** The pairs of members by the rule for the sizes of their buckets, and how many are skipped. */
  pairsOfMembers(hot: readonly HotMembers[]): { readonly lists: readonly Pairs[]; readonly skipped: number } {
    const lists: Pairs[] = [];
    let skipped = 0;
    hot.forEach(({ documents, buckets }, band) => {
      for (const bucket of new Set(buckets)) {
        const own = documents.filter((_, i) => buckets[i] === bucket);
        if (own.length > this.corpus.hotBucket) {
          const slots = own.map((document) => this.slot(band, document));
          const members = { documents: own, buckets: new Uint32Array(own.length) };
          const made = hotPairs(members, slots, this.idHashes(own));
          lists.push(distinctPairs([made]));
          skipped += made.skipped;
        } else {
          lists.push(
            pairsOf(
              [...own].flatMap((a) => [...own].filter((b) => a < b).map((b) => [a, b] as [number, number])),
            ),
          );
        }
      }
    });
    return { lists, skipped };
  }

  verified(pairs: AgreeingPairs): VerifiedPairs {
    const { params } = this;
    if (params.verify !== 'exact') return { ...pairs, exact: null };
    const least = leastNear(params);
    const rows = Uint32Array.from(
      [...pairs.agreement.subarray(0, pairs.count).keys()].filter((row) => pairs.agreement[row]! >= least),
    );
    const jaccard = Float64Array.from(rows, (row) => this.jaccard(pairs.a[row]!, pairs.b[row]!));
    rows.forEach((row, i) => {
      pairs.accepted[row] = jaccard[i]! >= params.threshold ? 1 : 0;
    });
    return {
      ...pairs,
      exact: { rows, jaccard, containmentAB: jaccard.slice(), containmentBA: jaccard.slice() },
    };
  }
}

/** What a run tells of its rounds. */
export interface RoundsTold {
  readonly rounds: number;
  readonly keptUncompared: number;
  readonly skipped: number;
  readonly recall: object | null;
  /** a, b, agreement, accepted, similarity. */
  readonly pairs: readonly string[];
}

/** Rounds as worker threads go through them. */
export async function roundsOfThreads(oracle: HotOracle): Promise<RoundsTold> {
  const { corpus, params } = oracle;
  const store = new Store();
  const engine = await createInlineEngine({ tasks: { TASKS: {} }, setup: null, store });
  const run = new Run(params, engine, undefined, undefined);
  const read = ({ blocks }: StoredPairs): Pairs[] =>
    blocks.map((name) => {
      const { a, b } = decodeBlock(store.get(name), 'pairs', name).columns;
      return { a: a as Uint32Array, b: b as Uint32Array, count: a!.length };
    });
  const least = params.verify === 'signature' ? leastNear(params) : HASHES + 1;
  const compare = async (
    lists: readonly StoredPairs[],
    known: readonly StoredPairs[],
  ): Promise<AgreeingPairs> => {
    const pairs = distinctPairs(lists.flatMap(read), known.flatMap(read));
    const agreement = Uint16Array.from(pairs.a, (a, i) => oracle.agreement(a, pairs.b[i]!));
    return { ...pairs, agreement, accepted: Uint8Array.from(agreement, (one) => (one >= least ? 1 : 0)) };
  };
  let calls = 0;
  const stored = (lists: readonly Pairs[]): StoredPairs[] =>
    lists.map((list) => storePairs(run, `list/${calls++}`, list));
  const empty = new Uint8Array(corpus.documents);
  const keys = Uint32Array.from({ length: 4 * corpus.documents }, (_, i) => i >> 2);
  const verifier = {
    classes: atOnce(identityClasses(keys, empty)),
    withdrawn: empty,
    withdrawals: 0,
    groups: null,
    verify: async (pairs: AgreeingPairs) => oracle.verified(pairs),
  } as unknown as Verifier;
  const first = oracle.pairsOfMembers(oracle.hot);
  const made = await compare(stored(first.lists), []);
  const how = {
    pairing: {
      pairMembers: async (members: readonly HotMembers[]) => ({
        lists: stored(oracle.pairsOfMembers(members).lists),
      }),
      inherited: () => {},
    },
    comparer: { compare, pairBytes: 0 } as unknown as PairComparer,
    ...{ verifier, rule: keptInOrder(verifier, BY_PLACE), idHashes: oracle.idHashes },
    mostVerified: corpus.bounds.verified,
  };
  const drawn = atOnce(
    drawnPairs(oracle.hot, corpus.documents, null, null, corpus.bounds.drawn, params.seed),
  );
  const { verified, rounds, keptUncompared, skipsPairs, recall } = await compareInRounds(
    ...([run, how, oracle.hot, made, null, drawn] as const),
  );
  await engine.close();
  const similarity = new Map(
    verified.exact === null
      ? []
      : [...verified.exact.rows].map((row, i) => [row, verified.exact!.jaccard[i]!]),
  );
  const pairs = listOf(verified).map(([a, b], row) =>
    [a, b, verified.agreement[row], verified.accepted[row], similarity.get(row) ?? Number.NaN].join(' '),
  );
  return { rounds, keptUncompared, skipped: skipsPairs ? first.skipped : 0, recall, pairs };
}

/** Nothing here reads a text again. */
const NO_PLACES = new Uint8Array(2 * PLACE);

/** Datasets and steps as jobs have them. */
export class HotJobs {
  readonly engine = new ProcessEngine({ kernel: createReferenceKernel(), splits: [] });
  readonly steps: RoundSteps;
  readonly ran: string[] = [];
  private readonly oracle: HotOracle;
  private calls = 0;

  constructor(oracle: HotOracle) {
    this.oracle = oracle;
    const { params } = oracle;
    const base = { format: RECORD_FORMAT, version: '1', run: 'r', params, files: [] };
    const jobs = new Jobs(this.engine, base, (name) => this.ran.push(name));
    const agree: RoundSteps['agree'] = async (_label, pairs, known) => this.agreed(pairs, known);
    const verify: RoundSteps['verify'] = async (_label, compared) => this.verified(compared);
    this.steps = {
      ...{ jobs, params, withdrawing: withdrawingOf(jobs, ''), signatures: '', agree, verify },
      compare: async (label, pairs, known) => verify(label, [await agree(label, pairs, known)]),
      survivors: async (_label, evidence) => this.survivors(evidence),
    };
  }

  /** The output of the job that finds buckets, and the pairs of the first round. */
  async first(): Promise<{ readonly hot: string; readonly made: readonly string[] }> {
    const { oracle } = this;
    const hot: DatasetRecord[] = [];
    oracle.corpus.bands.forEach((_, band) => {
      const { documents, buckets } = oracle.members(band);
      const slots = documents.map((document) => oracle.slot(band, document));
      const order = hotOrder(buckets, slots, oracle.idHashes(documents), sortByKey64);
      for (const bucket of new Set(buckets)) {
        const rows = [...order].filter((row) => buckets[row] === bucket);
        rows.forEach((row, at) => {
          hot.push(this.member(band, bucket, documents[row]!, slots[row]!, at));
        });
        const own = {
          documents: Uint32Array.from(rows, (row) => documents[row]!),
          buckets: new Uint32Array(rows.length),
        };
        own.documents.sort();
        const made = hotPairs(
          own,
          own.documents.map((d) => oracle.slot(band, d)),
          oracle.idHashes(own.documents),
        );
        const first = rankOf(own.documents[0]!);
        const value = new FieldWriter().u64(rows.length).u64(first).u64(made.count);
        value.u64(first).u64(first).u64(first).u64(rows.length);
        hot.push([this.bucketKey(KINDS.head, band, bucket).view, value.view]);
      }
    });
    const pairs = distinctPairs([...oracle.pairsOfMembers(oracle.hot).lists], []);
    const made: DatasetRecord[] = listOf(pairs).map(([a, b]) => this.pair(a!, b!));
    await this.engine.write('bands', [...made, ...hot]);
    const { names } = await this.steps.compare('first', ['bands'], []);
    return { hot: 'bands', made: names };
  }

  /** Buckets have keys in another order than that of their first members. */
  private bucketKey(kind: number, band: number, bucket: number): FieldWriter {
    return new FieldWriter()
      .u8(kind)
      .u16(256 * band + 1)
      .u32(chance(3, band, bucket, 1000))
      .u32(bucket);
  }

  private member(band: number, bucket: number, document: number, slot: number, order: number): DatasetRecord {
    const [low, high] = this.oracle.idHash(document);
    const value = new FieldWriter().u32(slot).u32(high!).u32(low!).u64(order);
    return [this.bucketKey(KINDS.hot, band, bucket).u64(rankOf(document)).view, value.view];
  }

  private pair(a: number, b: number): DatasetRecord {
    const key = new FieldWriter().u8(KINDS.pair).u64(rankOf(a)).u64(rankOf(b)).view;
    return [key, Uint8Array.of(1)];
  }

  private *records(names: readonly string[], ...kinds: readonly number[]): Generator<DatasetRecord> {
    for (const name of names)
      for (const record of this.engine.datasets.get(name)!) if (kinds.includes(record[0][0]!)) yield record;
  }

  private async agreed(pairs: readonly string[], known: readonly string[]): Promise<string> {
    const reader = new EvidenceReader(this.oracle.params);
    const all = this.records(known, ...COMPARED_KINDS);
    const seen = new Set([...all].map(([key]) => String(key.subarray(KIND))));
    const found: DatasetRecord[] = [];
    for (const [key] of this.records(pairs, KINDS.pair)) {
      const [a, b] = [documentOf(u64At(key, KIND)), documentOf(u64At(key, KIND + RANK))];
      if (a >= b) throw new Error(`${a}, ${b}: not as a pair is`);
      if (seen.has(String(key.subarray(KIND)))) continue;
      seen.add(String(key.subarray(KIND)));
      const agreement = this.oracle.agreement(a, b);
      const compared = new FieldWriter().u8(reader.kindOf(agreement)).raw(key.subarray(KIND)).view;
      found.push([compared, new FieldWriter().f64(agreement).raw(NO_PLACES).view]);
    }
    const name = `compared-${this.calls++}`;
    await this.engine.write(name, found.reverse());
    return name;
  }

  private async verified(compared: readonly string[]): Promise<{ names: readonly string[] }> {
    const { params } = this.oracle;
    if (params.verify !== 'exact') return { names: compared };
    const found: DatasetRecord[] = [];
    const reader = new EvidenceReader(params);
    for (const [key, value] of this.records(compared, KINDS.unverified)) {
      reader.readCompared({ key, value });
      const jaccard = this.oracle.jaccard(documentOf(reader.a), documentOf(reader.b));
      const evidence = new FieldWriter().f64(reader.agreement).u8(jaccard >= params.threshold ? 1 : 0);
      for (let i = 0; i < 3; i++) evidence.f64(jaccard);
      found.push([new FieldWriter().u8(KINDS.evidence).raw(key.subarray(KIND)).view, evidence.view]);
    }
    const name = `evidence-${this.calls++}`;
    await this.engine.write(name, found);
    return { names: [...compared, name] };
  }

  private async survivors(evidence: readonly string[]) {
    const { documents } = this.oracle.corpus;
    const near = this.evidence(evidence).filter(([, , , accepted]) => accepted === 1);
    const pairs = near.map(([a, b]): [number, number] => [a, b]).sort((x, y) => x[0] - y[0] || x[1] - y[1]);
    const keys = Uint32Array.from({ length: 4 * documents }, (_, i) => i >> 2);
    const classes = atOnce(identityClasses(keys, new Uint8Array(documents)));
    const kept = atOnce(keptDocuments(classes, pairsOf(pairs)));
    const dropped: DatasetRecord[] = [];
    kept.forEach((isKept, document) => {
      if (isKept === 0)
        dropped.push([new FieldWriter().u8(KINDS.dropped).u64(rankOf(document)).view, new Uint8Array(17)]);
    });
    const name = `drops-${this.calls++}`;
    await this.engine.write(name, dropped);
    return { steps: { name: '', sums: {} }, drops: { name, sums: {} } };
  }

  /** a, b, agreement, accepted, similarity of all pairs of datasets. */
  evidence(names: readonly string[]): [number, number, number, number, number][] {
    const reader = new EvidenceReader(this.oracle.params);
    const found: [number, number, number, number, number][] = [];
    for (const name of names) {
      for (const [key, value] of this.engine.datasets.get(name)!) {
        if (!reader.read({ key, value })) continue;
        const { a, b, agreement, accepted, jaccard } = reader;
        found.push([documentOf(a), documentOf(b), agreement, accepted ? 1 : 0, jaccard]);
      }
    }
    return found.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  }
}
