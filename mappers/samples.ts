/** Map: documents -> samples of their fingerprints, for a document batch that is one row chunk. */

import { wordRule } from '../src/analysis/methods/elementStreams.js';
import { CommonWordSequences } from '../src/analysis/methods/sswf/frequentWords.js';
import type { Block } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import { FingerprintColumns } from '../src/blocks/fingerprints.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SampleParams, ShingleSampleParams } from '../src/sketch/params.js';
import { createSampleBuilder, type SampleBuilder } from '../src/sketch/samples/fingerprintSamples.js';
import type { Thinning } from '../src/sketch/thinning.js';
import { type ShingleParams, ShingleStream } from '../src/text/shingles.js';
import { labelledColumns, type SetColumns } from './labelledTiles.js';

interface FusedFingerprints {
  readonly documents: TableEnd;
  /** Kind `fingerprints` (src/blocks/fingerprints.ts), shared. */
  readonly fingerprints: Block;
  /** Bytes of text read. */
  readonly bytes: number;
}

/** The samples of a document batch that is a single row chunk: no intermediate block is stored. */
export function fusedFingerprints(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  samples: SampleParams,
): FusedFingerprints {
  const columns = new FingerprintColumns();
  const { builder, stream } =
    samples.sketch === 'sswf'
      ? sequencesOf(kernel, shingle, samples.seed)
      : shinglesOf(kernel, shingle, createSampleBuilder(samples));
  const recorder = new DocumentRecorder(stream, {
    begin: () => builder.begin(),
    end: () => columns.push(builder.finish()),
    // The next document begins with an empty sample anyway.
    void: () => {},
    takeBack: (column) => columns.truncate(column),
  });
  feed(recorder);
  return {
    documents: recorder.finish,
    fingerprints: columns.finish(),
    bytes: recorder.bytes,
  };
}

/** The samples of a column block of sets: kind `fingerprints`, shared; and how many rows the columns have. */
export function setFingerprints(
  sets: SetColumns,
  samples: ShingleSampleParams,
  thinning?: Thinning,
): { readonly fingerprints: Block; readonly rows: number } {
  const columns = new FingerprintColumns();
  const builder = createSampleBuilder(samples);
  const to = {
    begin: () => builder.begin(),
    rows: (hashes: Uint32Array, count: number) => builder.push(hashes, count),
    end: () => columns.push(builder.finish()),
  };
  const rows = labelledColumns(sets, to, thinning);
  return { fingerprints: columns.finish(), rows };
}

/** A stream of documents, and the builder that makes their samples. */
interface Sampling {
  readonly builder: SampleBuilder;
  readonly stream: ShingleStream;
}

function shinglesOf(kernel: Kernel, shingle: ShingleParams, builder: SampleBuilder): Sampling {
  return { builder, stream: kernel.shingleStream(shingle, (hashes, count) => builder.push(hashes, count)) };
}

/** Samples of word sequences: the shingles are those of verification, and are only counted here. */
function sequencesOf(kernel: Kernel, shingle: ShingleParams, seed: number): Sampling {
  const builder = new CommonWordSequences(seed);
  const counted = kernel.shingleStream(shingle, () => {});
  const words = kernel.shingleStream(wordRule({ ...shingle, seed }).shingle, (hashes, count) =>
    builder.push(hashes, count),
  );
  return { builder, stream: new BesideWords(counted, words) };
}

/** Also passes its documents through `words`; counts and keys are those of `first`. */
class BesideWords extends ShingleStream {
  private readonly first: ShingleStream;
  private readonly words: ShingleStream;

  constructor(first: ShingleStream, words: ShingleStream) {
    super();
    this.first = first;
    this.words = words;
  }

  begin(): void {
    this.first.begin();
    this.words.begin();
  }

  push(bytes: Uint8Array): void {
    this.first.push(bytes);
    this.words.push(bytes);
  }

  end(): void {
    this.first.end();
    this.words.end();
    this.found(this.first);
  }

  override whole(text: Uint8Array): void {
    this.first.whole(text);
    this.words.whole(text);
    this.found(this.first);
  }
}
