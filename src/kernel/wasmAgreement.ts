/**
 * Agreements of many pairs in the kernel: the signatures of a task's documents are copied in, each once.
 *
 * Floor 1. Signatures lie in shared blocks that the kernel cannot see. As long as there is room for those of
 * every document, they stay from call to call; else each batch of pairs begins with none.
 */
import type { AgreeingPairs, Pairs, SignatureBlocks } from '../sketch/pairs.js';
import type { KernelArena } from './wasmArena.js';
import type { KernelMemory } from './wasmMemory.js';
import { distinctRooms, placeDistinct, totalOf } from './wasmPairs.js';

/** Most bytes of signatures in a kernel: those of 131,072 documents with 128 slots. */
const MOST_SIGNATURE_BYTES = 64 * 2 ** 20;

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
  /** Rows taken. */
  given = 0;
  readonly signatures: SignatureBlocks;
  private readonly memory: KernelMemory;

  constructor(memory: KernelMemory, signatures: SignatureBlocks) {
    const { blockOf, stride } = signatures;
    const most = Math.floor(MOST_SIGNATURE_BYTES / (4 * stride));
    this.memory = memory;
    this.signatures = signatures;
    this.capacity = Math.min(most, blockOf.length) + A_PAIR;
    this.rows = memory.allocate(4 * blockOf.length);
    this.fresh = memory.allocate(4 * this.capacity);
    // Pages of it that no signature comes to cost nothing.
    this.slots = memory.allocate(4 * stride * this.capacity);
  }

  /** Whether every document has room, so that what is here can stay. */
  get holdsAll(): boolean {
    return this.capacity >= this.signatures.blockOf.length + A_PAIR;
  }

  clear(): void {
    this.memory.call.takeRows!(this.fresh, this.given, this.rows);
    this.given = 0;
  }

  /** Copies in the signatures of rows [from, given). */
  fill(from: number): void {
    const { blocks, blockOf, columnOf, stride } = this.signatures;
    const { words } = this.memory;
    let to = this.slots / 4 + from * stride;
    for (let row = from; row < this.given; row++) {
      const document = words[this.fresh / 4 + row]!;
      const slots = blocks[blockOf[document]!]!;
      const at = columnOf[document]! * stride;
      // Word by word: a view and a call for half a kilobyte cost twice as much as the words.
      for (let slot = 0; slot < stride; slot++) words[to + slot] = slots[at + slot]!;
      to += stride;
    }
  }
}

/** `agreeingPairs` of reducers/verifiedPairs.ts in this memory; the result is valid until the next call. */
export function createWasmAgreeingPairs(memory: KernelMemory, arena: KernelArena): AgreeingFunction {
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
