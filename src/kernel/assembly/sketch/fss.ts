/** Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017); src/sketch/schemes/fss.ts shows the rounds. */
import { binOf, lowerSlot, mixedHigh } from './mixing';

/** The round that has a value for every slot: after it no slot is empty. */
const FULL_ROUND: u32 = 127;

/** Round 0 uses the bits of the hashes unmixed. */
function firstRound(signature: usize, slots: u64, hashes: usize, end: usize): void {
  for (; hashes < end; hashes += 8) {
    lowerSlot(signature, binOf(<u64>load<u32>(hashes, 4), slots), load<u32>(hashes) >> 1);
  }
}

/**
 * One of rounds 1..126: a product with the round's odd constant. Four products are computed before a slot is lowered, because a
 * processor does not move a load before a store whose address is not known yet.
 */
function laterRound(
  signature: usize,
  slots: u64,
  hashes: usize,
  end: usize,
  least: u32,
  constant: u64,
): void {
  const fours = end - 24;
  for (; hashes < fours; hashes += 32) {
    const first = load<u64>(hashes) * constant;
    const second = load<u64>(hashes, 8) * constant;
    const third = load<u64>(hashes, 16) * constant;
    const fourth = load<u64>(hashes, 24) * constant;
    const a = binOf(first >> 32, slots);
    const b = binOf(second >> 32, slots);
    const c = binOf(third >> 32, slots);
    const d = binOf(fourth >> 32, slots);
    lowerSlot(signature, a, least | (<u32>first >> 8));
    lowerSlot(signature, b, least | (<u32>second >> 8));
    lowerSlot(signature, c, least | (<u32>third >> 8));
    lowerSlot(signature, d, least | (<u32>fourth >> 8));
  }
  for (; hashes < end; hashes += 8) {
    const mixed = load<u64>(hashes) * constant;
    lowerSlot(signature, binOf(mixed >> 32, slots), least | (<u32>mixed >> 8));
  }
}

/** Round 127: a value for every slot, so that even a set of one element fills 1024 slots. */
function fullRound(signature: usize, slots: u32, hashes: usize, end: usize, step: u64): void {
  for (; hashes < end; hashes += 8) {
    // The sequence of an element starts at 128 * step, after the product of step with any round number.
    let state = load<u64>(hashes) + (step << 7);
    for (let slot: u32 = 0; slot < slots; slot++) {
      lowerSlot(signature, slot, 0xff000000 | min<u32>(mixedHigh(state) >> 8, 0xfffffe));
      state += step;
    }
  }
}

/**
 * The first group of four slots, from `at` on, with a slot >= `least`, which is still to be lowered; `end` if there is none.
 */
function firstOpen(at: usize, end: usize, least: u32): usize {
  const bound = i32x4.splat(least);
  while (at < end && !v128.any_true(i32x4.ge_u(v128.load(at), bound))) at += 16;
  return at;
}

/** With this many hashes per slot, slots are open after the first round only if few hashes are distinct. */
const MANY: u32 = 8;

/** Maximum number of distinct hashes in the list, and slots of its table: more distinct hashes fill the signature in few rounds. */
const MOST_DISTINCT: u32 = 4096;
const PLACES: u32 = 2 * MOST_DISTINCT;
const TABLE: usize = memory.data(<i32>(PLACES << 3), 8);
const LIST: usize = memory.data(<i32>(MOST_DISTINCT << 3), 8);

/** Lists the distinct hashes; returns their number, or 0 if there are too many. Places that are 0 are free. */
function listDistinct(hashes: usize, end: usize): u32 {
  memory.fill(TABLE, 0, <usize>(PLACES << 3));
  let distinct: u32 = 0;
  let hasZero = false;
  for (; hashes < end; hashes += 8) {
    const hash = load<u64>(hashes);
    if (hash === 0) {
      if (hasZero) continue;
      hasZero = true;
    } else {
      let place = <u32>hash & (PLACES - 1);
      let found = load<u64>(TABLE + ((<usize>place) << 3));
      while (found !== 0 && found !== hash) {
        place = (place + 1) & (PLACES - 1);
        found = load<u64>(TABLE + ((<usize>place) << 3));
      }
      if (found === hash) continue;
      store<u64>(TABLE + ((<usize>place) << 3), hash);
    }
    if (distinct === MOST_DISTINCT) return 0;
    store<u64>(LIST + ((<usize>distinct) << 3), hash);
    distinct++;
  }
  return distinct;
}

/**
 * Lowers `slots` slots by `count` hashes. `constants`: 127 u64, of rounds 1..126 and the step of the full
 * round. The slots up to the next multiple of four must be 0 (never open): groups of four are tested as a
 * whole.
 */
export function fssUpdate(signature: usize, slots: u32, hashes: usize, count: u32, constants: usize): void {
  if (count === 0) return;
  let end = hashes + ((<usize>count) << 3);
  const signatureEnd = signature + ((<usize>slots) << 2);
  firstRound(signature, slots, hashes, end);
  let open = signature;
  for (let round: u32 = 1; round <= FULL_ROUND; round++) {
    const least: u32 = 0x80000000 | (round << 24);
    // A group below the smallest value of a round is below all values of later rounds, so the search never moves back.
    open = firstOpen(open, signatureEnd, least);
    if (open >= signatureEnd) return;
    if (round === 1 && count >= MANY * slots) {
      // Otherwise a repetitive text would process all its hashes in every round.
      const distinct = listDistinct(hashes, end);
      if (distinct !== 0) {
        hashes = LIST;
        end = LIST + ((<usize>distinct) << 3);
      }
    }
    const constant = load<u64>(constants + ((<usize>(round - 1)) << 3));
    if (round < FULL_ROUND) laterRound(signature, slots, hashes, end, least, constant);
    else fullRound(signature, slots, hashes, end, constant);
  }
}
