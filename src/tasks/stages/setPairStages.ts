/**
 * Stages that compare the shingle sets of pairs.
 *
 * A task holds one set of the document by which its records are grouped, or one range of a set that is split (largeSets.ts), and
 * sets of pairs of about BLOCK bytes, at least one: a document with a million partners, or of any length, needs no more memory
 * than another. Where a set of a pair is split, both are compared range by range, and the sizes are added up.
 */

import { PIECE_BYTES } from '../../../mappers/shingleSets.js';
import {
  type CommonSizes,
  commonSizes,
  evidenceOfSizes,
  type PairEvidence,
} from '../../../reducers/exactPairs.js';
import { ByteColumn, Float64Column, Uint32Column } from '../../arrays/growable.js';
import { sortUnique64 } from '../../arrays/sort.js';
import { pairBytes } from '../stream/crossing.js';
import { EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, PLACE, RANK } from '../stream/kinds.js';
import { hasNoHash, isInRange, LargeSets, SIZES } from '../stream/largeSets.js';
import {
  FieldWriter,
  f64At,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u32At,
} from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';
import { WITHOUT_SET } from './withdrawnStages.js';

const BLOCK = 2 ** 23;
/** Most pairs that are compared together. */
const PAIRS = 4096;
/** A set of more bytes is compared where it is held; smaller sets are copied to those of their pairs. */
const LARGE = 2 ** 20;

/** Place and range, by which sets and pairs meet. */
const RANGED = PLACE + 2;
/** Tags after place and range: the set of a document comes before its pairs. */
const OWN = 0;
const OTHERS = 1;
const AGREEMENT = 8;
/** At the end of the keys of pairs: bits u16 and range u16 of a pair. */
const PART = 4;
/** Bytes before the hashes in a `halfSet`: agreement. */
const HALF_HEAD = AGREEMENT;

/** set -> place, range, 0 / hashes; false: the record is of another kind. */
function putSet({ key, value }: RecordSource, out: RecordSink, keys: FieldWriter): boolean {
  if (key[0] !== KINDS.set) return false;
  out.put(keys.reset().raw(key, KIND).u8(OWN).view, value);
  return true;
}

/**
 * set -> place of a, range, 0; compared, where the sets must be compared, range by range -> place of a, its range, 1, a, b, part /
 * agreement, place of b, its range.
 */
function mapLeftSets(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const reader = new EvidenceReader(here.manifest.params);
  const large = LargeSets.from(here);
  const keys = new FieldWriter();
  const values = new FieldWriter();
  while (input.next()) {
    if (putSet(input, out, keys)) continue;
    const { key, value } = input;
    if (key[0] !== KINDS.compared) continue;
    reader.read(input);
    if (!reader.needsSets(reader.agreement)) continue;
    const [ofA, ofB] = [large.bitsAt(value, AGREEMENT), large.bitsAt(value, AGREEMENT + PLACE)];
    const bits = Math.max(ofA, ofB);
    for (let range = 0; range < 2 ** bits; range++) {
      keys
        .reset()
        .raw(value, AGREEMENT, AGREEMENT + PLACE)
        .u16(range >>> (bits - ofA))
        .u8(OTHERS);
      keys.raw(key, KIND).u16(bits).u16(range);
      values.reset().raw(value, 0, AGREEMENT);
      values.raw(value, AGREEMENT + PLACE, AGREEMENT + 2 * PLACE).u16(range >>> (bits - ofB));
      out.put(keys.view, values.view);
    }
  }
}

/** The set, or the range of one, by which records are grouped now, after `head` bytes for other fields of a value. */
class HeldSet {
  /** Place and range. */
  readonly group = new Uint8Array(RANGED);
  private isHeld = false;
  private buffer = new Uint8Array(BLOCK);
  private length = 0;
  private readonly head: number;
  /** From so many bytes on, repeated hashes are dropped. */
  private most = 0;

  /** @param head a multiple of 4 */
  constructor(head: number) {
    this.head = head;
  }

