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
  return {
    writeNarrowSlots(wide, slots, at) {
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
