/** One permutation hashing with optimal densification; src/sketch/schemes/oph.ts says why and when. */
import { binOf, lowerSlot } from './mixing';

const EMPTY_SLOT: u32 = 0xffffffff;

/** MurmurHash3's 32-bit finaliser. */
function finalise32(value: u32): u32 {
  value = (value ^ (value >> 16)) * 0x85ebca6b;
  value = (value ^ (value >> 13)) * 0xc2b2ae35;
  return value ^ (value >> 16);
}

/** Lowers `slots` slots by `count` hashes: the high half chooses the slot, the low half is the value. */
export function ophUpdate(signature: usize, slots: u32, hashes: usize, count: u32): void {
  const bins = <u64>slots;
  for (const end = hashes + ((<usize>count) << 3); hashes < end; hashes += 8) {
    const value = min<u32>(load<u32>(hashes), 0xfffffffe);
    lowerSlot(signature, binOf(<u64>load<u32>(hashes, 4), bins), value);
  }
}

/**
 * Fills every empty slot with the value of the first slot it tries that was not empty before. `donors`: a u64
 * a slot, its odd stride (low half) and start. `raw`: room for `slots` slots, the signature before.
 */
export function ophDensify(signature: usize, slots: u32, donors: usize, raw: usize): void {
  const bins = <u64>slots;
  let filled: u32 = 0;
  let last: u32 = 0;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const value = load<u32>(signature + ((<usize>slot) << 2));
    store<u32>(raw + ((<usize>slot) << 2), value);
    if (value === EMPTY_SLOT) continue;
    filled++;
    last = value;
  }
  if (filled === 0 || filled === slots) return;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const offset = (<usize>slot) << 2;
    let value = load<u32>(raw + offset);
    // With one full slot all attempts end there; finding it by trying would take a million attempts for 1024
    // slots.
    if (filled === 1) value = last;
    const donor = donors + ((<usize>slot) << 3);
    const stride = load<u32>(donor);
    for (let state = load<u32>(donor, 4); value === EMPTY_SLOT; state += stride) {
      value = load<u32>(raw + ((<usize>binOf(<u64>finalise32(state), bins)) << 2));
    }
    store<u32>(signature + offset, value);
  }
}
