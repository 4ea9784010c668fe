/** Map: documents -> samples of their fingerprints, for a document batch that is one row chunk. */
import type { Block } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import { FingerprintColumns } from '../src/blocks/fingerprints.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SampleParams } from '../src/sketch/params.js';
import { createSampleBuilder } from '../src/sketch/samples/fingerprintSamples.js';
import type { ShingleParams } from '../src/text/shingles.js';

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
  const builder = createSampleBuilder(samples);
  const stream = kernel.shingleStream(shingle, (hashes, count) => builder.push(hashes, count));
  const recorder = new DocumentRecorder(stream, {
    begin: () => builder.begin(),
    end: () => columns.push(builder.finish()),
    // The next document begins with an empty sample.
    void: () => {},
  });
  feed(recorder);
  return {
    documents: recorder.finish,
    fingerprints: columns.finish(),
    bytes: recorder.bytes,
  };
}