  /** Takes a record of the set; those of a range come one after the other. */
  take(key: Uint8Array, value: Uint8Array): void {
    const { head } = this;
    const hashes = hasNoHash(value) ? value.subarray(1) : value;
    if (!this.isOf(key)) {
      this.group.set(key.subarray(0, RANGED));
      this.isHeld = true;
      this.length = head;
      this.most = BLOCK;
    }
    const needed = this.length + hashes.length;
    if (needed > this.buffer.length) {
      const known = this.length === head ? new Uint8Array(0) : this.view.slice();
      // Releases the old buffer first: there may be no room for both.
      this.buffer = new Uint8Array(0);
      this.buffer = new Uint8Array(known.length === 0 ? needed : 2 * needed);
      this.buffer.set(known);
    }
    this.buffer.set(hashes, this.length);
    const isFirst = this.length === head;
    this.length = needed;
    if (isFirst || needed <= this.most) return;
    // A shingle that a text repeats without end is in one range.
    const { words } = this;
    this.length = head + 8 * sortUnique64(words, words.length / 2);
    this.most = Math.max(BLOCK, 2 * this.length);
  }

  isOf(key: Uint8Array): boolean {
    return this.isHeld && sharesPrefix(key, this.group, RANGED);
  }

  /** Bytes that it holds without another buffer. */
  get room(): number {
    return this.buffer.length;
  }

  /** The first bytes and the hashes. */
  get view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  get words(): Uint32Array {
    return new Uint32Array(this.buffer.buffer, this.head, (this.length - this.head) / 4);
  }
}

/** The part at the end of the key of a pair. */
function partOf(key: Uint8Array): readonly [bits: number, range: number] {
  const part = u32At(key, key.length - PART);
  return [part >>> 16, part & 0xffff];
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

function reduceLeftSets(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const half = new HeldSet(HALF_HEAD);
  // Of a set with many partners, or of many ranges, copies would wait for the next collection of garbage.
  let part = new Uint8Array(0);
  const [keys, values] = [new FieldWriter(), new FieldWriter()];
  while (input.next()) {
    const { key, value } = input;
    if (key[RANGED] === OWN) {
      half.take(key, value);
      continue;
    }
    if (!half.isOf(key)) {
      here.facts.add(WITHOUT_SET, 1);
      continue;
    }
    const [bits, range] = partOf(key);
    let { view } = half;
    if (bits > 0) {
      if (part.length < view.length) part = new Uint8Array(half.room);
      part.set(view);
      const kept = keepRange(new Uint32Array(part.buffer, HALF_HEAD, half.words.length), bits, range);
      view = part.subarray(0, HALF_HEAD + 4 * kept);
    }
    keys
      .reset()
      .u8(KINDS.halfSet)
      .raw(value, AGREEMENT)
      .raw(key, RANGED + 1);
    let at = HALF_HEAD;
    do {
      const to = Math.min(view.length, at + PIECE_BYTES);
      out.put(keys.view, values.reset().raw(value, 0, AGREEMENT).raw(view, at, to).view);
      at = to;
    } while (at < view.length);
  }
}

/** Joins pairs whose signatures agree enough with the set of their earlier document. */
export const leftSets: StreamStage = {
  reads: 'records',
  shuffles: ['place of a', 'range'],
  prefix: RANGED,
  map: mapLeftSets,
  reduce: reduceLeftSets,
};

/** set -> place of b, range, 0; halfSet -> place of b, its range, 1, a, b, part / unchanged. */
function mapRightSets(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    if (putSet(input, out, keys)) continue;
    const { key, value } = input;
    if (key[0] !== KINDS.halfSet) continue;
    keys
      .reset()
      .raw(key, KIND, KIND + RANGED)
      .u8(OTHERS)
      .raw(key, KIND + RANGED);
    out.put(keys.view, value);
  }
}

/** Consecutive sets, and the block and index in which exactPairs finds each. */
class PairedSets {
  /** By set: 0: in `hashes`; 1: the held set. */
  readonly setBlock = new Uint32Column();
  readonly setIndex = new Uint32Column();
  readonly offsets = new Float64Column();
  private words = new Uint32Column();

  constructor() {
    this.clear();
  }

  get hashes(): Uint32Array {
    return this.words.view;
  }

