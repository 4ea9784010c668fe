/**
 * Stages that compare the shingle sets of pairs, tile by tile: a tile is some of the earlier documents of pairs, by their content.
 *
 *      set         --tileSets--> tiled     once for every tile with pairs of it
 *      unverified  --tilePairs-> evidence  the sets of a tile are held, those of later documents stream by
 *
 * A task holds one set or one range of a set that is split (largeSets.ts); then those of a tile, about TILE ranges, beside BLOCK bytes
 * of sets of later documents, at least one: a document with a million partners, or of any length, needs no more memory than another.
 * Where a set of a pair is split, both are compared range by range, and the sizes are added up.
 */

import { PIECE_BYTES } from '../../../mappers/shingleSets.js';
import {
  type CommonSizes,
  commonSizes,
  evidenceOfSizes,
  type PairEvidence,
} from '../../../reducers/exactPairs.js';
import { ByteColumn, Float64Column, Uint32Column } from '../../arrays/growable.js';
import { newArray } from '../../arrays/ownPages.js';
import { sortUnique64 } from '../../arrays/sort.js';
import type { Pairs } from '../../blocks/pairs.js';
import { pairBytes } from '../stream/crossing.js';
import { EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, PLACE, RANK } from '../stream/kinds.js';
import { hasNoHash, isInRange, LargeSets, NO_HASH, SIZES } from '../stream/largeSets.js';
import {
  compareKeys,
  FieldWriter,
  f64At,
  type RecordSource,
  type StageSink,
  sharesPrefix,
  u32At,
  u64At,
} from '../stream/records.js';
import { mapOf, type StagePlace, type StreamStage, withoutKind } from '../stream/stage.js';
import { WITHOUT_SET } from './withdrawnStages.js';

/** Bytes of the sets of later documents, and most pairs, that are compared together; and pairs that a Map groups. */
const BLOCK = 2 ** 23;
const PAIRS = 2 ** 17;
const GROUPED = 2 ** 15;
/** A tile has about as many hashes as so many ranges. */
const TILE = 2;

/** Place and range, by which sets and the tiles that want them meet. */
const RANGED = PLACE + 2;
/** Tags after place and range: the set of a document comes before the tiles that want it. */
const OWN = 0;
const WANTED = 1;
/** Tile u32 and range u16 of the earlier document, by which the sets of pairs meet. */
const TILED = 6;
/** After tile and range: the sets of earlier documents come before those of later ones, each of which its pairs follow. */
const EARLIER = 0;
const LATER = 1;
/** In a key of `tiled`, without kind: the document's part in pairs u8, rank u64, range u16; then a tag where pairs follow. */
const RANK_AT = TILED + 1;
const TAG_AT = RANK_AT + RANK + 2;
const A_SET = 0;
const ITS_PAIRS = 1;
const AGREEMENT = 8;
/** How many tiles sets of so many hashes have. */
export const tilesOf = (hashes: number, rangeHashes: number): number =>
  Math.max(1, Math.ceil(hashes / (TILE * rangeHashes)));

/** The pairs whose sets must be compared, range by range. */
class PairParts {
  a = 0;
  b = 0;
  agreement = 0;
  /** The tile of a. */
  tile = 0;
  /** The range of both sets, of 2^bits; and those ranges of the two sets that have it. */
  range = 0;
  bits = 0;
  ofA = 0;
  ofB = 0;
  private readonly reader: EvidenceReader;
  private readonly large: LargeSets;
  private readonly tiles: number;

  constructor(here: StagePlace) {
    this.reader = new EvidenceReader(here.manifest.params);
    this.large = LargeSets.from(here);
    this.tiles = here.manifest.tiles;
  }

  /** Calls `take` for every range of the pair. */
  each(record: RecordSource, take: () => void): void {
    const { reader, large, tiles } = this;
    const { value } = record;
    reader.readCompared(record);
    this.a = reader.a;
    this.b = reader.b;
    this.agreement = reader.agreement;
    // The first bytes of a content key spread documents evenly.
    this.tile = u32At(value, AGREEMENT + PLACE - 4) % tiles;
    const [bitsOfA, bitsOfB] = [large.bitsAt(value, AGREEMENT), large.bitsAt(value, AGREEMENT + PLACE)];
    const bits = Math.max(bitsOfA, bitsOfB);
    this.bits = bits;
    for (this.range = 0; this.range < 2 ** bits; this.range++) {
      this.ofA = this.range >>> (bits - bitsOfA);
      this.ofB = this.range >>> (bits - bitsOfB);
      take();
    }
  }
}

