/**
 * Unpacks zstd (RFC 8878): frames one after the other, and what is to be skipped between them.
 *
 * Node unpacks where it can and is the faster. Written here for other versions, because the packages fail: fzstd 0.1.1 checks
 * nothing and gives wrong bytes where data refer back by more than 32 MB, others hold all of a file. Every size and checksum that stands in a frame is checked; without a checksum, what
 * is damaged and still can be unpacked goes unnoticed.
 */
import {
  expectSound,
  littleEndian,
  PackedInput,
  type Unpacking,
  Unreadable,
  type Waiting,
} from '../packedInput.js';
import { PaddedBytes } from './backwardBits.js';
import { Xxh64 } from './xxh64.js';
import { Literals, MOST_BLOCK, ZstdBlocks } from './zstdBlocks.js';
import { isForNode, StreamOfNode, unpackFrameByNode } from './zstdOfNode.js';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPABLE = [0x50, 0x2a, 0x4d, 0x18];

/** Data that refer back by more are not unpacked: `zstd --long=31` makes such, and `--long` alone 128 MB. */
const MOST_WINDOW = 512 << 20;

const RAW = 0;
const RUN = 1;
const PACKED = 2;
const BLOCK_HEADER = 3;
const CHECKSUM = 4;

interface FrameHeader {
  /** With the magic number. */
  readonly bytes: Uint8Array;
  /** How far back the data may refer. */
  readonly window: number;
  /** The most that a block holds, packed or not. */
  readonly block: number;
  /** What the frame unpacks to; null: it does not say. */
  readonly size: number | null;
  readonly hasChecksum: boolean;
}

/** Unpacks frame after frame, by Node where it is faster. */
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

/**
 * Unpacks data that unpack to so many bytes at most.
 *
 * @throws Unreadable for more, and for data that are damaged
 */
export function unpackZstdTo(bytes: Uint8Array, most: number): Uint8Array {
  let unpacked: Uint8Array | null = null;
  let end = 0;
  for (const piece of unpackZstd(new PackedInput(bytes, most))) {
    if (!(piece instanceof Uint8Array)) continue;
    expectSound(piece.length <= most - end);
    // The whole in one piece need not be copied.
    if (piece.length < most) unpacked ??= new Uint8Array(most);
    if (unpacked === null) unpacked = piece;
    else unpacked.set(piece, end);
    end += piece.length;
  }
  return unpacked === null ? new Uint8Array(0) : unpacked.subarray(0, end);
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
  const windowBytes = isSingle ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const rest = yield* input.take(windowBytes + dictionaryBytes + sizeBytes);
  const bytes = Uint8Array.of(...MAGIC, descriptor, ...rest);
  // Who packed with a dictionary has to unpack with it.
  const dictionary = littleEndian(rest.subarray(windowBytes, windowBytes + dictionaryBytes));
  expectSound(dictionary === 0, 'FOREIGN');
  const size = toldSize(rest.subarray(windowBytes + dictionaryBytes));
  const window = isSingle ? size! : (2 ** (10 + (rest[0]! >> 3)) / 8) * (8 + (rest[0]! & 7));
  expectSound(Math.min(window, size ?? window) <= MOST_WINDOW, 'FOREIGN');
  return {
    bytes,
    window: Math.min(window, size ?? window),
    block: Math.min(window, MOST_BLOCK),
    size,
    hasChecksum: (descriptor & 4) !== 0,
  };
}

/** The size in a header: of 0, 1, 2, 4 or 8 bytes. */
function toldSize(bytes: Uint8Array): number | null {
  if (bytes.length === 0) return null;
  // Nobody has a file of more than 2 ** 48 bytes.
  expectSound(bytes.length < 8 || (bytes[6] === 0 && bytes[7] === 0));
  return littleEndian(bytes.subarray(0, 6)) + (bytes.length === 2 ? 256 : 0);
}

interface BlockHeader {
  readonly isLast: boolean;
  readonly kind: number;
  /** What a run or raw bytes unpack to, or what a packed block has. */
  readonly size: number;
  /** Bytes behind the header. */
  readonly packed: number;
}

/** The header of the next block, without taking it. */
function* peekBlock(input: PackedInput, most: number): Waiting<BlockHeader> {
  expectSound(yield* input.has(BLOCK_HEADER), 'TRUNCATED');
  return blockHeader(input.bytes, input.at, most);
}

function blockHeader(bytes: Uint8Array, at: number, most: number): BlockHeader {
  const header = littleEndian(bytes.subarray(at, at + BLOCK_HEADER));
  const [kind, size] = [(header >> 1) & 3, header >>> 3];
  expectSound(size <= most && kind <= PACKED);
  return { isLast: (header & 1) === 1, kind, size, packed: kind === RUN ? 1 : size };
}

