/**
 * Map: documents of candidate pairs, read a second time -> their shingle sets.
 *
 *      file, record   as in the document table: which documents these are, in reading order
 *      offsets        f64  n+1: set i is hashes [offsets[i], offsets[i+1])
 *      hashes         u32  pairs (low, high), sorted and distinct within a set
 *      contentKey     u32 x 4: compared with the first read, so that a document that changed is found
 *
 * Floor 2: pure; documents come from a feed.
 */
import { type Block, type Column, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { Float64Column } from '../src/blocks/growable.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/sketch/params.js';

/** Documents asked for, ascending by (file, record) as the feed delivers them. */
export interface WantedDocuments {
  readonly file: Uint32Array;
  readonly record: Float64Array;
}

/** A test for membership that is asked in ascending order of (file, record), each at most once. */
function membership(wanted: WantedDocuments): (file: number, record: number) => boolean {
  let next = 0;
  return (file, record) => {
    while (
      next < wanted.file.length &&
      (wanted.file[next]! < file || (wanted.file[next] === file && wanted.record[next]! < record))
    ) {
      next++;
    }
    return next < wanted.file.length && wanted.file[next] === file && wanted.record[next] === record;
  };
}

/** Sets where they were made. */
export interface CollectedSets {
  /** Bytes of text read. */
  readonly bytes: number;
  /** The columns `file`, `record` and `contentKey`. */
  readonly table: Readonly<Record<'file' | 'record' | 'contentKey', Column>>;
  readonly offsets: Float64Array;
  /** May be scratch memory of the kernel: valid until the next call of anything of it but a comparer. */
  readonly hashes: Uint32Array;
}

/** The shingle sets of the wanted documents that are still there: kind `shingleSets`, shared. */
export function shingleSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): Block {
  const { bytes, table, offsets, hashes } = collectSets(feed, kernel, shingle, wanted);
  return encodeBlock('shingleSets', { bytes }, { ...table, offsets, hashes }, true);
}

/** The same, not yet in a block. */
export function collectSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): CollectedSets {
  const sets = kernel.setCollector();
  const offsets = new Float64Column();
  let hashes = 0;
  sets.clear();
  offsets.push(0);
  const stream = kernel.shingleStream(shingle, (found, count) => sets.add(found, count));
  const recorder = new DocumentRecorder(stream, {
    wants: membership(wanted),
    begin: () => sets.drop(),
    end: () => {
      hashes += sets.close();
      offsets.push(hashes);
    },
    void: () => sets.drop(),
  });
  feed(recorder);
  const { file, record, contentKey } = recorder.finish(0).columns;
  return {
    bytes: recorder.bytes,
    table: { file: file!, record: record!, contentKey: contentKey! },
    offsets: offsets.view,
    hashes: sets.sets(),
  };
}
