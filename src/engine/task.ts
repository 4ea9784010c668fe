/**
 * The table of stages: what a task does, wherever it runs. The only door to mappers and reducers.
 *
 * Floor 3. A stage reads its blocks by name, calls a mapper or reducer, and writes its blocks by name; the coordinator
 * only plans tasks and joins their names. Names: `documents/k`, `tile/k/c`, `partials/k/c`, `signatures/k`, `bands/k`,
 * `candidates/b`, `agreement/t`, `sets/k.r`, `verified/t` (k column block, c row chunk, b band, t part of the pairs).
 */
import { bands } from '../../mappers/bands.js';
import { matrixTiles } from '../../mappers/matrixTiles.js';
import { fusedSignatures, partialSignatures } from '../../mappers/partialSignatures.js';
import { shingleSets } from '../../mappers/shingleSets.js';
import { bucketPairs, type Pairs } from '../../reducers/candidatePairs.js';
import { signatures } from '../../reducers/signatures.js';
import { agreements, exactPairs } from '../../reducers/verifiedPairs.js';
import { type Block, type BlockKind, decodeBlock, encodeBlock } from '../blocks/block.js';
import type { DocumentFeed } from '../blocks/documents.js';
import type { RunSetup, SketchReport } from '../blocks/shapes.js';
import type { Kernel } from '../kernel/kernel.js';
import { createReferenceKernel } from '../kernel/reference.js';
import { createWasmKernel } from '../kernel/wasm.js';
import type { WasmModule } from '../kernel/webAssembly.js';
import { memoryDocuments } from '../storage/memoryDocuments.js';
import { SourceReader, type TaskSource } from '../storage/taskSource.js';
import type { Json } from './engine.js';
import { KERNEL_MODULE } from './kernelModule.js';
import type { Stage, TaskContext } from './protocol.js';
import { write } from './resultParts.js';

function block(context: TaskContext, name: string, kind: BlockKind): Block {
  return decodeBlock(context.input(name), kind, name);
}

function put(context: TaskContext, name: string, value: Block): void {
  context.output(name, value.buffer);
}

function setupOf(context: TaskContext): RunSetup {
  return context.setup as unknown as RunSetup;
}

/** One kernel a worker: it holds tables and scratch memory. */
function kernelOf(context: TaskContext): Kernel {
  const known = context.scratch.get('kernel') as Kernel | undefined;
  if (known !== undefined) return known;
  const module = context.scratch.get(KERNEL_MODULE) as WasmModule | undefined;
  const kernel = module === undefined ? createReferenceKernel() : createWasmKernel(module);
  context.scratch.set('kernel', kernel);
  return kernel;
}

/** One reader a worker: it holds its buffers. */
function readerOf(context: TaskContext): SourceReader {
  const known = context.scratch.get('reader') as SourceReader | undefined;
  if (known !== undefined) return known;
  const reader = new SourceReader();
  context.scratch.set('reader', reader);
  return reader;
}

interface Reading {
  readonly feed: DocumentFeed;
  /** Lines that start in the source; known after the feed ran. */
  lines(): number;
}

/** The documents of a source: read from files here, or from the block of text the coordinator sent. */
function reading(context: TaskContext, source: TaskSource, text: string | null): Reading {
  const { params } = setupOf(context);
  let lines = 0;
  const feed: DocumentFeed = (sink) => {
    if (source.kind === 'memory') {
      memoryDocuments(block(context, text!, 'text'), sink);
      return;
    }
    const bytes = text === null ? null : (block(context, text, 'text').columns.bytes as Uint8Array);
    lines = readerOf(context).read(source, bytes, params, sink);
  };
  return { feed, lines: () => lines };
}

interface SketchTask {
  readonly block: number;
  readonly source: TaskSource;
  /** Name of the block of text, for sources that are not files. */
  readonly text: string | null;
  readonly rowChunks: number;
}

function sketchReport(documents: Block, bytes: number): Json {
  const report: SketchReport = {
    documents: documents.columns.flags!.length,
    skipped: documents.columns.skipCode!.length,
    lines: documents.meta.lines as number,
    bytes,
  };
  return { ...report };
}

/** Map and Reduce of a column block in one task: one row chunk. */
const sketch: Stage = (context) => {
  const task = context.params as unknown as SketchTask;
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const source = reading(context, task.source, task.text);
  const result = fusedSignatures(source.feed, kernel, params.shingle, params.sketch);
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  put(context, `signatures/${task.block}`, result.signatures);
  put(context, `bands/${task.block}`, bands(result.signatures, kernel, params.banding, params.sketch));
  return sketchReport(documents, result.bytes);
};

/** Map: a column block is scattered into its row chunks. */
const tiles: Stage = (context) => {
  const task = context.params as unknown as SketchTask;
  const { params } = setupOf(context);
  const source = reading(context, task.source, task.text);
  const result = matrixTiles(source.feed, kernelOf(context), params.shingle, task.rowChunks);
  const documents = result.documents(source.lines());
  put(context, `documents/${task.block}`, documents);
  result.tiles.forEach((tile, chunk) => {
    put(context, `tile/${task.block}/${chunk}`, tile);
  });
  return sketchReport(documents, result.bytes);
};

/** Map: one tile becomes partial signatures. */
const partials: Stage = (context) => {
  const task = context.params as unknown as { block: number; chunk: number };
  const tile = block(context, `tile/${task.block}/${task.chunk}`, 'tile');
  const { params } = setupOf(context);
  put(
    context,
    `partials/${task.block}/${task.chunk}`,
    partialSignatures(tile, kernelOf(context), params.sketch),
  );
  return null;
};

