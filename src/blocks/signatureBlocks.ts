/**
 * The layouts of signatures, from sketches to bands.
 *
 * `signatures`, one per batch, row after row in reading order: keys for banding, slots for comparing pairs.
 *
 *      slots       u16   `stride` per row: 32-bit slots mixed to 16 bits (src/sketch/slots.ts)
 *      keys        u32   band after band, one per row: the key of the row's slots in the band
 *
 * `partials`, one per batch: partial signatures (of one shard), ascending by document.
 *
 *      documents   u32   the document of each partial signature, a row of the batch
 *      slots       u32   `stride` per partial signature
 */
import type { BandingParams, SketchParams } from '../sketch/params.js';
import { writeSignatures } from '../sketch/slots.js';
import { type Block, newBlock, typedColumns } from './block.js';

/** How signatures are made and cut into bands. */
export interface SignatureParams {
  readonly sketch: SketchParams;
  readonly banding: BandingParams;
}

/**
 * The signatures of a batch: kind `signatures`.
 *
 * @param parts rows of 32-bit slots, `stride` slots apart, in order
 * @param writer `writeSignatures`, or its faster version in the kernel
 * @param buffer returns shared memory, or a buffer of at least this many bytes
 */
export function signatureBlock(
  parts: Iterable<Uint32Array>,
  rows: number,
  stride: number,
  { banding }: SignatureParams,
  buffer: true | ((bytes: number) => ArrayBuffer) = true,
  writer = { writeSignatures },
): Block {
  const layout = { slots: ['u16', rows * stride], keys: ['u32', rows * banding.bands] } as const;
  const block = newBlock('signatures', { stride }, layout, buffer);
  const { slots, keys } = typedColumns(block, { slots: 'u16', keys: 'u32' });
  let row = 0;
  for (const part of parts) {
    writer.writeSignatures(part, stride, banding, slots, keys, row);
    row += part.length / stride;
  }
  return block;
}
