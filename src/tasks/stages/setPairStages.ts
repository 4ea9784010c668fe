/**
 * Stages that compare the shingle sets of pairs.
 *
 * A task holds one set of the document by which its records are grouped, and sets of pairs of about BLOCK bytes, at least one: a
 * document with a million partners needs no more memory than a document with one. A pair with more than 2^22 distinct hashes is
 * sorted outside the kernel: that takes the bytes of both sets once more, and as many as the larger set to sort in.
 */

import { exactPairs, type PairEvidence } from '../../../reducers/exactPairs.js';
import { hexOf } from '../../arrays/checksum.js';
import { ByteColumn, Float64Column, Uint32Column } from '../../arrays/growable.js';
import { MinHashError } from '../../errors.js';
import { unitMark } from '../../text/units.js';
import { pairBytes } from '../stream/crossing.js';
import { EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, PLACE, WHOLE_RECORD } from '../stream/kinds.js';
import { PlacesInFiles } from '../stream/placesInFiles.js';
import {
  FieldWriter,
  type RecordSink,
  type RecordSource,
  sharesPrefix,
  u32At,
  u64At,
} from '../stream/records.js';
import type { StagePlace, StreamStage } from '../stream/stage.js';

const BLOCK = 2 ** 23;
/** Most pairs that are compared together. */
const PAIRS = 4096;
/** A set of more bytes is compared where it is held; smaller sets are copied to those of their pairs. */
const LARGE = 2 ** 20;

/** Tags after the place: the set of a document comes before its pairs. */
const OWN = 0;
const OTHERS = 1;
const AGREEMENT = 8;
/** Bytes before the hashes in a `halfSet`: agreement, place of a. */
const HALF_HEAD = AGREEMENT + PLACE;

/** set -> place, 0 / hashes; false: the record is of another kind. */
function putSet({ key, value }: RecordSource, out: RecordSink, keys: FieldWriter): boolean {
  if (key[0] !== KINDS.set) return false;
  out.put(keys.reset().raw(key, KIND).u8(OWN).view, value);
  return true;
}

/** The error for a document that was there in the first reading, and that the second reading did not find. */
function lostSet(place: Uint8Array, { manifest }: StagePlace): MinHashError {
  const [index, number] = [u32At(place, 0), u64At(place, 4)];
  const file = manifest.files[index]?.uri ?? `file ${index}`;
  const numbered = new PlacesInFiles(manifest.strides);
  const [record, unit] = [numbered.recordOf(index, number), numbered.unitOf(index, number)];
  const ofUnit = manifest.params.unit === 'document' ? '' : `${unitMark(manifest.params.unit)}${unit}`;
  const where = (record === WHOLE_RECORD ? file : `${file}#${record}`) + ofUnit;
  const detail = `${where}: the second reading did not find the text of the first, whose content key begins with ${hexOf(u32At(place, 12))}`;
  return new MinHashError({ code: 'INPUT_LOST', detail });
}

/** set -> place of a, 0; compared, where the sets must be compared -> place of a, 1, a, b / agreement, place of b. */
function mapLeftSets(input: RecordSource, out: RecordSink, { manifest }: StagePlace): void {
  const reader = new EvidenceReader(manifest.params);
  const keys = new FieldWriter();
  const values = new FieldWriter();
  while (input.next()) {
    if (putSet(input, out, keys)) continue;
    const { key, value } = input;
    if (key[0] !== KINDS.compared) continue;
    reader.read(input);
    if (!reader.needsSets(reader.agreement)) continue;
    keys
      .reset()
      .raw(value, AGREEMENT, AGREEMENT + PLACE)
      .u8(OTHERS)
      .raw(key, KIND);
    values
      .reset()
      .raw(value, 0, AGREEMENT)
      .raw(value, AGREEMENT + PLACE);
    out.put(keys.view, values.view);
  }
}

/** A buffer for one value at a time; it grows and keeps its size. */
class HeldBytes {
  length = 0;
  private room = new Uint8Array(BLOCK);

  get view(): Uint8Array {
    return this.room.subarray(0, this.length);
  }

  /** Makes `view` so many bytes, for the caller to fill. */
  take(length: number): Uint8Array {
    // Releases the old buffer first: there may be no room for both.
    if (length > this.room.length) this.room = new Uint8Array(0);
    if (length > this.room.length) this.room = new Uint8Array(length);
    this.length = length;
    return this.view;
  }
}

function reduceLeftSets(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const place = new Uint8Array(PLACE);
  const half = new HeldBytes();
  const keys = new FieldWriter();
  while (input.next()) {
    const { key, value } = input;
    if (key[PLACE] === OWN) {
      place.set(key.subarray(0, PLACE));
      const bytes = half.take(HALF_HEAD + value.length);
      bytes.set(place, AGREEMENT);
      bytes.set(value, HALF_HEAD);
      continue;
    }
    if (half.length === 0 || !sharesPrefix(key, place, PLACE)) throw lostSet(key, here);
    const { view } = half;
    view.set(value.subarray(0, AGREEMENT));
    keys
      .reset()
      .u8(KINDS.halfSet)
      .raw(value, AGREEMENT)
      .raw(key, PLACE + 1);
    out.put(keys.view, view);
  }
}