  /** Adds hashes to the set that was copied last. */
  append(hashes: Uint8Array): void {
    const words = this.words.extend(hashes.length / 4);
    new Uint8Array(words.buffer, words.byteOffset, words.byteLength).set(hashes);
    this.offsets.view[this.offsets.length - 1] = this.words.length / 2;
  }

  /** Copies a set, or the hashes of it in a range of 2^bits; returns its number. */
  add(hashes: Uint8Array, bits = 0, range = 0): number {
    const before = this.words.length;
    const words = this.words.extend(hashes.length / 4);
    new Uint8Array(words.buffer, words.byteOffset, words.byteLength).set(hashes);
    if (bits > 0) this.words.truncate(before + keepRange(words, bits, range));
    this.offsets.push(this.words.length / 2);
    return this.push(0, this.offsets.length - 2);
  }

  addHeld(): number {
    return this.push(1, 0);
  }

  clear(): void {
    // After a set far above the bound, release the memory.
    if (4 * this.words.length > 2 * BLOCK) this.words = new Uint32Column();
    this.words.truncate(0);
    this.offsets.truncate(0);
    this.offsets.push(0);
    this.setBlock.truncate(0);
    this.setIndex.truncate(0);
  }

  private push(block: number, index: number): number {
    this.setBlock.push(block);
    this.setIndex.push(index);
    return this.setBlock.length - 1;
  }
}

const NO_SET = -1;

/** Writes records of kind `evidence`. */
class EvidenceRecords {
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
  }

  /** `head`: the pair and the agreement. */
  put(head: Uint8Array, { jaccard, containmentAB, containmentBA, accepted }: PairEvidence, i: number): void {
    const { keys, values, here } = this;
    const pair = head.length - AGREEMENT;
    keys.reset().u8(KINDS.evidence).raw(head, 0, pair);
    values.reset().raw(head, pair).u8(accepted[i]!);
    values.f64(jaccard[i]!).f64(containmentAB[i]!).f64(containmentBA[i]!);
    this.out.put(keys.view, values.view);
    here.facts.add('pairs verified', 1);
    here.facts.add('pairs near', accepted[i]!);
  }
}

/** Pairs of several later documents, with the sets of both documents, or with ranges of them, compared together. */
class ExactBlock {
  private readonly held = new HeldSet(0);
  /** Number of the held set in `sets`; NO_SET: it is not there yet. */
  private set = NO_SET;
  private readonly sets = new PairedSets();
  private readonly a = new Uint32Column();
  private readonly b = new Uint32Column();
  /** By pair, 1: sizes in a range are wanted. */
  private readonly isPart = new ByteColumn();
  private readonly heads = new ByteColumn();
  /** Bytes of the pair in a key; `heads` has pair and agreement. */
  private readonly pair: number;
  /** The key of the last pair. */
  private readonly last: Uint8Array;
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private readonly evidence: EvidenceRecords;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.pair = pairBytes(here.manifest.params);
    this.last = new Uint8Array(RANGED + 1 + this.pair + PART);
    this.evidence = new EvidenceRecords(out, here);
  }

  private get isLarge(): boolean {
    return this.held.view.length > LARGE;
  }

  hold(key: Uint8Array, hashes: Uint8Array): void {
    // Waiting pairs may use the old held set: compare them first.
    if (this.isLarge) this.flush();
    this.held.take(key, hashes);
    this.set = NO_SET;
  }

  /** Adds a pair of the held document, or more hashes of a; a, b and the part stand at the end of the key. */
  add(key: Uint8Array, value: Uint8Array): void {
    const { sets, heads, held } = this;
    if (!held.isOf(key)) {
      this.here.facts.add(WITHOUT_SET, 1);
      return;
    }
    if (this.a.length > 0 && sharesPrefix(key, this.last, key.length)) {
      sets.append(value.subarray(HALF_HEAD));
      return;
    }
    if (this.a.length === PAIRS || 4 * sets.hashes.length >= BLOCK) this.flush();
    this.last.set(key);
    const [bits, range] = partOf(key);
    if (bits > 0) this.b.push(sets.add(held.view, bits, range));
    else {
      if (this.set === NO_SET) this.set = this.isLarge ? sets.addHeld() : sets.add(held.view);
      this.b.push(this.set);
    }
    this.a.push(sets.add(value.subarray(HALF_HEAD)));
    this.isPart.push(bits > 0 ? 1 : 0);
    heads.append(key.subarray(RANGED + 1, RANGED + 1 + this.pair));
    heads.append(value.subarray(0, AGREEMENT));
  }

  flush(): void {
    const count = this.a.length;
    if (count === 0) return;
    const { sets, held, here } = this;
    const hashes = this.isLarge ? held.words : new Uint32Array(0);
    const blocks = [
      { hashes: sets.hashes, offsets: sets.offsets.view },
      { hashes, offsets: Float64Array.of(0, hashes.length / 2) },
    ];
    const found = commonSizes(
      { a: this.a.view, b: this.b.view, count },
      { blocks, setBlock: sets.setBlock.view, setIndex: sets.setIndex.view },
      here.kernel.setComparer(),
    );
    this.put(found, count);
    this.clear();
  }

  private put({ common, sizes }: CommonSizes, count: number): void {
    const { heads, pair, isPart, keys, values, here } = this;
    const [a, b] = [this.a.view, this.b.view];
    const { threshold, measure } = here.manifest.params;
    const evidence = evidenceOfSizes({ a, b, count }, { common, sizes }, threshold, measure);
    const width = pair + AGREEMENT;
    for (let i = 0; i < count; i++) {
      const head = heads.view.subarray(i * width, (i + 1) * width);
      if (isPart.view[i] === 0) {
        this.evidence.put(head, evidence, i);
        continue;
      }
      keys.reset().u8(KINDS.sizes).raw(head, 0, pair);
      values.reset().raw(head, pair).f64(sizes[a[i]!]!).f64(sizes[b[i]!]!).f64(common[i]!);
      this.out.put(keys.view, values.view);
      here.facts.add(SIZES, 1);
    }
  }

  private clear(): void {
    this.sets.clear();
    this.set = NO_SET;
    this.a.truncate(0);
    this.b.truncate(0);
    this.isPart.truncate(0);
    this.heads.truncate(0);
  }
}