/** Places in a table of wishes that were written. */
const KNOWN_BITS = 12;

/** Says that tiles want sets; most of the wishes that were written before are left out. */
class Wishes {
  private readonly ranks = new Float64Array(2 ** KNOWN_BITS).fill(-1);
  private readonly tiles = new Float64Array(2 ** KNOWN_BITS);
  private readonly out: StageSink;

  constructor(out: StageSink) {
    this.out = out;
  }

  /** `place`, `range`: of the wanted set, that of the document `rank`. */
  put(rank: number, place: Uint8Array, at: number, range: number, role: number, pair: PairParts): void {
    const { ranks, tiles, out } = this;
    const { tile, ofA, bits } = pair;
    const wish = 2 * tile + role;
    const slot = (Math.imul(rank, 0x9e3779b1) ^ Math.imul(wish, 0x85ebca6b)) >>> (32 - KNOWN_BITS);
    if (bits === 0 && ranks[slot] === rank && tiles[slot] === wish) return;
    if (bits === 0) {
      ranks[slot] = rank;
      tiles[slot] = wish;
    }
    out.key
      .raw(place, at, at + PLACE)
      .u16(range)
      .u8(WANTED);
    out.key.u32(tile).u16(ofA).u8(role);
    out.value.u64(rank);
    out.write();
  }
}

/** set -> place, range, 0 / hashes; unverified -> place, range, 1, tile, range of a, part in the pair / rank: for both documents. */
function mapTileSets(input: RecordSource, out: StageSink, here: StagePlace): void {
  const pair = new PairParts(here);
  const wishes = new Wishes(out);
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.set) {
      out.key.tagged(key, RANGED, OWN);
      out.write(value);
    } else
      pair.each(input, () => {
        wishes.put(pair.a, value, AGREEMENT, pair.ofA, EARLIER, pair);
        wishes.put(pair.b, value, AGREEMENT + PLACE, pair.ofB, LATER, pair);
      });
  }
}

/** A set, or a range of one. */
class HeldSet {
  private buffer = newArray(Uint8Array, BLOCK);
  private length = 0;
  /** From so many bytes on, repeated hashes are dropped. */
  private most = BLOCK;

  /** Forgets the set. */
  clear(): void {
    this.length = 0;
    this.most = BLOCK;
  }

  /** Takes a record of the set. */
  take(value: Uint8Array): void {
    const hashes = hasNoHash(value) ? value.subarray(1) : value;
    const needed = this.length + hashes.length;
    if (needed > this.buffer.length) {
      const known = this.length === 0 ? new Uint8Array(0) : this.view.slice();
      // Releases the old buffer first: there may be no room for both.
      this.buffer = new Uint8Array(0);
      this.buffer = newArray(Uint8Array, known.length === 0 ? needed : 2 * needed);
      this.buffer.set(known);
    }
    this.buffer.set(hashes, this.length);
    const isFirst = this.length === 0;
    this.length = needed;
    if (isFirst || needed <= this.most) return;
    // A shingle that a text repeats without end is in one range.
    const words = new Uint32Array(this.buffer.buffer, 0, this.length / 4);
    this.length = 8 * sortUnique64(words, words.length / 2);
    this.most = Math.max(BLOCK, 2 * this.length);
  }

  /** The hashes. */
  get view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}

/** Brings every set to the tiles that compare it, once to each. */
export const tileSets: StreamStage = {
  kinds: [KINDS.set, KINDS.unverified],
  shuffles: ['place', 'range'],
  prefix: RANGED,
  map: mapTileSets,
  reduce(input, out, { facts }) {
    const [set, last] = [new HeldSet(), new FieldWriter()];
    while (input.group()) {
      set.clear();
      let isHeld = false;
      while (input.each()) {
        const { key, value } = input;
        if (key[RANGED] === OWN) {
          set.take(value);
          isHeld = true;
        } else if (!isHeld) facts.add(WITHOUT_SET, 1);
        else if (compareKeys(key, last.view) !== 0) {
          last.reset().raw(key);
          putTiled(out, key, value, set.view);
        }
      }
    }
  },
};

