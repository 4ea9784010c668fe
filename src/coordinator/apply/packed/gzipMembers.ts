/**
 * Writes a gzip file again member by member: one of which everything stays is copied as it is, packed; one of which nothing stays is
 * left out; of another what stays is packed anew, as one member.
 *
 *      member 1 (record a)   member 2 (record b)   member 3 (records c and d)
 *      copied                left out              packed anew without d
 *
 * So archives with a record a member (WARC) keep those of their records byte for byte, packed as they were.
 */
import { createGzip, createInflateRaw, type InflateRaw } from 'node:zlib';
import { crc32 } from '../../../arrays/checksum.js';
import type { ErrorCode } from '../../../errors.js';
import type { Pieces } from '../../../readers/bytes/byteStreams.js';
import type { EditedBytes } from '../records/fates.js';
import { type ByteSink, TransformSink } from './packers.js';

/** A member of which more is unpacked is not held: it is packed anew, whatever stays of it. */
const MOST_HELD = 16 << 20;

/** A member that is read, and what is known of it. */
class Member {
  /** As it stands in the file; null: it is not held any more. */
  packed: Uint8Array[] | null = [];
  unpacked = 0;
  isWhole = false;
  /** How much of what it unpacks to was decided on. */
  decided = 0;
  isIntact = true;
  kept: Uint8Array[] = [];
  keptBytes = 0;
  /** Of one that is too long to be held: what packs it anew. */
  anew: TransformSink | null = null;
}

/** Takes decisions about unpacked bytes, and writes members. */
export class MemberWriter implements EditedBytes {
  readonly #sink: ByteSink;
  /** Those that are not written yet, in their order. */
  readonly #members: Member[] = [];
  /** A run of bytes that stay, which is decided on as one. */
  #run: Buffer | null = null;
  #from = 0;
  #to = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  begin(): void {
    this.#members.push(new Member());
  }

  /** Bytes of the member that was begun last, as they stand in the file. */
  addPacked(bytes: Uint8Array): void {
    this.#members.at(-1)!.packed?.push(bytes);
  }

  addUnpacked(count: number): void {
    this.#members.at(-1)!.unpacked += count;
  }

  close(): void {
    this.#members.at(-1)!.isWhole = true;
  }

  /** Pieces that zlib unpacks are in memory of their own: what stays of them need not be copied. */
  stay(bytes: Buffer, from: number, to: number): void {
    if (bytes === this.#run && from === this.#to) {
      this.#to = to;
      return;
    }
    this.#closeRun();
    this.#run = bytes;
    this.#from = from;
    this.#to = to;
  }

  #closeRun(): void {
    const bytes = this.#run;
    this.#run = null;
    let at = this.#from;
    while (bytes !== null && at < this.#to) {
      const member = this.#current();
      const end = Math.min(this.#to, at + member.unpacked - member.decided);
      member.kept.push(bytes.subarray(at, end));
      member.keptBytes += end - at;
      member.decided += end - at;
      at = end;
    }
  }

  leave(count: number): void {
    this.#closeRun();
    let left = count;
    while (left > 0) {
      const member = this.#current();
      const some = Math.min(left, member.unpacked - member.decided);
      member.isIntact = false;
      member.decided += some;
      left -= some;
    }
  }

  insert(bytes: Uint8Array): void {
    this.#closeRun();
    const member = this.#members.find(({ decided, unpacked, isWhole }) => !isWhole || decided < unpacked);
    const into = member ?? this.#members.at(-1)!;
    into.isIntact = false;
    into.kept.push(bytes);
    into.keptBytes += bytes.length;
  }

  /** Writes what is decided. */
  async flush(): Promise<void> {
    this.#closeRun();
    for (let first = this.#members[0]; first !== undefined; first = this.#members[0]) {
      const isDecided = first.isWhole && first.decided === first.unpacked;
      if (!isDecided) {
        if (first.anew !== null || first.unpacked > MOST_HELD) await this.#writeSome(first);
        return;
      }
      await this.#finish(first);
      this.#members.shift();
    }
  }

  abandon(): void {
    for (const { anew } of this.#members) anew?.abandon();
  }

  /** The member that the next decision is about. */
  #current(): Member {
    const member = this.#members.find(({ decided, unpacked }) => decided < unpacked);
    if (member === undefined) throw new Error('a decision about bytes that were not read');
    return member;
  }

  /** What stays of a long member so far. */
  async #writeSome(member: Member): Promise<void> {
    member.anew ??= new TransformSink(this.#sink, createGzip());
    member.packed = null;
    const kept = member.kept;
    member.kept = [];
    await member.anew.write(kept);
  }

  async #finish(member: Member): Promise<void> {
    if (member.anew !== null) {
      await this.#writeSome(member);
      await member.anew.end();
    } else if (member.isIntact) await this.#sink.write(member.packed!);
    else if (member.keptBytes > 0) {
      const anew = new TransformSink(this.#sink, createGzip());
      await anew.write(member.kept);
      await anew.end();
    }
  }
}

const FLAGS = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;
const FIXED = 10;
const TRAILER = 8;