function* unpackFrame(input: PackedInput): Unpacking {
  const header = yield* readHeader(input);
  const held = input.isStream ? null : unpackHeld(input, header);
  if (held !== null) {
    if (held.length > 0) yield held;
    return;
  }
  const { packed } = yield* peekBlock(input, header.block);
  if (input.isStream && isForNode(header.window, packed)) yield* unpackStreamed(input, header);
  else yield* unpackHere(input, header);
}

/**
 * Unpacks a frame of data that are held, at once. Null: it is read block by block, which says what is wrong with it, or
 * unpacks no more of it than is wanted.
 */
function unpackHeld(input: PackedInput, header: FrameHeader): Uint8Array | null {
  const from = input.at - header.bytes.length;
  if ((header.size ?? 0) > input.most || !isForNode(header.window, input.end - from)) return null;
  const ends = endsOf(input, header);
  if (ends === null) return null;
  const most = Math.min(ends.most, header.size ?? ends.most, input.most);
  const unpacked = unpackFrameByNode(input.bytes.subarray(from, ends.packed), most, header.size);
  if (unpacked === null || (header.size !== null && unpacked.length !== header.size)) return null;
  input.at = ends.packed;
  return unpacked;
}

/** Where a frame of data that are held ends, and to how much it unpacks at most. Null: it is damaged or cut off. */
function endsOf(
  input: PackedInput,
  { block, hasChecksum }: FrameHeader,
): { packed: number; most: number } | null {
  const literals = new CheckedLiterals(block);
  let packed = input.at;
  let most = 0;
  try {
    for (let isLast = false; !isLast; ) {
      if (packed + BLOCK_HEADER > input.end) return null;
      const header = blockHeader(input.bytes, packed, block);
      const from = packed + BLOCK_HEADER;
      packed = from + header.packed;
      if (packed > input.end) return null;
      literals.check(header, input.bytes.subarray(from, packed));
      most += header.kind === PACKED ? block : header.size;
      isLast = header.isLast;
    }
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
  if (hasChecksum) packed += CHECKSUM;
  return packed > input.end ? null : { packed, most };
}

/**
 * Node does not notice where the codes of literals end too early or too late, and gives what is wrong until the checksum
 * comes, if there is one. To read them here as well takes a tenth of the time that unpacking here does.
 */
class CheckedLiterals {
  readonly #literals: Literals;

  constructor(most: number) {
    this.#literals = new Literals(most);
  }

  /** @throws Unreadable DAMAGED */
  check({ kind }: BlockHeader, packed: Uint8Array): void {
    if (kind === PACKED) this.#literals.read(new PaddedBytes(packed));
  }
}

/** Unpacks a frame by Node, which verifies its checksum. */
function* unpackStreamed(input: PackedInput, { bytes, block, size, hasChecksum }: FrameHeader): Unpacking {
  const stream = new StreamOfNode();
  const literals = new CheckedLiterals(block);
  let unpacked = 0;
  try {
    yield stream.feed(bytes);
    for (let isLast = false; !isLast; ) {
      const header = yield* peekBlock(input, block);
      isLast = header.isLast;
      const packed = yield* input.take(BLOCK_HEADER + header.packed);
      literals.check(header, packed.subarray(BLOCK_HEADER));
      yield stream.feed(packed);
      const piece = stream.take();
      unpacked += piece.length;
      expectSound(isOfSize(unpacked, size, isLast));
      if (piece.length > 0) yield piece;
    }
    if (hasChecksum) {
      yield stream.feed(yield* input.take(CHECKSUM));
      stream.take();
    }
  } finally {
    stream.close();
  }
}

/** Whether so many bytes may be unpacked of a frame that is to have `size`. */
const isOfSize = (unpacked: number, size: number | null, isLast: boolean): boolean =>
  size === null || (isLast ? unpacked === size : unpacked <= size);

function* unpackHere(input: PackedInput, { window, block, size, hasChecksum }: FrameHeader): Unpacking {
  const blocks = new ZstdBlocks(window, block);
  const hash = hasChecksum ? new Xxh64() : null;
  let unpacked = 0;
  for (let isLast = false; !isLast; ) {
    const header = yield* peekBlock(input, block);
    isLast = header.isLast;
    const packed = (yield* input.take(BLOCK_HEADER + header.packed)).subarray(BLOCK_HEADER);
    const piece = unpackBlock(blocks, header, packed);
    hash?.add(piece);
    unpacked += piece.length;
    expectSound(isOfSize(unpacked, size, isLast));
    if (piece.length > 0) yield piece;
  }
  expectSound(size === null || unpacked === size);
  if (hash !== null) expectSound((yield* input.number(CHECKSUM)) === hash.low());
}

function unpackBlock(blocks: ZstdBlocks, { kind, size }: BlockHeader, packed: Uint8Array): Uint8Array {
  if (kind === RAW) return blocks.raw(packed);
  if (kind === RUN) return blocks.run(packed[0]!, size);
  return blocks.packed(packed);
}