/** Joins pairs whose signatures agree enough with the set of their earlier document. */
export const leftSets: StreamStage = {
  reads: 'records',
  shuffles: ['place of a'],
  prefix: PLACE,
  map: mapLeftSets,
  reduce: reduceLeftSets,
};

/** set -> place of b, 0; halfSet -> place of b, 1, a, b / unchanged. */
function mapRightSets(input: RecordSource, out: RecordSink): void {
  const keys = new FieldWriter();
  while (input.next()) {
    if (putSet(input, out, keys)) continue;
    const { key, value } = input;
    if (key[0] !== KINDS.halfSet) continue;
    keys
      .reset()
      .raw(key, KIND, KIND + PLACE)
      .u8(OTHERS)
      .raw(key, KIND + PLACE);
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

  /** Copies the set that begins at `at` of a value; returns its number. */
  add(value: Uint8Array, at: number): number {
    const words = this.words.extend((value.length - at) / 4);
    new Uint8Array(words.buffer, words.byteOffset, words.byteLength).set(value.subarray(at));
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

/** Pairs of several later documents, with the sets of both documents, compared together. */
class ExactBlock {
  /** Place of the later document, whose pairs come now. */
  readonly place = new Uint8Array(PLACE);
  isHeld = false;
  private readonly held = new HeldBytes();
  /** Number of the held set in `sets`; NO_SET: it is not there yet. */
  private set = NO_SET;
  private readonly sets = new PairedSets();
  private readonly a = new Uint32Column();
  private readonly b = new Uint32Column();
  private readonly heads = new ByteColumn();
  /** Bytes of the pair in a key; `heads` has pair and agreement. */
  private readonly pair: number;
  private readonly keys = new FieldWriter();
  private readonly values = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;

  constructor(out: RecordSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.pair = pairBytes(here.manifest.params);
  }

  private get isLarge(): boolean {
    return this.held.length > LARGE;
  }

  hold(place: Uint8Array, hashes: Uint8Array): void {
    // Waiting pairs may use the old held set: compare them first.
    if (this.isLarge) this.flush();
    this.place.set(place);
    this.held.take(hashes.length).set(hashes);
    this.isHeld = true;
    this.set = NO_SET;
  }

  /** Adds a pair of the held document; a and b stand at the end of the key. */
  add(key: Uint8Array, value: Uint8Array): void {
    const { sets, heads } = this;
    if (this.set === NO_SET) this.set = this.isLarge ? sets.addHeld() : sets.add(this.held.view, 0);
    this.a.push(sets.add(value, HALF_HEAD));
    this.b.push(this.set);
    heads.append(key.subarray(PLACE + 1));
    heads.append(value.subarray(0, AGREEMENT));
    if (this.a.length === PAIRS || 4 * sets.hashes.length >= BLOCK) this.flush();
  }

  flush(): void {
    const count = this.a.length;
    if (count === 0) return;
    const { sets, held, here } = this;
    const { threshold, measure } = here.manifest.params;
    const own = this.isLarge ? held.view : held.view.subarray(0, 0);
    const hashes = new Uint32Array(own.buffer, own.byteOffset, own.length / 4);
    const blocks = [
      { hashes: sets.hashes, offsets: sets.offsets.view },
      { hashes, offsets: Float64Array.of(0, hashes.length / 2) },
    ];
    const found = exactPairs(
      { a: this.a.view, b: this.b.view, count },
      { blocks, setBlock: sets.setBlock.view, setIndex: sets.setIndex.view },
      threshold,
      here.kernel.setComparer(),
      measure,
    );
    this.put(found, count);
    this.clear();
  }

  private put({ jaccard, containmentAB, containmentBA, accepted }: PairEvidence, count: number): void {
    const { keys, values, heads, pair } = this;
    const { facts } = this.here;
    const width = pair + AGREEMENT;
    let near = 0;
    for (let i = 0; i < count; i++) {
      const head = heads.view.subarray(i * width, (i + 1) * width);
      keys.reset().u8(KINDS.evidence).raw(head, 0, pair);
      values.reset().raw(head, pair).u8(accepted[i]!);
      values.f64(jaccard[i]!).f64(containmentAB[i]!).f64(containmentBA[i]!);
      this.out.put(keys.view, values.view);
      near += accepted[i]!;
    }
    facts.add('pairs verified', count);
    facts.add('pairs near', near);
  }

  private clear(): void {
    this.sets.clear();
    this.set = NO_SET;
    this.a.truncate(0);
    this.b.truncate(0);
    this.heads.truncate(0);
  }
}

function reduceRightSets(input: RecordSource, out: RecordSink, here: StagePlace): void {
  const block = new ExactBlock(out, here);
  while (input.next()) {
    const { key, value } = input;
    if (key[PLACE] === OWN) {
      block.hold(key.subarray(0, PLACE), value);
      continue;
    }
    if (!block.isHeld || !sharesPrefix(key, block.place, PLACE)) throw lostSet(key, here);
    block.add(key, value);
  }
  block.flush();
}

/** Joins pairs, with the set of their earlier document, with that of the later one, and compares the two. */
export const rightSets: StreamStage = {
  reads: 'records',
  shuffles: ['place of b'],
  prefix: PLACE,
  map: mapRightSets,
  reduce: reduceRightSets,
};
