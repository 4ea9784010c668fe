/**
 * Stage 2: identity, then bands: which pairs of documents are looked at.
 *
 * Only the first member of an identity class is bucketed. A bucket of at most --hot-bucket documents is paired all with
 * all in the task of its band; larger ones come back whole and are paired linearly here, where the ids are.
 *
 * Floor 4.
 */
import { createHash } from 'node:crypto';
import { distinctPairs, type Pairs } from '../../reducers/candidatePairs.js';
import { type BandSource, hotDocuments, hotPairs } from '../../reducers/hotBuckets.js';
import { type Block, decodeBlock, encodeBlock } from '../blocks/block.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';

export interface Bucketing {
  readonly pairs: Pairs;
  /** Buckets with at least two documents, over all bands. */
  readonly buckets: number;
  readonly largestBucket: number;
  readonly hotBuckets: number;
  /** Upper bound of the pairs of hot buckets that were not made (bands overlap). */
  readonly pairsSkippedAtMost: number;
  /** Documents of hot buckets, ascending, distinct. */
  readonly hotDocuments: Uint32Array;
}

/** Buckets `documents` (class firsts with tokens, ascending) over all bands and pairs them by the rule for their size. */
export async function bucketDocuments(
  run: Run,
  corpus: Corpus,
  documents: Uint32Array,
  bands: BandSource,
): Promise<Bucketing> {
  const { params } = run;
  const list = 'bucketed';
  const blockOf = new Uint32Array(documents.length);
  const columnOf = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    blockOf[i] = corpus.blockOf[documents[i]!]!;
    columnOf[i] = corpus.columnOf[documents[i]!]!;
  }
  run.put(list, encodeBlock('documents', {}, { documents, blockOf, columnOf }, true));
  const blocks = corpus.tables.length;
  const keyBlocks = Array.from({ length: blocks }, (_, k) => `bands/${k}`);
  const results = inOrder(range(params.banding.bands), run.engine.parallelism + 1, async (band) => {
    const name = `candidates/${band}`;
    await run.task({
      stage: 'candidates',
      label: `band ${band}`,
      params: { name, band, documents: list, blocks },
      inputs: [list, ...keyBlocks],
    });
    return { name, band };
  });
  const lists: Pairs[] = [];
  const hot: Uint32Array[] = [];
  const totals = { buckets: 0, largestBucket: 0, hotBuckets: 0, pairsSkippedAtMost: 0 };
  for await (const { name, band } of results) {
    const found = decodeBlock(run.engine.store.get(name), 'buckets', name);
    run.engine.store.delete(name);
    totals.buckets += found.meta.buckets as number;
    totals.largestBucket = Math.max(totals.largestBucket, found.meta.largestBucket as number);
    const { a, b, hotOffsets, hotMembers } = found.columns as Record<string, Uint32Array>;
    lists.push({ a: a!, b: b!, count: a!.length });
    hot.push(hotMembers!);
    for (let h = 0; h + 1 < hotOffsets!.length; h++) {
      const members = hotMembers!.subarray(hotOffsets![h]!, hotOffsets![h + 1]!);
      const made = hotPairs(members, bands.slots(band, members), bands.digests(members));
      lists.push(made);
      totals.hotBuckets++;
      totals.pairsSkippedAtMost += made.skipped;
    }
    run.progress(band + 1, params.banding.bands, 'bands');
  }
  run.engine.store.delete(list);
  return {
    ...totals,
    pairs: distinctPairs(lists),
    hotDocuments: hotDocuments(hot, corpus.documents),
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** What the rules for hot buckets ask about documents, answered from the blocks in the store and the ids. */
export class CorpusBands implements BandSource {
  readonly bands: number;
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly keys: readonly Block[];
  private readonly signatures: readonly Block[];
  /** First 8 bytes of SHA-256 of the id, two uint32 a document; made when first asked for. */
  private digestColumn = new Uint32Array(0);
  private digestKnown = new Uint8Array(0);

  constructor(run: Run, corpus: Corpus) {
    this.run = run;
    this.corpus = corpus;
    this.bands = run.params.banding.bands;
    const load = (kind: 'bands' | 'signatures'): Block[] =>
      corpus.tables.map((_, k) => decodeBlock(run.engine.store.get(`${kind}/${k}`), kind, `${kind}/${k}`));
    this.keys = load('bands');
    this.signatures = load('signatures');
  }

  bucketKeys(band: number, documents: Uint32Array): Uint32Array {
    const out = new Uint32Array(2 * documents.length);
    for (let i = 0; i < documents.length; i++) {
      const block = this.keys[this.corpus.blockOf[documents[i]!]!]!;
      const at = 2 * (band * (block.meta.columns as number) + this.corpus.columnOf[documents[i]!]!);
      out[2 * i] = block.columns.keys![at]!;
      out[2 * i + 1] = block.columns.keys![at + 1]!;
    }
    return out;
  }

  slots(band: number, documents: Uint32Array): Uint32Array {
    const { banding, sketch } = this.run.params;
    const slot = ((band + 1) * banding.rows) % sketch.hashes;
    const out = new Uint32Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      const block = this.signatures[this.corpus.blockOf[documents[i]!]!]!;
      const column = this.corpus.columnOf[documents[i]!]!;
      out[i] = block.columns.slots![column * (block.meta.stride as number) + slot]!;
    }
    return out;
  }

  /** Equal slots of two documents' signatures, as a share of N. */
  estimate(a: number, b: number, agreement: Kernel['agreement']): number {
    const place = (d: number): [Uint32Array, number] => {
      const block = this.signatures[this.corpus.blockOf[d]!]!;
      return [block.columns.slots as Uint32Array, this.corpus.columnOf[d]! * (block.meta.stride as number)];
    };
    const { hashes } = this.run.params.sketch;
    return agreement(...place(a), ...place(b), hashes) / hashes;
  }

  digests(documents: Uint32Array): Uint32Array {
    if (this.digestKnown.length === 0) {
      this.digestColumn = new Uint32Array(2 * this.corpus.documents);
      this.digestKnown = new Uint8Array(this.corpus.documents);
    }
    const out = new Uint32Array(2 * documents.length);
    for (let i = 0; i < documents.length; i++) {
      const d = documents[i]!;
      if (this.digestKnown[d] === 0) this.digest(d);
      out[2 * i] = this.digestColumn[2 * d]!;
      out[2 * i + 1] = this.digestColumn[2 * d + 1]!;
    }
    return out;
  }

  private digest(document: number): void {
    const { offsets, bytes } = this.corpus.ids;
    const id = bytes.slice(offsets[document]!, offsets[document + 1]!);
    const hash = createHash('sha256').update(id).digest();
    this.digestColumn[2 * document] = hash.readUInt32BE(0);
    this.digestColumn[2 * document + 1] = hash.readUInt32BE(4);
    this.digestKnown[document] = 1;
  }
}
