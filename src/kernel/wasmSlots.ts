/** Computes 16-bit slots and band keys in the kernel, as src/sketch/slots.ts does. */
import type { Kernel } from './kernel.js';
import type { KernelMemory, KernelRooms } from './wasmMemory.js';

/** Slots per call: their bytes stay in the second cache. */
const SLOTS_AT_A_TIME = 1 << 17;

export function createWasmSlotWriter(memory: KernelMemory, rooms: KernelRooms): Kernel['slotWriter'] {
  const { call } = memory;
  return {
    writeNarrowSlots(wide, slots, at) {
      const [room, out] = rooms.rooms(4 * SLOTS_AT_A_TIME, 2 * SLOTS_AT_A_TIME);
      const isHere = memory.holds(wide);
      for (let from = 0; from < wide.length; from += SLOTS_AT_A_TIME) {
        const count = Math.min(SLOTS_AT_A_TIME, wide.length - from);
        if (!isHere) memory.words.set(wide.subarray(from, from + count), room / 4);
        call.shrinkSlots!(isHere ? wide.byteOffset + 4 * from : room, count, out);
        slots.set(new Uint16Array(memory.bytes.buffer, out, count), at + from);
      }
    },
    writeBandKeys(slots, stride, { bands, rows }, keys) {
      const count = slots.length / stride;
      const most = Math.floor(SLOTS_AT_A_TIME / stride);
      const [room, out] = rooms.rooms(2 * stride * most, 4 * most);
      for (let first = 0; first < count; first += most) {
        const some = Math.min(most, count - first);
        const held = new Uint16Array(memory.bytes.buffer, room, some * stride);
        held.set(slots.subarray(first * stride, (first + some) * stride));
        for (let band = 0; band < bands; band++) {
          call.slotKeys!(room + 2 * band * rows, some, 2 * stride, rows, band, out);
          keys.set(memory.wordsAt(out, some), band * count + first);
        }
      }
    },
  };
}
