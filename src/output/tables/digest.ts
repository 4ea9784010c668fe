/** One digest over everything that was compared: two results with the same digest have the same documents. */
import { createHash } from 'node:crypto';
import type { IdTable } from '../../blocks/ids.js';
import { QUOTED, type RowBatch, type RowFormatting, type RowLayout } from '../../kernel/kernel.js';
import { ByteWriter } from './escaping.js';

/** Documents hashed per piece. */
const PIECE = 16384;

const NOTHING = new Uint8Array(0);

/** The layout of a document in the digest, as a row: length of the id, the id as it is, content hash. */
const LAYOUT: RowLayout = {
  fields: [{ kind: 'bytes', width: 4 }, { kind: 'id' }, { kind: 'bytes', width: 16 }],
  before: [NOTHING, NOTHING, NOTHING],
  after: NOTHING,
  escapes: { replacements: Array.from({ length: 256 }, () => null), runs: false, quoted: QUOTED.never },
};

/** The compared documents. */
export interface Contents {
  readonly ids: IdTable;
  /** Numbers of the documents, ascending. */
  readonly documents: Uint32Array;
  /** Four uint32 for each of `documents`. */
  readonly contentKeys: Uint32Array;
}

/**
 * SHA-256 (lower-case hex) over the documents in id order, each as: bytes of its id (u32, little-endian), the
 * id, its content hash (four u32, little-endian). The length before the id keeps ("ab", "c") and ("a", "bc")
 * different. No documents: the digest of no bytes. A kernel's `formatRows` reduces the time to a fifth.
 */
export function contentDigest(contents: Contents, formatRows: RowFormatting = formatPlainly): string {
  const hash = createHash('sha256');
  formatRows(LAYOUT, contents.ids, batchesOf(contents), (piece) => hash.update(piece));
  return hash.digest('hex');
}

/** Bytes that are hashed at a time. */
const HASHED = 1 << 16;

/** The same digest of documents that come one by one, in the order of their ids. */
export class StreamedDigest {
  private readonly hash = createHash('sha256');
  private readonly piece = new ByteWriter(HASHED);
  private readonly bytes = new Uint8Array(4);
  private readonly words = new DataView(this.bytes.buffer);

  /** @param contentKey its four words, little-endian, as keys of records have them */
  add(id: Uint8Array, contentKey: Uint8Array): void {
    const { piece, words } = this;
    words.setUint32(0, id.length, true);
    piece.append(this.bytes);
    piece.append(id);
    piece.append(contentKey);
    if (piece.length >= HASHED) this.flush();
  }

  /** Nothing comes any more. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private flush(): void {
    this.hash.update(this.piece.written());
    this.piece.clear();
  }
}

function* batchesOf({ ids, documents, contentKeys }: Contents): Iterable<RowBatch> {
  for (let from = 0; from < documents.length; from += PIECE) {
    const numbers = documents.subarray(from, from + PIECE);
    const lengths = new Uint32Array(numbers.length);
    for (let i = 0; i < numbers.length; i++) {
      lengths[i] = ids.offsets[numbers[i]! + 1]! - ids.offsets[numbers[i]!]!;
    }
    const keys = contentKeys.subarray(4 * from, 4 * (from + numbers.length));
    yield { rows: numbers.length, columns: [lengths, numbers, keys] };
  }
}

/** The rows of LAYOUT only, without a kernel. */
const formatPlainly: RowFormatting = (_, ids, batches, sink) => {
  for (const { rows, columns } of batches) {
    const [lengths, numbers, keys] = columns;
    let bytes = 20 * rows;
    for (let i = 0; i < rows; i++) bytes += lengths![i]!;
    const piece = new Uint8Array(bytes);
    const view = new DataView(piece.buffer);
    let at = 0;
    for (let i = 0; i < rows; i++) {
      view.setUint32(at, lengths![i]!, true);
      at += 4;
      const end = ids.offsets[numbers![i]! + 1]!;
      for (let from = ids.offsets[numbers![i]!]!; from < end; from++) piece[at++] = ids.bytes[from]!;
      for (let k = 0; k < 4; k++, at += 4) view.setUint32(at, keys![4 * i + k]!, true);
    }
    sink(piece);
  }
};
