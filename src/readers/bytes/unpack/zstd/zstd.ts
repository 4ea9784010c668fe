/**
 * Unpacks zstd (RFC 8878): frames one after the other, and what is to be skipped between them.
 *
 * Written here because the packages fail: fzstd 0.1.1 checks nothing and gives wrong bytes where data refer back by more than
 * 32 MB, others hold all of a file. Every size and checksum that stands in a frame is checked; without a checksum, what
 * is damaged and still can be unpacked goes unnoticed.
 */
import { expectSound, littleEndian, type PackedInput, type Unpacking, type Waiting } from '../packedInput.js';
import { Xxh64 } from './xxh64.js';
import { MOST_BLOCK, ZstdBlocks } from './zstdBlocks.js';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPABLE = [0x50, 0x2a, 0x4d, 0x18];

/** Data that refer back by more are not unpacked: `zstd --long=31` makes such, and `--long` alone 128 MB. */
const MOST_WINDOW = 512 << 20;

const RAW = 0;
const RUN = 1;
const PACKED = 2;

export interface FrameHeader {
  /** How far back the data may refer. */
  readonly window: number;
  /** What the frame unpacks to; null: it does not say. */
  readonly size: number | null;
  readonly hasChecksum: boolean;
}

export function* unpackZstd(input: PackedInput): Unpacking {
  expectSound(yield* input.has(1), 'TRUNCATED');
  do {
    const [first] = yield* input.take(1);
    if (first === MAGIC[0]) {
      yield* input.expect(...MAGIC.slice(1));
      yield* unpackFrame(input);
    } else {
      // One of sixteen.
      expectSound(first! >> 4 === SKIPPABLE[0]! >> 4);
      yield* input.expect(...SKIPPABLE.slice(1));
      yield* skip(input, yield* input.number(4));
    }
  } while (yield* input.has(1));
}

function* skip(input: PackedInput, count: number): Waiting {
  for (let left = count; left > 0; ) {
    const step = Math.min(left, 1 << 16);
    yield* input.take(step);
    left -= step;
  }
}

function* readHeader(input: PackedInput): Waiting<FrameHeader> {
  const descriptor = yield* input.number(1);
  expectSound((descriptor & 8) === 0);
  const isSingle = (descriptor & 32) !== 0;
  let window = 0;
  if (!isSingle) {
    const byte = yield* input.number(1);
    window = 2 ** (10 + (byte >> 3));
    window += (window / 8) * (byte & 7);
  }
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  // Who packed with a dictionary has to unpack with it.
  if (dictionaryBytes > 0) expectSound((yield* input.number(dictionaryBytes)) === 0, 'FOREIGN');
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  let size = sizeBytes === 0 ? null : littleEndian(yield* input.take(Math.min(sizeBytes, 6)));
  if (sizeBytes === 2) size! += 256;
  // Nobody has a file of more than 2 ** 48 bytes.
  if (sizeBytes === 8) expectSound((yield* input.number(2)) === 0);
  if (isSingle) window = size!;
  size ??= null;
  expectSound(Math.min(window, size ?? window) <= MOST_WINDOW, 'FOREIGN');
  return { window, size, hasChecksum: (descriptor & 4) !== 0 };
}

function* unpackFrame(input: PackedInput): Unpacking {
  const { window, size, hasChecksum } = yield* readHeader(input);
  const blocks = new ZstdBlocks(Math.min(window, size ?? window), Math.min(window, MOST_BLOCK));
  const hash = hasChecksum ? new Xxh64() : null;
  let unpacked = 0;
  for (let isLast = false; !isLast; ) {
    const header = yield* input.number(3);
    isLast = (header & 1) === 1;
    const piece = yield* unpackBlock(input, blocks, (header >> 1) & 3, header >>> 3);
    hash?.add(piece);
    unpacked += piece.length;
    expectSound(size === null || unpacked <= size);
    if (piece.length > 0) yield piece;
  }
  expectSound(size === null || unpacked === size);
  if (hash !== null) expectSound((yield* input.number(4)) === hash.low());
}

function* unpackBlock(
  input: PackedInput,
  blocks: ZstdBlocks,
  kind: number,
  size: number,
): Waiting<Uint8Array> {
  expectSound(size <= blocks.most);
  if (kind === RAW) return blocks.raw(yield* input.take(size));
  if (kind === RUN) return blocks.run(yield* input.number(1), size);
  expectSound(kind === PACKED);
  return blocks.packed(yield* input.take(size));
}