/** Puts the records of a set for a tile that wants it. */
function putTiled(out: StageSink, wish: Uint8Array, rank: Uint8Array, hashes: Uint8Array): void {
  const key = out.key.kind(KINDS.tiled).raw(wish, RANGED + 1);
  key.raw(rank).raw(wish, PLACE, RANGED);
  if (wish[wish.length - 1] === LATER) key.u8(A_SET);
  // A range without a hash is there, too.
  if (hashes.length === 0) out.put(key.view, NO_HASH);
  for (let at = 0; at < hashes.length; at += PIECE_BYTES)
    out.put(key.view, hashes.subarray(at, Math.min(hashes.length, at + PIECE_BYTES)));
}

/** Pairs of a later document and a tile become one record, as far as they come near each other. */
class GroupedPairs {
  private readonly pair: PairParts;
  private readonly groups = new Uint32Array(2 * GROUPED);
  private readonly order = new Uint32Array(GROUPED);
  private readonly heads: Uint8Array;
  private readonly entries: Uint8Array;
  private readonly entry: number;
  private count = 0;
  private readonly out: StageSink;
  private readonly here: StagePlace;
  private readonly field = new FieldWriter();

  constructor(out: StageSink, here: StagePlace) {
    this.pair = new PairParts(here);
    this.out = out;
    this.here = here;
    this.entry = entryBytes(here);
    this.heads = new Uint8Array(GROUPED * HEAD);
    this.entries = new Uint8Array(GROUPED * this.entry);
  }

  add(record: RecordSource): void {
    const { pair } = this;
    const { key } = record;
    pair.each(record, () => {
      if (this.count === GROUPED) this.flush();
      const { tile, ofA, ofB, bits, range, a, b, agreement } = pair;
      const at = this.count++;
      this.groups[2 * at] = (b ^ (ofB << 16)) >>> 0;
      this.groups[2 * at + 1] = (tile ^ (ofA << 16)) >>> 0;
      const head = this.field.reset().u32(tile).u16(ofA).u8(LATER).u64(b).u16(ofB).u8(ITS_PAIRS);
      this.heads.set(head.view, HEAD * at);
      const entry = this.field.reset().u64(a).f64(agreement).u16(bits).u16(range);
      this.entries.set(entry.raw(key, KIND + 2 * RANK).view, this.entry * at);
    });
  }

  flush(): void {
    const { count, groups, order, heads, entries, entry, out } = this;
    for (let i = 0; i < count; i++) order[i] = i;
    this.here.kernel.sortByKey64(groups, order, count);
    for (let from = 0, to = 0; from < count; from = to) {
      const head = heads.subarray(HEAD * order[from]!, HEAD * (order[from]! + 1));
      out.key.raw(head);
      for (; to < count && isAt(head, heads, HEAD * order[to]!); to++)
        out.value.raw(entries, entry * order[to]!, entry * (order[to]! + 1));
      out.write();
    }
    this.count = 0;
  }
}

/** Bytes of the key of a record of pairs. */
const HEAD = TAG_AT + 1;
/** Offsets in the entry of a pair in such a record. */
const OF_ENTRY = { agreement: RANK, part: RANK + AGREEMENT, names: RANK + AGREEMENT + 4 } as const;

/** Bytes of the entry of a pair; with groups, the documents that stand for the pair are in it. */
const entryBytes = ({ manifest }: StagePlace): number =>
  OF_ENTRY.names + pairBytes(manifest.params) - 2 * RANK;

function isAt(bytes: Uint8Array, all: Uint8Array, at: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== all[at + i]) return false;
  return true;
}

/** tiled -> as it is; unverified -> tile, range of a, 1, b, range of b, 1 / entries (OF_ENTRY) of such pairs. */
function mapTilePairs(input: RecordSource, out: StageSink, here: StagePlace): void {
  const pairs = new GroupedPairs(out, here);
  while (input.next()) {
    const { key, value } = input;
    if (key[0] === KINDS.tiled) out.put(key.subarray(KIND), value);
    else pairs.add(input);
  }
  pairs.flush();
}

/** Moves the hashes of a range of 2^bits to the beginning; returns how many words they are. */
function keepRange(words: Uint32Array, bits: number, range: number): number {
  let kept = 0;
  for (let i = 0; i < words.length; i += 2) {
    if (!isInRange(words[i + 1]!, bits, range)) continue;
    words[kept++] = words[i]!;
    words[kept++] = words[i + 1]!;
  }
  return kept;
}

/** Sets one after the other, by number. */
class HeldSets {
  readonly offsets = new Float64Column();
  private words = new Uint32Column();

  constructor() {
    this.clear();
  }

