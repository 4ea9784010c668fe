/**
 * Agreements of many pairs in the kernel: the signatures of a task's documents are copied in, each once.
 *
 * Floor 1. Signatures lie in shared blocks that the kernel cannot see. As long as there is room for those of
 * every document, they stay from call to call; else each batch of pairs begins with none.
 */
import type { AgreeingPairs, Pairs, SignatureBlocks } from '../sketch/pairs.js';
import type { KernelMemory } from './wasmMemory.js';
import { distinctRooms, placeDistinct, totalOf } from './wasmPairs.js';
import type { KernelRooms } from './wasmRooms.js';

/** Most bytes of signatures in a kernel: those of 131,072 documents with 128 slots. */
const MOST_SIGNATURE_BYTES = 64 * 2 ** 20;

/** All signatures are copied for a task with at least a fourth as many pairs as there are documents. */
const ALL_FROM = 4;

/** A pair begins only where there is room for both of its documents. */
const A_PAIR = 2;

export type AgreeingFunction = (
  lists: readonly Pairs[],
  known: readonly Pairs[],
  signatures: SignatureBlocks,
  least: number,
) => AgreeingPairs;

/** The room for signatures, and which documents are in it. */
class SignatureRoom {
  /** Addresses: by document its row from 1 on; by row its document; the rows. */
  readonly rows: number;
  readonly fresh: number;
  readonly slots: number;
  readonly capacity: number;
  /** Whether every column has room, so that what is here can stay. */
  readonly holdsAll: boolean;
  /** Rows taken one by one. */
  given = 0;
  /** All signatures are here. */
  private filled = false;
  readonly signatures: SignatureBlocks;
  private readonly memory: KernelMemory;

  constructor(memory: KernelMemory, signatures: SignatureBlocks) {
    const { blocks, blockOf, stride, copied } = signatures;
    const most = Math.floor(Math.min(copied ?? MOST_SIGNATURE_BYTES, MOST_SIGNATURE_BYTES) / (4 * stride));
    // Blocks hold columns of documents left out, too.
    const columns = blocks.reduce((sum, block) => sum + block.length / stride, 0);
    this.memory = memory;
    this.signatures = signatures;
    this.holdsAll = columns <= most;
    this.capacity = Math.min(most, columns) + A_PAIR;
    this.rows = memory.allocate(4 * blockOf.length);
    this.fresh = memory.allocate(4 * this.capacity);
    // Pages of it that no signature comes to cost nothing.
    this.slots = memory.allocate(4 * stride * this.capacity);
  }

  clear(): void {
    this.memory.call.takeRows!(this.fresh, this.given, this.rows);
    this.given = 0;
  }

  /**
   * Copies in all signatures, block by block, where there is room for them and `pairs` are so many that most
   * will be asked for: a third of the time of as many single ones.
   */
  fillAll(pairs: number): void {
    const { blocks, blockOf, columnOf, stride } = this.signatures;
    if (this.filled || !this.holdsAll || ALL_FROM * pairs < blockOf.length) return;
    this.filled = true;
    const { words } = this.memory;
    const firsts = new Uint32Array(blocks.length);
    let row = 0;
    for (let k = 0; k < blocks.length; k++) {
      words.set(blocks[k]!, this.slots / 4 + row * stride);
      firsts[k] = row + 1;
      row += blocks[k]!.length / stride;
    }
    const at = this.rows / 4;
    for (let d = 0; d < blockOf.length; d++) words[at + d] = firsts[blockOf[d]!]! + columnOf[d]!;
  }

  /** Copies in the signatures of rows [from, given). */
  fill(from: number): void {
    const { blocks, blockOf, columnOf, stride } = this.signatures;
    const { words } = this.memory;
    let to = this.slots / 4 + from * stride;
    for (let row = from; row < this.given; row++) {
      const document = words[this.fresh / 4 + row]!;
      const at = columnOf[document]! * stride;
      // A view and a call; copying word by word takes twice as long.
      words.set(blocks[blockOf[document]!]!.subarray(at, at + stride), to);
      to += stride;
    }
  }
}

/** `agreeingPairs` of reducers/verifiedPairs.ts in this memory; the result is valid until the next call. */
export function createWasmAgreeingPairs(memory: KernelMemory, arena: KernelRooms): AgreeingFunction {
  const { call } = memory;
  const state = memory.allocate(4);
  let room: SignatureRoom | null = null;
  return (lists, known, signatures, least) => {
    if (room?.signatures !== signatures) room = new SignatureRoom(memory, signatures);
    const total = totalOf(lists);
    const rooms = arena.rooms(...distinctRooms(lists, known), 2 * total, total);
    const { a, b, count } = placeDistinct(memory, rooms, lists, known);
    const [agreementAt, acceptedAt] = rooms.slice(-2) as [number, number];
    const { stride, hashes } = signatures;
    const { words, bytes } = memory;
    room.fillAll(count);
    for (let from = 0; from < count; ) {
      if (!room.holdsAll) room.clear();
      const { rows, fresh, given, capacity, slots } = room;
      const to = call.giveRows!(a, b, from, count, rows, fresh, given, capacity, state);
      room.given = words[state / 4]!;
      room.fill(given);
      call.agreements!(a, b, from, to, rows, slots, stride, hashes, least, agreementAt, acceptedAt);
      from = to;
    }
    return {
      a: words.subarray(a / 4, a / 4 + count),
      b: words.subarray(b / 4, b / 4 + count),
      count,
      agreement: new Uint16Array(bytes.buffer, agreementAt, count),
      accepted: bytes.subarray(acceptedAt, acceptedAt + count),
    };
  };
}
