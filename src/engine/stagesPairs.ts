/**
 * Stages over buckets and candidate pairs: bucketing by band, hot buckets, distinct pairs with their agreements.
 *
 * Floor 3. All that is shared by their tasks lies in blocks: `places` says by document where its column is.
 */
import { bucketPairs, distinctPairs } from '../../reducers/candidatePairs.js';
import { hotPairs } from '../../reducers/hotBuckets.js';
import { agreeingPairs } from '../../reducers/verifiedPairs.js';
import { encodeBlock } from '../blocks/block.js';
import type { BandKeys, Pairs, SignatureBlocks } from '../sketch/pairs.js';
import { signatureParams } from '../sketch/sketchKind.js';
import type { Stage, TaskContext } from './protocol.js';
import { block, kernelOf, put, setupOf } from './stagesContext.js';

interface CandidateTask {
  readonly name: string;
  readonly band: number;
  /** Block with column `documents`, ascending, and their `places` among all columns, or their `buckets`. */
  readonly documents: string;
  /** Number of blocks `bands/k`; 0: documents come with the numbers of their buckets. */
  readonly blocks: number;
}

/** Reduce: the keys of one band become buckets, and those pairs; of hot buckets the members. */
export const candidates: Stage = (context) => {
  const task = context.params as unknown as CandidateTask;
  const { hotBucket } = setupOf(context).params;
  const list = block(context, task.documents, 'documents').columns as Record<string, Uint32Array>;
  const keys =
    list.buckets === undefined ? bandKeys(context, task, list.places!) : numberedKeys(list.buckets);
  const { pairing } = kernelOf(context);
  const found = (pairing?.bucketPairs ?? bucketPairs)(keys, list.documents!, hotBucket);
  const { a, b, count, hot, buckets, largestBucket, hotBuckets } = found;
  const columns = {
    a: a.subarray(0, count),
    b: b.subarray(0, count),
    documents: hot.documents,
    buckets: hot.buckets,
  };
  put(context, task.name, encodeBlock('buckets', {}, columns, true));
  return { buckets, largestBucket, hotBuckets };
};

function bandKeys(context: TaskContext, task: CandidateTask, places: Uint32Array): BandKeys {
  const blocks = Array.from({ length: task.blocks }, (_, k) => {
    const { meta, columns } = block(context, `bands/${k}`, 'bands');
    const width = 2 * (meta.columns as number);
    return (columns.keys as Uint32Array).subarray(task.band * width, (task.band + 1) * width);
  });
  return { blocks, places };
}

/** Numbers of buckets as keys of documents. */
function numberedKeys(buckets: Uint32Array): BandKeys {
  const keys = new Uint32Array(2 * buckets.length);
  for (let i = 0; i < buckets.length; i++) keys[2 * i + 1] = buckets[i]!;
  return { blocks: [keys], places: null };
}

interface HotTask {
  readonly name: string;
  readonly band: number;
  /** What the stage `candidates` wrote. */
  readonly hot: string;
  /** Number of blocks `signatures/k`. */
  readonly blocks: number;
}

/** Reduce: hot buckets of one band become pairs, sorted. */
export const hot: Stage = (context) => {
  const task = context.params as unknown as HotTask;
  const { banding, sketch } = signatureParams(setupOf(context).params);
  const { documents, buckets } = block(context, task.hot, 'buckets').columns as Record<string, Uint32Array>;
  const known = block(context, 'digests', 'documents').columns as Record<string, Uint32Array>;
  const slot = ((task.band + 1) * banding.rows) % sketch.hashes;
  const { pairing, sortByKey64 } = kernelOf(context);
  const found = hotPairs(
    { documents: documents!, buckets: buckets! },
    slotsOf(signaturesOf(context, task.blocks), slot, documents!),
    digestsOf(known.documents!, known.digests!, documents!),
    sortByKey64,
  );
  const { a, b, count } = (pairing?.distinctPairs ?? distinctPairs)([found], []);
  const columns = { a: a.subarray(0, count), b: b.subarray(0, count) };
  put(context, task.name, encodeBlock('pairs', {}, columns, true));
  return { skipped: found.skipped };
};

function slotsOf(signatures: SignatureBlocks, slot: number, documents: Uint32Array): Uint32Array {
  const { blocks, blockOf, columnOf, stride } = signatures;
  const slots = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    slots[i] = blocks[blockOf[document]!]![columnOf[document]! * stride + slot]!;
  }
  return slots;
}

/** The digests of some of the documents that have one; both lists ascend. */
function digestsOf(known: Uint32Array, digests: Uint32Array, documents: Uint32Array): Uint32Array {
  const out = new Uint32Array(2 * documents.length);
  for (let i = 0, k = 0; i < documents.length; i++) {
    while (known[k]! < documents[i]!) k++;
    out[2 * i] = digests[2 * k]!;
    out[2 * i + 1] = digests[2 * k + 1]!;
  }
  return out;
}

/** Rows [from, to) of a block with columns `a` and `b`. */
type Range = readonly [name: string, from: number, to: number];

interface AgreementTask {
  readonly name: string;
  readonly lists: readonly Range[];
  readonly known: readonly Range[];
  /** Number of blocks `signatures/k`. */
  readonly blocks: number;
  /** Least agreement of an accepted pair. */
  readonly least: number;
}

/** Reduce: ranges of lists of pairs become distinct pairs that are not known, with the equal slots of each. */
export const agreement: Stage = (context) => {
  const task = context.params as unknown as AgreementTask;
  const rows = ([name, from, to]: Range): Pairs => rowsOf(context, name, from, to);
  const { pairing } = kernelOf(context);
  const found = (pairing?.agreeingPairs ?? agreeingPairs)(
    task.lists.map(rows),
    task.known.map(rows),
    signaturesOf(context, task.blocks),
    task.least,
  );
  const { a, b, count } = found;
  put(
    context,
    task.name,
    encodeBlock(
      'pairs',
      {},
      {
        a: a.subarray(0, count),
        b: b.subarray(0, count),
        agreement: found.agreement,
        accepted: found.accepted,
      },
    ),
  );
  return null;
};

function rowsOf(context: TaskContext, name: string, from: number, to: number): Pairs {
  const { a, b } = block(context, name).columns as Record<string, Uint32Array>;
  return { a: a!.subarray(from, to), b: b!.subarray(from, to), count: to - from };
}

/**
 * The signatures of all documents. Decoded once a worker and one object ever after: no block of this name is
 * ever written again, and the kernel keeps what it copied for as long as it meets the same object.
 */
function signaturesOf(context: TaskContext, blocks: number): SignatureBlocks {
  const known = context.scratch.get('signatures') as SignatureBlocks | undefined;
  if (known !== undefined) return known;
  const { blockOf, columnOf } = block(context, 'places', 'documents').columns;
  const stored = Array.from({ length: blocks }, (_, k) => block(context, `signatures/${k}`, 'signatures'));
  const signatures: SignatureBlocks = {
    blocks: stored.map(({ columns }) => columns.slots as Uint32Array),
    blockOf: blockOf as Uint32Array,
    columnOf: columnOf as Uint32Array,
    stride: stored[0]!.meta.stride as number,
    hashes: signatureParams(setupOf(context).params).sketch.hashes,
  };
  context.scratch.set('signatures', signatures);
  return signatures;
}