  get hashes(): Uint32Array {
    return this.words.view;
  }

  get count(): number {
    return this.offsets.length - 1;
  }

  get bytes(): number {
    return 4 * this.words.length;
  }

  begin(): number {
    this.offsets.push(this.words.length / 2);
    return this.count - 1;
  }

  /** Adds hashes to the last set. */
  append(hashes: Uint8Array): void {
    const words = this.words.extend(hashes.length / 4);
    new Uint8Array(words.buffer, words.byteOffset, words.byteLength).set(hashes);
    this.offsets.view[this.count] = this.words.length / 2;
  }

  bytesOf(set: number): Uint8Array {
    const own = this.hashes.slice(2 * this.offsets.view[set]!, 2 * this.offsets.view[set + 1]!);
    return new Uint8Array(own.buffer);
  }

  /** Adds the hashes of a set in a range of 2^bits, as a set; returns its number. */
  addRange(of: HeldSets, set: number, bits: number, range: number): number {
    const own = of.bytesOf(set);
    const kept = keepRange(new Uint32Array(own.buffer), bits, range);
    const number = this.begin();
    this.append(own.subarray(0, 4 * kept));
    return number;
  }

  clear(): void {
    // After a set far above the bound, release the memory.
    if (this.bytes > 2 * BLOCK) this.words = new Uint32Column();
    this.words.truncate(0);
    this.offsets.truncate(0);
    this.offsets.push(0);
  }
}

/** Writes the evidence of row `i`. `head`: the pair and the agreement. */
function writeEvidence(
  out: StageSink,
  { facts }: StagePlace,
  head: Uint8Array,
  { jaccard, containmentAB, containmentBA, accepted }: PairEvidence,
  i: number,
): void {
  const pair = head.length - AGREEMENT;
  out.key.kind(KINDS.evidence).raw(head, 0, pair);
  out.value.raw(head, pair).u8(accepted[i]!);
  out.value.f64(jaccard[i]!).f64(containmentAB[i]!).f64(containmentBA[i]!);
  out.write();
  facts.add('pairs verified', 1);
  facts.add('pairs near', accepted[i]!);
}

/** The sets of a tile, and those of several later documents with their pairs, which are compared together. */
class ComparedTile {
  private readonly earlier = new HeldSets();
  private readonly later = new HeldSets();
  /** By rank: the number of the set of an earlier document. */
  private readonly numbers = new Map<number, number>();
  /** The document whose set came last, and its range; and the number of its set. */
  private readonly last = new FieldWriter();
  private set = 0;
  /** By pair: the numbers of its sets, first those of earlier documents, then those of later ones. */
  private readonly a = new Uint32Column();
  private readonly b = new Uint32Column();
  /** By pair, 1: sizes in a range are wanted. */
  private readonly isPart = new ByteColumn();
  private readonly heads = new ByteColumn();
  /** Bytes of the pair in a key; `heads` has pair and agreement. */
  private readonly pair: number;
  private readonly entry: number;
  private readonly head = new FieldWriter();
  private readonly out: StageSink;
  private readonly here: StagePlace;

  constructor(out: StageSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.pair = pairBytes(here.manifest.params);
    this.entry = entryBytes(here);
  }

  add(key: Uint8Array, value: Uint8Array): void {
    const isEarlier = key[TILED] === EARLIER;
    if (isEarlier || key[TAG_AT] === A_SET) this.hold(key, value, isEarlier ? this.earlier : this.later);
    else for (let at = 0; at < value.length; at += this.entry) this.compare(key, value, at);
  }

  /** Compares the pairs that are left, and forgets the tile. */
  end(): void {
    this.flush();
    this.earlier.clear();
    this.numbers.clear();
    this.last.reset();
  }

  private hold(key: Uint8Array, value: Uint8Array, sets: HeldSets): void {
    if (compareKeys(key, this.last.view) !== 0) {
      if (this.later.bytes >= BLOCK) this.flush();
      this.last.reset().raw(key);
      this.set = sets.begin();
      if (sets === this.earlier) this.numbers.set(u64At(key, RANK_AT), this.set);
    }
    if (!hasNoHash(value)) sets.append(value);
  }

