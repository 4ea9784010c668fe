/**
 * Signatures of 16-bit slots and their band keys, one block per batch, in shared memory or in files that are read by position.
 *
 * A block `signatures/k` has columns `slots` (u16: row after row, `strideOf(hashes)` slots each, those after `hashes` undefined) and `keys`
 * (u32: band after band, one key per row).
 */
import { closeSync, openSync } from 'node:fs';
import { rangeOf } from '../arrays/search.js';
import { type Block, columnPlaces, typedColumns } from '../blocks/block.js';
import { NAMES } from '../blocks/names.js';
import type { SignatureSource } from '../blocks/signatures.js';
import { strideOf } from '../sketch/signature.js';
import { readFully, workFile } from '../store/workFiles.js';

const COLUMNS = { slots: 'u16', keys: 'u32' } as const;

/** Bytes per read, and the longest gap between wanted rows that is read. */
const SPAN = 256 << 10;
const GAP = 8 << 10;
/** Maximum number of open files. */
const MOST_OPEN = 256;

/** Calls `work` for each batch that overlaps the rows [first, first + count), with the overlap. */
function eachBatch(
  starts: Uint32Array,
  first: number,
  count: number,
  work: (batch: number, from: number, to: number) => void,
): void {
  const end = first + count;
  for (let batch = rangeOf(starts, first), row = first; row < end; batch++) {
    const to = Math.min(end, starts[batch + 1]!);
    if (to > row) work(batch, row, to);
    row = to;
  }
}

/** The first row of each batch, and the total number of rows. */
function startsOfBatches(counts: readonly number[]): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let k = 0; k < counts.length; k++) starts[k + 1] = starts[k]! + counts[k]!;
  return starts;
}

/** @param blocks by batch, its block of signatures */
export function signaturesInMemory(
  blocks: readonly Pick<Block, 'columns' | 'kind'>[],
  hashes: number,
): SignatureSource {
  const width = strideOf(hashes) / 2;
  const columns = blocks.map((block) => typedColumns(block, COLUMNS));
  const starts = startsOfBatches(columns.map(({ slots }) => slots.length / (2 * width)));
  const rows = columns.map(({ slots }) => new Uint32Array(slots.buffer, slots.byteOffset, slots.length / 2));
  return {
    starts,
    keys(band, first, count, into, at) {
      eachBatch(starts, first, count, (batch, from, to) => {
        const size = starts[batch + 1]! - starts[batch]!;
        const key = band * size + from - starts[batch]!;
        into.set(columns[batch]!.keys.subarray(key, key + to - from), at + from - first);
      });
    },
    gather(order, into, at) {
      let [batch, start, end] = [0, 0, 0];
      for (let i = 0; i < order.length; i += 2) {
        const row = order[i + 1]!;
        if (row >= end) {
          batch = rangeOf(starts, row);
          start = starts[batch]!;
          end = starts[batch + 1]!;
        }
        const words = rows[batch]!;
        let to = at + order[i]! * width;
        for (let from = (row - start) * width, last = from + width; from < last; )
          into[to++] = words[from++]!;
      }
    },
    close() {},
  };
}

/** The file of a batch, and its number of rows. */
export interface SignatureFile {
  readonly path: string;
  readonly rows: number;
}

/**
 * @param files by batch, the file with its block of signatures
 * @throws Error of the system with the path; MinHashError BLOCK_TRUNCATED if a file is shorter than its rows
 */
export function signaturesInFiles(files: readonly SignatureFile[], hashes: number): SignatureSource {
  const width = strideOf(hashes) / 2;
  const starts = startsOfBatches(files.map(({ rows }) => rows));
  const buffer = new Uint32Array(SPAN / 4);
  /** Open files by batch, in the order in which they were opened. */
  const open = new Map<number, { readonly file: number; readonly slots: number; readonly keys: number }>();
  const opened = (batch: number) => {
    const known = open.get(batch);
    if (known !== undefined) return known;
    if (open.size === MOST_OPEN) {
      const [oldest, { file }] = open.entries().next().value!;
      closeSync(file);
      open.delete(oldest);
    }
    const { path } = files[batch]!;
    const file = openSync(path, 'r');
    const places = columnPlaces((bytes, from) => readFully(file, bytes, from, path), COLUMNS, path);
    const entry = { file, ...places };
    open.set(batch, entry);
    return entry;
  };
  const read = (batch: number, file: number, into: Uint32Array, at: number, words: number, from: number) => {
    const bytes = new Uint8Array(into.buffer, into.byteOffset + 4 * at, 4 * words);
    readFully(file, bytes, from, files[batch]!.path);
  };
  return {
    starts,
    keys(band, first, count, into, at) {
      eachBatch(starts, first, count, (batch, from, to) => {
        const { file, keys } = opened(batch);
        const size = starts[batch + 1]! - starts[batch]!;
        const key = band * size + from - starts[batch]!;
        read(batch, file, into, at + from - first, to - from, keys + 4 * key);
      });
    },
    gather(order, into, at) {
      const [mostRows, gap] = [Math.floor(SPAN / 4 / width), Math.floor(GAP / 4 / width)];
      for (let i = 0; i < order.length; ) {
        const first = order[i + 1]!;
        const batch = rangeOf(starts, first);
        const limit = Math.min(starts[batch + 1]!, first + mostRows);
        let last = first;
        let end = i + 2;
        for (; end < order.length; end += 2) {
          const next = order[end + 1]!;
          if (next >= limit || next - last > gap + 1) break;
          last = next;
        }
        const { file, slots } = opened(batch);
        read(
          batch,
          file,
          buffer,
          0,
          (last - first + 1) * width,
          slots + 4 * width * (first - starts[batch]!),
        );
        for (; i < end; i += 2) {
          let to = at + order[i]! * width;
          for (let from = (order[i + 1]! - first) * width, stop = from + width; from < stop; )
            into[to++] = buffer[from++]!;
        }
      }
    },
    close() {
      for (const { file } of open.values()) closeSync(file);
      open.clear();
    },
  };
}

/**
 * The signatures of a run.
 *
 * @param folder the folder of work files; null: they are in memory
 * @param blockOf the block with a name, in memory
 */
export function openSignatures(
  folder: string | null,
  batches: readonly { readonly block: number; readonly rows: number }[],
  hashes: number,
  blockOf: (name: string) => Block,
): SignatureSource {
  if (folder === null)
    return signaturesInMemory(
      batches.map(({ block }) => blockOf(NAMES.signatures(block))),
      hashes,
    );
  const files = batches.map(({ block, rows }) => ({ path: workFile(folder, NAMES.signatures(block)), rows }));
  return signaturesInFiles(files, hashes);
}