function reduceRightSets(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const block = new ExactBlock(out, here);
  while (input.next()) {
    const { key, value } = input;
    if (key[RANGED] === OWN) block.hold(key, value);
    else block.add(key, value);
  }
  block.flush();
}

/** Joins pairs, with the set of their earlier document, with that of the later one, and compares the two, or a range of both. */
export const rightSets: StreamStage = {
  reads: 'records',
  shuffles: ['place of b', 'range'],
  prefix: RANGED,
  map: mapRightSets,
  reduce: reduceRightSets,
};

/** sizes -> a, b / unchanged. */
function mapSizes(input: RecordSource, out: RecordSink): void {
  while (input.next()) if (input.key[0] === KINDS.sizes) out.put(input.key.subarray(KIND), input.value);
}

function reduceSizes(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const { params } = here.manifest;
  const evidence = new EvidenceRecords(out, here);
  const pair = pairBytes(params);
  const head = new Uint8Array(pair + AGREEMENT);
  const pairs = { a: Uint32Array.of(0), b: Uint32Array.of(1), count: 1 };
  const [sizes, common] = [new Uint32Array(2), new Uint32Array(1)];
  let isAny = false;
  const flush = (): void => {
    if (isAny)
      evidence.put(head, evidenceOfSizes(pairs, { sizes, common }, params.threshold, params.measure), 0);
  };
  while (input.next()) {
    const { key, value } = input;
    if (!isAny || !sharesPrefix(key, head, pair)) {
      flush();
      head.set(key);
      head.set(value.subarray(0, AGREEMENT), pair);
      sizes.fill(0);
      common.fill(0);
      isAny = true;
    }
    sizes[0]! += f64At(value, AGREEMENT);
    sizes[1]! += f64At(value, AGREEMENT + 8);
    common[0]! += f64At(value, AGREEMENT + 16);
  }
  flush();
}

/** Adds up the sizes of pairs that were compared range by range. */
export const addedSizes: StreamStage = {
  reads: 'records',
  kinds: [KINDS.sizes],
  shuffles: ['a', 'b'],
  prefix: 2 * RANK,
  map: mapSizes,
  reduce: reduceSizes,
};
