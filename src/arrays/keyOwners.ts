/**
 * The 64-bit keys of many sets, and for each key its owners: the sets that have it.
 *
 *      keys             u32 x 2   distinct keys, numbered from 0 in the order of their first set
 *      places           u32       hash table: number + 1 of the key at a place (FingerprintTable)
 *      bits             u32       filter of the keys that have owners: two bits in the word that the low half selects
 *      offsets, owners  u32       the owners of key n are owners[offsets[n] .. offsets[n + 1])
 *      starts, members  u32       the keys of set s are members[starts[s] .. starts[s + 1]), those with the fewest owners first
 *
 * The columns are plain arrays, so threads share one copy of them.
 */
import { Uint32Column } from './growable.js';
import { FingerprintTable } from './hashTable.js';
import { sortUnique64 } from './sort.js';

export type KeyOwnerColumns = Readonly<
  Record<'keys' | 'places' | 'bits' | 'offsets' | 'owners' | 'starts' | 'members', Uint32Array>
>;

/** Maximum number of keys per word of the filter. At most one in 20 absent keys passes it; a million keys take 1 MB. */
const KEYS_PER_WORD = 4;

/** The two bits of a key in its word of the filter. */
const bitsOf = (high: number): number => (1 << (high & 31)) | (1 << ((high >>> 5) & 31));

/**
 * @param sets keys as pairs (low, high), in any order, with repetitions; they are not changed
 * @param owned by the number of distinct keys of a set, how many of them have the set as an owner, starting with the rarest keys
 */
export function keyOwnerColumns(
  sets: Iterable<Uint32Array>,
  owned = (size: number): number => size,
): KeyOwnerColumns {
  const table = new FingerprintTable();
  const members = new Uint32Column();
  const starts = new Uint32Column();
  starts.push(0);
  for (const set of sets) {
    const distinct = set.slice();
    const size = sortUnique64(distinct, distinct.length / 2);
    for (let i = 0; i < 2 * size; i += 2) members.push(table.add(distinct[i]!, distinct[i + 1]!));
    starts.push(members.length);
  }
  const frequency = new Uint32Array(table.size);
  for (const key of members.view) frequency[key]!++;
  const offsets = new Uint32Array(table.size + 1);
  const eachOwned = (visit: (key: number, set: number) => void): void => {
    for (let set = 0; set + 1 < starts.length; set++) {
      const keys = members.view.subarray(starts.view[set]!, starts.view[set + 1]!);
      for (const key of keys.subarray(0, owned(keys.length))) visit(key, set);
    }
  };
  for (let set = 0; set + 1 < starts.length; set++)
    members.view
      .subarray(starts.view[set]!, starts.view[set + 1]!)
      .sort((x, y) => frequency[x]! - frequency[y]! || x - y);
  eachOwned((key) => {
    offsets[key + 1]!++;
  });
  for (let key = 0; key < table.size; key++) offsets[key + 1]! += offsets[key]!;
  const owners = new Uint32Array(offsets[table.size]!);
  const next = offsets.slice();
  eachOwned((key, set) => {
    owners[next[key]!++] = set;
  });
  let withOwners = 0;
  for (let key = 0; key < table.size; key++) if (offsets[key + 1]! > offsets[key]!) withOwners++;
  let words = 64;
  while (KEYS_PER_WORD * words < withOwners) words *= 2;
  const bits = new Uint32Array(words);
  for (let key = 0; key < table.size; key++)
    if (offsets[key + 1]! > offsets[key]!)
      bits[table.keys[2 * key]! & (words - 1)]! |= bitsOf(table.keys[2 * key + 1]!);
  return {
    keys: table.keys.subarray(0, 2 * table.size),
    places: table.places,
    ...{ bits, offsets, owners, starts: starts.view, members: members.view },
  };
}

/** Looks up keys in these columns. */
export class KeyOwners {
  /** Number of distinct keys. */
  readonly size: number;
  /** Number of sets. */
  readonly sets: number;
  readonly offsets: Uint32Array;
  readonly owners: Uint32Array;
  readonly starts: Uint32Array;
  readonly members: Uint32Array;
  private readonly table: FingerprintTable;
  private readonly bits: Uint32Array;

  constructor({ keys, places, bits, offsets, owners, starts, members }: KeyOwnerColumns) {
    this.size = keys.length / 2;
    this.sets = starts.length - 1;
    this.offsets = offsets;
    this.owners = owners;
    this.starts = starts;
    this.members = members;
    this.table = FingerprintTable.over(keys, places);
    this.bits = bits;
  }

  /** Calls `visit` with the number of each of the first `count` keys that has owners, once per occurrence. */
  eachOwned(hashes: Uint32Array, count: number, visit: (key: number) => void): void {
    const { bits, table } = this;
    const mask = bits.length - 1;
    for (let i = 0; i < 2 * count; i += 2) {
      const wanted = bitsOf(hashes[i + 1]!);
      if ((bits[hashes[i]! & mask]! & wanted) !== wanted) continue;
      const key = table.numberOf(hashes[i]!, hashes[i + 1]!);
      if (key >= 0) visit(key);
    }
  }

  /** The number of a key; -1 if no set has it. */
  numberOf(low: number, high: number): number {
    return this.table.numberOf(low, high);
  }

  /** The number of distinct keys of a set. */
  sizeOf(set: number): number {
    return this.starts[set + 1]! - this.starts[set]!;
  }
}

/** Initial capacity: fewer keys than this are not deduplicated until they are counted. */
const FIRST_ROOM = 1 << 14;

/** Counts the distinct keys of one set at a time. Takes 8 bytes per distinct key of the largest set. */
export class DistinctKeys {
  /** Number of keys, perhaps with repetitions. */
  held = 0;
  private hashes = new Uint32Array(2 * FIRST_ROOM);

  clear(): void {
    this.held = 0;
  }

  /** Adds the first `count` keys; removes repetitions before memory grows. */
  add(hashes: Uint32Array, count: number): void {
    if (2 * (this.held + count) > this.hashes.length) this.makeRoom(count);
    this.hashes.set(hashes.subarray(0, 2 * count), 2 * this.held);
    this.held += count;
  }

  /** Sorts the keys as unsigned numbers and drops repetitions; returns how many remain. */
  distinct(): number {
    this.held = sortUnique64(this.hashes, this.held);
    return this.held;
  }

  /** The keys: a view, valid until the next call of `add`. */
  get view(): Uint32Array {
    return this.hashes.subarray(0, 2 * this.held);
  }

  private makeRoom(count: number): void {
    this.distinct();
    if (4 * (this.held + count) <= this.hashes.length) return;
    const larger = new Uint32Array(4 * (this.held + count));
    larger.set(this.view);
    this.hashes = larger;
  }
}
