/** Computes 16-bit slots and band keys in the kernel, as src/sketch/slots.ts does. */
import type { Kernel } from './kernel.js';
import type { KernelMemory } from './wasmMemory.js';

/** Slots per call, which fit into the L2 cache. */
const SLOTS_AT_A_TIME = 1 << 15;

/** Memory is allocated at once, because growth during a call would detach signatures that are views of kernel memory. */
export function createWasmSlotWriter(memory: KernelMemory): Kernel['slotWriter'] {
  const { call } = memory;
  const room = memory.allocate(4 * SLOTS_AT_A_TIME);
  const out = memory.allocate(2 * SLOTS_AT_A_TIME);
  // A band has at least one slot.
  const keyRoom = memory.allocate(4 * SLOTS_AT_A_TIME);
  return {
    writeSignatures(wide, stride, { bands, rows }, slots, keys, row) {
      const isHere = memory.holds(wide);
      const total = slots.length / stride;
      const most = Math.floor(SLOTS_AT_A_TIME / stride);
      for (let from = 0; from < wide.length; from += most * stride) {
        const length = Math.min(most * stride, wide.length - from);
        const count = length / stride;
        if (!isHere) memory.words.set(wide.subarray(from, from + length), room / 4);
        const at = isHere ? wide.byteOffset + 4 * from : room;
        call.shrinkSignatures!(at, count, stride, bands, rows, out, keyRoom);
        slots.set(new Uint16Array(memory.bytes.buffer, out, length), row * stride + from);
        const { words } = memory;
        const first = row + from / stride;
        for (let band = 0, word = keyRoom / 4; band < bands; band++)
          for (let i = band * total + first, end = i + count; i < end; i++) keys[i] = words[word++]!;
      }
    },
    writeBandKeys(slots, stride, { bands, rows }, keys) {
      const count = slots.length / stride;
      const most = Math.floor(SLOTS_AT_A_TIME / stride);
      for (let first = 0; first < count; first += most) {
        const some = Math.min(most, count - first);
        const copied = new Uint16Array(memory.bytes.buffer, room, some * stride);
        copied.set(slots.subarray(first * stride, (first + some) * stride));
        for (let band = 0; band < bands; band++) {
          call.slotKeys!(room + 2 * band * rows, some, 2 * stride, rows, band, out);
          keys.set(memory.wordsAt(out, some), band * count + first);
        }
      }
    },
  };
}
