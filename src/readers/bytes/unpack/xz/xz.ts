/**
 * Unpacks xz (The .xz File Format 1.2.1, tukaani.org): streams with padding between them, blocks of LZMA2, and every
 * checksum and size that stands there: of headers, blocks, the index and the footer.
 *
 * Written here because no package does all of this: those of WebAssembly stop behind the first stream and answer by promises
 * alone, and one of plain JavaScript may install another package while it runs.
 */
import { crc32 } from '../../../../arrays/checksum.js';
import { expectSound, littleEndian, type PackedInput, type Unpacking, type Waiting } from '../packedInput.js';
import { CHECKS, type Check } from './checks.js';
import { Lzma2 } from './lzma2.js';

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const FOOTER_BYTES = 12;

/** Data behind what is to be held for it are not unpacked: xz -9 holds 64 MB. */
const MOST_WINDOW = 512 << 20;

const LZMA2 = 0x21;

/** What the index says of a block. */
interface BlockSizes {
  readonly unpadded: number;
  readonly unpacked: number;
}

export function* unpackXz(input: PackedInput): Unpacking {
  expectSound(yield* input.has(1), 'TRUNCATED');
  do {
    yield* unpackStream(input);
    // Zeros, four by four.
    while ((yield* input.has(1)) && input.bytes[input.at] === 0) {
      expectSound((yield* input.number(4)) === 0);
    }
  } while (yield* input.has(1));
}

function* unpackStream(input: PackedInput): Unpacking {
  yield* input.expect(...MAGIC);
  const flags = (yield* input.take(2)).slice();
  expectSound((yield* input.number(4)) === crc32(flags));
  const makeCheck = flags[0] === 0 ? CHECKS[flags[1]!] : undefined;
  expectSound(makeCheck !== undefined, 'FOREIGN');
  const blocks: BlockSizes[] = [];
  for (;;) {
    const [size] = yield* input.take(1);
    if (size === 0) break;
    blocks.push(yield* unpackBlock(input, 4 * size! + 4, makeCheck()));
  }
  const indexBytes = yield* readIndex(input, blocks);
  const footer = yield* input.take(FOOTER_BYTES);
  expectSound(littleEndian(footer.subarray(0, 4)) === crc32(footer.subarray(4, 10)));
  expectSound(4 * littleEndian(footer.subarray(4, 8)) + 4 === indexBytes);
  expectSound(footer[8] === flags[0] && footer[9] === flags[1] && footer[10] === 0x59 && footer[11] === 0x5a);
}

/** What the header of a block says; null: it does not. */
interface BlockHeader {
  readonly packed: number | null;
  readonly unpacked: number | null;
  readonly window: number;
}

function* unpackBlock(
  input: PackedInput,
  headerBytes: number,
  check: Check,
): Generator<Uint8Array | null, BlockSizes, void> {
  const rest = yield* input.take(headerBytes - 1);
  const bytes = Uint8Array.of(headerBytes / 4 - 1, ...rest);
  expectSound(littleEndian(rest.subarray(-4)) === crc32(bytes.subarray(0, -4)));
  const header = blockHeaderIn(bytes.subarray(0, -4));
  const lzma = new Lzma2(header.window);
  let unpacked = 0;
  for (;;) {
    const piece = yield* lzma.chunk(input);
    if (piece === null) break;
    check.add(piece);
    unpacked += piece.length;
    expectSound(header.unpacked === null || unpacked <= header.unpacked);
    yield piece;
  }
  expectSound(header.unpacked === null || unpacked === header.unpacked);
  expectSound(header.packed === null || lzma.packedBytes === header.packed);
  const padding = yield* input.take(-lzma.packedBytes & 3);
  expectSound(padding.every((byte) => byte === 0));
  const stored = yield* input.take(check.size);
  expectSound(check.isRight(stored));
  return { unpadded: headerBytes + lzma.packedBytes + check.size, unpacked };
}

/** @param bytes without their checksum */
function blockHeaderIn(bytes: Uint8Array): BlockHeader {
  const numbers = new Numbers(bytes, 2);
  const flags = bytes[1]!;
  expectSound((flags & 0x3c) === 0, 'FOREIGN');
  const packed = (flags & 0x40) === 0 ? null : numbers.next();
  const unpacked = (flags & 0x80) === 0 ? null : numbers.next();
  // Filters before LZMA2 are for programs and pictures.
  expectSound((flags & 3) === 0 && numbers.next() === LZMA2 && numbers.next() === 1, 'FOREIGN');
  const size = bytes[numbers.at++]!;
  expectSound(size <= 40 && bytes.subarray(numbers.at).every((byte) => byte === 0));
  const window = (2 | (size & 1)) * 2 ** (11 + (size >> 1));
  expectSound(window <= MOST_WINDOW, 'FOREIGN');
  return { packed, unpacked, window };
}

/** Numbers of 1 to 9 bytes, 7 bits each, the lowest first. */
class Numbers {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  next(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 63; scale *= 128) {
      expectSound(this.at < this.#bytes.length);
      const byte = this.#bytes[this.at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) {
        expectSound(byte !== 0 || scale === 1);
        return value;
      }
    }
    expectSound(false);
    return 0;
  }
}

/** Reads the index behind its first byte, which must say what the blocks were. Returns how long it is. */
function* readIndex(input: PackedInput, blocks: readonly BlockSizes[]): Waiting<number> {
  const read: number[] = [0];
  const next = function* (): Waiting<number> {
    const bytes: number[] = [];
    do bytes.push((yield* input.take(1))[0]!);
    while (bytes.at(-1)! >= 128 && bytes.length < 9);
    read.push(...bytes);
    return new Numbers(Uint8Array.from(bytes), 0).next();
  };
  expectSound((yield* next()) === blocks.length);
  for (const { unpadded, unpacked } of blocks) {
    expectSound((yield* next()) === unpadded);
    expectSound((yield* next()) === unpacked);
  }
  while (read.length % 4 !== 0) {
    const [zero] = yield* input.take(1);
    expectSound(zero === 0);
    read.push(0);
  }
  expectSound((yield* input.number(4)) === crc32(Uint8Array.from(read)));
  return read.length + 4;
}
