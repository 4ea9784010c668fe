/**
 * Small random corpora of classes and compared pairs, as the records that stages of clusters read, and as the columns that
 * the reducers of threads read.
 */
import fc from 'fast-check';
import { type IdentityClasses, identityClasses } from '../../reducers/identityClasses.js';
import { type NearPairs, nearPairs, type VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import { Jobs } from '../../src/coordinator/cluster/jobs.js';
import { Withdrawing } from '../../src/coordinator/cluster/withdrawing.js';
import { SkipList } from '../../src/coordinator/sketch/corpus.js';
import type { DatasetRecord } from '../../src/engines/job.js';
import type { ResultParams } from '../../src/sketch/params.js';
import { EvidenceReader } from '../../src/tasks/stream/evidence.js';
import { IDENTICAL, KINDS, PLACE, SAME_TOKENS } from '../../src/tasks/stream/kinds.js';
import { FieldWriter } from '../../src/tasks/stream/records.js';
import { RECORD_FORMAT } from '../../src/tasks/stream/taskManifest.js';
import { ProcessEngine } from '../engines/processEngine.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { parametersFor } from '../output/resultSample.js';
import { filesOf } from './manifestTables.js';

export const HASHES = 16;

export interface ComparedCorpus {
  readonly params: ResultParams;
  readonly classes: IdentityClasses;
  /** Candidate pairs of first members. */
  readonly verified: VerifiedPairs;
  readonly near: NearPairs;
}

/** The rank of a document: in their order, with gaps, and beyond 32 bits. */
export const rankOf = (document: number): number => Math.floor(document / 5) * 2 ** 32 + 3 * (document % 5);
export const documentOf = (rank: number): number => 5 * Math.floor(rank / 2 ** 32) + (rank % 2 ** 32) / 3;

/** Nothing is withdrawn of the documents of a dataset. */
export function withdrawingOf(jobs: Jobs, name: string): Withdrawing {
  const none = { tooShort: 0, cut: 0, repeatedIds: 0, namedDocuments: 0, leftOutRecords: [] };
  const facts = { strides: null, groups: null, skipped: new SkipList(), valuesMissing: () => 0 };
  const corpus = { ...none, ...facts, documents: 0, documentsByFile: new Uint32Array(0) };
  return new Withdrawing(jobs, { name, sums: {}, documents: [name], corpus });
}

export function paramsOf(verify: ResultParams['verify'], threshold: number): ResultParams {
  const params = parametersFor(verify);
  return { ...params, threshold, sketch: { sketch: 'fss', hashes: HASHES, seed: 1 } };
}

interface ComparedPair {
  readonly a: number;
  readonly b: number;
  readonly agreement: number;
  /** Of sets, where they are compared; NaN: a set was gone. */
  readonly jaccard: number;
}

/** By class of `labels`, whose documents are of one class where they are equal. */
function corpusOf(
  params: ResultParams,
  labels: readonly number[],
  pairs: readonly ComparedPair[],
): ComparedCorpus {
  const keys = new Uint32Array(4 * labels.length);
  labels.forEach((label, d) => {
    keys[4 * d] = label;
  });
  const texts = (documents: Uint32Array): Uint32Array => {
    const found = new Uint32Array(4 * documents.length);
    documents.forEach((d, i) => {
      found[4 * i] = d % 2;
    });
    return found;
  };
  const classes = atOnce(identityClasses(keys, new Uint8Array(labels.length), texts));
  const reader = new EvidenceReader(params);
  const distinct = new Map<number, ComparedPair>();
  for (const pair of pairs) {
    const [x, y] = [labels.indexOf(pair.a), labels.indexOf(pair.b)];
    if (x < 0 || y < 0 || x === y) continue;
    const [a, b] = [Math.min(x, y), Math.max(x, y)];
    distinct.set(labels.length * a + b, { ...pair, a, b });
  }
  const rows = [...distinct].sort(([x], [y]) => x - y).map(([, pair]) => pair);
  const isSet = ({ agreement }: ComparedPair): boolean => reader.kindOf(agreement) === KINDS.unverified;
  const sets = rows.filter(isSet);
  const accepted = rows.map((pair) => {
    if (params.verify === 'exact') return isSet(pair) && pair.jaccard >= params.threshold ? 1 : 0;
    return pair.agreement / HASHES >= params.threshold ? 1 : 0;
  });
  const verified: VerifiedPairs = {
    count: rows.length,
    a: Uint32Array.from(rows, ({ a }) => a),
    b: Uint32Array.from(rows, ({ b }) => b),
    agreement: Uint16Array.from(rows, ({ agreement }) => agreement),
    accepted: Uint8Array.from(accepted),
    exact:
      params.verify !== 'exact'
        ? null
        : {
            rows: Uint32Array.from(rows.keys()).filter((row) => isSet(rows[row]!)),
            jaccard: Float64Array.from(sets, ({ jaccard }) => jaccard),
            containmentAB: Float64Array.from(sets, ({ jaccard }) => jaccard),
            containmentBA: Float64Array.from(sets, ({ jaccard }) => jaccard),
          },
  };
  return { params, classes, verified, near: atOnce(nearPairs(verified, HASHES)) };
}

/** Up to 40 documents in classes of up to about 5, and pairs with few resemblances, so that ties are common. */
export const comparedCorpora: fc.Arbitrary<ComparedCorpus> = fc
  .record({
    verify: fc.constantFrom<ResultParams['verify']>('exact', 'exact', 'signature'),
    threshold: fc.constantFrom(0.3, 0.5, 0.75, 0.8, 0.95),
    labels: fc.array(fc.nat(20), { maxLength: 40, size: 'max' }),
    pairs: fc.array(
      fc.record({
        ...{ a: fc.nat(20), b: fc.nat(20), agreement: fc.constantFrom(2, 8, 12, 13, 14, 15, 16) },
        jaccard: fc.constantFrom(Number.NaN, 0.2, 0.5, 1 / 3, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1),
      }),
      { maxLength: 70, size: 'max' },
    ),
  })
  .map(({ verify, threshold, labels, pairs }) => corpusOf(paramsOf(verify, threshold), labels, pairs));

const key = new FieldWriter();
const value = new FieldWriter();
const NO_PLACES = new Uint8Array(2 * PLACE);
const record = (): DatasetRecord => [key.view.slice(), value.view.slice()];

export function comparedRecord(
  a: number,
  b: number,
  agreement: number,
  kind: number = KINDS.compared,
): DatasetRecord {
  key.reset().u8(kind).u64(a).u64(b);
  value.reset().f64(agreement).raw(NO_PLACES);
  return record();
}

function evidenceRecord(
  a: number,
  b: number,
  agreement: number,
  accepted: number,
  jaccard: number,
): DatasetRecord {
  key.reset().u8(KINDS.evidence).u64(a).u64(b);
  value.reset().f64(agreement).u8(accepted).f64(jaccard).f64(jaccard).f64(jaccard);
  return record();
}

/** What the jobs before leave of pairs: `compared` or `unverified`, and `evidence` of those whose sets were compared. */
export function pairRecords({ params, verified }: ComparedCorpus): {
  compared: DatasetRecord[];
  evidence: DatasetRecord[];
} {
  const { a, b, agreement, accepted, exact, count } = verified;
  const reader = new EvidenceReader(params);
  const [compared, evidence]: [DatasetRecord[], DatasetRecord[]] = [[], []];
  for (let i = 0, at = 0; i < count; i++) {
    const [x, y] = [rankOf(a[i]!), rankOf(b[i]!)];
    compared.push(comparedRecord(x, y, agreement[i]!, reader.kindOf(agreement[i]!)));
    if (exact === null || exact.rows[at] !== i) continue;
    evidence.push(evidenceRecord(x, y, agreement[i]!, accepted[i]!, exact.jaccard[at++]!));
  }
  return { compared, evidence };
}

/** How a document resembles the first member of its class. */
export const kindOf = (document: number, first: number): number =>
  document % 2 === first % 2 ? IDENTICAL : SAME_TOKENS;

/** The members of classes of several, with their first ones among them or not, and a record that is nobody's business. */
export function classRecords({ classes: { members } }: ComparedCorpus, withFirsts: boolean): DatasetRecord[] {
  const records: DatasetRecord[] = [];
  for (let c = 0; c < members.firsts.length; c++) {
    const first = members.firsts[c]!;
    for (let i = members.offsets[c]!; i < members.offsets[c + 1]!; i++) {
      const document = members.members[i]!;
      if (document === first && !withFirsts) continue;
      key.reset().u8(KINDS.member).u64(rankOf(first)).u64(rankOf(document));
      value
        .reset()
        .u8(kindOf(document, first))
        .u32(document % 2);
      records.push(record());
    }
  }
  key.reset().u8(KINDS.ranked).u64(rankOf(0));
  value.reset().u64(rankOf(0)).u8(0);
  return [...records, record()];
}

const kernel = createReferenceKernel();

/** Jobs that run here, by so many tasks. */
export function jobsOf(
  params: ResultParams,
  mappers: number,
  reducers: number,
): { readonly engine: ProcessEngine; readonly jobs: Jobs } {
  const engine = new ProcessEngine({ kernel, splits: [], mappers, reducers });
  const base = { format: RECORD_FORMAT, version: '0', run: 'test', params, files: filesOf([]) };
  return { engine, jobs: new Jobs(engine, base) };
}

/** The records of a kind in a dataset, in the order of their keys, each as the one function reads it. */
export function recordsOf<T>(
  engine: ProcessEngine,
  dataset: string,
  kind: number,
  read: (key: Uint8Array, value: Uint8Array) => T,
): T[] {
  const found = engine.datasets.get(dataset)!.filter(([name]) => name[0] === kind);
  return found.sort(([x], [y]) => Buffer.compare(x, y)).map(([name, content]) => read(name, content));
}