/** Reduce: the partial signatures of a column block become its signatures. */
const minima: Stage = (context) => {
  const task = context.params as unknown as { block: number };
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const parts = context.task.inputs.map((name) => block(context, name, 'partials'));
  const result = signatures(parts, kernel, params.sketch);
  put(context, `signatures/${task.block}`, result);
  put(context, `bands/${task.block}`, bands(result, kernel, params.banding, params.sketch));
  return null;
};

interface CandidateTask {
  readonly name: string;
  readonly band: number;
  /** Block with columns `documents`, `blockOf`, `columnOf` of the documents to bucket, ascending. */
  readonly documents: string;
  readonly blocks: number;
}

/** Reduce: the keys of one band become buckets, and those pairs. */
const candidates: Stage = (context) => {
  const task = context.params as unknown as CandidateTask;
  const { params } = setupOf(context);
  const list = block(context, task.documents, 'documents').columns;
  const documents = list.documents as Uint32Array;
  const blockOf = list.blockOf as Uint32Array;
  const columnOf = list.columnOf as Uint32Array;
  const bandBlocks = Array.from({ length: task.blocks }, (_, k) => block(context, `bands/${k}`, 'bands'));
  const bases = bandBlocks.map((one) => 2 * task.band * (one.meta.columns as number));
  const keyColumns = bandBlocks.map((one) => one.columns.keys as Uint32Array);
  const keys = new Uint32Array(2 * documents.length);
  for (let i = 0; i < documents.length; i++) {
    const source = keyColumns[blockOf[i]!]!;
    const at = bases[blockOf[i]!]! + 2 * columnOf[i]!;
    keys[2 * i] = source[at]!;
    keys[2 * i + 1] = source[at + 1]!;
  }
  const found = bucketPairs(keys, documents, params.hotBucket);
  put(
    context,
    task.name,
    encodeBlock(
      'buckets',
      { buckets: found.buckets, largestBucket: found.largestBucket },
      {
        a: found.a.subarray(0, found.count),
        b: found.b.subarray(0, found.count),
        hotOffsets: found.hotOffsets,
        hotMembers: found.hotMembers,
      },
    ),
  );
  return null;
};

interface PairTask {
  readonly name: string;
  readonly pairs: string;
  readonly from: number;
  readonly to: number;
  readonly blocks: readonly string[];
  /** In the stage `verified`: the margin. */
  readonly leastAgreement?: number;
}

function pairRange(context: TaskContext, task: PairTask): Pairs {
  const { a, b } = block(context, task.pairs, 'pairs').columns;
  return {
    a: (a as Uint32Array).subarray(task.from, task.to),
    b: (b as Uint32Array).subarray(task.from, task.to),
    count: task.to - task.from,
  };
}

/** Map: how many slots of their signatures the documents of each candidate pair share. */
const agreement: Stage = (context) => {
  const task = context.params as unknown as PairTask;
  const { params } = setupOf(context);
  const kernel = kernelOf(context);
  const places = block(context, 'places', 'documents').columns;
  const stored = task.blocks.map((name) => block(context, name, 'signatures'));
  const counts = agreements(
    pairRange(context, task),
    {
      blocks: stored.map((one) => one.columns.slots as Uint32Array),
      blockOf: places.blockOf as Uint32Array,
      columnOf: places.columnOf as Uint32Array,
      stride: kernel.sketcher(params.sketch).stride,
      hashes: params.sketch.hashes,
    },
    kernel.agreement,
  );
  put(context, task.name, encodeBlock('pairs', {}, { agreement: counts }));
  return null;
};

interface SetsTask {
  readonly name: string;
  readonly source: TaskSource;
  readonly text: string | null;
  /** Block with columns `file` and `record` of the wanted documents, in reading order. */
  readonly wanted: string;
}

/** Map: documents of candidate pairs are read a second time and become shingle sets. */
const sets: Stage = (context) => {
  const task = context.params as unknown as SetsTask;
  const { params } = setupOf(context);
  const source = reading(context, task.source, task.text);
  const wanted = block(context, task.wanted, 'documents').columns;
  const result = shingleSets(source.feed, kernelOf(context), params.shingle, {
    file: wanted.file as Uint32Array,
    record: wanted.record as Float64Array,
  });
  put(context, task.name, result);
  return { bytes: result.meta.bytes as number };
};

/** Reduce: shingle sets of both documents of a pair become its resemblance and containments. */
const verified: Stage = (context) => {
  const task = context.params as unknown as PairTask;
  const { params } = setupOf(context);
  const places = block(context, 'setPlaces', 'documents').columns;
  const setBlock = places.setBlock as Uint32Array;
  const stored = task.blocks.map((name) => block(context, name, 'shingleSets').columns);
  const agreement = block(context, task.pairs, 'pairs').columns.agreement as Uint16Array;
  const result = exactPairs(
    pairRange(context, task),
    agreement.subarray(task.from, task.to),
    { leastAgreement: task.leastAgreement!, threshold: params.threshold },
    {
      sets: stored.map((one) => ({
        hashes: one.hashes as Uint32Array,
        offsets: one.offsets as Float64Array,
      })),
      setBlock: new Int32Array(setBlock.buffer, setBlock.byteOffset, setBlock.length),
      setIndex: places.setIndex as Uint32Array,
    },
    kernelOf(context).intersectionSize,
  );
  const { jaccard, containmentAB, containmentBA, accepted } = result;
  put(context, task.name, encodeBlock('pairs', {}, { jaccard, containmentAB, containmentBA, accepted }));
  return { verified: result.verified, missing: result.missing };
};

export const STAGES: Readonly<Record<string, Stage>> = {
  sketch,
  tiles,
  partials,
  minima,
  candidates,
  agreement,
  sets,
  verified,
  write,
};
