/**
 * Map: documents -> signatures. Shingles are not stored, unless an index needs their sets.
 */
import { Float64Column } from '../src/arrays/growable.js';
import { type SortedSets, sortedSets } from '../src/arrays/sort.js';
import type { Block } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import { type SignatureParams, signatureBlock } from '../src/blocks/signatureBlocks.js';
import type { DocumentSketches, Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/text/shingles.js';

interface SketchedDocuments {
  readonly documents: TableEnd;
  /** Kind `signatures` (src/blocks/signatureBlocks.ts). */
  readonly signatures: Block;
}

/** The signatures of a batch of documents. `buffer`: of the block; default: shared memory. */
export function documentSignatures(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  params: SignatureParams,
  buffer?: (bytes: number) => ArrayBuffer,
): SketchedDocuments {
  const sketches = kernel.documentSketches(shingle, params.sketch);
  // The kernel stores the signatures, so there is nothing to do at the end of a document.
  const recorder: DocumentRecorder = new DocumentRecorder(sketches, {
    needsNoCalls: true,
    begin: () => {},
    end: () => {},
    discard: () => sketches.rows.truncate(recorder.documents),
    takeBack: (row) => sketches.rows.truncate(row),
  });
  feed(recorder);
  return { documents: recorder.finish, signatures: blockOf(sketches, kernel, params, buffer) };
}

function blockOf(
  { rows: { held, length, stride } }: DocumentSketches,
  { slotWriter }: Kernel,
  params: SignatureParams,
  buffer?: (bytes: number) => ArrayBuffer,
): Block {
  return signatureBlock(held, length, stride, params, buffer, slotWriter);
}

/** The signatures of a batch of documents, and their sets of shingles, from one reading. */
export function signaturesAndSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  params: SignatureParams,
): SketchedDocuments & { readonly sets: SortedSets } {
  const collector = kernel.setCollector();
  collector.clear();
  const sketches = kernel.documentSketches(shingle, params.sketch, (hashes, count) =>
    collector.add(hashes, count),
  );
  const [starts, lengths] = [new Float64Column(), new Float64Column()];
  let collected = 0;
  const recorder: DocumentRecorder = new DocumentRecorder(sketches, {
    begin: () => collector.drop(),
    end: () => {
      starts.push(collected);
      const length = collector.keep();
      lengths.push(length);
      collected += length;
    },
    discard: () => {
      sketches.rows.truncate(recorder.documents);
      collector.drop();
    },
    takeBack: (row) => {
      sketches.rows.truncate(row);
      starts.truncate(row);
      lengths.truncate(row);
    },
  });
  feed(recorder);
  // A copy, because the sort may enlarge kernel memory, which detaches the view.
  const hashes = collector.sets().slice();
  const sets = sortedSets(hashes, starts.view, lengths.view, kernel.sortUnique);
  const signatures = blockOf(sketches, kernel, params);
  return { documents: recorder.finish, signatures, sets };
}
