/**
 * Files of records in the format of Hadoop's SequenceFile: version 6, BytesWritable keys and values, not compressed, with sync
 * marks. Strict: a truncated file, or one in any other format, is an error.
 */
import { createHash } from 'node:crypto';
import { MinHashError } from '../../../errors.js';
import { u32At } from '../../../tasks/stream/records.js';
import type { DatasetRecord } from '../../job.js';

const CLASS = 'org.apache.hadoop.io.BytesWritable';
const SYNC = 16;
/** In the place of a length: a sync mark follows. */
const ESCAPE = 0xffffffff;
const SYNC_EVERY = 100_000;
const CHUNK = 1 << 18;
/** A longer record is none of ours: a damaged length would take all memory. */
const MOST_BYTES = 2 ** 31 - 1;

function headOf(sync: Uint8Array): Buffer {
  const name = Buffer.concat([Buffer.of(CLASS.length), Buffer.from(CLASS)]);
  // Neither records nor blocks are compressed; there is no metadata.
  return Buffer.concat([Buffer.from('SEQ\x06'), name, name, Buffer.of(0, 0, 0, 0, 0, 0), sync]);
}

/** Encodes records as a file. The sync mark follows from `name`, so that the same records give the same bytes. */
export async function* sequenceFileOf(
  records: AsyncIterable<DatasetRecord> | Iterable<DatasetRecord>,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const sync = createHash('sha256').update(name).digest().subarray(0, SYNC);
  let pieces: Uint8Array[] = [headOf(sync)];
  let held = 0;
  let sinceSync = 0;
  for await (const [key, value] of records) {
    const frame = Buffer.alloc(12);
    frame.writeUInt32BE(8 + key.length + value.length, 0);
    frame.writeUInt32BE(4 + key.length, 4);
    frame.writeUInt32BE(key.length, 8);
    const ofValue = Buffer.alloc(4);
    ofValue.writeUInt32BE(value.length);
    if (sinceSync > SYNC_EVERY) {
      pieces.push(Buffer.of(0xff, 0xff, 0xff, 0xff), sync);
      sinceSync = 0;
    }
    // Copies: the records may be views.
    pieces.push(frame, Buffer.from(key), ofValue, Buffer.from(value));
    const length = 16 + key.length + value.length;
    sinceSync += length;
    held += length;
    if (held < CHUNK) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    held = 0;
  }
  yield Buffer.concat(pieces);
}

/** Bytes that arrive in chunks, read in pieces of any size. */
class ChunkWindow {
  /** Bytes taken so far. */
  offset = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Whether so many bytes are here already. */
  has(count: number): boolean {
    return this.bytes.length - this.at >= count;
  }

  /** Waits for so many bytes; false: the input ends before. */
  async fill(count: number): Promise<boolean> {
    if (this.has(count)) return true;
    const parts = [this.bytes.subarray(this.at)];
    let held = parts[0]!.length;
    while (held < count) {
      const { done, value } = await this.chunks.next();
      if (done === true) break;
      parts.push(value);
      held += value.length;
    }
    this.bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.at = 0;
    return held >= count;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  peek(): number {
    return u32At(this.bytes, this.at);
  }

  /** Takes bytes that are here: a view that is never overwritten. */
  take(count: number): Uint8Array {
    const taken = this.bytes.subarray(this.at, this.at + count);
    this.at += count;
    this.offset += count;
    return taken;
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}

function refuse(from: string, why: string): never {
  const detail = `${from}: ${why}: expected a whole sequence file of bytes`;
  throw new MinHashError({ code: 'TASK_RECORD', detail });
}

/** Reads the head of a file; returns its sync mark. */
async function openHead(window: ChunkWindow, from: string): Promise<Uint8Array> {
  const expected = headOf(new Uint8Array(0));
  if (!(await window.fill(expected.length + SYNC))) refuse(from, `it ends within its head`);
  if (!expected.equals(window.take(expected.length)))
    refuse(from, 'its head is of another version, class or compression');
  return window.take(SYNC).slice();
}

/**
 * The records of a file; their memory is never overwritten.
 *
 * @param from name of the file, for messages
 * @throws MinHashError TASK_RECORD with the offset
 */
export async function* recordsOfSequenceFile(
  chunks: AsyncIterable<Uint8Array>,
  from: string,
): AsyncGenerator<DatasetRecord, void, undefined> {
  const window = new ChunkWindow(chunks);
  try {
    const sync = await openHead(window, from);
    for (;;) {
      const { offset } = window;
      const cut = (): never => refuse(from, `it ends within the record at byte ${offset}`);
      if (!window.has(4) && !(await window.fill(4))) {
        if (window.left === 0) return;
        cut();
      }
      const length = window.peek();
      if (length === ESCAPE) {
        if (!(await window.fill(4 + SYNC))) cut();
        window.take(4);
        if (!Buffer.from(sync).equals(window.take(SYNC)))
          refuse(from, `the sync mark at byte ${offset} is not its own`);
        continue;
      }
      if (length < 8 || length > MOST_BYTES) refuse(from, `no record begins at byte ${offset}`);
      if (!window.has(8 + length) && !(await window.fill(8 + length))) cut();
      yield recordOf(window.take(8 + length), () =>
        refuse(from, `the lengths at byte ${offset} do not agree`),
      );
    }
  } finally {
    await window.close();
  }
}

function recordOf(bytes: Uint8Array, wrong: () => never): DatasetRecord {
  const keyEnd = 8 + u32At(bytes, 4);
  if (keyEnd < 12 || keyEnd + 4 > bytes.length) wrong();
  if (u32At(bytes, 8) !== keyEnd - 12 || u32At(bytes, keyEnd) !== bytes.length - keyEnd - 4) wrong();
  return [bytes.subarray(12, keyEnd), bytes.subarray(keyEnd + 4)];
}
