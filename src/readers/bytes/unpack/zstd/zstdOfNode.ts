/**
 * The zstd that Node has from 22.15 on, several times as fast as ours. What a frame is made of is read here, and Node gets it
 * block by block: so what stands before damage is given, and every version of Node finds the same flaws.
 */
import * as zlib from 'node:zlib';
import { expectSound } from '../packedInput.js';

/** What the declared types do not know. */
interface ZstdOfNode {
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: zlib.ZlibOptions) => Uint8Array;
  readonly createZstdDecompress?: (options: zlib.ZlibOptions) => zlib.Gunzip;
}

const { zstdDecompressSync, createZstdDecompress } = zlib as ZstdOfNode;

/** Node refuses data that refer back by more. */
const MOST_WINDOW = 128 << 20;
/** To begin with Node takes as long as a few KB do here. */
const LEAST_BYTES = 4 << 10;

/** Whether Node unpacks a frame faster. @param packed bytes of the frame, or of its first block */
export function isForNode(window: number, packed: number): boolean {
  return zstdDecompressSync !== undefined && window <= MOST_WINDOW && packed >= LEAST_BYTES;
}

/**
 * Unpacks a frame to at most so many bytes. Null: it is damaged, or has more.
 *
 * @param size what the frame says that it unpacks to; null: nothing
 */
export function unpackFrameByNode(frame: Uint8Array, most: number, size: number | null): Uint8Array | null {
  // One piece, with a byte to spare that tells Node that it is the last, need not be copied.
  const chunkSize = size === null ? Math.min(Math.max(64 << 10, most), 1 << 20) : Math.max(64, most + 1);
  try {
    return zstdDecompressSync!(frame, { maxOutputLength: Math.max(1, most), chunkSize });
  } catch {
    return null;
  }
}

/** Unpacks a frame by and by. */
export class StreamOfNode {
  readonly #stream = createZstdDecompress!({ chunkSize: 256 << 10 });
  #out: Uint8Array[] = [];
  #isDamaged = false;

  constructor() {
    // Flowing mode delivers pieces at once.
    this.#stream.on('data', (piece: Buffer) => this.#out.push(piece));
  }

  /** Feeds bytes, which stay as they are until it settles. Damage shows when they are taken. */
  feed(packed: Uint8Array): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const onError = (): void => {
        this.#isDamaged = true;
        // Later errors of the stream add nothing, and an error without a listener would end the process.
        stream.on('error', () => {});
        resolve();
      };
      stream.once('error', onError);
      stream.write(packed, (error) => {
        stream.off('error', onError);
        if (error) onError();
        else resolve();
      });
    });
  }

  /** What was unpacked since the last call. @throws Unreadable DAMAGED */
  take(): Uint8Array {
    expectSound(!this.#isDamaged);
    const pieces = this.#out.splice(0);
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  close(): void {
    this.#stream.destroy();
  }
}