  /** Adds the pair whose entry stands at `at`, a pair of the last set. */
  private compare(key: Uint8Array, value: Uint8Array, at: number): void {
    const { earlier, later, heads, head } = this;
    if (this.a.length === PAIRS || later.bytes >= 2 * BLOCK) this.flush(true);
    const set = this.numbers.get(u64At(value, at));
    // A document that changed has no set, and its pairs are void.
    if (set === undefined || !sharesPrefix(key, this.last.view, TAG_AT)) return;
    const part = u32At(value, at + OF_ENTRY.part);
    const [bits, range] = [part >>> 16, part & 0xffff];
    if (bits === 0) {
      this.a.push(set);
      this.b.push(earlier.count + this.set);
    } else {
      this.a.push(earlier.count + later.addRange(earlier, set, bits, range));
      this.b.push(earlier.count + later.addRange(later, this.set, bits, range));
    }
    this.isPart.push(bits > 0 ? 1 : 0);
    head
      .reset()
      .raw(value, at, at + RANK)
      .raw(key, RANK_AT, RANK_AT + RANK);
    head
      .raw(value, at + OF_ENTRY.names, at + this.entry)
      .raw(value, at + OF_ENTRY.agreement, at + OF_ENTRY.part);
    heads.append(head.view);
  }

  /** Compares the waiting pairs. `keeps`: the last set has more. */
  flush(keeps = false): void {
    const { later, earlier, here } = this;
    const count = this.a.length;
    const own = keeps ? later.bytesOf(this.set) : null;
    if (count > 0) {
      const [a, b] = [this.a.view, this.b.view];
      const [firsts, all] = [earlier.count, earlier.count + later.count];
      const blocks = [earlier, later].map(({ hashes, offsets }) => ({ hashes, offsets: offsets.view }));
      const setBlock = new Uint32Array(all).fill(1, firsts);
      const setIndex = Uint32Array.from(setBlock, (block, set) => set - block * firsts);
      const sets = { blocks, setBlock, setIndex };
      this.put({ a, b, count }, commonSizes({ a, b, count }, sets, here.kernel.setComparer()));
    }
    for (const column of [this.a, this.b, this.isPart, this.heads]) column.truncate(0);
    later.clear();
    if (own === null) return;
    this.set = later.begin();
    later.append(own);
  }

  private put(pairs: Pairs, { common, sizes }: CommonSizes): void {
    const { heads, pair, isPart, out, here } = this;
    const { a, b, count } = pairs;
    const { threshold, measure } = here.manifest.params;
    const evidence = evidenceOfSizes(pairs, { common, sizes }, threshold, measure);
    const width = pair + AGREEMENT;
    for (let i = 0; i < count; i++) {
      const head = heads.view.subarray(i * width, (i + 1) * width);
      if (isPart.view[i] === 0) {
        writeEvidence(out, here, head, evidence, i);
        continue;
      }
      out.key.kind(KINDS.sizes).raw(head, 0, pair);
      out.value.raw(head, pair).f64(sizes[a[i]!]!).f64(sizes[b[i]!]!).f64(common[i]!);
      out.write();
      here.facts.add(SIZES, 1);
    }
  }
}

/** Compares the pairs of a tile, or ranges of their sets. */
export const tilePairs: StreamStage = {
  kinds: [KINDS.tiled, KINDS.unverified],
  shuffles: ['tile', 'range'],
  prefix: TILED,
  map: mapTilePairs,
  reduce(input, out, here) {
    const tile = new ComparedTile(out, here);
    while (input.group()) {
      while (input.each()) tile.add(input.key, input.value);
      tile.end();
    }
  },
};

/** Adds up the sizes of pairs that were compared range by range. */
export const addedSizes: StreamStage = {
  ...mapOf({ [KINDS.sizes]: withoutKind }),
  shuffles: ['a', 'b'],
  prefix: 2 * RANK,
  reduce(input, out, here) {
    const { params } = here.manifest;
    const pair = pairBytes(params);
    const head = new Uint8Array(pair + AGREEMENT);
    const pairs = { a: Uint32Array.of(0), b: Uint32Array.of(1), count: 1 };
    while (input.group()) {
      const [sizes, common] = [new Uint32Array(2), new Uint32Array(1)];
      while (input.each()) {
        const { key, value } = input;
        head.set(key);
        head.set(value.subarray(0, AGREEMENT), pair);
        sizes[0]! += f64At(value, AGREEMENT);
        sizes[1]! += f64At(value, AGREEMENT + 8);
        common[0]! += f64At(value, AGREEMENT + 16);
      }
      const evidence = evidenceOfSizes(pairs, { sizes, common }, params.threshold, params.measure);
      writeEvidence(out, here, head, evidence, 0);
    }
  },
};
