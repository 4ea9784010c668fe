/**
 * Signatures of the documents a task asks for: all of them held, or read block by block.
 *
 * Floor 3. Blocks `signatures/k`; the block `places` says by document where its column is.
 */
import type { SignatureBlocks } from '../sketch/pairs.js';
import type { TaskContext } from './protocol.js';
import { block, glance, setupOf } from './stagesContext.js';

/** How a task comes to signatures. */
export interface SignatureAccess {
  /** Number of blocks `signatures/k`. */
  readonly blocks: number;
  /** Whether all of them are in memory; else they are read one at a time. */
  readonly held: boolean;
  /** Most bytes that the task gathers, of pairs and the signatures of their earlier documents; or that the worker copies. */
  readonly bytes: number;
}

/**
 * The signatures of all documents. Decoded once a worker and one object ever after: no block of this name is
 * ever written again, and the kernel keeps what it copied for as long as it meets the same object.
 */
export function heldSignatures(context: TaskContext, { blocks, bytes }: SignatureAccess): SignatureBlocks {
  const known = context.scratch.get('signatures') as SignatureBlocks | undefined;
  if (known !== undefined) return known;
  const { blockOf, columnOf } = block(context, 'places', 'documents').columns;
  const stored = Array.from({ length: blocks }, (_, k) => block(context, `signatures/${k}`, 'signatures'));
  const signatures: SignatureBlocks = {
    blocks: stored.map(({ columns }) => columns.slots as Uint32Array),
    blockOf: blockOf as Uint32Array,
    columnOf: columnOf as Uint32Array,
    stride: stored[0]!.meta.stride as number,
    hashes: setupOf(context).params.sketch.hashes,
    copied: bytes,
  };
  context.scratch.set('signatures', signatures);
  return signatures;
}

/** Told of a block: the signature of `documents[i]` begins at `at` of `slots`. */
export type SignatureVisit = (i: number, slots: Uint32Array, at: number) => void;

/** Visits the signatures of documents, in any order and repeated or not, block by block of all `blocks`; one is held at a time. */
export function visitSignatures(
  context: TaskContext,
  blocks: number,
  documents: Uint32Array,
  visit: SignatureVisit,
): void {
  const { blockOf, columnOf } = block(context, 'places', 'documents').columns as Record<string, Uint32Array>;
  const count = documents.length;
  // Positions by block, those of block k from ends[k - 1] to ends[k].
  const ends = new Uint32Array(blocks + 1);
  for (let i = 0; i < count; i++) ends[blockOf![documents[i]!]! + 1]!++;
  for (let k = 1; k <= blocks; k++) ends[k] = ends[k]! + ends[k - 1]!;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[ends[blockOf![documents[i]!]!]!++] = i;
  for (let k = 0, next = 0; k < blocks; k++) {
    if (next === ends[k]) continue;
    const { meta, columns } = glance(context, `signatures/${k}`, 'signatures');
    const slots = columns.slots as Uint32Array;
    const stride = meta.stride as number;
    for (; next < ends[k]!; next++) {
      const i = order[next]!;
      visit(i, slots, columnOf![documents[i]!]! * stride);
    }
    context.progress();
  }
}

/** The documents' rows of signatures behind each other, `stride` slots each; `stride`: slots of a stored signature. */
export function gatheredSignatures(
  context: TaskContext,
  blocks: number,
  documents: Uint32Array,
  stride: number,
): Uint32Array {
  const rows = new Uint32Array(stride * documents.length);
  visitSignatures(context, blocks, documents, (i, slots, at) => {
    rows.set(slots.subarray(at, at + stride), i * stride);
  });
  return rows;
}