/** What is given of a file: the unpacked bytes of a member, piece by piece, while the writer is told of members. */
export type UnpackedMembers = AsyncGenerator<Uint8Array | ErrorCode>;

/** Packed bytes that are held until they are taken. */
class PackedBytes {
  held: Buffer = Buffer.alloc(0);
  readonly #pieces: Pieces;
  fault: ErrorCode | null = null;

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  /** Reads on until so many bytes are held; false: there are no more. */
  async has(count: number): Promise<boolean> {
    while (this.held.length < count && (await this.more()));
    return this.held.length >= count;
  }

  async more(): Promise<boolean> {
    const { value, done } = await this.#pieces.next();
    if (done === true) return false;
    if (typeof value === 'string') {
      this.fault = value as ErrorCode;
      return false;
    }
    const next = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.held = this.held.length === 0 ? next : Buffer.concat([this.held, next]);
    return true;
  }

  take(count: number): Buffer {
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }
}

/** Unpacks members one after the other; a fault is the last value. Zeros behind the last member are dropped. */
export async function* unpackedMembers(pieces: Pieces, writer: MemberWriter): UnpackedMembers {
  const packed = new PackedBytes(pieces);
  for (;;) {
    if (!(await packed.has(1))) break;
    if (packed.held[0] === 0) {
      const end = packed.held.findIndex((byte) => byte !== 0);
      packed.take(end < 0 ? packed.held.length : end);
      continue;
    }
    const head = await headBytes(packed);
    if (head < 0) return yield packed.fault ?? 'GZIP_DAMAGED';
    writer.begin();
    writer.addPacked(packed.take(head));
    const check = { sum: 0, size: 0 };
    for await (const piece of inflated(packed, writer)) {
      if (typeof piece === 'string') return yield piece;
      check.sum = crc32(piece, check.sum);
      check.size = (check.size + piece.length) % 2 ** 32;
      writer.addUnpacked(piece.length);
      yield piece;
    }
    if (!(await packed.has(TRAILER))) return yield packed.fault ?? 'GZIP_TRUNCATED';
    const trailer = packed.take(TRAILER);
    if (trailer.readUInt32LE(0) !== check.sum || trailer.readUInt32LE(4) !== check.size)
      return yield 'GZIP_DAMAGED';
    writer.addPacked(trailer);
    writer.close();
  }
  if (packed.fault !== null) yield packed.fault;
}

/** How long the header of a member is; -1: it is none, or cut off. */
async function headBytes(packed: PackedBytes): Promise<number> {
  if (!(await packed.has(FIXED))) return -1;
  const { held } = packed;
  if (held[0] !== 0x1f || held[1] !== 0x8b || held[2] !== 8) return -1;
  const flags = held[3]!;
  let at = FIXED;
  if ((flags & FLAGS.extra) !== 0) {
    if (!(await packed.has(at + 2))) return -1;
    at += 2 + packed.held.readUInt16LE(at);
  }
  for (const flag of [FLAGS.name, FLAGS.comment]) {
    if ((flags & flag) === 0) continue;
    let end = packed.held.indexOf(0, at);
    while (end < 0 && (await packed.more())) end = packed.held.indexOf(0, at);
    if (end < 0) return -1;
    at = end + 1;
  }
  if ((flags & FLAGS.headerCrc) !== 0) at += 2;
  return (await packed.has(at)) ? at : -1;
}

/** Packed bytes given to zlib at a time. */
const FEED = 64 << 10;

/** Unpacks one stream of deflate; what follows it stays held. */
async function* inflated(packed: PackedBytes, writer: MemberWriter): UnpackedMembers {
  const inflate = createInflateRaw({ chunkSize: 64 << 10 });
  const state: Inflating = { out: [], ended: false, failed: false };
  inflate.on('data', (piece: Buffer) => state.out.push(piece));
  inflate.on('end', () => {
    state.ended = true;
  });
  inflate.on('error', () => {
    state.failed = true;
  });
  try {
    let used = 0;
    while (!state.ended) {
      if (!(await packed.has(1))) return yield packed.fault ?? 'GZIP_TRUNCATED';
      const fed = packed.held.subarray(0, FEED);
      await feed(inflate, fed, state);
      if (state.failed) return yield 'GZIP_DAMAGED';
      const taken = inflate.bytesWritten - used;
      used = inflate.bytesWritten;
      writer.addPacked(packed.take(taken));
      yield* state.out.splice(0);
      // Behind the end of the stream zlib takes nothing.
      if (taken < fed.length) return;
    }
  } finally {
    inflate.destroy();
  }
}

interface Inflating {
  readonly out: Buffer[];
  ended: boolean;
  failed: boolean;
}

/** Waits until zlib has taken what it is given, has ended or failed. */
function feed(inflate: InflateRaw, bytes: Uint8Array, state: Inflating): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      inflate.off('end', settle);
      inflate.off('error', settle);
      resolve();
    };
    inflate.once('end', settle);
    inflate.once('error', settle);
    if (state.ended) settle();
    else inflate.write(bytes, () => settle());
  });
}
